import { packetLen } from '../../net/types';
import { parseUint } from '../args';
import { bang, opt } from '../match-util';
import { NF_STATE } from '../model';
import { defineMatch, extProblem } from '../xt';

/** xt_quota: matches until so many bytes went by. */
export const quota = defineMatch<{ bytes: number; not?: boolean }>({
  name: 'quota',
  options: [opt('quota', 1, true, { required: true })],
  hidden: true,
  init: () => ({ bytes: 0 }),
  parse(s, _o, [arg = ''], not) {
    const n = parseUint(arg, 0, Number.MAX_SAFE_INTEGER);
    if (n === undefined)
      throw extProblem('quota', 'bad value for option "--quota", or out of range (0-18446744073709551615).\n');
    s.bytes = n;
    if (not) s.not = true;
  },
  print: (s) => `${bang(s.not)}--quota ${s.bytes}`,
  list: (s) => `quota: ${s.bytes} bytes`,
  compile(s, env, key) {
    const map = env.world.map(NF_STATE);
    return (f) => {
      const left = (map.get(key) as number | undefined) ?? s.bytes;
      const len = packetLen(f.packet);
      const inv = s.not ?? false;
      if (left >= len) {
        map.set(key, left - len);
        return !inv;
      }
      map.set(key, 0);
      return inv;
    };
  },
  value: (_s, f) => `${packetLen(f.packet)} bytes`,
});
