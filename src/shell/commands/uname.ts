import { type Command, type CommandCtx, type CommandResult, fail, out } from '../command';
import { getopt } from '../format/getopt';

const FLAGS: readonly (readonly [string, string])[] = [
  ['s', 'kernel-name'],
  ['n', 'nodename'],
  ['r', 'kernel-release'],
  ['v', 'kernel-version'],
  ['m', 'machine'],
  ['p', 'processor'],
  ['i', 'hardware-platform'],
  ['o', 'operating-system'],
];

function run(ctx: CommandCtx): CommandResult {
  const { options, args, error } = getopt(ctx.argv, {
    short: 'asnrvmpio',
    long: Object.fromEntries([
      ...FLAGS.map(([, l]) => [l, false]),
      ['all', false],
      ['help', false],
      ['version', false],
    ]),
  });
  if (error) return fail(`uname: ${error}\nTry 'uname --help' for more information.`, 1);
  if (args[0] !== undefined)
    return fail(`uname: extra operand ‘${args[0]}’\nTry 'uname --help' for more information.`, 1);
  const values: Readonly<Record<string, string>> = {
    s: 'Linux',
    n: ctx.place.hostname,
    r: ctx.place.kernel.release,
    v: ctx.place.kernel.version,
    m: 'x86_64',
    p: 'unknown',
    i: 'unknown',
    o: 'GNU/Linux',
  };
  const has = (s: string, l: string): boolean => options.some((o) => o.name === s || o.name === l);
  if (has('a', 'all')) return out(`${['s', 'n', 'r', 'v', 'm', 'o'].map((k) => values[k]).join(' ')}\n`);
  const wanted = FLAGS.filter(([s, l]) => has(s, l)).map(([s]) => values[s]);
  return out(`${wanted.length === 0 ? 'Linux' : wanted.join(' ')}\n`);
}

export const uname: Command = { name: 'uname', usage: 'uname [OPTION]...', acts: () => false, run };
