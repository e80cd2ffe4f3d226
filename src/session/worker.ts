import { Host } from './host';
import type { FromWorker, ToWorker } from './protocol';

/** Entry of the engine's worker: one Host, plain messages both ways. */
interface WorkerScope {
  onmessage: ((e: { data: ToWorker }) => void) | null;
  postMessage(message: FromWorker): void;
}

const scope = globalThis as unknown as WorkerScope;
const host = new Host((m) => scope.postMessage(m));
scope.onmessage = (e) => {
  host.receive(e.data);
};
