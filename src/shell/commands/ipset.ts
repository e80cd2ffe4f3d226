import { type Command, type CommandCtx, type CommandResult, fail, out } from '../command';
import { TYPE_HELP, TYPES, USAGE } from './ipset/help';

const VERSIONS = { debian12: '7.17', debian13: '7.22' } as const;
const HELP = /^(?:help|-h|-H|--help)$/;
const VERSION = /^(?:version|-v|-V|--version)$/;

/** ipset(8): 7.17 of Debian 12, 7.22 of Debian 13. */
function run(ctx: CommandCtx): CommandResult {
  const version = VERSIONS[ctx.place.packages];
  const words = ctx.argv.slice(1);
  const command = words.find((w) => !w.startsWith('-') || HELP.test(w) || VERSION.test(w));
  if (command !== undefined && HELP.test(command)) return help(version, words[words.indexOf(command) + 1]);
  if (ctx.uid !== 0 && words.length > 0 && !(command !== undefined && VERSION.test(command))) {
    return fail(`ipset v${version}: Kernel error received: Operation not permitted`);
  }
  const file = fileOption(words);
  const argv = file === undefined ? words : words.filter((_, i) => i !== file.at && i !== file.at + 1);
  let { stdin } = ctx;
  if (file !== undefined && /^(?:restore|-R|--restore)$/.test(command ?? '')) {
    const r = ctx.files.read(file.path);
    if (!('text' in r)) return { stdout: '', stderr: '', exit: 255 };
    stdin = r.text;
  }
  const r = ctx.netfilter.ipset?.run(ctx.place.netns ?? '', argv, stdin, version);
  if (!r) return fail('ipset: not available', 1);
  const writes = file !== undefined && /^(?:list|save|-L|-S|--list|--save)$/.test(command ?? '');
  return writes ? { ...r, stdout: '', files: { [file.path]: r.stdout } } : r;
}

/** `-f FILE`. */
function fileOption(words: readonly string[]): { at: number; path: string } | undefined {
  const at = words.findIndex((w) => /^-{1,2}f(?:ile)?$/.test(w));
  const path = words[at + 1];
  return at < 0 || path === undefined ? undefined : { at, path };
}

function help(version: string, type: string | undefined): CommandResult {
  const head = `ipset v${version}\n${USAGE}`;
  if (type === undefined) return out(head + TYPES);
  const text = TYPE_HELP[type];
  if (text !== undefined) return out(head + text);
  const error = `ipset v${version}: Unknown settype: \`${type}'\nTry \`ipset help' for more information.\n`;
  return { stdout: head, stderr: error, exit: 2 };
}

const LISTS = /^(?:list|-L|--list|save|-S|--save|test|-T|--test|help|-h|-H|--help|version|-v|-V|--version)$/;

export const ipset: Command = {
  name: 'ipset',
  usage: 'ipset [options] COMMAND',
  acts: (argv) => argv.length > 1 && !argv.slice(1).some((a) => LISTS.test(a)),
  run,
  complete: ({ words }) =>
    words.length === 1
      ? ['list', 'save', 'create', 'add', 'del', 'test', 'flush', 'destroy', 'rename', 'swap', 'restore', 'help']
      : [],
};
