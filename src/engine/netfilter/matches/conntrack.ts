import { parseAddrMask, parsePortRange, parseUint, protocolNumber, saveAddr } from '../args';
import { type CtEntry, IPS } from '../conntrack/types';
import { bang, opt } from '../match-util';
import { defineMatch, type Facts, ip4, paramProblem, type Test, type XtEnv } from '../xt';

interface AddrOpt {
  addr: string;
  mask: string;
  not?: boolean;
}
interface Range {
  lo: number;
  hi: number;
  not?: boolean;
}
type AddrKey = 'origsrc' | 'origdst' | 'replsrc' | 'repldst';
type PortKey = 'origsrcport' | 'origdstport' | 'replsrcport' | 'repldstport';
interface ConntrackSpec {
  state?: { list: string[]; not?: boolean };
  proto?: { num: number; not?: boolean };
  addr: { [K in AddrKey]?: AddrOpt };
  port: { [K in PortKey]?: Range };
  status?: { list: string[]; not?: boolean };
  expire?: Range;
  dir?: 'ORIGINAL' | 'REPLY';
}

/** States in the order in which they are printed. */
export const STATES = ['INVALID', 'NEW', 'RELATED', 'ESTABLISHED', 'UNTRACKED', 'SNAT', 'DNAT'];
const STATUSES = ['NONE', 'EXPECTED', 'SEEN_REPLY', 'ASSURED', 'CONFIRMED'];
const STATUS_BITS: Readonly<Record<string, number>> = {
  EXPECTED: IPS.EXPECTED,
  SEEN_REPLY: IPS.SEEN_REPLY,
  ASSURED: IPS.ASSURED,
  CONFIRMED: IPS.CONFIRMED,
};
const ADDRS: readonly AddrKey[] = ['origsrc', 'origdst', 'replsrc', 'repldst'];
const PORTS: readonly PortKey[] = ['origsrcport', 'origdstport', 'replsrcport', 'repldstport'];

export function parseList(text: string, all: readonly string[], what: string): string[] {
  const got = text.split(',').map((p) => {
    const hit = all.find((s) => s === p.toUpperCase());
    if (!hit) throw paramProblem(`Bad ${what} "${p}"`);
    return hit;
  });
  return all.filter((s) => got.includes(s));
}

/** ctstate of a packet as xt_conntrack's state bits: the base state, and SNAT/DNAT of its connection. */
export function stateBits(f: Facts, env: XtEnv): string[] {
  const c = env.ct.conn(f.skb);
  if (!c) return [f.skb.ct?.info === 'UNTRACKED' ? 'UNTRACKED' : 'INVALID'];
  const base = c.info.startsWith('ESTABLISHED') ? 'ESTABLISHED' : c.info.startsWith('RELATED') ? 'RELATED' : 'NEW';
  const out = [base];
  if (c.entry.status & IPS.SRC_NAT) out.push('SNAT');
  if (c.entry.status & IPS.DST_NAT) out.push('DNAT');
  return out;
}

const rangeText = (r: Range): string => (r.lo === r.hi ? String(r.lo) : `${r.lo}:${r.hi}`);

const addrOf = (e: CtEntry, k: AddrKey): string =>
  k === 'origsrc' ? e.orig.src : k === 'origdst' ? e.orig.dst : k === 'replsrc' ? e.reply.src : e.reply.dst;
const portOf = (e: CtEntry, k: PortKey): number =>
  k === 'origsrcport'
    ? e.orig.sport
    : k === 'origdstport'
      ? e.orig.dport
      : k === 'replsrcport'
        ? e.reply.sport
        : e.reply.dport;

/** xt_conntrack, revision 3. */
export const conntrack = defineMatch<ConntrackSpec>({
  name: 'conntrack',
  options: [
    opt('ctstate'),
    opt('ctproto'),
    opt('ctorigsrc'),
    opt('ctorigdst'),
    opt('ctreplsrc'),
    opt('ctrepldst'),
    opt('ctorigsrcport'),
    opt('ctorigdstport'),
    opt('ctreplsrcport'),
    opt('ctrepldstport'),
    opt('ctstatus'),
    opt('ctexpire'),
    opt('ctdir', 1, false),
  ],
  hidden: true,
  needsConntrack: () => true,
  init: () => ({ addr: {}, port: {} }),
  parse(s, o, [arg = ''], not, ctx) {
    const inv = not ? { not } : {};
    if (o === 'ctstate') s.state = { list: parseList(arg, STATES, 'ctstate'), ...inv };
    else if (o === 'ctstatus') s.status = { list: parseList(arg, STATUSES, 'ctstatus'), ...inv };
    else if (o === 'ctproto') s.proto = { num: protocolNumber(arg), ...inv };
    else if (o === 'ctdir') {
      const dir = arg.toUpperCase();
      if (dir !== 'ORIGINAL' && dir !== 'REPLY') {
        throw paramProblem(`conntrack: Bad value for "--ctdir" option: "${arg}"`);
      }
      s.dir = dir;
    } else if (o === 'ctexpire') {
      const [a, b] = arg.split(':');
      const lo = parseUint(a ?? '', 0, 0xffffffff);
      const hi = b === undefined ? lo : parseUint(b, 0, 0xffffffff);
      if (lo === undefined || hi === undefined)
        throw paramProblem(`conntrack: bad value for option "--ctexpire", or out of range.\n`);
      s.expire = { lo, hi, ...inv };
    } else if (o.endsWith('port')) {
      const [lo, hi] = parsePortRange(arg, undefined);
      s.port[o.slice(2) as PortKey] = { lo, hi, ...inv };
    } else {
      s.addr[o.slice(2) as AddrKey] = { ...parseAddrMask(arg, ctx.family), ...inv };
    }
  },
  check(_s, given) {
    if (given.size === 0) throw paramProblem('conntrack: At least one option is required');
  },
  print: (s) =>
    [
      ...(s.state ? [`${bang(s.state.not)}--ctstate ${s.state.list.join(',')}`] : []),
      ...(s.proto ? [`${bang(s.proto.not)}--ctproto ${s.proto.num}`] : []),
      ...ADDRS.flatMap((k) => {
        const a = s.addr[k];
        return a ? [`${bang(a.not)}--ct${k} ${addrSave(a)}`] : [];
      }),
      ...PORTS.flatMap((k) => {
        const p = s.port[k];
        return p ? [`${bang(p.not)}--ct${k} ${rangeText(p)}`] : [];
      }),
      ...(s.status ? [`${bang(s.status.not)}--ctstatus ${s.status.list.join(',')}`] : []),
      ...(s.expire ? [`${bang(s.expire.not)}--ctexpire ${rangeText(s.expire)}`] : []),
      ...(s.dir ? [`--ctdir ${s.dir}`] : []),
    ].join(' '),
  list: (s) =>
    [
      ...(s.state ? [`${bang(s.state.not)}ctstate ${s.state.list.join(',')}`] : []),
      ...(s.proto ? [`${bang(s.proto.not)}ctproto ${s.proto.num}`] : []),
      ...ADDRS.flatMap((k) => {
        const a = s.addr[k];
        return a ? [`${bang(a.not)}ct${k} ${addrSave(a)}`] : [];
      }),
      ...PORTS.flatMap((k) => {
        const p = s.port[k];
        return p ? [`${bang(p.not)}ct${k} ${rangeText(p)}`] : [];
      }),
      ...(s.status ? [`${bang(s.status.not)}ctstatus ${s.status.list.join(',')}`] : []),
      ...(s.expire ? [`${bang(s.expire.not)}ctexpire ${rangeText(s.expire)}`] : []),
      ...(s.dir ? [`ctdir ${s.dir}`] : []),
    ].join(' '),
  compile(s, env) {
    const tests: Test[] = [];
    if (s.state) {
      const { list, not } = s.state;
      tests.push((f) => stateBits(f, env).some((b) => list.includes(b)) !== (not ?? false));
    }
    const needsEntry = (test: (e: CtEntry, f: Facts) => boolean): void => {
      tests.push((f) => {
        const c = env.ct.conn(f.skb);
        return c !== undefined && test(c.entry, f);
      });
    };
    if (s.dir) {
      const want = s.dir === 'ORIGINAL' ? 'original' : 'reply';
      tests.push((f) => env.ct.conn(f.skb)?.dir === want);
    }
    if (s.proto) {
      const { num, not } = s.proto;
      needsEntry((e) => (e.proto === num) !== (not ?? false));
    }
    for (const k of ADDRS) {
      const a = s.addr[k];
      if (!a) continue;
      const mask = ip4(a.mask);
      const want = ip4(a.addr);
      needsEntry(
        (e) =>
          ((e.family === 4 && (ip4(addrOf(e, k)) & mask) >>> 0 === want) || addrOf(e, k) === a.addr) !==
          (a.not ?? false),
      );
    }
    for (const k of PORTS) {
      const p = s.port[k];
      if (p) needsEntry((e) => (portOf(e, k) >= p.lo && portOf(e, k) <= p.hi) !== (p.not ?? false));
    }
    if (s.status) {
      const { list, not } = s.status;
      const bits = list.reduce((n, name) => n | (STATUS_BITS[name] ?? 0), 0);
      needsEntry((e) => (list.includes('NONE') ? e.status === 0 : (e.status & bits) !== 0) !== (not ?? false));
    }
    if (s.expire) {
      const { lo, hi, not } = s.expire;
      needsEntry((e) => {
        const left =
          e.status & IPS.CONFIRMED ? Math.max(0, Math.floor((e.expiresAtUs - env.world.nowUs) / 1_000_000)) : 0;
        return (left >= lo && left <= hi) !== (not ?? false);
      });
    }
    if (tests.length === 1) return tests[0] as Test;
    return (f) => tests.every((t) => t(f));
  },
  value: (s, f, env) => {
    const c = env.ct.conn(f.skb);
    const parts: string[] = [];
    if (s.state) parts.push(stateBits(f, env).join(','));
    if (c) {
      for (const k of ADDRS) if (s.addr[k]) parts.push(`${k} ${addrOf(c.entry, k)}`);
      for (const k of PORTS) if (s.port[k]) parts.push(`${k} ${portOf(c.entry, k)}`);
      if (s.proto) parts.push(`proto ${c.entry.proto}`);
      if (s.dir) parts.push(c.dir.toUpperCase());
    }
    return parts.join(' ');
  },
});

function addrSave(a: AddrOpt): string {
  const text = saveAddr(a.addr, a.mask);
  return text.replace(/\/(32|128)$/, '');
}
