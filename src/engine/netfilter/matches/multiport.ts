import { parsePort, portText } from '../args';
import { bang, opt } from '../match-util';
import { defineMatch, paramProblem } from '../xt';

interface MultiportSpec {
  which: 'sports' | 'dports' | 'ports';
  /** Pairs lo, hi. */
  ranges: [number, number][];
  not?: boolean;
  proto: number;
}
const PROTOS = [6, 17, 136, 132, 33];
/** XT_MULTI_PORTS: a range takes two of the slots. */
const SLOTS = 15;

/** xt_multiport, revision 1. */
export const multiport = defineMatch<MultiportSpec>({
  name: 'multiport',
  options: [
    opt('source-ports|sports', 1, true, { excludes: ['destination-ports', 'ports'] }),
    opt('destination-ports|dports', 1, true, { excludes: ['source-ports', 'ports'] }),
    opt('ports', 1, true, { excludes: ['source-ports', 'destination-ports'] }),
  ],
  init: () => ({ which: 'dports', ranges: [], proto: 0 }),
  parse(s, o, [arg], not, ctx) {
    if (!ctx.proto || !PROTOS.includes(ctx.proto.num) || ctx.proto.not) {
      throw paramProblem("multiport needs `-p tcp', `-p udp', `-p udplite', `-p sctp' or `-p dccp'");
    }
    s.proto = ctx.proto.num;
    s.which = o === 'source-ports' ? 'sports' : o === 'destination-ports' ? 'dports' : 'ports';
    let slots = 0;
    for (const part of (arg as string).split(',')) {
      const [a, b] = part.split(':');
      slots += b === undefined ? 1 : 2;
      if (slots > SLOTS) throw paramProblem('too many ports specified');
      const lo = parsePort(a as string, s.proto);
      const hi = b === undefined ? lo : parsePort(b, s.proto);
      if (b !== undefined && lo >= hi) throw paramProblem('invalid portrange specified');
      s.ranges.push([lo, hi]);
    }
    if (not) s.not = true;
  },
  check(s) {
    if (s.ranges.length === 0) throw paramProblem('multiport expection an option');
  },
  print: (s) => `${bang(s.not)}--${s.which} ${s.ranges.map(([lo, hi]) => (lo === hi ? lo : `${lo}:${hi}`)).join(',')}`,
  list: (s, ctx) =>
    `multiport ${s.which} ${s.not ? ' !' : ''}${s.ranges
      .map(([lo, hi]) => {
        const a = portText(lo, s.proto, ctx.numeric);
        return lo === hi ? a : `${a}:${portText(hi, s.proto, ctx.numeric)}`;
      })
      .join(',')}`,
  compile(s) {
    const { ranges, which, not } = s;
    const hit = (port: number): boolean => {
      for (const [lo, hi] of ranges) if (port >= lo && port <= hi) return true;
      return false;
    };
    const inv = not ?? false;
    if (which === 'sports') return (f) => hit(f.sport) !== inv;
    if (which === 'dports') return (f) => hit(f.dport) !== inv;
    return (f) => (hit(f.sport) || hit(f.dport)) !== inv;
  },
  value: (s, f) =>
    s.which === 'sports' ? String(f.sport) : s.which === 'dports' ? String(f.dport) : `${f.sport} ${f.dport}`,
});
