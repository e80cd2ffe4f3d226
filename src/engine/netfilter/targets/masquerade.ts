import { opt } from '../match-util';
import { flagOptions, flagWords, type NatTarget, parsePorts, portsText, rangeOf } from '../natrange';
import { DONE_ACCEPT, defineTarget } from '../xt';
import { natResult } from './dnat';

/** xt_MASQUERADE: the address that the outgoing interface prefers towards the next hop (nf_nat_masquerade_ipv4). */
export const masquerade = defineTarget<NatTarget>({
  name: 'MASQUERADE',
  options: [opt('to-ports', 1, false), opt('random', 0, false), opt('random-fully', 0, false)],
  tables: ['nat'],
  hooks: ['postrouting'],
  needsConntrack: () => true,
  init: () => ({}),
  parse(s, o, [arg = ''], _not, ctx) {
    if (o === 'to-ports') parsePorts(s, arg, ctx);
    else if (o === 'random') s.random = true;
    else s.randomFully = true;
  },
  print: (s) => [...(s.minPort === undefined ? [] : [`--to-ports ${portsText(s)}`]), ...flagOptions(s)].join(' '),
  list: (s) => [...(s.minPort === undefined ? [] : [`masq ports: ${portsText(s)}`]), ...flagWords(s)].join(' '),
  run(s, f, ctx) {
    const { skb } = f;
    if (f.packet.ip.src === '0.0.0.0') return DONE_ACCEPT;
    const hop = skb.route?.via ?? f.packet.ip.dst;
    const src = ctx.env.net.selectSource(skb.netns, skb.outDev, hop);
    if (src === undefined) {
      return {
        kind: 'verdict',
        verdict: {
          kind: 'drop',
          cause: {
            reason: 'rule',
            hook: ctx.hook,
            table: ctx.table,
            chain: ctx.chain,
            rule: ctx.rule,
            ruleId: ctx.ruleId,
          },
        },
      };
    }
    if (skb.outDev !== undefined) ctx.env.ct.setMasqDev(skb, skb.outDev);
    return natResult(ctx.env.ct.setupNat(skb, { ...rangeOf(s), minAddr: src, maxAddr: src }, 'src', 'masquerade'));
  },
});
