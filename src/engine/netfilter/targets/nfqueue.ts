import { parseUint } from '../args';
import { opt } from '../match-util';
import { DONE_ACCEPT, defineTarget, extProblem } from '../xt';

interface NfqueueTarget {
  num: number;
  last?: number;
  bypass?: boolean;
}

/** xt_NFQUEUE: the packet waits for a program's verdict; with nobody listening it is dropped, unless bypassed. */
export const nfqueue = defineTarget<NfqueueTarget>({
  name: 'NFQUEUE',
  options: [opt('queue-num', 1, false), opt('queue-balance', 1, false), opt('queue-bypass', 0, false)],
  init: () => ({ num: 0 }),
  parse(s, o, [arg = '']) {
    if (o === 'queue-bypass') {
      s.bypass = true;
      return;
    }
    const [a = '', b] = arg.split(':');
    const lo = parseUint(a, 0, 65535);
    const hi = b === undefined ? undefined : parseUint(b, 0, 65535);
    if (lo === undefined || (b !== undefined && hi === undefined)) {
      throw extProblem('NFQUEUE', `bad value for option "--${o}", or out of range (0-65535).\n`);
    }
    s.num = lo;
    if (hi !== undefined) s.last = hi;
  },
  print: (s) =>
    [
      s.last === undefined ? `--queue-num ${s.num}` : `--queue-balance ${s.num}:${s.last}`,
      ...(s.bypass ? ['--queue-bypass'] : []),
    ].join(' '),
  list: (s) =>
    [
      s.last === undefined ? `NFQUEUE num ${s.num}` : `NFQUEUE balance ${s.num}:${s.last}`,
      ...(s.bypass ? ['bypass'] : []),
    ].join(' '),
  run(s, f, ctx) {
    if (ctx.env.queue(s.num, f.skb, ctx.hook, ctx.table)) return { kind: 'verdict', verdict: { kind: 'stolen' } };
    if (s.bypass) return DONE_ACCEPT;
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
  },
});
