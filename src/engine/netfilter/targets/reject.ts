import { TCP } from '../../net/types';
import { opt } from '../match-util';
import { defineTarget, paramProblem } from '../xt';

/** Types of `--reject-with`: name, short form, ICMP code of type 3 (RFC 792, 1122). */
const V4: readonly (readonly [string, string, number])[] = [
  ['icmp-net-unreachable', 'net-unreach', 0],
  ['icmp-host-unreachable', 'host-unreach', 1],
  ['icmp-proto-unreachable', 'proto-unreach', 2],
  ['icmp-port-unreachable', 'port-unreach', 3],
  ['icmp-net-prohibited', 'net-prohib', 9],
  ['icmp-host-prohibited', 'host-prohib', 10],
  ['tcp-reset', 'tcp-rst', -1],
  ['icmp-admin-prohibited', 'admin-prohib', 13],
];
/** ICMPv6 type 1 codes. */
const V6: readonly (readonly [string, string, number])[] = [
  ['icmp6-no-route', 'no-route', 0],
  ['icmp6-adm-prohibited', 'adm-prohibited', 1],
  ['icmp6-addr-unreachable', 'addr-unreach', 3],
  ['icmp6-port-unreachable', 'port-unreach', 4],
  ['tcp-reset', 'tcp-reset', -1],
  ['icmp6-policy-fail', 'policy-fail', 5],
  ['icmp6-reject-route', 'reject-route', 6],
];

/** ipt_REJECT, ip6t_REJECT. */
export const reject = defineTarget<{ type: string; code: number }>({
  name: 'REJECT',
  options: [opt('reject-with', 1, false)],
  hooks: ['input', 'forward', 'output'],
  accepts: (s, rule) => s.code >= 0 || (rule.proto?.num === 6 && !rule.proto.not),
  init: () => ({ type: '', code: 3 }),
  parse(s, _o, [arg = ''], _not, ctx) {
    const hit = (ctx.family === 4 ? V4 : V6).find(
      ([name, alias]) => arg !== '' && (name.startsWith(arg.toLowerCase()) || alias.startsWith(arg.toLowerCase())),
    );
    if (!hit) throw paramProblem(`unknown reject type "${arg}"`);
    s.type = hit[0];
    s.code = hit[2];
  },
  check(s, _given, ctx) {
    if (s.type !== '') return;
    s.type = ctx.family === 4 ? 'icmp-port-unreachable' : 'icmp6-port-unreachable';
    s.code = ctx.family === 4 ? 3 : 4;
  },
  print: (s) => `--reject-with ${s.type}`,
  list: (s) => `reject-with ${s.type}`,
  run(s, f, ctx) {
    const reset = s.code < 0;
    if (reset) {
      if (f.packet.l4.kind === 'tcp' && (f.packet.l4.flags & TCP.RST) === 0) ctx.env.ct.setClosing(f.skb);
      ctx.env.net.sendTcpReset(f.skb, ctx.hook);
    } else ctx.env.net.sendIcmpError(f.skb, f.family === 4 ? 3 : 1, s.code, { hook: ctx.hook });
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
          answered: reset ? 'tcp-reset' : 'icmp',
        },
      },
    };
  },
});
