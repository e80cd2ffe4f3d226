import { parseUint } from '../args';
import { opt } from '../match-util';
import { parseDirs } from '../matches/set';
import { CONTINUE, defineTarget, paramProblem } from '../xt';

interface SetTarget {
  op: 'add' | 'del' | '';
  name: string;
  dirs: string[];
  exist?: boolean;
  timeout?: number;
}

/** xt_SET: puts the packet's element into a set or takes it out. */
export const setTarget = defineTarget<SetTarget>({
  name: 'SET',
  options: [opt('add-set', 2, false), opt('del-set', 2, false), opt('exist', 0, false), opt('timeout', 1, false)],
  init: () => ({ op: '', name: '', dirs: [] }),
  parse(s, o, args, _not, ctx) {
    if (o === 'exist') s.exist = true;
    else if (o === 'timeout') {
      const n = parseUint(args[0] ?? '', 0, 2147483);
      if (n === undefined) throw paramProblem('Invalid value for option --timeout or out of range 0-2147483');
      s.timeout = n;
    } else {
      if (args[1] === undefined) throw paramProblem(`--${o} requires two args.`);
      s.op = o === 'add-set' ? 'add' : 'del';
      s.name = args[0] as string;
      s.dirs = parseDirs(args[1], `--${o}`);
      if (!ctx.setExists(s.name)) throw paramProblem(`Set ${s.name} doesn't exist.\n`);
    }
  },
  check(s) {
    if (s.op === '') throw paramProblem("You must specify either `--add-set' or `--del-set' or `--map-set'");
  },
  print: (s) =>
    [
      `--${s.op}-set ${s.name} ${s.dirs.join(',')}`,
      ...(s.exist ? ['--exist'] : []),
      ...(s.timeout === undefined ? [] : [`--timeout ${s.timeout}`]),
    ].join(' '),
  list: (s) =>
    [
      `${s.op}-set ${s.name} ${s.dirs.join(',')}`,
      ...(s.exist ? ['exist'] : []),
      ...(s.timeout === undefined ? [] : [`timeout ${s.timeout}`]),
    ].join(' '),
  run(s, f, ctx) {
    if (s.op === 'add') ctx.env.sets.addFromPacket(ctx.env.netns, s.name, f, s.dirs, s.timeout, s.exist ?? false);
    else if (s.op === 'del') ctx.env.sets.delFromPacket(ctx.env.netns, s.name, f, s.dirs);
    return CONTINUE;
  },
});
