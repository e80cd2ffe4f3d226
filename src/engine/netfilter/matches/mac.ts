import { bang, opt } from '../match-util';
import { defineMatch, paramProblem } from '../xt';

/** xt_mac: source MAC address of packets that came in. */
export const mac = defineMatch<{ mac: string; not?: boolean }>({
  name: 'mac',
  options: [opt('mac-source', 1, true, { required: true })],
  init: () => ({ mac: '' }),
  parse(s, _o, [arg = ''], not) {
    if (!/^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$/.test(arg)) throw paramProblem(`mac: bad MAC address "${arg}"`);
    s.mac = arg.toLowerCase();
    if (not) s.not = true;
  },
  print: (s) => `${bang(s.not)}--mac-source ${s.mac}`,
  list: (s) => `MAC${s.not ? ' !' : ''} ${s.mac}`,
  compile: (s) => (f) => f.skb.srcMac !== undefined && (f.skb.srcMac === s.mac) !== (s.not ?? false),
  value: (_s, f) => f.skb.srcMac ?? '',
});
