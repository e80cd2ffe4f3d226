import { Prng } from '../base/prng';
import { World } from '../base/recordmap';
import type { AssumptionSink } from '../base/unknown';
import { Simulator } from '../sim/simulator';
import { Recorder } from './recorder';

/** What every module of the engine is built on: one world, one clock and queue, one trace, one seed. */
export interface Ctx extends AssumptionSink {
  readonly world: World;
  readonly sim: Simulator;
  readonly trace: Recorder;
  readonly prng: Prng;
}

export function createCtx(seed: number): Ctx {
  const world = new World();
  const sim = new Simulator(world);
  const trace = new Recorder(world);
  sim.setAfterHandler(() => trace.flush());
  return {
    world,
    sim,
    trace,
    prng: new Prng(seed),
    assumed: (what, assumption) => trace.emitAlways('assumed', { what, assumption }),
  };
}
