import { opt } from '../match-util';
import { CONTINUE, defineTarget, extProblem } from '../xt';

const TYPES = ['accept', 'drop', 'reject'];

/** xt_AUDIT: tells the audit daemon; changes nothing. */
export const audit = defineTarget<{ type: string }>({
  name: 'AUDIT',
  options: [opt('type', 1, false, { required: true })],
  init: () => ({ type: '' }),
  parse(s, _o, [arg = '']) {
    if (!TYPES.includes(arg.toLowerCase())) throw extProblem('AUDIT', `Bad action type value \`${arg}'`);
    s.type = arg.toLowerCase();
  },
  print: (s) => `--type ${s.type}`,
  list: (s) => `AUDIT ${s.type}`,
  run: () => CONTINUE,
});
