import { FDB } from '../../engine/net';
import { type Command, type CommandCtx, type CommandResult, fail, out } from '../command';
import { matches } from './ip/args';
import { interfaces, linkFlags, shownName } from './ip/model';

/** bridge(8): ports of bridges and their forwarding database. */
function run(ctx: CommandCtx): CommandResult {
  const args = ctx.argv.slice(1);
  const details = args.some((a) => a === '-d' || a === '-details');
  const [object, verb = 'show', ...rest] = args.filter((a) => !a.startsWith('-'));
  const netns = ctx.place.netns ?? '';
  const devs = interfaces(ctx.reader, netns);
  if (object === undefined) return fail('Usage: bridge [ OPTIONS ] OBJECT { COMMAND | help }', 255);
  if (matches(object, 'link') && matches(verb, 'show')) {
    const dev = rest[0] === 'dev' ? rest[1] : undefined;
    if (dev !== undefined && !devs.some((d) => d.name === dev)) return fail(`Cannot find bridge device "${dev}"`, 1);
    const ports = devs.filter((d) => d.master !== undefined && (dev === undefined || d.name === dev));
    const lines = ports.map((d) => {
      const master = (d.master as string).slice((d.master as string).lastIndexOf(':') + 1);
      const head = `${d.ifindex}: ${shownName(ctx.reader, d)}: <${linkFlags(ctx.reader, d).join(',')}> mtu ${d.mtu} master ${master} state ${d.up ? 'forwarding' : 'disabled'} priority 32 cost 2 \n`;
      if (!details) return head;
      return `${head}    hairpin ${d.hairpin ? 'on' : 'off'} guard off root_block off fastleave off learning on flood on mcast_flood on bcast_flood on mcast_router 1 mcast_to_unicast off neigh_suppress off vlan_tunnel off isolated off locked off \n`;
    });
    return out(lines.join(''));
  }
  if (matches(object, 'fdb') && matches(verb, 'show')) {
    const map = ctx.reader.map(FDB);
    const lines = devs
      .filter((d) => d.kind === 'bridge')
      .flatMap((b) => map.by('bridge', b.id).map((k) => map.get(k)))
      .map((f) =>
        f
          ? `${f.mac} dev ${f.port.slice(f.port.lastIndexOf(':') + 1)} master ${f.bridge.slice(f.bridge.lastIndexOf(':') + 1)} \n`
          : '',
      );
    return out(lines.join(''));
  }
  return fail(`Object "${object}" is unknown, try "bridge help".`, 255);
}

export const bridge: Command = {
  name: 'bridge',
  usage: 'bridge [ OPTIONS ] { link | fdb } show',
  acts: () => false,
  run,
};
