import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { recipeOf } from '../scenario';
import { errorLine, loadScenario } from '../scenario/load';
import { play } from '../session/play';
import type { Recipe } from '../session/protocol';
import { Session } from '../session/session';

/**
 * Plays a scenario's solutions (each must solve it) and near misses (none may). Prints a line per play; exit code 0 when
 * all is as it should be, 1 when not, 2 when the scenario does not load.
 */
export async function runScenario(file: string, print: (line: string) => void): Promise<number> {
  const loaded = loadScenario(basename(file), readFileSync(file, 'utf8'));
  if (!loaded.ok) {
    for (const e of loaded.errors) print(errorLine(e));
    return 2;
  }
  const { scenario } = loaded;
  const base = scenario.cluster.base;
  const text = base === undefined ? '' : readFileSync(resolve(dirname(file), base), 'utf8');
  const recipe = recipeOf(scenario, text);
  let failed = 0;
  const judge = async (
    kind: string,
    name: string,
    actions: Parameters<typeof play>[2],
    want: boolean,
  ): Promise<void> => {
    const r = await play(scenario, recipe, actions, (x) => asPlayable(Session.open(x as Recipe)));
    const fine = r.solved === want && r.problems.length === 0;
    if (!fine) failed++;
    print(`${fine ? 'ok  ' : 'FAIL'} ${scenario.id}: ${kind} ${name} ${r.solved ? 'solves it' : 'does not solve it'}`);
    for (const p of r.problems) print(`     ${p}`);
  };
  for (const s of scenario.solutions) await judge('solution', s.id, s.does, true);
  for (const n of scenario.near) await judge('near miss', n.id, n.does, false);
  return failed === 0 ? 0 : 1;
}

/** A session in the shape that the scenario runner plays on. */
export function asPlayable(s: Session) {
  return {
    do: (c: Parameters<Session['do']>[0]) => s.do(c),
    reader: (cursor: number) => s.reader(cursor),
    get trace() {
      return s.trace;
    },
  };
}
