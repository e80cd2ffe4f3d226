import { BashShells } from './bash';
import { type FromShell, RemoteHost, type ToShell } from './wire';

/**
 * The shell language in a worker of its own: a loop that never ends keeps the page alive, and ^C that the shell does not
 * hear ends the worker.
 */
interface Scope {
  onmessage: ((e: { data: ToShell }) => void) | null;
  postMessage(message: FromShell): void;
}
const scope = globalThis as unknown as Scope;
const host = new RemoteHost((m) => scope.postMessage(m));
const shells = new BashShells(host);
const aborts = new Map<number, AbortController>();

async function exec(m: Extract<ToShell, { type: 'exec' }>): Promise<void> {
  const abort = new AbortController();
  aborts.set(m.id, abort);
  const exit = await shells.exec(m.place, m.line, {
    out: (text, kind, seqs) => scope.postMessage({ type: 'out', id: m.id, text, kind, seqs }),
    signal: abort.signal,
  });
  aborts.delete(m.id);
  scope.postMessage({ type: 'done', id: m.id, exit });
}

scope.onmessage = ({ data }) => {
  switch (data.type) {
    case 'exec':
      host.setClock(data.nowUs);
      void exec(data);
      return;
    case 'abort':
      aborts.get(data.id)?.abort();
      return;
    case 'answer':
      host.answer(data);
  }
};
