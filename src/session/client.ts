import type { Span, TraceEvent } from '../engine/trace';
import type { FromWorker, SessionError, ToWorker } from './protocol';

type Call = ToWorker extends infer M ? (M extends { id: number } ? Omit<M, 'id'> : never) : never;

export class SessionFailure extends Error {
  constructor(readonly error: SessionError) {
    super(error.message);
  }
}

/** The worker's side as the client needs it; a real Worker or an in-process stand-in. */
export interface Port {
  postMessage(message: ToWorker): void;
  onmessage: ((message: FromWorker) => void) | null;
  onfail: ((why: string) => void) | null;
  close(): void;
}

export interface ClientEvents {
  /** New events and spans came; `events` is the same growing array each time. */
  appended(): void;
  /** The trace was replaced (open, fork). */
  reset(): void;
  progress(what: string, done: number, total: number | undefined): void;
  failed(why: string): void;
}

/**
 * The page's end of a session: typed calls with ids, and a copy of the trace that only grows. Every pending call is
 * rejected when the worker dies, so nothing waits for ever.
 */
export class SessionClient {
  readonly events: TraceEvent[] = [];
  readonly spans: Span[] = [];
  private nextId = 1;
  private readonly waiting = new Map<number, { resolve: (v: unknown) => void; reject: (e: Error) => void }>();

  constructor(
    private readonly port: Port,
    private readonly on: ClientEvents,
  ) {
    port.onmessage = (m) => this.receive(m);
    port.onfail = (why) => this.fail(why);
  }

  /** Calls the session. `open` and `fork` empty the local trace first; their events come anew. */
  call<T>(message: Call): Promise<T> {
    const id = this.nextId++;
    if (message.type === 'open' || message.type === 'fork') {
      this.events.length = 0;
      this.spans.length = 0;
      this.on.reset();
    }
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (v: unknown) => void, reject });
      this.port.postMessage({ ...message, id } as ToWorker);
    });
  }

  close(): void {
    this.port.close();
    this.fail('closed');
  }

  private receive(m: FromWorker): void {
    switch (m.type) {
      case 'append':
        for (const e of m.events) this.events.push(e);
        for (const s of m.spans) this.spans.push(s);
        this.on.appended();
        return;
      case 'progress':
        this.on.progress(m.what, m.done, m.total);
        return;
      case 'reply': {
        const w = this.waiting.get(m.id);
        this.waiting.delete(m.id);
        if (!w) return;
        if (m.ok) w.resolve(m.value);
        else w.reject(new SessionFailure(m.error));
      }
    }
  }

  private fail(why: string): void {
    const calls = [...this.waiting.values()];
    this.waiting.clear();
    for (const c of calls) {
      c.reject(new SessionFailure({ code: 'session.gone', message: `the session ended: ${why}` }));
    }
    if (why !== 'closed') this.on.failed(why);
  }
}
