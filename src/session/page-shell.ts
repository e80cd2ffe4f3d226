import type { BashHost, BashIo } from '../shell/language/host';
import type { FromShell, ToShell } from '../shell/wire';
import type { PlaceRef } from './protocol';

/** The shell language of all terminals of a page. */
export interface PageShell {
  /** Runs a line of shell language in a place; resolves with its exit code. */
  exec(place: PlaceRef, line: string, io: BashIo): Promise<number>;
}

/** How long a line may go on after ^C before its worker is ended, ms of wall time. */
const GRACE_MS = 600;

interface Pending {
  readonly io: BashIo;
  readonly end: (exit: number) => void;
}

/** Shells in a worker, made with the first line; one that does not hear ^C is ended and made anew (its variables are lost). */
class WorkerShell implements PageShell {
  private worker: Worker | undefined;
  private readonly pending = new Map<number, Pending>();
  private nextId = 1;

  constructor(private readonly host: BashHost) {}

  exec(place: PlaceRef, line: string, io: BashIo): Promise<number> {
    const id = this.nextId++;
    return new Promise((end) => {
      this.pending.set(id, { io, end });
      this.post({ type: 'exec', id, place, line, nowUs: this.host.nowUs() });
      io.signal.addEventListener('abort', () => this.interrupt(id), { once: true });
    });
  }

  private interrupt(id: number): void {
    this.post({ type: 'abort', id });
    setTimeout(() => {
      if (this.pending.has(id)) this.restart(130);
    }, GRACE_MS);
  }

  /** Ends the worker and with it every line that runs in it. */
  private restart(exit: number): void {
    this.worker?.terminate();
    this.worker = undefined;
    const lines = [...this.pending.values()];
    this.pending.clear();
    for (const p of lines) p.end(exit);
  }

  private post(m: ToShell): void {
    this.worker ??= this.start();
    this.worker.postMessage(m);
  }

  private start(): Worker {
    const worker = new Worker(new URL('../shell/shell.worker.ts', import.meta.url), { type: 'module', name: 'shell' });
    worker.onmessage = (e: MessageEvent<FromShell>) => this.receive(e.data);
    worker.onerror = (e) => {
      for (const p of this.pending.values()) p.io.out(`bash: ${e.message || 'the shell failed'}\n`, 'err', 0);
      this.restart(126);
    };
    return worker;
  }

  private receive(m: FromShell): void {
    switch (m.type) {
      case 'out':
        this.pending.get(m.id)?.io.out(m.text, m.kind, m.seqs);
        return;
      case 'done':
        this.pending.get(m.id)?.end(m.exit);
        this.pending.delete(m.id);
        return;
      case 'call':
        void this.serve(m);
    }
  }

  private async serve(m: Extract<FromShell, { type: 'call' }>): Promise<void> {
    const { worker } = this;
    const answer = (result: Extract<ToShell, { type: 'answer' }>['result']): void =>
      worker?.postMessage({ type: 'answer', call: m.call, nowUs: this.host.nowUs(), result } satisfies ToShell);
    try {
      if (m.advanceUs !== undefined) await this.host.advance(m.advanceUs);
      answer({ ok: true, value: m.run && (await this.host.run(m.run)) });
    } catch (e) {
      answer({ ok: false, message: e instanceof Error ? e.message : String(e) });
    }
  }
}

/** In a worker; where none is to be had (sandboxed frames), in the page. */
export async function createPageShell(host: BashHost): Promise<PageShell> {
  if (typeof Worker !== 'undefined' && window.origin !== 'null') return new WorkerShell(host);
  const { BashShells } = await import('../shell/bash');
  const shells = new BashShells(host);
  return { exec: (place, line, io) => shells.exec(place, line, io) };
}
