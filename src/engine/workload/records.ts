import { defineMap } from '../base/recordmap';

/** What of a process is state: who it is and how it ended. Key: the pid. */
export interface ProcRecord {
  readonly pid: string;
  readonly netns: string;
  readonly argv: readonly string[];
  readonly uid: number;
  /** What it made of its command line (setproctitle). */
  readonly title?: string;
  /** It was forked from this process and has its sockets too. */
  readonly shares?: string;
  readonly startedAtUs: number;
  readonly endedAtUs?: number;
  /** Exit status; 128 + n for signal n, as a shell shows it. */
  readonly exit?: number;
}

export const PROCS = defineMap<ProcRecord>('work.proc', { netns: (p) => (p.exit === undefined ? p.netns : undefined) });
