import { assert } from '../base/assert';
import type { Wait, Wake } from '../workload/process';
import type { Os } from './os';

/** A strand of work inside one process, written in blocking style: it yields where a goroutine would block. */
export type Task<T = void> = Generator<Wait, T, Wake>;

interface Strand {
  readonly id: number;
  readonly gen: Task;
  wait: Wait;
  /** When the wait times out (us); undefined: never. */
  deadline: number | undefined;
}

/**
 * Runs many strands in one simulated process, as a Go scheduler or an event loop does: all their waits go into one
 * poll. A strand that never blocks runs to its end inside `go`.
 */
export class Tasks {
  private readonly strands = new Map<number, Strand>();
  private nextId = 1;
  private signals: ((signal: 'INT' | 'TERM' | 'KILL') => void) | undefined;
  private stopped = false;

  constructor(private readonly sys: Os) {}

  /** Starts a strand now. */
  go(gen: Task): number {
    const id = this.nextId++;
    const first = gen.next({ kind: 'timeout' });
    if (!first.done) this.strands.set(id, this.waiting(id, gen, first.value));
    return id;
  }

  /** Drops a strand; its `finally` blocks run. */
  cancel(id: number): void {
    const s = this.strands.get(id);
    if (!s) return;
    this.strands.delete(id);
    s.gen.return(undefined);
  }

  onSignal(fn: (signal: 'INT' | 'TERM' | 'KILL') => void): void {
    this.signals = fn;
  }

  /** Makes `run` return after the current strand. */
  stop(): void {
    this.stopped = true;
  }

  private waiting(id: number, gen: Task, wait: Wait): Strand {
    const us = wait.kind === 'sleep' ? wait.us : wait.kind === 'poll' ? wait.timeoutUs : undefined;
    return { id, gen, wait, deadline: us === undefined ? undefined : this.sys.nowUs + us };
  }

  /** Runs until no strand is left, `stop` is called or `done` says so. */
  *run(done: () => boolean = () => false): Task {
    while (!this.stopped && this.strands.size > 0 && !done()) {
      const fds: { fd: number; events: 'in' | 'out' | 'inout' }[] = [];
      let deadline: number | undefined;
      for (const s of this.strands.values()) {
        assert(s.wait.kind !== 'child', 'a strand cannot wait for a child');
        if (s.wait.kind === 'poll') fds.push(...s.wait.fds);
        if (s.deadline !== undefined && (deadline === undefined || s.deadline < deadline)) deadline = s.deadline;
      }
      const wake = yield deadline === undefined
        ? { kind: 'poll', fds }
        : { kind: 'poll', fds, timeoutUs: Math.max(0, deadline - this.sys.nowUs) };
      if (wake.kind === 'signal') {
        this.signals?.(wake.signal);
        continue;
      }
      const ready = wake.kind === 'ready' ? wake.fds : [];
      for (const s of [...this.strands.values()]) {
        if (this.stopped) return;
        if (!this.strands.has(s.id)) continue;
        const mine = s.wait.kind === 'poll' ? s.wait.fds.filter((f) => ready.includes(f.fd)).map((f) => f.fd) : [];
        if (mine.length > 0) this.resume(s, { kind: 'ready', fds: mine });
        else if (s.deadline !== undefined && s.deadline <= this.sys.nowUs) this.resume(s, { kind: 'timeout' });
      }
    }
  }

  private resume(s: Strand, wake: Wake): void {
    this.strands.delete(s.id);
    const next = s.gen.next(wake);
    if (!next.done) this.strands.set(s.id, this.waiting(s.id, s.gen, next.value));
  }
}

/** Blocks for `us` microseconds. */
export function* sleep(us: number): Task {
  yield { kind: 'sleep', us };
}

/** Blocks until the descriptor can be read (or has an error), or the time is over: false. */
export function* readable(fd: number, timeoutUs?: number): Task<boolean> {
  const fds = [{ fd, events: 'in' as const }];
  const wake = yield timeoutUs === undefined ? { kind: 'poll', fds } : { kind: 'poll', fds, timeoutUs };
  return wake.kind === 'ready';
}

/** Blocks until the descriptor can be written (a connect ended), or the time is over: false. */
export function* writable(fd: number, timeoutUs?: number): Task<boolean> {
  const fds = [{ fd, events: 'out' as const }];
  const wake = yield timeoutUs === undefined ? { kind: 'poll', fds } : { kind: 'poll', fds, timeoutUs };
  return wake.kind === 'ready';
}

const NO_WAITS: readonly Wait[] = [];

/** A task that never blocks. */
export function* instant<T>(work: () => T): Task<T> {
  yield* NO_WAITS;
  return work();
}
