import { ipFamily } from '../../base/ip';
import { bang, opt } from '../match-util';
import { defineMatch, extProblem, ip4, type Test } from '../xt';

interface Range {
  lo: string;
  hi: string;
  not?: boolean;
}

const test = (r: Range | undefined, which: 'src' | 'dst'): Test | undefined => {
  if (!r) return undefined;
  const lo = ip4(r.lo);
  const hi = ip4(r.hi);
  const inv = r.not ?? false;
  return (f) => (f[which] >= lo && f[which] <= hi) !== inv;
};

/** xt_iprange, revision 1. */
export const iprange = defineMatch<{ src?: Range; dst?: Range }>({
  name: 'iprange',
  options: [opt('src-range'), opt('dst-range')],
  init: () => ({}),
  parse(s, o, [arg], not, ctx) {
    const [lo, hi = lo] = (arg as string).split('-');
    if (ipFamily(lo as string) !== ctx.family || ipFamily(hi as string) !== ctx.family) {
      throw extProblem('iprange', `Bad IP address "${ipFamily(lo as string) === ctx.family ? hi : lo}"`);
    }
    s[o === 'src-range' ? 'src' : 'dst'] = { lo: lo as string, hi: hi as string, ...(not ? { not } : {}) };
  },
  check(_s, given) {
    if (given.size === 0) throw extProblem('iprange', "You must specify `--src-range' or `--dst-range'");
  },
  print: (s) =>
    [
      ...(s.src ? [`${bang(s.src.not)}--src-range ${s.src.lo}-${s.src.hi}`] : []),
      ...(s.dst ? [`${bang(s.dst.not)}--dst-range ${s.dst.lo}-${s.dst.hi}`] : []),
    ].join(' '),
  list: (s) =>
    [
      ...(s.src ? [`source IP range ${s.src.not ? '! ' : ''}${s.src.lo}-${s.src.hi}`] : []),
      ...(s.dst ? [`destination IP range ${s.dst.not ? '! ' : ''}${s.dst.lo}-${s.dst.hi}`] : []),
    ].join(' '),
  compile(s) {
    const a = test(s.src, 'src');
    const b = test(s.dst, 'dst');
    return (f) => (a === undefined || a(f)) && (b === undefined || b(f));
  },
  value: (s, f) => [...(s.src ? [f.packet.ip.src] : []), ...(s.dst ? [f.packet.ip.dst] : [])].join(' '),
});
