import type { WorldReader } from '../engine/base/index';
import { type FlowCheck, flowChecks, flowKey } from '../scenario/goals';
import { type LessonContext, type LessonState, nearMissAt, newLesson, reduce } from '../scenario/lesson';
import type { Pin } from '../scenario/pins';
import { parsePlace } from '../scenario/places';
import { Finder, type Trace } from '../scenario/query';
import { resolve } from '../scenario/questions';
import { commandOf, type PlayCommand, type PlayRecipe } from '../scenario/recipe';
import type { Action, PinQuery, Scenario } from '../scenario/schema';
import { entries, entryFits } from '../scenario/world';

export interface PlayOutcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

/** A session as the runner uses it. */
export interface PlaySession {
  do(command: PlayCommand): PlayOutcome | Promise<PlayOutcome>;
  /** The world at a cursor. */
  reader(cursor: number): WorldReader;
  readonly trace: Trace;
}

export type OpenSession = (recipe: PlayRecipe) => PlaySession | Promise<PlaySession>;

/** How one try of a flow ended. */
export type FlowEnd = 'ok' | 'refused' | 'timeout' | 'unreachable' | 'other';

/** Tries a flow on a session (a copy: it is changed) and says whether all tries ended as expected. */
export async function tryFlow(session: Pick<PlaySession, 'do'>, f: FlowCheck): Promise<boolean> {
  const bodies = new Set<string>();
  const argv = ['curl', '-sv', '--connect-timeout', String(f.patienceS ?? 3), `http://${f.to}/`];
  for (let i = 0; i < (f.tries ?? 20); i++) {
    if (i > 0 && f.everyS) await session.do({ op: 'advance', us: f.everyS * 1_000_000 });
    const out = await session.do({ op: 'run', place: parsePlace(f.from), argv, line: argv.join(' ') });
    if (flowEnd(out) !== f.expect) return false;
    bodies.add(out.stdout);
  }
  return f.backends === undefined || bodies.size === f.backends;
}

/** curl's exit code and its words: 7 is refused and unreachable alike. */
export function flowEnd(out: PlayOutcome): FlowEnd {
  if (out.exit === 0) return 'ok';
  if (out.exit === 28) return 'timeout';
  if (/Connection refused/.test(out.stderr)) return 'refused';
  return /No route to host|Network is unreachable/.test(out.stderr) ? 'unreachable' : 'other';
}

export interface PlayResult {
  readonly state: LessonState;
  readonly goals: Readonly<Record<string, boolean>>;
  readonly solved: boolean;
  /** The near miss that the author's words would be said for, if any. */
  readonly said: string | undefined;
  /** What the scenario asks that this run does not hold: mistakes of the author. */
  readonly problems: readonly string[];
}

/**
 * Plays a list of actions from the scenario's beginning and judges the goals at the end; each flow is tried on a copy
 * of the world, made by playing the same commands again.
 */
export async function play(
  s: Scenario,
  recipe: PlayRecipe,
  actions: readonly Action[],
  open: OpenSession,
): Promise<PlayResult> {
  const session = await open(recipe);
  const origin = session.trace.events.length;
  const done: PlayCommand[] = [];
  const problems: string[] = [];
  const act = async (command: PlayCommand): Promise<void> => {
    done.push(command);
    await session.do(command);
  };
  const start = commandOf({ run: s.start.run, in: s.start.in });
  if (start) await act(start);

  const world = (cursor: number): WorldReader => session.reader(cursor);
  const context = (): LessonContext => ({
    scenario: s,
    resolved: resolve(s, session.trace, world, origin),
    pins: { finder: new Finder(session.trace, s.follow), world },
    head: session.trace.events.length,
    origin,
    world,
  });
  let state = reduce(newLesson(s), { type: 'start' }, context());
  state = reduce(state, { type: 'walk' }, context());
  for (const q of s.questions) {
    const found = context().resolved.questions.find((r) => r.question.id === q.id);
    if (!found) problems.push(`question ${q.id}: the run does not reach it or gives no answer`);
    else {
      if (found.right < 0) problems.push(`question ${q.id}: no option is ${found.answer.value}`);
      if (found.options.length < q.options.length)
        problems.push(`question ${q.id}: an option has no value in this run`);
      const values = found.options.map((o) => o.value);
      if (new Set(values).size < values.length) problems.push(`question ${q.id}: two options are the same`);
    }
  }

  for (const a of actions) {
    const command = commandOf(a);
    if (command) {
      await act(command);
      state = reduce(state, { type: 'moved', head: session.trace.events.length }, context());
    } else if ('pin' in a) {
      const pin = findPin(a.pin.take, context(), origin);
      if (pin) state = reduce(state, { type: 'pin', pin, slot: a.pin.slot }, context());
      else problems.push(`pin for ${a.pin.slot}: nothing in the run fits`);
    } else if ('answer' in a) {
      const ctx = context();
      const q = ctx.resolved.questions.find((r) => r.question.id === a.answer.question);
      const option = q?.options.findIndex((o) => o.kind === a.answer.kind) ?? -1;
      state = reduce(state, { type: 'pick', question: a.answer.question, option }, ctx);
      state = reduce(state, { type: 'answer', question: a.answer.question }, ctx);
    } else if ('cause' in a) state = reduce(state, { type: 'cause', cause: a.cause }, context());
  }

  const flows: Record<string, boolean> = {};
  for (const f of flowChecks(s)) {
    const copy = await open({ ...recipe, commands: [...recipe.commands, ...done] });
    flows[flowKey(f)] = await tryFlow(copy, f);
  }
  state = reduce(state, { type: 'checked', flows, head: session.trace.events.length }, context());
  const solved = s.goals.every((g) => state.goals[g.id] === true);
  return { state, goals: state.goals, solved, said: nearMissAt(state, context())?.id, problems };
}

/** The pin that somebody makes who points at what a query means. */
function findPin(q: PinQuery, ctx: LessonContext, origin: number): Pin | undefined {
  if ('event' in q) {
    const e = ctx.pins.finder.find(q.event, origin);
    return e && { kind: 'event', seq: e.seq };
  }
  if ('row' in q) {
    // An entry may be gone at the end of the run: pinned while it was there.
    for (let seq = ctx.head; seq > origin; seq--) {
      const kind = ctx.pins.finder.trace.events[seq - 1]?.kind;
      if (kind !== 'ct.confirm' && seq !== ctx.head) continue;
      const e = entries(ctx.world(seq), q.row.node).find((x) => entryFits(x, q.row));
      if (e) return { kind: 'row', map: 'nf.conntrack', key: e.id, seq };
    }
    return undefined;
  }
  return { kind: 'token', terminal: 'workstation', line: q.output.join(' '), token: q.output.join(' '), seq: ctx.head };
}
