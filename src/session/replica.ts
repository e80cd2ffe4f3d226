import { assert, type MapDef, type ReadMap, Replica, type WorldReader } from '../engine/base';
import type { TraceEvent } from '../engine/trace';

/**
 * A world that stands at a cursor of a growing trace and is moved by the events' diffs. The cursor is the number of
 * applied events: 0 is the empty world, n the world right after the event with seq n.
 */
export class WorldReplica implements WorldReader {
  private readonly replica = new Replica();
  private at = 0;

  constructor(private readonly events: readonly TraceEvent[]) {}

  get cursor(): number {
    return this.at;
  }
  get nowUs(): number {
    return this.at === 0 ? 0 : (this.events[this.at - 1] as TraceEvent).atUs;
  }
  map<V>(def: MapDef<V>): ReadMap<V> {
    return this.replica.map(def);
  }

  /** Moves to `cursor` (0..number of events) by applying or reverting diffs. */
  seek(cursor: number): this {
    assert(cursor >= 0 && cursor <= this.events.length, `cursor ${cursor} outside 0..${this.events.length}`);
    while (this.at < cursor) this.replica.apply((this.events[this.at++] as TraceEvent).diff);
    while (this.at > cursor) this.replica.revert((this.events[--this.at] as TraceEvent).diff);
    return this;
  }

  stateHash(): string {
    return this.replica.stateHash();
  }
}
