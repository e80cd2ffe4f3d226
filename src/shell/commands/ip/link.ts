import type { NetDevice } from '../../../engine/net';
import { type CommandCtx, type CommandResult, fail, out } from '../../command';
import { strerror } from '../../format/errno';
import { type IpOptions, matches, Words } from './args';
import { interfaces, linkFlags, linkNetns, operState, qdisc, shownName } from './model';

/** The first line of an interface. `mode` shows the link mode (ip link) and not (ip addr). */
export function linkLine(ctx: CommandCtx, d: NetDevice, mode: boolean): string {
  const master = d.master === undefined ? '' : ` master ${d.master.slice(d.master.lastIndexOf(':') + 1)}`;
  return `${d.ifindex}: ${shownName(ctx.reader, d)}: <${linkFlags(ctx.reader, d).join(',')}> mtu ${d.mtu} qdisc ${qdisc(d)}${master} state ${operState(ctx.reader, d)}${mode ? ' mode DEFAULT' : ''} group default qlen 1000`;
}

/** The line with the hardware address. */
export function etherLine(ctx: CommandCtx, d: NetDevice): string {
  const [kind, brd] = d.kind === 'lo' ? ['loopback', '00:00:00:00:00:00'] : ['ether', 'ff:ff:ff:ff:ff:ff'];
  const mac = d.kind === 'lo' ? '00:00:00:00:00:00' : d.mac;
  return `    link/${kind} ${mac} brd ${brd}${linkNetns(ctx.reader, d, !ctx.place.namelessNetns)}`;
}

export function ipLink(ctx: CommandCtx, o: IpOptions, args: readonly string[]): CommandResult {
  const verb = args[0] ?? 'show';
  if (matches(verb, 'show') || matches(verb, 'list') || matches(verb, 'lst')) return show(ctx, o, args.slice(1));
  if (matches(verb, 'set')) return set(ctx, args.slice(1));
  if (matches(verb, 'add')) return add(ctx, args.slice(1));
  if (matches(verb, 'delete')) return del(ctx, args.slice(1));
  return fail(`Command "${verb}" is unknown, try "ip link help".`, 255);
}

/** Interfaces that the words of `ip link show` choose, or an error. */
export function choose(ctx: CommandCtx, words: Words): { devs: readonly NetDevice[] } | { error: CommandResult } {
  const all = interfaces(ctx.reader, ctx.place.netns as string);
  let devs = all;
  for (let w = words.next(); w !== undefined; w = words.next()) {
    if (w === 'up') devs = devs.filter((d) => d.up);
    else if (w === 'type') {
      const type = words.next();
      devs = devs.filter((d) => (d.kind === 'eth' || d.kind === 'lo' ? '' : d.kind) === type);
    } else if (w === 'master') {
      const name = words.next() ?? '';
      if (!all.some((d) => d.name === name)) return { error: fail(`Device does not exist`, 1) };
      devs = devs.filter((d) => d.master?.endsWith(`:${name}`));
    } else if (w === 'nomaster') devs = devs.filter((d) => d.master === undefined);
    else if (w === 'scope' || w === 'group' || w === 'label' || w === 'to') words.next();
    else {
      const name = w === 'dev' ? (words.next() ?? '') : w;
      const d = all.find((x) => x.name === name);
      if (!d) return { error: fail(`Device "${name}" does not exist.`, 1) };
      devs = devs.filter((x) => x === d);
    }
  }
  return { devs };
}

function show(ctx: CommandCtx, o: IpOptions, args: readonly string[]): CommandResult {
  const chosen = choose(ctx, new Words(args));
  if ('error' in chosen) return chosen.error;
  if (o.family === 6) return out('');
  const text = chosen.devs.map((d) => {
    if (o.brief) {
      const mac = d.kind === 'lo' ? '00:00:00:00:00:00' : d.mac;
      return `${brief(ctx, d)}${mac} <${linkFlags(ctx.reader, d).join(',')}> \n`;
    }
    const lines = [linkLine(ctx, d, true), etherLine(ctx, d) + (o.details ? ` ${details(d)}` : '')];
    if (o.details && kindName(d) !== '') lines.push(`    ${kindName(d)} ${queues()}`);
    if (o.stats > 0) lines.push(...counters());
    return o.oneline ? `${lines.join('\\')}\n` : `${lines.join('\n')}\n`;
  });
  return out(text.join(''));
}

/** print_stats64; the model's devices count nothing. */
const counters = (): string[] => [
  '    RX:  bytes packets errors dropped  missed   mcast           ',
  '             0       0      0       0       0       0 ',
  '    TX:  bytes packets errors dropped carrier collsns           ',
  '             0       0      0       0       0       0 ',
];

/** Name, state: the first two columns of -br. */
export function brief(ctx: CommandCtx, d: NetDevice): string {
  return `${shownName(ctx.reader, d).padEnd(16)} ${operState(ctx.reader, d).padEnd(14)} `;
}

const kindName = (d: NetDevice): string => (d.kind === 'eth' || d.kind === 'lo' ? '' : d.kind);
const details = (d: NetDevice): string =>
  `promiscuity ${d.master === undefined ? 0 : 1}  allmulti ${d.master === undefined ? 0 : 1} minmtu 68 maxmtu 65535 `;
const queues = (): string =>
  'addrgenmode eui64 numtxqueues 2 numrxqueues 2 gso_max_size 65536 gso_max_segs 65535 tso_max_size 524280 tso_max_segs 65535 gro_max_size 65536 ';

function set(ctx: CommandCtx, args: readonly string[]): CommandResult {
  const words = new Words(args);
  let dev: string | undefined;
  const change: { up?: boolean; mtu?: number } = {};
  for (let w = words.next(); w !== undefined; w = words.next()) {
    if (w === 'up') change.up = true;
    else if (w === 'down') change.up = false;
    else if (w === 'mtu') {
      const text = words.next() ?? '';
      if (!/^\d+$/.test(text)) return fail(`Error: argument "${text}" is wrong: Invalid "mtu" value\n`, 255);
      change.mtu = Number(text);
    } else if (w === 'dev') dev = words.next();
    else if (dev === undefined) dev = w;
    else return fail(`Error: either "dev" is duplicate, or "${w}" is a garbage.`, 255);
  }
  if (dev === undefined) return fail('Not enough information: "dev" argument is required.', 255);
  if (!interfaces(ctx.reader, ctx.place.netns as string).some((d) => d.name === dev))
    return fail(`Cannot find device "${dev}"`, 1);
  const errno = ctx.uid !== 0 ? 'EPERM' : ctx.world?.net.linkSet(ctx.place.netns as string, dev, change);
  return errno === undefined ? out('') : fail(`RTNETLINK answers: ${strerror(errno)}`, 2);
}

function add(ctx: CommandCtx, args: readonly string[]): CommandResult {
  const words = new Words(args);
  let name: string | undefined;
  let type: string | undefined;
  for (let w = words.next(); w !== undefined; w = words.next()) {
    if (w === 'type') type = words.next();
    else if (w === 'dev' || w === 'name') name = words.next();
    else name ??= w;
  }
  if (type === undefined) return fail('Not enough information: "type" argument is required', 255);
  if (name === undefined) return fail('Not enough of information: "dev" argument is required.', 255);
  const builtIn = ctx.place.kernel.linkTypes;
  if (builtIn && !builtIn.includes(type)) return fail('Error: Unknown device type.', 2);
  const errno = ctx.uid !== 0 ? 'EPERM' : ctx.world?.net.linkAdd(ctx.place.netns as string, name, type);
  if (errno === undefined) return out('');
  return errno === 'EOPNOTSUPP'
    ? fail('Error: Unknown device type.', 2)
    : fail(`RTNETLINK answers: ${strerror(errno)}`, 2);
}

function del(ctx: CommandCtx, args: readonly string[]): CommandResult {
  const name = args[0] === 'dev' ? args[1] : args[0];
  if (name === undefined) return fail('Not enough information: "dev" argument is required.', 255);
  if (!interfaces(ctx.reader, ctx.place.netns as string).some((d) => d.name === name))
    return fail(`Cannot find device "${name}"`, 1);
  const errno = ctx.uid !== 0 ? 'EPERM' : ctx.world?.net.linkDel(ctx.place.netns as string, name);
  return errno === undefined ? out('') : fail(`RTNETLINK answers: ${strerror(errno)}`, 2);
}
