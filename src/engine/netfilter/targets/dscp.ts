import { opt } from '../match-util';
import { parseDscp } from '../matches/dscp';
import { CONTINUE, defineTarget, extProblem } from '../xt';

const hex2 = (n: number): string => `0x${n.toString(16).padStart(2, '0')}`;

/** xt_DSCP. */
export const dscp = defineTarget<{ dscp: number }>({
  name: 'DSCP',
  options: [
    opt('set-dscp', 1, false, { excludes: ['set-dscp-class'] }),
    opt('set-dscp-class', 1, false, { excludes: ['set-dscp'] }),
  ],
  tables: ['mangle'],
  init: () => ({ dscp: 0 }),
  parse(s, o, [arg = '']) {
    s.dscp = parseDscp('DSCP', o, arg);
  },
  check(_s, given) {
    if (given.size === 0) throw extProblem('DSCP', 'Parameter --set-dscp is required');
  },
  print: (s) => `--set-dscp ${hex2(s.dscp)}`,
  list: (s) => `DSCP set ${hex2(s.dscp)}`,
  run(s, f, ctx) {
    const tos = (s.dscp << 2) | (f.packet.ip.tos & 3);
    if (tos !== f.packet.ip.tos) ctx.setPacket(f, { ...f.packet, ip: { ...f.packet.ip, tos } }, 'dscp');
    return CONTINUE;
  },
});
