import { assert } from '../base/assert';
import type { Json } from '../base/json';
import type { World } from '../base/recordmap';

/** Timers are data: a kind that names a handler and a plain payload. */
export interface Timer {
  readonly id: number;
  readonly atUs: number;
  readonly ord: number;
  readonly kind: string;
  readonly payload: Json;
}

export interface RunBudget {
  /** Run until simulated time reaches this point (us); later timers stay queued and the clock stops there. */
  readonly untilUs?: number;
  /** Handlers to run at most; default 1,000,000. */
  readonly maxHandlers?: number;
  /** Checked after every handler; true ends the run. */
  readonly until?: () => boolean;
}

export type RunEnd = 'idle' | 'until' | 'condition' | 'budget';

export type TimerHandler = (payload: never, timer: Timer) => void;

/** Queued timers at most; more is a runaway model. */
const MAX_QUEUE = 1_000_000;

/**
 * One clock and one event queue, ordered by (atUs, ord). A handler runs to completion and may only schedule at now or
 * later. Handlers are registered by kind before the first run.
 */
export class Simulator {
  private heap: Timer[] = [];
  private readonly cancelled = new Set<number>();
  private readonly live = new Set<number>();
  private readonly handlers = new Map<string, (payload: Json, timer: Timer) => void>();
  private nextId = 1;
  private afterHandler: () => void = () => undefined;

  constructor(private readonly world: World) {}

  /** Simulated time in integer microseconds. */
  get now(): number {
    return this.world.nowUs;
  }

  on<P extends Json>(kind: string, handler: (payload: P, timer: Timer) => void): void {
    assert(!this.handlers.has(kind), `timer kind ${kind} registered twice`);
    this.handlers.set(kind, handler as (payload: Json, timer: Timer) => void);
  }

  /** Called after each handler; the recorder puts journalled changes that no event carried into one. */
  setAfterHandler(fn: () => void): void {
    this.afterHandler = fn;
  }

  /** Schedules `kind` in `delayUs` >= 0 microseconds and returns the timer's id. */
  after(delayUs: number, kind: string, payload: Json = null): number {
    return this.at(this.now + delayUs, kind, payload);
  }

  at(atUs: number, kind: string, payload: Json = null): number {
    assert(Number.isInteger(atUs) && atUs >= this.now, `timer ${kind} at ${atUs}, now ${this.now}`);
    assert(this.handlers.has(kind), `no handler for timer kind ${kind}`);
    assert(this.live.size < MAX_QUEUE, `more than ${MAX_QUEUE} timers queued`);
    const id = this.nextId++;
    this.live.add(id);
    this.push({ id, atUs, ord: id, kind, payload });
    return id;
  }

  /** Cancels a timer; one that has run or was cancelled is left alone. */
  cancel(id: number | undefined): void {
    if (id !== undefined && this.live.delete(id)) this.cancelled.add(id);
  }

  /** Timers waiting, cancelled ones not counted. */
  get queued(): number {
    return this.live.size;
  }

  /** Time of the next timer, or undefined when the queue is empty. */
  get nextAtUs(): number | undefined {
    this.dropCancelled();
    return this.heap[0]?.atUs;
  }

  run(budget: RunBudget): RunEnd {
    const max = budget.maxHandlers ?? 1_000_000;
    for (let n = 0; n < max; n++) {
      this.dropCancelled();
      const next = this.heap[0];
      if (!next || (budget.untilUs !== undefined && next.atUs > budget.untilUs)) {
        if (budget.untilUs !== undefined && budget.untilUs > this.now) this.world.nowUs = budget.untilUs;
        return next ? 'until' : budget.untilUs === undefined ? 'idle' : 'until';
      }
      this.pop();
      this.live.delete(next.id);
      this.world.nowUs = next.atUs;
      (this.handlers.get(next.kind) as (payload: Json, timer: Timer) => void)(next.payload, next);
      this.afterHandler();
      if (budget.until?.()) return 'condition';
    }
    return 'budget';
  }

  private dropCancelled(): void {
    for (let t = this.heap[0]; t && this.cancelled.has(t.id); t = this.heap[0]) {
      this.cancelled.delete(t.id);
      this.pop();
    }
  }

  private push(t: Timer): void {
    const h = this.heap;
    let i = h.push(t) - 1;
    while (i > 0) {
      const p = (i - 1) >> 1;
      if (!before(t, h[p] as Timer)) break;
      h[i] = h[p] as Timer;
      i = p;
    }
    h[i] = t;
  }

  private pop(): void {
    const h = this.heap;
    const last = h.pop() as Timer;
    if (h.length === 0) return;
    let i = 0;
    for (;;) {
      let c = 2 * i + 1;
      if (c >= h.length) break;
      if (c + 1 < h.length && before(h[c + 1] as Timer, h[c] as Timer)) c++;
      if (!before(h[c] as Timer, last)) break;
      h[i] = h[c] as Timer;
      i = c;
    }
    h[i] = last;
  }
}

const before = (a: Timer, b: Timer): boolean => a.atUs < b.atUs || (a.atUs === b.atUs && a.ord < b.ord);
