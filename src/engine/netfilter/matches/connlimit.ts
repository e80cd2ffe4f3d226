import { maskIp } from '../../base/ip';
import { parseUint } from '../args';
import { opt } from '../match-util';
import { defineMatch, extProblem } from '../xt';

interface ConnlimitSpec {
  n: number;
  above: boolean;
  mask?: number;
  side: 'saddr' | 'daddr';
}

/** xt_connlimit: live connections of the same (masked) address, the packet's own counted in. */
export const connlimit = defineMatch<ConnlimitSpec>({
  name: 'connlimit',
  options: [
    opt('connlimit-upto', 1, false, { excludes: ['connlimit-above'] }),
    opt('connlimit-above', 1, true, { excludes: ['connlimit-upto'] }),
    opt('connlimit-mask', 1, false),
    opt('connlimit-saddr', 0, false),
    opt('connlimit-daddr', 0, false),
  ],
  hidden: true,
  needsConntrack: () => true,
  init: () => ({ n: 0, above: true, side: 'saddr' }),
  parse(s, o, [arg = ''], not, ctx) {
    if (o === 'connlimit-saddr') s.side = 'saddr';
    else if (o === 'connlimit-daddr') s.side = 'daddr';
    else {
      const max = o === 'connlimit-mask' ? (ctx.family === 4 ? 32 : 128) : 0xffffffff;
      const n = parseUint(arg, 0, max);
      if (n === undefined)
        throw extProblem('connlimit', `bad value for option "--${o}", or out of range (0-${max}).\n`);
      if (o === 'connlimit-mask') s.mask = n;
      else {
        s.n = n;
        s.above = (o === 'connlimit-above') !== not;
      }
    }
  },
  check(_s, given) {
    if (!given.has('connlimit-upto') && !given.has('connlimit-above')) {
      throw extProblem('connlimit', 'You must specify "--connlimit-above" or "--connlimit-upto".');
    }
  },
  print: (s) =>
    `--connlimit-${s.above ? 'above' : 'upto'} ${s.n} --connlimit-mask ${s.mask ?? 32} --connlimit-${s.side}`,
  list: (s) => `#conn ${s.side === 'saddr' ? 'src' : 'dst'}/${s.mask ?? 32} ${s.above ? '>' : '<='} ${s.n}`,
  compile(s, env) {
    return (f) => {
      const c = env.ct.conn(f.skb);
      const len = s.mask ?? (f.family === 4 ? 32 : 128);
      const own = c?.entry.orig ?? { src: f.packet.ip.src, dst: f.packet.ip.dst };
      const key = maskIp(s.side === 'saddr' ? own.src : own.dst, len);
      let count = 1;
      for (const e of env.ct.entries(env.netns)) {
        if (c && e.id === c.entry.id) continue;
        // Closed connections no longer count (already_closed).
        if (e.tcp && e.tcp.state >= 7 && e.tcp.state <= 8) continue;
        if (maskIp(s.side === 'saddr' ? e.orig.src : e.orig.dst, len) === key) count++;
      }
      return count > s.n === s.above;
    };
  },
  value: (s, f) => (s.side === 'saddr' ? f.packet.ip.src : f.packet.ip.dst),
});
