import { NEIGHS, type NeighRecord } from '../../../engine/net';
import { type CommandCtx, type CommandResult, fail, out } from '../../command';
import { matches, Words } from './args';
import { interfaces, neighState } from './model';

const STATES = ['permanent', 'reachable', 'stale', 'incomplete', 'failed', 'noarp', 'delay', 'probe', 'none'];

export function ipNeigh(ctx: CommandCtx, args: readonly string[]): CommandResult {
  const netns = ctx.place.netns as string;
  const verb = args[0] ?? 'show';
  const flush = matches(verb, 'flush');
  if (!flush && !matches(verb, 'show') && !matches(verb, 'list') && !matches(verb, 'lst')) {
    return fail(`Command "${verb}" is unknown, try "ip neigh help".`, 255);
  }
  const words = new Words(args.slice(1));
  let dev: string | undefined;
  let state: string | undefined;
  let to: string | undefined;
  for (let w = words.next(); w !== undefined; w = words.next()) {
    if (w === 'dev') dev = words.next();
    else if (w === 'nud') state = words.next();
    else if (w === 'to') to = words.next();
    else if (STATES.includes(w)) state = w;
    else to = w;
  }
  if (dev !== undefined && !interfaces(ctx.reader, netns).some((d) => d.name === dev))
    return fail(`Cannot find device "${dev}"`, 1);
  if (flush) {
    if (ctx.uid !== 0) return fail('Failed to send flush request: Operation not permitted', 1);
    ctx.world?.net.neighFlush(netns, dev);
    return out('');
  }
  const map = ctx.reader.map(NEIGHS);
  const shown = map
    .by('netns', netns)
    .map((k) => map.get(k) as NeighRecord)
    .filter((n) => dev === undefined || n.dev === `${netns}:${dev}`)
    .map((n) => ({ ...n, state: neighState(ctx.reader, n) }))
    .filter((n) => state === undefined || n.state.toLowerCase() === state)
    .filter((n) => to === undefined || n.ip === to);
  return out(
    shown
      .map((n) => {
        const at = dev === undefined ? ` dev ${n.dev.slice(n.dev.lastIndexOf(':') + 1)}` : '';
        return `${n.ip}${at}${n.mac === undefined ? '' : ` lladdr ${n.mac}`} ${n.state} \n`;
      })
      .join(''),
  );
}
