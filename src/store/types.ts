import type { WorldReader } from '../engine/base';
import type { Span, TraceEvent } from '../engine/trace';
import type { CommandOutcome, PlaceRef, Recipe, SessionCommand, SessionError } from '../session/protocol';
import type { StepKind } from '../session/steps';

export type Theme = 'light' | 'dark' | 'auto';
export type Lang = 'en' | 'zh';

/** The view's own wall-clock matter: where between two events the picture stands. */
export interface Playhead {
  readonly playing: boolean;
  /** 0.1 to 10. */
  readonly speed: number;
  /** 0..1 between the event before the cursor and the event at it; 1 = at rest. */
  readonly phase: number;
}

/** One line of a terminal and the event at which it was printed. */
export interface TermLine {
  readonly text: string;
  /** Cursor at which it was printed; at an earlier cursor the line is dimmed (or, while a question is open, absent). */
  readonly seq: number;
  readonly kind: 'in' | 'out' | 'err';
  /** For `in`: the prompt shown before it. */
  readonly prompt?: string;
}

export interface Terminal {
  readonly id: string;
  readonly place: PlaceRef;
  readonly lines: readonly TermLine[];
  readonly busy: boolean;
  readonly history: readonly string[];
}

/** What the reader pointed at on stage, in a table or in a terminal. */
export type Selection =
  | { readonly kind: 'rule'; readonly ruleId: string }
  | { readonly kind: 'ct'; readonly id: string }
  | { readonly kind: 'chain'; readonly netns: string; readonly table: string; readonly chain: string }
  | { readonly kind: 'pod'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'object'; readonly key: string }
  | { readonly kind: 'address'; readonly ip: string };

/** What can be pinned into a notebook, always with the cursor it was seen at. */
export type PinTarget =
  | { readonly kind: 'event'; readonly seq: number }
  | { readonly kind: 'rule'; readonly ruleId: string; readonly seq: number }
  | { readonly kind: 'row'; readonly map: string; readonly key: string; readonly seq: number }
  | {
      readonly kind: 'token';
      readonly terminal: string;
      readonly line: string;
      readonly token: string;
      readonly seq: number;
    };

export interface ViewState {
  readonly status: 'idle' | 'loading' | 'ready' | 'failed';
  readonly error: SessionError | undefined;
  readonly progress: { readonly what: string; readonly done: number; readonly total: number | undefined } | undefined;
  readonly scenario: string | undefined;
  readonly recipe: Recipe | undefined;
  /** Number of events so far. */
  readonly head: number;
  /** Number of applied events: what everything shows. */
  readonly cursor: number;
  /** Last cursor that may be shown; head when no question is open. */
  readonly horizon: number;
  /** First event of interest: timeline and step numbers count from here (cluster set-up lies before). */
  readonly origin: number;
  readonly playhead: Playhead;
  readonly selection: Selection | undefined;
  readonly theme: Theme;
  readonly lang: Lang;
  readonly terminals: readonly Terminal[];
  readonly activeTerminal: string | undefined;
  /** An acting command was typed at a past cursor: ask "return to now" or "fork here". */
  readonly askPast: { readonly command: SessionCommand } | undefined;
  readonly notice: { readonly code: string; readonly values: Readonly<Record<string, string | number>> } | undefined;
}

export interface ViewActions {
  openScenario(id: string): Promise<void>;
  openRecipe(recipe: Recipe, scenario?: string): Promise<void>;
  step(kind: StepKind, direction?: 1 | -1): void;
  seek(cursor: number): void;
  play(): void;
  pause(): void;
  setSpeed(speed: number): void;
  setPhase(phase: number): void;
  select(s: Selection | undefined): void;
  setTheme(t: Theme): void;
  setLang(l: Lang): void;
  openTerminal(place: PlaceRef): string;
  focusTerminal(id: string): void;
  /** Runs a shell line in a terminal; output arrives in the terminal's lines. */
  runLine(terminal: string, line: string): Promise<number>;
  interrupt(terminal: string): void;
  complete(terminal: string, line: string): Promise<readonly string[]>;
  /** kubectl apply of the editor's text; errors come back, the text stays the caller's. */
  apply(yaml: string): Promise<{ ok: true; outcome: CommandOutcome } | { ok: false; error: SessionError }>;
  do(command: SessionCommand): Promise<CommandOutcome>;
  answerPast(choice: 'now' | 'fork' | 'cancel'): Promise<void>;
  /** Address that opens this world at this step. */
  shareUrl(): Promise<string>;
  /** Opens what a link's fragment carries; false (and `error` set) when it is damaged: the open world stays. */
  openLink(fragment: string): Promise<boolean>;
  dismissNotice(): void;
}

/** Not in zustand's state (copying it would bring back the cost of immutable worlds): read through these. */
export interface TraceAccess {
  readonly events: readonly TraceEvent[];
  readonly spans: readonly Span[];
  /** The world at the store's cursor; the same object each time, moved by seek. Subscribe to `cursor`/`head`. */
  reader(): WorldReader;
  /** Cursors at which stepping halts for this lesson's level; undefined: every event. */
  stops(): ReadonlySet<number> | undefined;
}
