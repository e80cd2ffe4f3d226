import { saveString } from '../args';
import { ALWAYS, opt } from '../match-util';
import { defineMatch } from '../xt';

/** xt_comment: always matches; at most 255 bytes are kept. */
export const comment = defineMatch<{ text: string }>({
  name: 'comment',
  options: [opt('comment', 1, false, { required: true })],
  init: () => ({ text: '' }),
  parse(s, _o, [arg]) {
    s.text = (arg as string).slice(0, 255);
  },
  print: (s) => `--comment ${saveString(s.text)}`,
  list: (s) => `/* ${s.text} */`,
  compile: () => ALWAYS,
  value: () => '',
});
