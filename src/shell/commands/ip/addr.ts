import { ipFamily, parseCidr } from '../../../engine/base';
import type { NetDevice } from '../../../engine/net';
import { type CommandCtx, type CommandResult, fail, out } from '../../command';
import { strerror } from '../../format/errno';
import { type IpOptions, matches, Words } from './args';
import { brief, choose, etherLine, linkLine } from './link';
import { interfaces, linkFlags, linkNetns, nsid, operState, peerOf, qdisc } from './model';

export function ipAddr(ctx: CommandCtx, o: IpOptions, args: readonly string[]): CommandResult {
  const verb = args[0] ?? 'show';
  if (matches(verb, 'add')) return change(ctx, 'add', args.slice(1));
  if (matches(verb, 'change') || matches(verb, 'replace')) return change(ctx, 'add', args.slice(1));
  if (matches(verb, 'delete')) return change(ctx, 'del', args.slice(1));
  if (matches(verb, 'show') || matches(verb, 'list') || matches(verb, 'lst')) return show(ctx, o, args.slice(1));
  return fail(`Command "${verb}" is unknown, try "ip address help".`, 255);
}

type Addr = NetDevice['addrs'][number];

function show(ctx: CommandCtx, o: IpOptions, args: readonly string[]): CommandResult {
  const chosen = choose(ctx, new Words(args));
  if ('error' in chosen) return chosen.error;
  const of = (d: NetDevice): readonly Addr[] =>
    d.addrs.filter((a) => o.family === undefined || ipFamily(a.ip) === o.family);
  // With a family only interfaces that have an address of it are shown.
  const devs = chosen.devs.filter((d) => o.family === undefined || of(d).length > 0);
  if (o.json) return out(`[${devs.map((d) => json(ctx, d, of(d))).join(',')}]\n`);
  if (o.brief)
    return out(
      devs
        .map(
          (d) =>
            `${brief(ctx, d)}${of(d)
              .map((a) => `${a.ip}/${a.prefix} `)
              .join('')}\n`,
        )
        .join(''),
    );
  if (o.oneline) {
    return out(
      devs
        .flatMap((d) =>
          of(d).map(
            (a) => `${d.ifindex}: ${d.name}    ${inet(d, a)}\\       valid_lft forever preferred_lft forever\n`,
          ),
        )
        .join(''),
    );
  }
  return out(
    devs
      .map((d) => {
        const head = linkLine(ctx, d, false);
        const lines =
          o.family === undefined
            ? [head, etherLine(ctx, d)]
            : [`${head}${linkNetns(ctx.reader, d, !ctx.place.namelessNetns)}`];
        for (const a of of(d)) lines.push(`    ${inet(d, a)}`, '       valid_lft forever preferred_lft forever');
        return `${lines.join('\n')}\n`;
      })
      .join(''),
  );
}

const scopeOf = (a: Addr, d: NetDevice): string => a.scope ?? (d.kind === 'lo' ? 'host' : 'global');

function inet(d: NetDevice, a: Addr): string {
  const label = ipFamily(a.ip) === 4 ? ` ${d.name}` : '';
  return `inet${ipFamily(a.ip) === 6 ? '6' : ''} ${a.ip}/${a.prefix} scope ${scopeOf(a, d)}${label}`;
}

function json(ctx: CommandCtx, d: NetDevice, addrs: readonly Addr[]): string {
  const peer = peerOf(ctx.reader, d);
  return JSON.stringify({
    ifindex: d.ifindex,
    ...(peer ? { link_index: peer.ifindex } : {}),
    ifname: d.name,
    flags: linkFlags(ctx.reader, d),
    mtu: d.mtu,
    qdisc: qdisc(d),
    ...(d.master === undefined ? {} : { master: d.master.slice(d.master.lastIndexOf(':') + 1) }),
    operstate: operState(ctx.reader, d),
    group: 'default',
    txqlen: 1000,
    ...(peer ? { link_netnsid: nsid(ctx.reader, d.netns, peer.netns) } : {}),
    addr_info: addrs.map((a) => ({
      family: ipFamily(a.ip) === 6 ? 'inet6' : 'inet',
      local: a.ip,
      prefixlen: a.prefix,
      scope: scopeOf(a, d),
      label: d.name,
      valid_life_time: 4294967295,
      preferred_life_time: 4294967295,
    })),
  });
}

function change(ctx: CommandCtx, op: 'add' | 'del', args: readonly string[]): CommandResult {
  const words = new Words(args);
  let cidr: string | undefined;
  let dev: string | undefined;
  for (let w = words.next(); w !== undefined; w = words.next()) {
    if (w === 'dev') dev = words.next();
    else if (['brd', 'broadcast', 'scope', 'label', 'peer', 'valid_lft', 'preferred_lft'].includes(w)) words.next();
    else if (w === 'local') cidr = words.next();
    else cidr ??= w;
  }
  if (cidr === undefined || !parseCidr(cidr))
    return fail(`Error: any valid prefix is expected rather than "${cidr ?? ''}".`, 1);
  if (dev === undefined) return fail('Not enough information: "dev" argument is required.', 1);
  if (!interfaces(ctx.reader, ctx.place.netns as string).some((d) => d.name === dev))
    return fail(`Cannot find device "${dev}"`, 1);
  if (ctx.uid !== 0) return fail('RTNETLINK answers: Operation not permitted', 2);
  const net = ctx.world?.net;
  const errno =
    op === 'add'
      ? net?.addrAdd(ctx.place.netns as string, dev, cidr)
      : net?.addrDel(ctx.place.netns as string, dev, cidr);
  if (errno === undefined) return out('');
  if (op === 'add' && errno === 'EEXIST') return fail('Error: ipv4: Address already assigned.', 2);
  if (op === 'del' && errno === 'EADDRNOTAVAIL') return fail('Error: ipv4: Address not found.', 2);
  return fail(`RTNETLINK answers: ${strerror(errno)}`, 2);
}
