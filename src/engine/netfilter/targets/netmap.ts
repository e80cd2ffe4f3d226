import { formatIpv4, parseIpv4 } from '../../base/ip';
import { parseAddrMask, saveAddr } from '../args';
import { opt } from '../match-util';
import { defineTarget } from '../xt';
import { natResult } from './dnat';

/** xt_NETMAP: maps a whole network one to one, keeping the host bits. */
export const netmap = defineTarget<{ addr: string; mask: string }>({
  name: 'NETMAP',
  options: [opt('to', 1, false, { required: true })],
  tables: ['nat'],
  hooks: ['prerouting', 'output', 'postrouting', 'input'],
  needsConntrack: () => true,
  init: () => ({ addr: '', mask: '' }),
  parse(s, _o, [arg = ''], _not, ctx) {
    Object.assign(s, parseAddrMask(arg, ctx.family));
  },
  print: (s) => `--to ${saveAddr(s.addr, s.mask)}`,
  list: (s) => `to:${saveAddr(s.addr, s.mask)}`,
  run(s, f, ctx) {
    const manip = ctx.hook === 'postrouting' || ctx.hook === 'input' ? 'src' : 'dst';
    const own = parseIpv4(manip === 'src' ? f.packet.ip.src : f.packet.ip.dst) ?? 0;
    const mask = parseIpv4(s.mask) ?? 0;
    const to = formatIpv4((((own & ~mask) | ((parseIpv4(s.addr) ?? 0) & mask)) >>> 0) as number);
    return natResult(ctx.env.ct.setupNat(f.skb, { minAddr: to, maxAddr: to }, manip, 'netmap'));
  },
});
