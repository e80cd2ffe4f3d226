import { parseUint } from '../args';
import { bang, opt } from '../match-util';
import { defineMatch, extProblem } from '../xt';

/** xt_tcpmss: the MSS option of a TCP segment. */
export const tcpmss = defineMatch<{ lo: number; hi: number; not?: boolean }>({
  name: 'tcpmss',
  options: [opt('mss', 1, true, { required: true })],
  init: () => ({ lo: 0, hi: 65535 }),
  parse(s, _o, [arg = ''], not) {
    const [a = '', b] = arg.split(':');
    const lo = parseUint(a, 0, 65535);
    const hi = b === undefined ? lo : parseUint(b, 0, 65535);
    if (lo === undefined || hi === undefined) {
      throw extProblem('tcpmss', 'bad value for option "--mss", or out of range (0-65535).\n');
    }
    s.lo = lo;
    s.hi = hi;
    if (not) s.not = true;
  },
  print: (s) => `${bang(s.not)}--mss ${s.lo === s.hi ? s.lo : `${s.lo}:${s.hi}`}`,
  list: (s) => `tcpmss match ${s.not ? '!' : ''}${s.lo === s.hi ? s.lo : `${s.lo}:${s.hi}`}`,
  compile: (s) => (f) => {
    const mss = f.packet.l4.kind === 'tcp' ? f.packet.l4.options?.mss : undefined;
    return (mss !== undefined && mss >= s.lo && mss <= s.hi) !== (s.not ?? false);
  },
  value: (_s, f) => String((f.packet.l4.kind === 'tcp' && f.packet.l4.options?.mss) || ''),
});
