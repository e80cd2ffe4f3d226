import type { Port } from '../session/client';
import type { FromWorker, ToWorker } from '../session/protocol';

/** The engine in its worker; a worker that does not start or dies is told through onfail. */
export function workerPort(): Port {
  const worker = new Worker(new URL('../session/worker.ts', import.meta.url), { type: 'module', name: 'engine' });
  const port: Port = {
    onmessage: null,
    onfail: null,
    postMessage: (m: ToWorker) => worker.postMessage(m),
    close: () => worker.terminate(),
  };
  worker.onmessage = (e: MessageEvent<FromWorker>) => port.onmessage?.(e.data);
  worker.onerror = (e) => port.onfail?.(e.message || 'worker error');
  worker.onmessageerror = () => port.onfail?.('a message could not be read');
  return port;
}

/** The engine in the page itself, where no worker is to be had (sandboxed frames); the same Host behind it. */
export async function localPort(): Promise<Port> {
  const { Host } = await import('../session/host');
  const port: Port = { onmessage: null, onfail: null, postMessage: (m) => host.receive(m), close: () => undefined };
  const host = new Host((m) => port.onmessage?.(m));
  return port;
}

/** A worker if it answers to being made, else the page itself. */
export async function enginePort(): Promise<Port> {
  try {
    return workerPort();
  } catch {
    return localPort();
  }
}
