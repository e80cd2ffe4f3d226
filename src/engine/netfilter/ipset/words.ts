import { XtError } from '../xt';

/** A mistake in the use of the program (exit 2). */
export class UsageError extends Error {}

/** What the parser of an argument says (exit 1). */
export const syntax = (message: string): XtError => new XtError(`Syntax error: ${message}`, 1, 'plain');
/** What the kernel says (exit 1). */
export const refused = (message: string): XtError => new XtError(message, 1, 'plain');

/** ipset_parse_uint*: a number within bounds. */
export function number(text: string, min: number, max: number): number {
  if (!/^(?:0x[\da-fA-F]+|\d+)$/.test(text)) throw syntax(`'${text}' is invalid as number`);
  const n = Number(text);
  if (n < min || n > max) throw syntax(`'${text}' is out of range ${min}-${max}`);
  return n;
}

export interface Line {
  readonly command: string;
  /** Words after the command that are no options. */
  readonly args: readonly string[];
  readonly exist: boolean;
  readonly quiet: boolean;
  readonly sorted: boolean;
  readonly names: boolean;
  readonly terse: boolean;
  readonly output: string | undefined;
}

/** Commands with the names that they go by (lib/ipset.c ipset_commands). */
const COMMANDS: readonly (readonly [
  name: string,
  others: readonly string[],
  args: readonly [min: number, max: number],
])[] = [
  ['create', ['-N', '--create', 'n'], [2, Number.POSITIVE_INFINITY]],
  ['add', ['-A', '--add'], [2, Number.POSITIVE_INFINITY]],
  ['del', ['-D', '--del'], [2, Number.POSITIVE_INFINITY]],
  ['test', ['-T', '--test'], [2, Number.POSITIVE_INFINITY]],
  ['destroy', ['-X', '--destroy', 'x'], [0, 1]],
  ['list', ['-L', '--list'], [0, 1]],
  ['save', ['-S', '--save'], [0, 1]],
  ['restore', ['-R', '--restore'], [0, 0]],
  ['flush', ['-F', '--flush'], [0, 1]],
  ['rename', ['-E', '--rename', 'e'], [2, 2]],
  ['swap', ['-W', '--swap', 'w'], [2, 2]],
  ['help', ['-H', '--help', '-h'], [0, 1]],
  ['version', ['-V', '--version', '-v'], [0, 0]],
];

const OPTIONS: Readonly<Record<string, 'exist' | 'quiet' | 'sorted' | 'names' | 'terse' | 'resolve'>> = {
  '-exist': 'exist',
  '-!': 'exist',
  '-q': 'quiet',
  '-quiet': 'quiet',
  '-s': 'sorted',
  '-sorted': 'sorted',
  '-n': 'names',
  '-name': 'names',
  '-t': 'terse',
  '-terse': 'terse',
  '-r': 'resolve',
  '-resolve': 'resolve',
};

/** A command line by its parts; throws UsageError. */
export function parseLine(argv: readonly string[]): Line {
  const on = new Set<string>();
  const words: string[] = [];
  let output: string | undefined;
  for (let i = 0; i < argv.length; i++) {
    const a = argv[i] as string;
    const single = a.startsWith('--') ? a.slice(1) : a;
    const option = OPTIONS[a] ?? OPTIONS[single];
    if (option) on.add(option);
    else if (single === '-o' || single === '-output') {
      output = argv[++i];
      if (output === undefined) throw new UsageError('Missing mandatory argument to option -o');
    } else words.push(a);
  }
  const [typed, ...args] = words;
  if (typed === undefined) throw new UsageError('No command specified.');
  const known = COMMANDS.find(([name, others]) => name === typed || others.includes(typed));
  if (!known) throw new UsageError(`No command specified: unknown argument ${typed}`);
  const [command, , [min, max]] = known;
  if (args.length < min) {
    const which = args.length === 0 ? '' : 'second ';
    throw new UsageError(`Missing ${which}mandatory argument to command ${command}`);
  }
  if (args.length > max) throw new UsageError(`Unknown argument ${args[max]}`);
  return {
    command,
    args,
    exist: on.has('exist'),
    quiet: on.has('quiet'),
    sorted: on.has('sorted'),
    names: on.has('names'),
    terse: on.has('terse'),
    output,
  };
}

/** Words of a restore line; quotes hold comments together. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map((m) => m[1] ?? (m[2] as string));
