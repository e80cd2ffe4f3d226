import type { Json } from '../../base/json';
import type { Ctx } from '../../trace/context';
import type { KObject } from '../types';

export type WatchType = 'ADDED' | 'MODIFIED' | 'DELETED';

export interface WatchEvent {
  readonly type: WatchType;
  readonly object: KObject;
}

export interface WatchSpec {
  /** Who watches: `kube-proxy/node-1`, `endpointslice-controller`. */
  readonly name: string;
  readonly kinds: readonly string[];
  /** Time from the write to the watcher's notice, us. */
  readonly delayUs: number;
  readonly onEvent: (event: WatchEvent) => void;
}

const TIMER = 'k8s.watch';

/** Delivers every write to those who watch its kind, each after its own delay and in the order of the writes. */
export class WatchHub {
  private readonly watchers: WatchSpec[] = [];

  constructor(private readonly ctx: Ctx) {
    ctx.sim.on<{ to: number; type: WatchType; object: Json }>(TIMER, ({ to, type, object }) => {
      this.watchers[to]?.onEvent({ type, object: object as unknown as KObject });
    });
  }

  add(spec: WatchSpec): void {
    this.watchers.push(spec);
  }

  publish(type: WatchType, object: KObject): void {
    this.watchers.forEach((w, to) => {
      if (!w.kinds.includes(object.kind)) return;
      this.ctx.sim.after(w.delayUs, TIMER, { to, type, object: object as unknown as Json });
    });
  }
}
