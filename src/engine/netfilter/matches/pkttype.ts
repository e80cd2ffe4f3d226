import { bang, opt } from '../match-util';
import { defineMatch, paramProblem } from '../xt';

const TYPES = ['unicast', 'broadcast', 'multicast'];

/** xt_pkttype: how the link layer addressed the packet. */
export const pkttype = defineMatch<{ type: string; not?: boolean }>({
  name: 'pkttype',
  options: [opt('pkt-type', 1, true, { required: true })],
  init: () => ({ type: 'unicast' }),
  parse(s, _o, [arg = ''], not) {
    const t =
      arg.toLowerCase() === 'bcast' ? 'broadcast' : arg.toLowerCase() === 'mcast' ? 'multicast' : arg.toLowerCase();
    const hit = TYPES.find((x) => t === x || (t === 'host' && x === 'unicast'));
    if (!hit) throw paramProblem(`Bad packet type '${arg}'`);
    s.type = hit;
    if (not) s.not = true;
  },
  print: (s) => `${bang(s.not)}--pkt-type ${s.type}`,
  list: (s) => `PKTTYPE ${s.not ? '!= ' : '= '}${s.type}`,
  compile: (s) => (f) => {
    const t = f.skb.pktType;
    const is = t === 'broadcast' || t === 'multicast' ? t : t === 'host' || t === 'loopback' ? 'unicast' : t;
    return (is === s.type) !== (s.not ?? false);
  },
  value: (_s, f) => f.skb.pktType,
});
