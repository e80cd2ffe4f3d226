import type { WorldReader } from '../engine/base';
import { type ClientEvents, SessionClient, SessionFailure } from '../session/client';
import type { SessionError } from '../session/protocol';
import { WorldReplica } from '../session/replica';
import { enginePort } from './ports';
import type { TraceAccess } from './types';

/**
 * The engine's end that the store talks to, outside of zustand's state: the client, the growing trace and the one
 * replica that stands at the store's cursor.
 */
export class EngineAccess implements TraceAccess {
  private client: SessionClient | undefined;
  private starting: Promise<SessionClient> | undefined;
  private replica: WorldReplica | undefined;
  private halts: ReadonlySet<number> | undefined;

  constructor(private readonly on: ClientEvents) {}

  get events() {
    return this.client?.events ?? [];
  }
  get spans() {
    return this.client?.spans ?? [];
  }

  /** The client, started on first use and again after the worker died. */
  live(): Promise<SessionClient> {
    if (this.client) return Promise.resolve(this.client);
    this.starting ??= this.start().finally(() => {
      this.starting = undefined;
    });
    return this.starting;
  }

  private async start(): Promise<SessionClient> {
    const client: SessionClient = new SessionClient(await enginePort(), {
      ...this.on,
      reset: () => {
        this.replica = new WorldReplica(client.events);
        this.on.reset();
      },
      failed: (why) => {
        this.client = undefined;
        this.on.failed(why);
      },
    });
    this.client = client;
    this.replica = new WorldReplica(client.events);
    return client;
  }

  /** Ends the worker at once, whatever it is doing; the next call starts a new one. */
  stop(): void {
    const c = this.client;
    this.client = undefined;
    c?.close();
  }

  seek(cursor: number): void {
    this.replica?.seek(cursor);
  }

  reader(): WorldReader {
    if (!this.replica) throw new Error('no world is open');
    return this.replica;
  }

  stops(): ReadonlySet<number> | undefined {
    return this.halts;
  }
  setStops(stops: ReadonlySet<number> | undefined): void {
    this.halts = stops;
  }
}

/** What went wrong, as plain data. */
export function asSessionError(e: unknown): SessionError {
  if (e instanceof SessionFailure) return e.error;
  return { code: 'page.defect', message: e instanceof Error ? e.message : String(e) };
}
