import { packetLen } from '../../net/types';
import { parseUint } from '../args';
import { bang, opt } from '../match-util';
import { defineMatch, extProblem } from '../xt';

/** xt_length: IP total length in bytes (IPv6: payload length). */
export const length = defineMatch<{ lo: number; hi: number; not?: boolean }>({
  name: 'length',
  options: [opt('length', 1, true, { required: true })],
  init: () => ({ lo: 0, hi: 65535 }),
  parse(s, _o, [arg = ''], not) {
    const colon = arg.indexOf(':');
    const part = (t: string, dflt: number): number => {
      const n = t === '' ? dflt : parseUint(t, 0, 65535);
      if (n === undefined) throw extProblem('length', 'bad value for option "--length", or out of range (0-65535).\n');
      return n;
    };
    s.lo = part(colon < 0 ? arg : arg.slice(0, colon), 0);
    s.hi = colon < 0 ? s.lo : part(arg.slice(colon + 1), 65535);
    if (not) s.not = true;
  },
  print: (s) => `${bang(s.not)}--length ${s.lo === s.hi ? s.lo : `${s.lo}:${s.hi}`}`,
  list: (s) => `length ${s.not ? '!' : ''}${s.lo === s.hi ? s.lo : `${s.lo}:${s.hi}`}`,
  compile(s) {
    const { lo, hi, not } = s;
    return (f) => {
      const n = packetLen(f.packet) - (f.family === 6 ? 40 : 0);
      return (n >= lo && n <= hi) !== (not ?? false);
    };
  },
  value: (_s, f) => String(packetLen(f.packet)),
});
