import type { Action, Check, Scenario } from './schema';

export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly expected: string;
}

/** What the shape alone cannot say: ids are unique, and every name that refers to something refers to something. */
export function crossCheck(s: Scenario): Problem[] {
  const problems: Problem[] = [];
  const ids = (field: 'questions' | 'slots' | 'goals' | 'causes' | 'solutions' | 'near'): Set<string> => {
    const seen = new Set<string>();
    (s[field] ?? []).forEach((item, i) => {
      if (seen.has(item.id)) {
        problems.push({ path: [field, i, 'id'], message: `${item.id} is used twice`, expected: 'an id of its own' });
      }
      seen.add(item.id);
    });
    return seen;
  };
  const questions = ids('questions');
  const slots = ids('slots');
  const goals = ids('goals');
  const causes = ids('causes');
  ids('solutions');
  ids('near');

  const known = (set: ReadonlySet<string>, id: string, what: string, path: readonly (string | number)[]): void => {
    if (!set.has(id)) {
      problems.push({ path, message: `there is no ${what} ${id}`, expected: `one of ${[...set].join(', ')}` });
    }
  };
  const checked = (c: Check, path: readonly (string | number)[]): void => {
    if ('pins' in c) for (const [i, id] of c.pins.entries()) known(slots, id, 'slot', [...path, 'pins', i]);
    if ('all' in c)
      c.all.forEach((inner, i) => {
        checked(inner, [...path, 'all', i]);
      });
    if ('any' in c)
      c.any.forEach((inner, i) => {
        checked(inner, [...path, 'any', i]);
      });
    if ('cause' in c && causes.size === 0) {
      problems.push({ path, message: 'the goal asks for a cause and there are none', expected: 'a field causes' });
    }
  };
  s.goals.forEach((g, i) => {
    checked(g.check, ['goals', i, 'check']);
  });

  for (const [i, q] of s.questions.entries()) {
    const kinds = new Set<string>();
    for (const [j, o] of q.options.entries()) {
      if (kinds.has(o.kind)) {
        problems.push({
          path: ['questions', i, 'options', j, 'kind'],
          message: `${o.kind} is used twice`,
          expected: 'a kind of its own',
        });
      }
      kinds.add(o.kind);
    }
  }

  const acted = (a: Action, path: readonly (string | number)[]): void => {
    if ('pin' in a) known(slots, a.pin.slot, 'slot', [...path, 'pin', 'slot']);
    if ('cause' in a) known(causes, a.cause, 'cause', [...path, 'cause']);
    if ('answer' in a) {
      known(questions, a.answer.question, 'question', [...path, 'answer', 'question']);
      const q = s.questions.find((x) => x.id === a.answer.question);
      if (q) known(new Set(q.options.map((o) => o.kind)), a.answer.kind, 'option of kind', [...path, 'answer', 'kind']);
    }
  };
  s.setup?.forEach((a, i) => {
    acted(a, ['setup', i]);
  });
  for (const field of ['solutions', 'near'] as const) {
    s[field].forEach((attempt, i) => {
      attempt.does.forEach((a, j) => {
        acted(a, [field, i, 'does', j]);
      });
    });
  }
  s.near.forEach((n, i) => {
    n.open.forEach((id, j) => {
      known(goals, id, 'goal', ['near', i, 'open', j]);
    });
  });
  if (!s.cluster.base && !s.cluster.manifests) {
    problems.push({ path: ['cluster'], message: 'the cluster has no objects', expected: 'base or manifests' });
  }
  return problems;
}
