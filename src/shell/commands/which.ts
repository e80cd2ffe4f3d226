import { type Command, fail, out } from '../command';
import { INSTALLED, pathOf } from '../images';

/** which(1) for the programs of a place; the shell language's own tools lie in /usr/bin. */
export const which: Command = {
  name: 'which',
  usage: 'which [-a] name...',
  acts: () => false,
  run: (ctx) => {
    const names = ctx.argv.slice(1).filter((a) => !a.startsWith('-'));
    const found = names.filter((n) => INSTALLED[ctx.place.image].includes(n) || TEXT_TOOLS.includes(n));
    const text = found.map((n) => `${pathOf(n)}\n`).join('');
    return found.length === names.length ? out(text) : fail('', 1, text);
  },
};

/** Tools that the shell language brings to every place. */
const TEXT_TOOLS = [
  'awk',
  'bash',
  'cut',
  'echo',
  'env',
  'expr',
  'false',
  'find',
  'grep',
  'head',
  'jq',
  'md5sum',
  'printf',
  'sed',
  'seq',
  'sh',
  'sleep',
  'sort',
  'tail',
  'test',
  'timeout',
  'tr',
  'true',
  'uniq',
  'wc',
  'xargs',
];
