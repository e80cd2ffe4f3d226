import type { HookVerdict } from '../../net/types';
import { opt } from '../match-util';
import { flagOptions, flagWords, type NatTarget, parseTo, rangeOf, toText } from '../natrange';
import { DONE_ACCEPT, defineTarget, type TargetResult } from '../xt';

export const natResult = (v: HookVerdict): TargetResult =>
  v.kind === 'accept' ? DONE_ACCEPT : { kind: 'verdict', verdict: v };

/** xt_nat's DNAT, revision 2. */
export const dnat = defineTarget<NatTarget>({
  name: 'DNAT',
  options: [opt('to-destination', 1, false, { required: true }), opt('random', 0, false), opt('persistent', 0, false)],
  tables: ['nat'],
  hooks: ['prerouting', 'output'],
  needsConntrack: () => true,
  init: () => ({}),
  parse(s, o, [arg = ''], _not, ctx) {
    if (o === 'to-destination') parseTo(s, arg, ctx);
    else if (o === 'random') s.random = true;
    else s.persistent = true;
  },
  print: (s) => [`--to-destination ${toText(s)}`, ...flagOptions(s)].join(' '),
  list: (s) => [`to:${toText(s)}`, ...flagWords(s)].join(' '),
  run: (s, f, ctx) => natResult(ctx.env.ct.setupNat(f.skb, rangeOf(s), 'dst', 'dnat')),
});
