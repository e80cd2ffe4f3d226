import type { Json } from '../../base/json';
import { defineMap } from '../../base/recordmap';
import type { Ctx } from '../../trace/context';

/** Keys that a controller has still to look at, `controller|key`. */
export const K8S_QUEUE = defineMap<{ readonly dueUs: number }>('k8s.queue');

const TIMER = 'k8s.queue';

/** A controller: its name and what it does about one key. Returns whether it wrote anything. */
export interface Controller {
  readonly name: string;
  /** From the notice of a change to the work on it, us. */
  readonly delayUs: number;
  sync(key: string): boolean;
}

/** Work queues of all controllers: a key waits in a queue once, however often it changes. */
export class WorkQueue {
  private readonly controllers = new Map<string, Controller>();

  constructor(private readonly ctx: Ctx) {
    ctx.sim.on<{ name: string; key: string }>(TIMER, ({ name, key }) => this.run(name, key));
  }

  register(c: Controller): void {
    this.controllers.set(c.name, c);
  }

  add(name: string, key: string, delayUs?: number): void {
    const map = this.ctx.world.map(K8S_QUEUE);
    const id = `${name}|${key}`;
    if (map.has(id)) return;
    const delay = delayUs ?? this.controllers.get(name)?.delayUs ?? 0;
    map.set(id, { dueUs: this.ctx.sim.now + delay });
    this.ctx.sim.after(delay, TIMER, { name, key } satisfies Json);
  }

  private run(name: string, key: string): void {
    const c = this.controllers.get(name);
    this.ctx.world.map(K8S_QUEUE).delete(`${name}|${key}`);
    if (!c) return;
    const { trace } = this.ctx;
    trace.inSpan({ kind: 'control', label: name, facts: { controller: name, key } }, () => {
      const changed = c.sync(key);
      trace.emitAlways('ctl.sync', { controller: name, key, changed });
    });
  }
}
