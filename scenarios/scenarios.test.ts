import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { EVENT_VALUES, termIds, valueNames } from '../src/explain';
import { sentences } from '../src/explain/en/sentences';
import { findTerm } from '../src/explain/glossary';
import { type PlayRecipe, recipeOf } from '../src/scenario';
import { errorLine, loadScenario } from '../src/scenario/load';
import type { Scenario } from '../src/scenario/schema';
import { type OpenSession, play } from '../src/session/play';
import type { Recipe } from '../src/session/protocol';
import { WorldReplica } from '../src/session/replica';
import { Session } from '../src/session/session';

const folder = fileURLToPath(new URL('.', import.meta.url));
const files = readdirSync(folder).filter((f) => f.endsWith('.yaml'));

function load(file: string): { scenario: Scenario; recipe: PlayRecipe } {
  const loaded = loadScenario(file, readFileSync(folder + file, 'utf8'));
  if (!loaded.ok) throw new Error(loaded.errors.map(errorLine).join('\n'));
  const base = loaded.scenario.cluster.base;
  return {
    scenario: loaded.scenario,
    recipe: recipeOf(loaded.scenario, base === undefined ? '' : readFileSync(folder + base, 'utf8')),
  };
}

const open: OpenSession = (recipe) => {
  const session = Session.open(recipe satisfies Recipe);
  const replica = new WorldReplica(session.trace.events);
  return {
    do: (command) => session.do(command),
    reader: (cursor) => replica.seek(cursor),
    trace: session.trace,
  };
};

/** Every text of a scenario with the path it stands at. */
function texts(value: unknown, path: string): { path: string; en: string; zh: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const t = value as { en?: unknown; zh?: unknown };
  if (typeof t.en === 'string' && typeof t.zh === 'string') return [{ path, en: t.en, zh: t.zh }];
  return Object.entries(value).flatMap(([k, v]) => texts(v, path === '' ? k : `${path}.${k}`));
}

function queries(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const kind = (value as { kind?: unknown }).kind;
  const own = typeof kind === 'string' && kind.includes('.') ? [kind] : [];
  return [...own, ...Object.values(value).flatMap(queries)];
}

describe.each(files)('%s', (file) => {
  const { scenario: s, recipe } = load(file);

  test('its words: glossary, values, kinds, the rules of the voice', () => {
    for (const { path, en, zh } of texts(s, '')) {
      expect([path, [...termIds(en), ...termIds(zh)].filter((id) => !findTerm(id))]).toEqual([path, []]);
      const known = path.startsWith('captions') ? EVENT_VALUES : Object.keys(s.values ?? {});
      const names = [...valueNames(en), ...valueNames(zh)];
      expect([path, names.filter((n) => !known.includes(n))]).toEqual([path, []]);
      expect([path, /[您请哦啦]|！/.test(zh)]).toEqual([path, false]);
      expect([path, /[一-鿿]"|"[一-鿿]/.test(zh)]).toEqual([path, false]);
      expect([path, /!(?!\w| --)/.test(en.replace(/`[^`]*`/g, ''))]).toEqual([path, false]);
    }
    expect(queries(s).filter((kind) => !Object.hasOwn(sentences, kind))).toEqual([]);
  });

  test('doing nothing does not solve it', async () => {
    const r = await play(s, recipe, [], open);
    expect(r.problems).toEqual([]);
    expect([r.solved, r.said]).toEqual([false, undefined]);
  });

  test.each(s.solutions)('solution $id reaches every goal', async ({ does }) => {
    const r = await play(s, recipe, does, open);
    expect(r.problems).toEqual([]);
    expect(r.goals).toEqual(Object.fromEntries(s.goals.map((g) => [g.id, true])));
    for (const [id, given] of Object.entries(r.state.given)) {
      expect([id, given.kind === 'chosen' && given.right]).toEqual([id, true]);
    }
  });

  test.each(s.near)('near miss $id leaves its goals open', async ({ id, does, open: goals, say }) => {
    const r = await play(s, recipe, does, open);
    expect(r.problems).toEqual([]);
    expect(Object.keys(r.goals).filter((g) => !r.goals[g])).toEqual(goals);
    expect(r.said).toBe(say && id);
  });
});

test('the list of lessons names every file', async () => {
  const { LESSONS } = await import('../src/view/landing/lessons');
  expect(LESSONS.map((l) => `${l.id}.yaml`).sort()).toEqual([...files].sort());
  for (const l of LESSONS) {
    const { scenario } = load(`${l.id}.yaml`);
    expect({ ...l }).toEqual({
      id: scenario.id,
      chapter: scenario.chapter,
      number: scenario.number,
      minutes: scenario.minutes,
      title: scenario.title,
    });
  }
});
