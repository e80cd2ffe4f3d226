import { create } from 'zustand';
import { SessionFailure } from '../session/client';
import type { PageShell } from '../session/page-shell';
import type { CommandOutcome, PlaceRef, Recipe, SessionCommand } from '../session/protocol';
import { step } from '../session/steps';
import { asSessionError, EngineAccess } from './engine';
import { advance } from './playhead';
import { addInput, addOutput, newTerminal, placeId } from './terminals';
import type { Terminal, ViewActions, ViewState } from './types';

/** Simulated time that passes after each command typed or applied (us): the learner looks, the cluster works. */
export const THINK_US = 3_000_000;

export interface Store extends ViewState, ViewActions {
  /** Moves the playhead by wall time; called once a frame while playing. */
  tick(elapsedMs: number, reducedMotion: boolean): void;
  /** Last cursor that may be shown; undefined: the head (no question is open). */
  setHorizon(horizon: number | undefined): void;
  setOrigin(origin: number): void;
  notify(code: string, values?: Readonly<Record<string, string | number>>): void;
}

const INITIAL: ViewState = {
  status: 'idle',
  error: undefined,
  progress: undefined,
  scenario: undefined,
  recipe: undefined,
  head: 0,
  cursor: 0,
  horizon: 0,
  origin: 0,
  playhead: { playing: false, speed: 1, phase: 1 },
  selection: undefined,
  theme: 'auto',
  lang: 'en',
  terminals: [],
  activeTerminal: undefined,
  askPast: undefined,
  notice: undefined,
};

/** The trace and the world at the cursor; see TraceAccess. */
export const engine = new EngineAccess({
  appended: () =>
    useStore.setState((s) => ({
      head: engine.events.length,
      horizon: bound === undefined ? engine.events.length : s.horizon,
    })),
  reset: () => useStore.setState({ head: 0, cursor: 0, horizon: 0 }),
  progress: (what, done, total) => useStore.setState({ progress: { what, done, total } }),
  failed: (why) => useStore.setState({ status: 'failed', error: { code: 'session.gone', message: why } }),
});

/** The open question's bound, kept outside of the state that it limits. */
let bound: number | undefined;
/** Where the last command put the cursor. */
let landed: number | undefined;
/** Who waits for the answer to "you are in the past: now, fork or cancel?". */
let pastAnswer: ((choice: 'now' | 'fork' | 'cancel') => void) | undefined;

/** Before the reader's first command in a world that was opened with commands (a link): steps count from there, as they did when it was made. */
function firstOf(recipe: Recipe, origin: number): number {
  if (recipe.commands[0]?.op !== 'run') return origin;
  const start = engine.events.find((e) => e.seq > origin && e.kind === 'command.start');
  return start === undefined ? origin : start.seq - 1;
}

export const useStore = create<Store>()((set, get) => {
  const clip = (cursor: number): number => Math.max(0, Math.min(cursor, get().horizon));

  /** Puts the cursor; the replica follows before any panel reads. */
  const moveTo = (cursor: number, phase = 1): void => {
    const at = clip(cursor);
    engine.seek(at);
    set((s) => ({ cursor: at, playhead: { ...s.playhead, phase } }));
  };

  const editTerminal = (id: string, change: (t: Terminal) => Terminal): void =>
    set((s) => ({ terminals: s.terminals.map((t) => (t.id === id ? change(t) : t)) }));

  /** Sends a command to the live world and keeps the recipe in step. */
  const submit = async (command: SessionCommand): Promise<CommandOutcome> => {
    const client = await engine.live();
    const outcome = await client.call<CommandOutcome>({ type: 'do', command }).catch((e: unknown) => {
      // What came up before a first command that was refused is set-up all the same.
      if (get().recipe?.commands.length === 0) {
        set({ origin: get().head });
        moveTo(get().head);
      }
      throw e;
    });
    set((s) => {
      if (!s.recipe) return {};
      // Steps count from the reader's first command on: what came up before it is set-up.
      const first = s.recipe.commands.length === 0 && outcome.fromSeq > 0;
      return {
        recipe: { ...s.recipe, commands: [...s.recipe.commands, command] },
        ...(first ? { origin: outcome.fromSeq - 1 } : {}),
      };
    });
    return outcome;
  };

  /** Answers a listing for the cursor; for an acting command at a past cursor asks which world it should change. */
  const runCommand = async (command: Extract<SessionCommand, { op: 'run' }>): Promise<CommandOutcome> => {
    const client = await engine.live();
    const { cursor, head } = get();
    try {
      return await client.call<CommandOutcome>({ type: 'peek', cursor, command });
    } catch (e) {
      if (!(e instanceof SessionFailure) || e.error.code !== 'session.acts') throw e;
    }
    // Who has not moved since the last command put the cursor has not chosen a past: the next command goes on from now.
    if (cursor < head && cursor !== landed) {
      const choice = await askPast(command);
      if (choice === 'cancel') return { stdout: '', stderr: '', exit: 130, fromSeq: 0, toSeq: 0 };
      if (choice === 'now') moveTo(get().head);
      else await forkHere();
    }
    const outcome = await submit(command);
    landAfter(outcome);
    await submit({ op: 'advance', us: THINK_US });
    return outcome;
  };

  const askPast = (command: SessionCommand): Promise<'now' | 'fork' | 'cancel'> =>
    new Promise((resolve) => {
      pastAnswer?.('cancel');
      pastAnswer = resolve;
      set({ askPast: { command } });
    });

  const forkHere = async (): Promise<void> => {
    const client = await engine.live();
    const at = get().cursor;
    const { cursor, recipe } = await client.call<{ cursor: number; recipe: Recipe }>({ type: 'fork', cursor: at });
    bound = undefined;
    set({ recipe, horizon: get().head });
    moveTo(cursor);
  };

  /** After traffic: the first packet of the command's own connection; after anything else: the end of what it did. */
  const landAfter = (outcome: CommandOutcome): void => {
    if (outcome.landSeq) moveTo(outcome.landSeq);
    else if (outcome.toSeq > 0) moveTo(outcome.toSeq);
    landed = get().cursor;
  };

  let shell: Promise<PageShell> | undefined;
  const loadShell = (): Promise<PageShell> => {
    shell ??= import('../session/page-shell').then((m) =>
      m.createPageShell({
        run: runCommand,
        advance: async (us) => {
          await submit({ op: 'advance', us });
        },
        nowUs: () => engine.events[engine.events.length - 1]?.atUs ?? 0,
      }),
    );
    return shell;
  };
  const aborts = new Map<string, AbortController>();

  return {
    ...INITIAL,

    async openScenario(id) {
      set({ status: 'loading', error: undefined });
      try {
        const { loadScenario } = await import('./scenarios');
        const recipe = await loadScenario(id);
        await get().openRecipe(recipe, id);
      } catch (e) {
        set({ status: 'failed', error: asSessionError(e) });
      }
    },

    async openRecipe(recipe, scenario) {
      set({ status: 'loading', error: undefined, notice: undefined });
      try {
        const client = await engine.live();
        bound = undefined;
        const opened = await client.call<{ origin: number }>({ type: 'open', recipe });
        set({
          status: 'ready',
          progress: undefined,
          recipe,
          scenario,
          horizon: engine.events.length,
          origin: firstOf(recipe, opened.origin),
          terminals: [],
          activeTerminal: undefined,
        });
        moveTo(engine.events.length);
      } catch (e) {
        set({ status: 'failed', progress: undefined, error: asSessionError(e) });
      }
    },

    step(kind, direction = 1) {
      const { cursor, horizon } = get();
      const to = step(engine, cursor, kind, direction, horizon, engine.stops());
      if (to !== undefined) moveTo(to);
    },
    seek: (cursor) => moveTo(Math.round(cursor)),
    play: () => set((s) => ({ playhead: { ...s.playhead, playing: s.cursor < s.horizon } })),
    pause: () => set((s) => ({ playhead: { ...s.playhead, playing: false, phase: 1 } })),
    setSpeed: (speed) => set((s) => ({ playhead: { ...s.playhead, speed: Math.max(0.1, Math.min(10, speed)) } })),
    setPhase: (phase) => set((s) => ({ playhead: { ...s.playhead, phase } })),
    tick(elapsedMs, reducedMotion) {
      const { playhead, cursor, horizon } = get();
      if (!playhead.playing) return;
      const t = advance(playhead.phase, elapsedMs, playhead.speed, reducedMotion);
      let at = cursor;
      for (let i = 0; i < t.events; i++) {
        const next = step(engine, at, 'into', 1, horizon, engine.stops());
        if (next === undefined) {
          moveTo(at);
          set((s) => ({ playhead: { ...s.playhead, playing: false, phase: 1 } }));
          return;
        }
        at = next;
      }
      if (at !== cursor) moveTo(at, t.phase);
      else set((s) => ({ playhead: { ...s.playhead, phase: t.phase } }));
    },

    select: (selection) => set({ selection }),
    setTheme: (theme) => set({ theme }),
    setLang: (lang) => set({ lang }),
    setHorizon(horizon) {
      bound = horizon;
      set({ horizon: horizon ?? engine.events.length });
      if (get().cursor > get().horizon) moveTo(get().horizon);
    },
    setOrigin: (origin) => set({ origin }),
    notify: (code, values = {}) => set({ notice: { code, values } }),
    dismissNotice: () => set({ notice: undefined }),

    openTerminal(place: PlaceRef) {
      const id = placeId(place);
      set((s) => ({
        terminals: s.terminals.some((t) => t.id === id) ? s.terminals : [...s.terminals, newTerminal(place)],
        activeTerminal: id,
      }));
      return id;
    },
    focusTerminal: (id) => set({ activeTerminal: id }),
    async runLine(id, line) {
      const terminal = get().terminals.find((t) => t.id === id);
      if (!terminal || terminal.busy) return 1;
      const abort = new AbortController();
      aborts.set(id, abort);
      editTerminal(id, (t) => ({ ...addInput(t, line, get().cursor), busy: true }));
      try {
        const sh = await loadShell();
        return await sh.exec(terminal.place, line, {
          out: (text, kind, seqs) => editTerminal(id, (t) => addOutput(t, text, kind, seqs)),
          signal: abort.signal,
        });
      } catch (e) {
        editTerminal(id, (t) => addOutput(t, asSessionError(e).message, 'err', get().cursor));
        return 1;
      } finally {
        aborts.delete(id);
        editTerminal(id, (t) => ({ ...t, busy: false }));
      }
    },
    interrupt: (id) => aborts.get(id)?.abort(),
    async complete(id, line) {
      const terminal = get().terminals.find((t) => t.id === id);
      if (!terminal) return [];
      const client = await engine.live();
      return client.call<readonly string[]>({ type: 'complete', place: terminal.place, line, cursor: get().cursor });
    },

    async apply(yaml) {
      try {
        if (get().cursor < get().head) moveTo(get().head);
        const outcome = await submit({ op: 'apply', yaml });
        await submit({ op: 'advance', us: THINK_US });
        moveTo(get().head);
        return { ok: true, outcome };
      } catch (e) {
        return { ok: false, error: asSessionError(e) };
      }
    },
    do: submit,
    async answerPast(choice) {
      const answer = pastAnswer;
      pastAnswer = undefined;
      set({ askPast: undefined });
      answer?.(choice);
    },
    async shareUrl() {
      const { recipe, scenario, lang, cursor } = get();
      const { linkTo } = await import('./links');
      return linkTo({ recipe, scenario, lang, trace: engine, cursor });
    },
    async openLink(fragment) {
      const { readLink } = await import('./links');
      const link = readLink(fragment);
      if (!link.ok) {
        set({ status: get().status === 'idle' ? 'failed' : get().status, error: link.error });
        return false;
      }
      if (link.value.lang) set({ lang: link.value.lang });
      if (link.value.recipe) await get().openRecipe(link.value.recipe, link.value.scenario);
      else if (link.value.scenario) await get().openScenario(link.value.scenario);
      if (get().status !== 'ready' || !link.value.anchor) return get().status === 'ready';
      const { landOn } = await import('./links');
      const found = landOn(engine, link.value);
      moveTo(found.cursor);
      if (found.how !== 'same') get().notify(`link.${found.how}`, { step: found.cursor });
      return true;
    },
  };
});
