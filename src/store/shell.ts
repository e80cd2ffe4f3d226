import type { CommandOutcome, PlaceRef, SessionCommand } from '../session/protocol';

/**
 * What the shell language needs of the page: run one command of ours where it would run, now or (for listings) at the
 * cursor; let simulated time pass; know the clock. The adapter behind it is loaded with the first terminal.
 */
export interface ShellHost {
  run(command: Extract<SessionCommand, { op: 'run' }>): Promise<CommandOutcome>;
  advance(us: number): Promise<void>;
  nowUs(): number;
}

export interface ShellIo {
  out(text: string, kind: 'out' | 'err', seqs: readonly number[] | number): void;
  readonly signal: AbortSignal;
}

export interface PageShell {
  /** Runs a line of shell language in a place; resolves with its exit code. */
  exec(place: PlaceRef, line: string, io: ShellIo): Promise<number>;
}
