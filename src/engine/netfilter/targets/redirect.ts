import { parsePort } from '../args';
import { opt } from '../match-util';
import { flagOptions, flagWords, type NatTarget, portsText, rangeOf } from '../natrange';
import { defineTarget, type ParseCtx, paramProblem } from '../xt';
import { natResult } from './dnat';

function ports(s: NatTarget, text: string, ctx: ParseCtx): void {
  if (!ctx.proto || ctx.proto.not || ![6, 17, 132, 33, 136, 1].includes(ctx.proto.num)) {
    throw paramProblem('Need TCP, UDP, SCTP or DCCP with port specification');
  }
  const [a = '', b] = text.split('-');
  s.minPort = parsePort(a, ctx.proto.num);
  s.maxPort = b === undefined ? s.minPort : parsePort(b, ctx.proto.num);
  if (s.maxPort < s.minPort) throw paramProblem(`Port range \`${text}' funky`);
}

/** xt_REDIRECT: to this machine; the first address of the device it came in by, 127.0.0.1 for local packets. */
export const redirect = defineTarget<NatTarget>({
  name: 'REDIRECT',
  options: [opt('to-ports', 1, false), opt('random', 0, false)],
  tables: ['nat'],
  hooks: ['prerouting', 'output'],
  needsConntrack: () => true,
  init: () => ({}),
  parse(s, o, [arg = ''], _not, ctx) {
    if (o === 'to-ports') ports(s, arg, ctx);
    else s.random = true;
  },
  print: (s) => [...(s.minPort === undefined ? [] : [`--to-ports ${portsText(s)}`]), ...flagOptions(s)].join(' '),
  list: (s) => [...(s.minPort === undefined ? [] : [`redir ports ${portsText(s)}`]), ...flagWords(s)].join(' '),
  run(s, f, ctx) {
    const { skb } = f;
    const local = f.family === 4 ? '127.0.0.1' : '::1';
    const to = ctx.hook === 'output' ? local : skb.inDev && ctx.env.net.primaryAddress(skb.inDev);
    if (!to) {
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
    return natResult(ctx.env.ct.setupNat(skb, { ...rangeOf(s), minAddr: to, maxAddr: to }, 'dst', 'redirect'));
  },
});
