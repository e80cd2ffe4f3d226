import type { WorldReader } from '../engine/base/index';
import { causeHolds, type FlowCheck, flowKey, type GoalEnv, holds, judgeGoals } from './goals';
import { fitsOpenSlot, judge, type Pin, type PinContext, slotFor } from './pins';
import { horizonOf, type Resolved, type ResolvedQuestion } from './questions';
import type { Scenario, Text } from './schema';

/** An answer once given stays. */
export type Given =
  | { readonly kind: 'chosen'; readonly option: number; readonly right: boolean }
  /** "Show me": no prediction was made. */
  | { readonly kind: 'shown' };

export type SlotState =
  | { readonly kind: 'filled'; readonly pin: Pin }
  /** Empties with the next pin; `say`: the author's sentence, if this mistake was foreseen. */
  | { readonly kind: 'refused'; readonly pin: Pin; readonly say: Text | undefined };

/** A learner's lesson: plain data, changed by `reduce` only. */
export interface LessonState {
  readonly scenario: string;
  readonly started: boolean;
  /** Questions and captions are told; false while the learner tries alone. */
  readonly walking: boolean;
  /** Options marked but not answered, by question. */
  readonly picked: Readonly<Record<string, number>>;
  readonly given: Readonly<Record<string, Given>>;
  readonly slots: Readonly<Record<string, SlotState>>;
  readonly cause: string | undefined;
  /** How many of the three hints are open. */
  readonly hints: number;
  /** Results of flows tried on a copy of the world, by flowKey; they hold for the head at which they were tried. */
  readonly flows: Readonly<Record<string, boolean>>;
  readonly flowsAt: number;
  /** Goals met when they were last judged. */
  readonly goals: Readonly<Record<string, boolean>>;
  readonly checking: boolean;
  /** The end page is shown. */
  readonly ended: boolean;
}

export type LessonAction =
  | { readonly type: 'start' }
  | { readonly type: 'walk' }
  | { readonly type: 'pick'; readonly question: string; readonly option: number }
  | { readonly type: 'answer'; readonly question: string }
  | { readonly type: 'show'; readonly question: string }
  | { readonly type: 'pin'; readonly pin: Pin; readonly slot?: string }
  | { readonly type: 'unpin'; readonly slot: string }
  | { readonly type: 'cause'; readonly cause: string }
  | { readonly type: 'hint' }
  | { readonly type: 'check' }
  | { readonly type: 'checked'; readonly flows: Readonly<Record<string, boolean>>; readonly head: number }
  | { readonly type: 'moved'; readonly head: number }
  | { readonly type: 'end' }
  | { readonly type: 'back' };

/** What the rules of a lesson look at beside its state. */
export interface LessonContext {
  readonly scenario: Scenario;
  readonly resolved: Resolved;
  readonly pins: PinContext;
  readonly head: number;
  readonly origin: number;
  readonly world: (cursor: number) => WorldReader;
}

export function newLesson(scenario: Pick<Scenario, 'id' | 'attempt'>): LessonState {
  return {
    scenario: scenario.id,
    started: false,
    walking: scenario.attempt === undefined,
    picked: {},
    given: {},
    slots: {},
    cause: undefined,
    hints: 0,
    flows: {},
    flowsAt: 0,
    goals: {},
    checking: false,
    ended: false,
  };
}

/** What of a resolved lesson may be told: while the learner tries alone, no question and no caption. */
export const toldNow = (s: LessonState, resolved: Resolved): Resolved =>
  s.walking ? resolved : { ...resolved, questions: [], captions: new Map() };

/** The next state of a lesson. An action that makes no sense now changes nothing. */
export function reduce(s: LessonState, a: LessonAction, ctx: LessonContext): LessonState {
  const next = change(s, a, ctx);
  if (next === s) return s;
  const goals = goalsMet(next, ctx);
  return sameGoals(goals, next.goals) ? next : { ...next, goals };
}

function change(s: LessonState, a: LessonAction, ctx: LessonContext): LessonState {
  switch (a.type) {
    case 'start':
      return s.started ? s : { ...s, started: true };
    case 'walk':
      return s.walking ? s : { ...s, walking: true };
    case 'pick': {
      const q = find(ctx, a.question);
      if (!q || s.given[a.question] || a.option < 0 || a.option >= q.options.length) return s;
      return { ...s, picked: { ...s.picked, [a.question]: a.option } };
    }
    case 'answer': {
      const q = find(ctx, a.question);
      const option = s.picked[a.question];
      if (!q || option === undefined || s.given[a.question]) return s;
      return { ...s, given: { ...s.given, [a.question]: { kind: 'chosen', option, right: option === q.right } } };
    }
    case 'show':
      if (!find(ctx, a.question) || s.given[a.question]) return s;
      return { ...s, given: { ...s.given, [a.question]: { kind: 'shown' } } };
    case 'pin':
      return pinInto(s, a.pin, a.slot, ctx);
    case 'unpin': {
      if (!s.slots[a.slot]) return s;
      const { [a.slot]: _, ...slots } = s.slots;
      return { ...s, slots };
    }
    case 'cause':
      return ctx.scenario.causes?.some((c) => c.id === a.cause) ? { ...s, cause: a.cause } : s;
    case 'hint':
      return s.hints < ctx.scenario.hints.length ? { ...s, hints: s.hints + 1 } : s;
    case 'check':
      return s.checking ? s : { ...s, checking: true };
    case 'checked':
      return { ...s, checking: false, flows: a.flows, flowsAt: a.head };
    case 'moved':
      // What was tried on the world before says nothing about the one after a change.
      return { ...s, flows: a.head === s.flowsAt ? s.flows : {} };
    case 'end':
      return allMet(s, ctx.scenario) ? { ...s, ended: true } : s;
    case 'back':
      return s.ended ? { ...s, ended: false } : s;
  }
}

function pinInto(s: LessonState, pin: Pin, wanted: string | undefined, ctx: LessonContext): LessonState {
  const filled = (id: string): boolean => s.slots[id]?.kind === 'filled';
  const slot =
    wanted === undefined
      ? slotFor(ctx.scenario, pin, filled, ctx.pins)
      : ctx.scenario.slots.find((x) => x.id === wanted);
  if (!slot) return s;
  const verdict = judge(slot, pin, ctx.pins);
  // A refusal lasts until the next pin.
  const slots: Record<string, SlotState> = {};
  for (const [id, state] of Object.entries(s.slots)) if (state.kind === 'filled') slots[id] = state;
  if (verdict.kind === 'fits') slots[slot.id] = { kind: 'filled', pin };
  else if (!filled(slot.id)) slots[slot.id] = { kind: 'refused', pin, say: verdict.say };
  return { ...s, slots };
}

const find = (ctx: LessonContext, id: string): ResolvedQuestion | undefined =>
  ctx.resolved.questions.find((q) => q.question.id === id);

function goalEnv(s: LessonState, ctx: LessonContext): GoalEnv {
  const start = (): WorldReader => ctx.world(ctx.origin);
  const cause = ctx.scenario.causes?.find((c) => c.id === s.cause);
  return {
    filled: (id) => s.slots[id]?.kind === 'filled',
    causeNamed: cause !== undefined && causeHolds(cause, start),
    now: () => ctx.world(ctx.head),
    start,
    flow: (f: FlowCheck) => s.flows[flowKey(f)],
  };
}

/** Goals as they stand: pins and cause from the notebook, the rest from the world at the head. */
export function goalsMet(s: LessonState, ctx: LessonContext): Readonly<Record<string, boolean>> {
  const judged = judgeGoals(ctx.scenario, goalEnv(s, ctx));
  return Object.fromEntries(Object.entries(judged).map(([id, met]) => [id, met === true]));
}

const sameGoals = (a: Readonly<Record<string, boolean>>, b: Readonly<Record<string, boolean>>): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([k, v]) => b[k] === v);

export const allMet = (s: LessonState, scenario: Scenario): boolean =>
  scenario.goals.every((g) => s.goals[g.id] === true);

/** The near miss that leaves just the goals open that a check has left open, if the author foresaw one. */
export function nearMissAt(s: LessonState, ctx: LessonContext): Scenario['near'][number] | undefined {
  const { scenario } = ctx;
  if (s.flowsAt !== ctx.head || s.checking) return undefined;
  const open = scenario.goals.filter((g) => s.goals[g.id] !== true).map((g) => g.id);
  const env = goalEnv(s, ctx);
  return scenario.near.find(
    (n) =>
      n.say &&
      n.open.length === open.length &&
      n.open.every((id) => open.includes(id)) &&
      (n.say.when === undefined || holds(n.say.when, env) === true),
  );
}

/** Last cursor that may be shown, or undefined when no question bounds it. */
export const lessonHorizon = (s: LessonState, resolved: Resolved): number | undefined =>
  horizonOf(resolved, (id) => s.given[id] !== undefined);

/** The question whose card is shown at a cursor: the last one that has been reached, open or answered. */
export function questionAt(resolved: Resolved, cursor: number): ResolvedQuestion | undefined {
  let at: ResolvedQuestion | undefined;
  for (const q of resolved.questions) if (q.askSeq <= cursor) at = q;
  return at;
}

/** The button that the lesson needs next; at most one on the page is loud. */
export type Loud = 'start' | 'answer' | 'step' | 'pin' | 'check' | 'finish' | 'next' | 'none';

export function loudButton(
  s: LessonState,
  ctx: LessonContext,
  at: { readonly cursor: number /** Whether stepping forward leads anywhere. */; readonly more: boolean },
): Loud {
  if (s.ended) return ctx.scenario.next === undefined ? 'none' : 'next';
  if (allMet(s, ctx.scenario)) return 'finish';
  if (!s.started) return 'start';
  const q = questionAt(ctx.resolved, at.cursor);
  if (q && !s.given[q.question.id]) return 'answer';
  const filled = (id: string): boolean => s.slots[id]?.kind === 'filled';
  if (fitsOpenSlot(ctx.scenario, at.cursor, filled, ctx.pins)) return 'pin';
  // What is left when all pins are set (or the run is at its end) is proved on the world.
  const toProve = ctx.scenario.goals.some((g) => s.goals[g.id] !== true && !onlyPins(g.check));
  const allAnswered = ctx.resolved.questions.every((x) => s.given[x.question.id]);
  if (toProve && allAnswered && ctx.scenario.slots.every((x) => filled(x.id))) return 'check';
  if (at.more) return 'step';
  return toProve ? 'check' : 'none';
}

const onlyPins = (c: Scenario['goals'][number]['check']): boolean =>
  'pins' in c || 'cause' in c || ('all' in c && c.all.every(onlyPins)) || ('any' in c && c.any.every(onlyPins));
