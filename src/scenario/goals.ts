import type { WorldReader } from '../engine/base/index';
import { fieldAt } from './query';
import type { Cause, Check, Scenario } from './schema';
import { conntrackDrops, conntrackUse, objectNamed, podsWith, readyEndpoints, sysctlAt } from './world';

export type FlowCheck = Extract<Check, { readonly flow: unknown }>['flow'];

/** What a goal is judged by. `now` and `start` may hand out one and the same replica, moved. */
export interface GoalEnv {
  readonly filled: (slot: string) => boolean;
  readonly causeNamed: boolean;
  readonly now: () => WorldReader;
  /** The world as the learner found it. */
  readonly start: () => WorldReader;
  /** Result of trying the flow on a copy of the world; undefined while nobody has tried. */
  readonly flow: (f: FlowCheck) => boolean | undefined;
}

/** Whether a condition holds; undefined when it depends on a flow that was not tried. */
export function holds(c: Check, env: GoalEnv): boolean | undefined {
  if ('pins' in c) return c.pins.every(env.filled);
  if ('cause' in c) return env.causeNamed;
  if ('flow' in c) return env.flow(c.flow);
  if ('slice' in c)
    return readyEndpoints(env.now(), c.slice.service, c.slice.managed === true).length === c.slice.ready;
  if ('conntrack' in c) return conntrackHolds(c.conntrack, env);
  if ('sysctl' in c) {
    const value = Number(sysctlAt(env.now(), c.sysctl.netns, c.sysctl.key));
    return value < (c.sysctl.below ?? Number.POSITIVE_INFINITY) && value >= (c.sysctl.atLeast ?? 0);
  }
  if ('kept' in c) return kept(c.kept, env);
  if ('pods' in c) return podsWith(env.now(), c.pods.labels) === c.pods.count;
  const parts = ('all' in c ? c.all : c.any).map((inner) => holds(inner, env));
  const decisive = 'any' in c;
  if (parts.includes(decisive)) return decisive;
  return parts.includes(undefined) ? undefined : !decisive;
}

function conntrackHolds(c: Extract<Check, { conntrack: unknown }>['conntrack'], env: GoalEnv): boolean {
  const { count, max } = conntrackUse(env.now(), c.node);
  if (c.usedBelow !== undefined && !(count * 100 < c.usedBelow * max)) return false;
  if (c.usedAtLeast !== undefined && !(count * 100 >= c.usedAtLeast * max)) return false;
  if (c.countAtLeast !== undefined && count < c.countAtLeast) return false;
  if (c.dropsAtMost !== undefined) {
    const before = conntrackDrops(env.start(), c.node);
    if (conntrackDrops(env.now(), c.node) - before > c.dropsAtMost) return false;
  }
  return true;
}

function kept(c: Extract<Check, { kept: unknown }>['kept'], env: GoalEnv): boolean {
  const read = (reader: WorldReader): string | undefined => {
    const object = objectNamed(reader, c.object);
    return object && JSON.stringify(c.fields.map((f) => fieldAt(object, f) ?? null));
  };
  const before = read(env.start());
  return before !== undefined && read(env.now()) === before;
}

/** The flows that a scenario's goals try, each once. */
export function flowChecks(s: Scenario): FlowCheck[] {
  const found = new Map<string, FlowCheck>();
  const visit = (c: Check): void => {
    if ('flow' in c) found.set(flowKey(c.flow), c.flow);
    if ('all' in c) c.all.forEach(visit);
    if ('any' in c) c.any.forEach(visit);
  };
  for (const g of s.goals) visit(g.check);
  return [...found.values()];
}

/** One text per flow check, under which its result is kept. */
export const flowKey = (f: FlowCheck): string =>
  [f.from, f.to, f.expect, f.tries ?? 20, f.everyS ?? 0, f.backends ?? 0, f.patienceS ?? 3].join('|');

/** Whether a named cause is the true one: what it claims holds in the world as the learner found it. */
export function causeHolds(cause: Cause, start: () => WorldReader): boolean {
  return (
    holds(cause.holds, { filled: () => false, causeNamed: false, now: start, start, flow: () => undefined }) === true
  );
}

/** All goals at once: met, not met, or (a flow not tried yet) unknown. */
export function judgeGoals(s: Scenario, env: GoalEnv): Readonly<Record<string, boolean | undefined>> {
  return Object.fromEntries(s.goals.map((g) => [g.id, holds(g.check, env)]));
}
