import { create } from 'zustand';
import type { WorldReader } from '../engine/base';
import type { Scenario } from '../scenario/schema';
import { SessionClient } from '../session/client';
import {
  allMet,
  Finder,
  flowChecks,
  flowKey,
  type LessonAction,
  type LessonContext,
  type LessonState,
  type Loud,
  lessonHorizon,
  loudButton,
  nearMissAt,
  newLesson,
  type Pin,
  type Pinned,
  type PlaySession,
  parsePlace,
  pinned,
  type Resolved,
  reduce,
  resolve,
  stepStops,
  toldNow,
  tryFlow,
} from '../session/lessons';
import type { CommandOutcome, Recipe } from '../session/protocol';
import { WorldReplica } from '../session/replica';
import { step } from '../session/steps';
import { enginePort } from './ports';
import { lesson } from './scenarios';
import { engine, useStore } from './store';

const NOTHING: Resolved = { questions: [], values: {}, captions: new Map() };

export interface LessonStore {
  /** The open lesson; undefined in the sandbox. */
  readonly scenario: Scenario | undefined;
  readonly state: LessonState | undefined;
  /** Questions, values and captions as the trace so far decides them. Holds what must not be shown yet: see horizon. */
  readonly resolved: Resolved;
  /** Cursor of the world as the learner found it: the lesson's own set-up lies before. */
  readonly from: number;
  act(action: LessonAction): void;
  /** Runs the lesson's first command in its terminal. */
  start(): Promise<void>;
  pin(pin: Pin): void;
  /** Tries the goals' flows on a copy of the world. */
  check(): Promise<void>;
}

export const useLesson = create<LessonStore>()((set, get) => ({
  scenario: undefined,
  state: undefined,
  resolved: NOTHING,
  from: 0,

  act(action) {
    const { state } = get();
    const ctx = context();
    if (!state || !ctx) return;
    const next = reduce(state, action, ctx);
    if (next === state) return;
    set({ state: next });
    if (next.walking !== state.walking) grown();
    bound();
    keep(ctx.scenario.id, allMet(next, ctx.scenario) ? 'done' : 'started');
  },

  async start() {
    const { scenario } = get();
    if (!scenario) return;
    get().act({ type: 'start' });
    const main = useStore.getState();
    const terminal = main.openTerminal(parsePlace(scenario.start.in));
    await main.runLine(terminal, scenario.start.run);
  },

  pin: (pin) => get().act({ type: 'pin', pin }),

  async check() {
    const { scenario } = get();
    const { recipe, head } = useStore.getState();
    if (!scenario || !recipe) return;
    get().act({ type: 'check' });
    const flows: Record<string, boolean> = {};
    try {
      for (const f of flowChecks(scenario)) {
        flows[flowKey(f)] = await onCopy(recipe, (copy) => tryFlow(copy, f));
      }
    } catch (e) {
      useStore.getState().notify('lesson.check-failed', { why: e instanceof Error ? e.message : String(e) });
    }
    get().act({ type: 'checked', flows, head });
  },
}));

/** Opens a second engine on the same recipe, asks it, and lets it go: what is tried there leaves no trace here. */
async function onCopy<T>(recipe: Recipe, ask: (copy: Pick<PlaySession, 'do'>) => Promise<T>): Promise<T> {
  const client = new SessionClient(await enginePort(), {
    appended: () => undefined,
    reset: () => undefined,
    progress: () => undefined,
    failed: () => undefined,
  });
  try {
    await client.call({ type: 'open', recipe });
    return await ask({ do: (command) => client.call<CommandOutcome>({ type: 'do', command }) });
  } finally {
    client.close();
  }
}

let replica: { readonly world: WorldReplica; readonly events: unknown } | undefined;

/** A world of the lesson's own, so that looking at the start or the end does not move what the page shows. */
function world(cursor: number): WorldReader {
  if (replica?.events !== engine.events || replica.world.cursor > engine.events.length) {
    replica = { world: new WorldReplica(engine.events), events: engine.events };
  }
  return replica.world.seek(Math.max(0, Math.min(cursor, engine.events.length)));
}

/** What the rules of the lesson look at, now. */
export function context(): LessonContext | undefined {
  const { scenario, resolved, from } = useLesson.getState();
  const { head } = useStore.getState();
  if (!scenario) return undefined;
  const pins = { finder: new Finder(engine, scenario.follow), world };
  return { scenario, resolved, pins, head, origin: from, world };
}

/** The one loud button of a lesson's page. */
export function loudNow(): Loud {
  const { state } = useLesson.getState();
  const ctx = context();
  const { cursor, horizon } = useStore.getState();
  if (!state || !ctx) return 'none';
  const more = step(engine, cursor, 'into', 1, horizon, engine.stops()) !== undefined;
  return loudButton(state, ctx, { cursor, more });
}

/** What the author says of a check that was nearly enough. */
export function nearMissNow(): Scenario['near'][number] | undefined {
  const { state } = useLesson.getState();
  const ctx = context();
  return state && ctx && nearMissAt(state, ctx);
}

/** Tells the page how far it may show, and where stepping halts. */
function bound(): void {
  const { scenario, state, resolved } = useLesson.getState();
  if (!scenario || !state) return;
  useStore.getState().setHorizon(lessonHorizon(state, resolved));
}

/** Resolves the lesson anew after the trace grew. */
function grown(): void {
  const { scenario, state, from } = useLesson.getState();
  if (!scenario || !state) return;
  const { head } = useStore.getState();
  const resolved = head > from ? toldNow(state, resolve(scenario, engine, world, from)) : NOTHING;
  useLesson.setState({ resolved });
  // The end is a halt too: what is typed there changes the world as it is now.
  const also = [
    head,
    ...resolved.captions.keys(),
    ...resolved.questions.flatMap((q) => [q.askSeq, q.differsSeq ?? q.askSeq]),
  ];
  engine.setStops(stepStops(engine, scenario.level, scenario.follow, from, also));
  bound();
  useLesson.getState().act({ type: 'moved', head });
}

/** Remembers in this browser how far a lesson is; a lesson once done stays done. */
function keep(id: string, how: 'started' | 'done'): void {
  try {
    const key = `conntrail.lesson.${id}`;
    if (window.localStorage.getItem(key) !== 'done') window.localStorage.setItem(key, how);
  } catch {
    // Storage is forbidden here: the lesson is simply not remembered.
  }
}

useStore.subscribe((now, before) => {
  if (now.scenario !== before.scenario || (now.status === 'ready' && before.status === 'loading')) {
    void opened(now.scenario);
    return;
  }
  if (now.head < before.head) replica = undefined;
  if (now.head !== before.head) grown();
});

async function opened(id: string | undefined): Promise<void> {
  if (id === undefined) {
    engine.setStops(undefined);
    useLesson.setState({ scenario: undefined, state: undefined, resolved: NOTHING });
    return;
  }
  const { scenario, recipe } = await lesson(id);
  const main = useStore.getState();
  if (main.scenario !== id) return;
  const from = beginning(main.recipe, recipe.commands.length);
  main.setOrigin(from);
  useLesson.setState({ scenario, state: newLesson(scenario), resolved: NOTHING, from });
  grown();
}

/** The thing behind a pin: the step, the entry, the printed line. */
export const pinnedThing = (pin: Pin, ctx: LessonContext): Pinned => pinned(pin, ctx.pins);

/** Where the learner's own part of a trace begins: at its end, or (a link that carries commands) before the first of them. */
function beginning(recipe: Recipe | undefined, setUp: number): number {
  const { head, origin } = useStore.getState();
  const first = recipe?.commands[setUp];
  if (!first) return head;
  const e = engine.events.find((x) => x.seq > origin && x.kind === 'command.start');
  return first.op === 'run' && e ? e.seq - 1 : origin;
}

// The page may load this file after its world was opened.
if (useStore.getState().status === 'ready') void opened(useStore.getState().scenario);
