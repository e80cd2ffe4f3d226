import { opt } from '../match-util';
import { flagOptions, flagWords, type NatTarget, parseTo, rangeOf, toText } from '../natrange';
import { defineTarget } from '../xt';
import { natResult } from './dnat';

/** xt_nat's SNAT. */
export const snat = defineTarget<NatTarget>({
  name: 'SNAT',
  options: [
    opt('to-source', 1, false, { required: true }),
    opt('random', 0, false),
    opt('random-fully', 0, false),
    opt('persistent', 0, false),
  ],
  tables: ['nat'],
  hooks: ['postrouting', 'input'],
  needsConntrack: () => true,
  init: () => ({}),
  parse(s, o, [arg = ''], _not, ctx) {
    if (o === 'to-source') parseTo(s, arg, ctx);
    else if (o === 'random') s.random = true;
    else if (o === 'random-fully') s.randomFully = true;
    else s.persistent = true;
  },
  print: (s) => [`--to-source ${toText(s)}`, ...flagOptions(s)].join(' '),
  list: (s) => [`to:${toText(s)}`, ...flagWords(s)].join(' '),
  run: (s, f, ctx) => natResult(ctx.env.ct.setupNat(f.skb, rangeOf(s), 'src', 'snat')),
});
