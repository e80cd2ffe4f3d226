import { parseUint } from '../args';
import { opt } from '../match-util';
import { type AnyTarget, CONTINUE, defineTarget, extProblem } from '../xt';

interface TtlTarget {
  mode: 'set' | 'inc' | 'dec' | '';
  n: number;
}
const WORDS = { set: 'set to', inc: 'increment by', dec: 'decrement by', '': '' } as const;

const build = (name: 'TTL' | 'HL'): AnyTarget => {
  const p = name.toLowerCase();
  return defineTarget<TtlTarget>({
    name,
    options: ['set', 'dec', 'inc'].map((o) => opt(`${p}-${o}`, 1, false)),
    tables: ['mangle'],
    init: () => ({ mode: '', n: 0 }),
    parse(s, o, [arg = '']) {
      const mode = o.slice(p.length + 1) as TtlTarget['mode'];
      const n = parseUint(arg, mode === 'set' ? 0 : 1, 255);
      if (n === undefined) throw extProblem(name, `bad value for option "--${o}", or out of range (0-255).\n`);
      s.mode = mode;
      s.n = n;
    },
    check(s) {
      if (s.mode === '') throw extProblem(name, 'You must specify an action');
    },
    print: (s) => `--${p}-${s.mode} ${s.n}`,
    list: (s) => `${name} ${WORDS[s.mode]} ${s.n}`,
    run(s, f, ctx) {
      const old = f.packet.ip.ttl;
      const ttl = s.mode === 'set' ? s.n : s.mode === 'inc' ? Math.min(255, old + s.n) : Math.max(0, old - s.n);
      if (ttl !== old) ctx.setPacket(f, { ...f.packet, ip: { ...f.packet.ip, ttl } }, 'ttl');
      return CONTINUE;
    },
  });
};

/** xt_HL's two targets. */
export const ttl = build('TTL');
export const hl = build('HL');
