import type { PlaceRef } from '../place';

/** One command (argv) for the session; the shape of the session's own `run` command. */
export interface RunRequest {
  readonly op: 'run';
  readonly place: PlaceRef;
  readonly argv: readonly string[];
  readonly stdin?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly cols?: number;
  readonly errApart?: boolean;
  readonly uid?: number;
  readonly line?: string;
  readonly terminal?: string;
  readonly maxUs?: number;
}

export interface RunAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
  readonly files?: Readonly<Record<string, string>>;
  readonly toSeq?: number;
  readonly lineSeqs?: readonly number[];
}

/** What the shell language needs of the session. */
export interface BashHost {
  run(request: RunRequest): Promise<RunAnswer>;
  /** Lets simulated time pass, us. */
  advance(us: number): Promise<void>;
  nowUs(): number;
}

export interface BashIo {
  out(text: string, kind: 'out' | 'err', seqs: readonly number[] | number): void;
  readonly signal: AbortSignal;
}
