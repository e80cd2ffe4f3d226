import type { WorldReader } from '../../../engine/base';
import { byCodeUnit, cidrContains, ipFamily, maskIp, parseCidr, parseIpv4 } from '../../../engine/base';
import { localRoutes, type NetnsId, ROUTES, type RouteRecord } from '../../../engine/net';
import { type CommandCtx, type CommandResult, fail, out } from '../../command';
import { strerror } from '../../format/errno';
import { type IpOptions, matches, Words } from './args';
import { carrier, interfaces } from './model';

export function ipRoute(ctx: CommandCtx, o: IpOptions, args: readonly string[]): CommandResult {
  const verb = args[0] ?? 'show';
  if (matches(verb, 'add')) return change(ctx, 'add', args.slice(1));
  if (matches(verb, 'change')) return change(ctx, 'change', args.slice(1));
  if (matches(verb, 'replace')) return change(ctx, 'replace', args.slice(1));
  if (matches(verb, 'append')) return change(ctx, 'append', args.slice(1));
  if (matches(verb, 'delete')) return change(ctx, 'del', args.slice(1));
  if (matches(verb, 'get')) return get(ctx, args.slice(1));
  if (matches(verb, 'list') || matches(verb, 'show') || matches(verb, 'lst')) return show(ctx, o, args.slice(1));
  if (matches(verb, 'help')) return fail(HELP, 255);
  return fail(`Command "${verb}" is unknown, try "ip route help".`, 255);
}

/** A table in the order in which the kernel's trie is dumped: by address, longer prefixes and lower metrics first. */
export function tableRoutes(reader: WorldReader, netns: NetnsId, table: string): readonly RouteRecord[] {
  const map = reader.map(ROUTES);
  const all =
    table === 'local'
      ? localRoutes(
          interfaces(reader, netns).filter((d) => d.up),
          netns,
        )
      : table === 'main'
        ? map.by('netns', netns).map((k) => map.get(k) as RouteRecord)
        : [];
  const key = (r: RouteRecord): number => parseIpv4(r.dst) ?? 0;
  return all
    .filter((r) => ipFamily(r.dst) === 4)
    .sort((a, b) => key(a) - key(b) || b.prefix - a.prefix || a.metric - b.metric || a.ord - b.ord);
}

const devNameOf = (r: RouteRecord): string => (r.dev === undefined ? '' : r.dev.slice(r.dev.lastIndexOf(':') + 1));
const dstText = (r: RouteRecord): string =>
  r.prefix === 0 ? 'default' : r.prefix === 32 ? r.dst : `${r.dst}/${r.prefix}`;

function show(ctx: CommandCtx, o: IpOptions, args: readonly string[]): CommandResult {
  if (o.family === 6) return out(o.json ? '[]\n' : '');
  const netns = ctx.place.netns as string;
  const words = new Words(args);
  let table = 'main';
  let dev: string | undefined;
  let filter: (r: RouteRecord) => boolean = () => true;
  const also = (f: (r: RouteRecord) => boolean): void => {
    const before = filter;
    filter = (r) => before(r) && f(r);
  };
  for (let w = words.next(); w !== undefined; w = words.next()) {
    if (w === 'table') {
      const t = words.next() ?? '';
      table = { '254': 'main', '255': 'local', '0': 'all' }[t] ?? t;
    } else if (w === 'dev' || w === 'oif') {
      dev = words.next() ?? '';
      if (!interfaces(ctx.reader, netns).some((d) => d.name === dev)) return fail(`Cannot find device "${dev}"`, 1);
      also((r) => devNameOf(r) === dev);
    } else if (w === 'proto' || w === 'protocol') {
      const p = words.next();
      also((r) => r.proto === p);
    } else if (w === 'scope') {
      const s = words.next();
      also((r) => r.scope === s);
    } else if (w === 'type') {
      const t = words.next();
      also((r) => r.kind === t);
    } else if (w === 'via') {
      const v = words.next();
      also((r) => r.via === v);
    } else if (w === 'src') {
      const v = words.next();
      also((r) => r.prefsrc === v);
    } else {
      let mode = 'exact';
      let text = w;
      if (w === 'to') text = words.next() ?? '';
      if (['root', 'match', 'exact'].includes(text)) {
        mode = text;
        text = words.next() ?? '';
      }
      const cidr = parseCidr(text === 'default' ? '0.0.0.0/0' : text);
      if (!cidr) return fail(`Error: any valid prefix is expected rather than "${text}".`, 1);
      if (mode === 'exact') also((r) => r.dst === cidr.base && r.prefix === cidr.prefix);
      else if (mode === 'root') also((r) => r.prefix >= cidr.prefix && maskIp(r.dst, cidr.prefix) === cidr.base);
      else also((r) => r.prefix <= cidr.prefix && maskIp(cidr.base, r.prefix) === r.dst);
    }
  }
  const tables = table === 'all' ? ['main', 'local'] : [table];
  const shown = tables.flatMap((t) => tableRoutes(ctx.reader, netns, t)).filter((r) => filter(r));
  const named = table === 'all';
  if (o.json) return out(`[${shown.map((r) => json(r)).join(',')}]\n`);
  return out(shown.map((r) => `${line(ctx, r, dev !== undefined, o.details, named)}\n`).join(''));
}

function line(ctx: CommandCtx, r: RouteRecord, withoutDev: boolean, details: boolean, named: boolean): string {
  let text = r.kind === 'unicast' ? (details ? 'unicast ' : '') : `${r.kind} `;
  text += `${dstText(r)} `;
  if (r.via !== undefined) text += `via ${r.via} `;
  if (r.dev !== undefined && !withoutDev) text += `dev ${devNameOf(r)} `;
  if (named && (r.kind === 'local' || r.kind === 'broadcast')) text += 'table local ';
  if (r.proto !== 'boot' || details) text += `proto ${r.proto} `;
  if (r.scope !== 'global' || details) text += `scope ${r.scope} `;
  if (r.prefsrc !== undefined) text += `src ${r.prefsrc} `;
  if (r.metric !== 0) text += `metric ${r.metric} `;
  if (r.onlink) text += 'onlink ';
  const d = interfaces(ctx.reader, r.netns).find((x) => x.id === r.dev);
  if (d?.up && !carrier(ctx.reader, d)) text += 'linkdown ';
  return text;
}

function json(r: RouteRecord): string {
  return JSON.stringify({
    ...(r.kind === 'unicast' ? {} : { type: r.kind }),
    dst: dstText(r),
    ...(r.via === undefined ? {} : { gateway: r.via }),
    ...(r.dev === undefined ? {} : { dev: devNameOf(r) }),
    ...(r.proto === 'boot' ? {} : { protocol: r.proto }),
    ...(r.scope === 'global' ? {} : { scope: r.scope }),
    ...(r.prefsrc === undefined ? {} : { prefsrc: r.prefsrc }),
    ...(r.metric === 0 ? {} : { metric: r.metric }),
    flags: r.onlink ? ['onlink'] : [],
  });
}

/** The entry that a packet to `dst` takes: local table first, then main, longest prefix first. */
export function lookup(reader: WorldReader, netns: NetnsId, dst: string, oif?: string): RouteRecord | undefined {
  for (const table of ['local', 'main']) {
    const best = tableRoutes(reader, netns, table)
      .filter((r) => cidrContains({ base: r.dst, prefix: r.prefix, family: 4 }, dst))
      .filter((r) => oif === undefined || r.dev === undefined || devNameOf(r) === oif)
      .sort((a, b) => b.prefix - a.prefix || a.metric - b.metric || a.ord - b.ord)[0];
    if (best) return best;
  }
  return undefined;
}

function get(ctx: CommandCtx, args: readonly string[]): CommandResult {
  const netns = ctx.place.netns as string;
  const words = new Words(args);
  let dst: string | undefined;
  let from: string | undefined;
  let mark: string | undefined;
  let oif: string | undefined;
  let iif: string | undefined;
  for (let w = words.next(); w !== undefined; w = words.next()) {
    if (w === 'from') from = words.next();
    else if (w === 'mark') mark = words.next();
    else if (w === 'oif' || w === 'dev') oif = words.next();
    else if (w === 'iif') iif = words.next();
    else if (['uid', 'ipproto', 'sport', 'dport', 'tos', 'vrf'].includes(w)) words.next();
    else if (w === 'fibmatch') continue;
    else {
      const text = w === 'to' ? (words.next() ?? '') : w;
      if (!parseCidr(text)) return fail(`Error: any valid prefix is expected rather than "${text}".`, 1);
      dst = parseCidr(text)?.base;
    }
  }
  if (dst === undefined) return fail('need at least a destination address', 1);
  const devs = interfaces(ctx.reader, netns);
  for (const name of [oif, iif])
    if (name !== undefined && !devs.some((d) => d.name === name)) return fail(`Cannot find device "${name}"`, 1);
  const answers = (errno: string): CommandResult => fail(`RTNETLINK answers: ${strerror(errno)}`, 2);
  // A source that is not ours is refused for locally made packets (ip_route_output_key).
  if (from !== undefined && iif === undefined && !devs.some((d) => d.addrs.some((a) => a.ip === from)))
    return answers('ENETUNREACH');
  const r = lookup(ctx.reader, netns, dst, oif);
  if (!r) return answers('ENETUNREACH');
  if (r.kind === 'unreachable') return answers('EHOSTUNREACH');
  if (r.kind === 'prohibit') return answers('EACCES');
  if (r.kind === 'blackhole') return answers('EINVAL');
  const dev = r.kind === 'local' ? 'lo' : devNameOf(r);
  const own = devs.find((d) => d.id === r.dev)?.addrs ?? [];
  const near = own.find((a) =>
    cidrContains({ base: maskIp(a.ip, a.prefix), prefix: a.prefix, family: 4 }, r.via ?? dst),
  );
  const src = r.prefsrc ?? (near ?? own[0])?.ip;
  let text = r.kind === 'unicast' ? '' : `${r.kind} `;
  text += `${dst} `;
  if (from !== undefined) text += `from ${from} `;
  if (r.via !== undefined) text += `via ${r.via} `;
  text += `dev ${dev} `;
  if (r.kind === 'local') text += 'table local ';
  if (from === undefined && src !== undefined) text += `src ${src} `;
  if (mark !== undefined) text += `mark ${hex(mark)} `;
  text += 'uid 0 ';
  if (iif !== undefined) return out(`${text.replace(/uid 0 $/, '')}\n    cache iif ${iif} \n`);
  return out(`${text}\n    cache ${r.kind === 'local' ? '<local> ' : ''}\n`);
}

const hex = (mark: string): string => `0x${Number(mark).toString(16)}`;

const TYPES = ['unicast', 'local', 'broadcast', 'multicast', 'throw', 'unreachable', 'prohibit', 'blackhole', 'nat'];

function change(
  ctx: CommandCtx,
  op: 'add' | 'del' | 'replace' | 'append' | 'change',
  args: readonly string[],
): CommandResult {
  const netns = ctx.place.netns as string;
  const words = new Words(args);
  let type = 'unicast';
  let dst: string | undefined;
  const r: { via?: string; dev?: string; src?: string; metric?: number; scope?: string; proto?: string } = {};
  for (let w = words.next(); w !== undefined; w = words.next()) {
    if (w === 'via') r.via = words.next() ?? '';
    else if (w === 'dev') r.dev = words.next() ?? '';
    else if (w === 'src') r.src = words.next() ?? '';
    else if (w === 'metric' || w === 'preference') r.metric = Number(words.next());
    else if (w === 'scope') r.scope = words.next() ?? '';
    else if (w === 'proto' || w === 'protocol') r.proto = words.next() ?? '';
    else if (['table', 'mtu', 'advmss', 'tos'].includes(w)) words.next();
    else if (w === 'onlink') continue;
    else if (dst === undefined && TYPES.includes(w)) type = w;
    else {
      const text = w === 'to' ? (words.next() ?? '') : w;
      if (text !== 'default' && !parseCidr(text))
        return fail(`Error: any valid prefix is expected rather than "${text}".`, 1);
      dst = text;
    }
  }
  if (dst === undefined) return fail('Error: argument "" is wrong: "to" is required', 1);
  if (r.dev !== undefined && !interfaces(ctx.reader, netns).some((d) => d.name === r.dev))
    return fail(`Cannot find device "${r.dev}"`, 1);
  if (r.via !== undefined && ipFamily(r.via) === undefined)
    return fail(`Error: inet address is expected rather than "${r.via}".`, 1);
  if (ctx.uid !== 0) return fail('RTNETLINK answers: Operation not permitted', 2);
  const errno = ctx.world?.net.route(netns, op, { type, dst, ...r });
  if (errno === undefined) return out('');
  if (errno === 'ENETUNREACH' && r.via !== undefined) return fail('Error: Nexthop has invalid gateway.', 2);
  return fail(`RTNETLINK answers: ${strerror(errno)}`, 2);
}

/** Entries of the main table in key order, for completion. */
export const routeKeys = (reader: WorldReader, netns: NetnsId): string[] =>
  tableRoutes(reader, netns, 'main').map(dstText).sort(byCodeUnit);

const HELP = `Usage: ip route { list | flush } SELECTOR
       ip route save SELECTOR
       ip route restore
       ip route showdump
       ip route get [ ROUTE_GET_FLAGS ] ADDRESS
                            [ from ADDRESS iif STRING ]
                            [ oif STRING ] [ tos TOS ]
                            [ mark NUMBER ] [ vrf NAME ]
                            [ uid NUMBER ] [ ipproto PROTOCOL ]
                            [ sport NUMBER ] [ dport NUMBER ]
       ip route { add | del | change | append | replace } ROUTE
SELECTOR := [ root PREFIX ] [ match PREFIX ] [ exact PREFIX ]
            [ table TABLE_ID ] [ vrf NAME ] [ proto RTPROTO ]
            [ type TYPE ] [ scope SCOPE ]
ROUTE := NODE_SPEC [ INFO_SPEC ]
NODE_SPEC := [ TYPE ] PREFIX [ tos TOS ]
             [ table TABLE_ID ] [ proto RTPROTO ]
             [ scope SCOPE ] [ metric METRIC ]
             [ ttl-propagate { enabled | disabled } ]
INFO_SPEC := { NH | nhid ID } OPTIONS FLAGS [ nexthop NH ]...
NH := [ encap ENCAPTYPE ENCAPHDR ] [ via [ FAMILY ] ADDRESS ]
      [ dev STRING ] [ weight NUMBER ] NHFLAGS
FAMILY := [ inet | inet6 | mpls | bridge | link ]
OPTIONS := FLAGS [ mtu NUMBER ] [ advmss NUMBER ] [ as [ to ] ADDRESS ]
           [ rtt TIME ] [ rttvar TIME ] [ reordering NUMBER ]
           [ window NUMBER ] [ cwnd NUMBER ] [ initcwnd NUMBER ]
           [ ssthresh NUMBER ] [ realms REALM ] [ src ADDRESS ]
           [ rto_min TIME ] [ hoplimit NUMBER ] [ initrwnd NUMBER ]
           [ features FEATURES ] [ quickack BOOL ] [ congctl NAME ]
           [ pref PREF ] [ expires TIME ] [ fastopen_no_cookie BOOL ]
TYPE := { unicast | local | broadcast | multicast | throw |
          unreachable | prohibit | blackhole | nat }
TABLE_ID := [ local | main | default | all | NUMBER ]
SCOPE := [ host | link | global | NUMBER ]
NHFLAGS := [ onlink | pervasive ]
RTPROTO := [ kernel | boot | static | NUMBER ]
PREF := [ low | medium | high ]
TIME := NUMBER[s|ms]
BOOL := [1|0]
FEATURES := ecn
ENCAPTYPE := [ mpls | ip | ip6 | seg6 | seg6local | rpl | ioam6 | xfrm ]
ENCAPHDR := [ MPLSLABEL | SEG6HDR | SEG6LOCAL | IOAM6HDR | XFRMINFO ]
SEG6HDR := [ mode SEGMODE ] segs ADDR1,ADDRi,ADDRn [hmac HMACKEYID] [cleanup]
SEGMODE := [ encap | encap.red | inline | l2encap | l2encap.red ]
SEG6LOCAL := action ACTION [ OPTIONS ] [ count ]
ACTION := { End | End.X | End.T | End.DX2 | End.DX6 | End.DX4 |
            End.DT6 | End.DT4 | End.DT46 | End.B6 | End.B6.Encaps |
            End.BM | End.S | End.AS | End.AM | End.BPF }
OPTIONS := OPTION [ OPTIONS ]
OPTION := { flavors FLAVORS | srh SEG6HDR | nh4 ADDR | nh6 ADDR | iif DEV | oif DEV |
            table TABLEID | vrftable TABLEID | endpoint PROGNAME }
FLAVORS := { FLAVOR[,FLAVOR] }
FLAVOR := { psp | usp | usd | next-csid }
IOAM6HDR := trace prealloc type IOAM6_TRACE_TYPE ns IOAM6_NAMESPACE size IOAM6_TRACE_SIZE
XFRMINFO := if_id IF_ID [ link_dev LINK ]
ROUTE_GET_FLAGS := [ fibmatch ]`;
