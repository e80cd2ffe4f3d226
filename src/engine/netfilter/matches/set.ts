import { parseUint } from '../args';
import { bang, opt } from '../match-util';
import { defineMatch, paramProblem } from '../xt';

interface SetSpec {
  name: string;
  dirs: string[];
  not?: boolean;
  nomatch?: boolean;
  counters?: { field: 'packets' | 'bytes'; op: 'eq' | 'lt' | 'gt'; value: number; not?: boolean }[];
}

export function parseDirs(text: string, option: string): string[] {
  const dirs = text.split(',');
  if (dirs.length > 6) throw paramProblem(`Can't be more src/dst options than 6.`);
  for (const d of dirs) {
    if (d !== 'src' && d !== 'dst') {
      throw paramProblem(`You must spefify (the comma separated list of) 'src' or 'dst'.`);
    }
  }
  if (dirs.length === 0) throw paramProblem(`${option} requires two args.`);
  return dirs;
}

/** xt_set, revision 4. */
export const set = defineMatch<SetSpec>({
  name: 'set',
  options: [
    opt('match-set', 2, true, { required: true }),
    opt('return-nomatch', 0, false),
    ...['packets', 'bytes'].flatMap((f) => ['eq', 'lt', 'gt'].map((o) => opt(`${f}-${o}`, 1, o === 'eq'))),
  ],
  hidden: true,
  init: () => ({ name: '', dirs: [] }),
  parse(s, o, args, not, ctx) {
    if (o === 'match-set') {
      const [name = '', dirs] = args;
      if (dirs === undefined) throw paramProblem('--match-set requires two args.');
      if (name.length > 31) throw paramProblem(`setname \`${name}' too long, max 31 characters.`);
      s.name = name;
      s.dirs = parseDirs(dirs, '--match-set');
      if (not) s.not = true;
      if (!ctx.setExists(name)) throw paramProblem(`Set ${name} doesn't exist.\n`);
      return;
    }
    if (o === 'return-nomatch') {
      s.nomatch = true;
      return;
    }
    const [field, op] = o.split('-') as ['packets' | 'bytes', 'eq' | 'lt' | 'gt'];
    const value = parseUint(args[0] ?? '', 0, Number.MAX_SAFE_INTEGER);
    if (value === undefined) throw paramProblem(`Cannot parse ${args[0]} as a counter value`);
    s.counters = [...(s.counters ?? []), { field, op, value, ...(not ? { not } : {}) }];
  },
  print: (s) =>
    [
      `${bang(s.not)}--match-set ${s.name} ${s.dirs.join(',')}`,
      ...(s.nomatch ? ['--return-nomatch'] : []),
      ...(s.counters ?? []).map((c) => `${bang(c.not)}--${c.field}-${c.op} ${c.value}`),
    ].join(' '),
  list: (s) =>
    [
      `${bang(s.not)}match-set ${s.name} ${s.dirs.join(',')}`,
      ...(s.nomatch ? ['return-nomatch'] : []),
      ...(s.counters ?? []).map((c) => `${bang(c.not)}${c.field}-${c.op} ${c.value}`),
    ].join(' '),
  compile(s, env) {
    const inv = s.not ?? false;
    return (f) => {
      const r = env.sets.test(env.netns, s.name, f, s.dirs);
      let hit = s.nomatch ? r.nomatch : r.hit;
      for (const c of hit ? (s.counters ?? []) : []) {
        const v = (c.field === 'packets' ? r.packets : r.bytes) ?? 0;
        const ok = c.op === 'eq' ? (v === c.value) !== (c.not ?? false) : c.op === 'lt' ? v < c.value : v > c.value;
        if (!ok) hit = false;
      }
      return hit !== inv;
    };
  },
  value: (s, f, env) => env.sets.elementText(env.netns, s.name, f, s.dirs),
});
