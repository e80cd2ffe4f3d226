import { TCP } from '../../net/types';
import { parseUint } from '../args';
import { bang, opt } from '../match-util';
import { defineMatch, extProblem } from '../xt';

interface EcnSpec {
  ect?: { n: number; not?: boolean };
  ece?: { not?: boolean };
  cwr?: { not?: boolean };
}

/** xt_ecn: ECN bits of the IP and TCP headers. */
export const ecn = defineMatch<EcnSpec>({
  name: 'ecn',
  options: [opt('ecn-tcp-cwr', 0), opt('ecn-tcp-ece', 0), opt('ecn-ip-ect')],
  init: () => ({}),
  parse(s, o, [arg = ''], not) {
    const inv = not ? { not } : {};
    if (o === 'ecn-tcp-cwr') s.cwr = inv;
    else if (o === 'ecn-tcp-ece') s.ece = inv;
    else {
      const n = parseUint(arg, 0, 3);
      if (n === undefined) throw extProblem('ecn', 'bad value for option "--ecn-ip-ect", or out of range (0-3).\n');
      s.ect = { n, ...inv };
    }
  },
  check(_s, given) {
    if (given.size === 0) throw extProblem('ecn', 'some option required');
  },
  print: (s) =>
    [
      ...(s.ece ? [`${bang(s.ece.not)}--ecn-tcp-ece`] : []),
      ...(s.cwr ? [`${bang(s.cwr.not)}--ecn-tcp-cwr`] : []),
      ...(s.ect ? [`${bang(s.ect.not)}--ecn-ip-ect ${s.ect.n}`] : []),
    ].join(' '),
  list: (s) =>
    [
      'ECN match',
      ...(s.ece ? [`${s.ece.not ? '!' : ''}ECE`] : []),
      ...(s.cwr ? [`${s.cwr.not ? '!' : ''}CWR`] : []),
      ...(s.ect ? [`${s.ect.not ? '!' : ''}ECT=${s.ect.n}`] : []),
    ].join(' '),
  compile: (s) => (f) => {
    const flags = f.packet.l4.kind === 'tcp' ? f.packet.l4.flags : 0;
    if (s.ect && ((f.packet.ip.tos & 3) === s.ect.n) === (s.ect.not ?? false)) return false;
    if (s.ece && ((flags & TCP.ECE) !== 0) === (s.ece.not ?? false)) return false;
    return !(s.cwr && ((flags & TCP.CWR) !== 0) === (s.cwr.not ?? false));
  },
  value: (_s, f) => `ECT=${f.packet.ip.tos & 3}`,
});
