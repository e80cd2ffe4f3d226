import { bang, opt } from '../match-util';
import { defineMatch } from '../xt';
import { parseList, stateBits } from './conntrack';

const STATES = ['INVALID', 'NEW', 'RELATED', 'ESTABLISHED', 'UNTRACKED'];

/** xt_state, the older spelling of conntrack --ctstate. */
export const state = defineMatch<{ list: string[]; not?: boolean }>({
  name: 'state',
  options: [opt('state', 1, true, { required: true })],
  hidden: true,
  needsConntrack: () => true,
  init: () => ({ list: [] }),
  parse(s, _o, [arg], not) {
    s.list = parseList(arg as string, STATES, 'state');
    if (not) s.not = true;
  },
  print: (s) => `${bang(s.not)}--state ${s.list.join(',')}`,
  list: (s) => `${bang(s.not)}state ${s.list.join(',')}`,
  compile(s, env) {
    const { list, not } = s;
    return (f) => list.includes(stateBits(f, env)[0] as string) !== (not ?? false);
  },
  value: (_s, f, env) => stateBits(f, env)[0] as string,
});
