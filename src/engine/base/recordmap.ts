import { assert } from './assert';
import { Hash64 } from './hash';
import { byCodeUnit, canonicalJson, freeze } from './json';

/** The one form of a state change: a record replaced in a named map. A missing side means absent. */
export interface Change {
  readonly map: string;
  readonly key: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Declares a RecordMap: its name (dotted, unique), its value type and its secondary indexes. */
export interface MapDef<V> {
  readonly name: string;
  /** Index name → the values under which a record is filed (none: undefined). */
  readonly indexes: Readonly<Record<string, (value: V, key: string) => string | readonly string[] | undefined>>;
}

export function defineMap<V>(name: string, indexes: MapDef<V>['indexes'] = {}): MapDef<V> {
  return { name, indexes };
}

/** Reading side of a RecordMap; the engine's world and the view's replica look the same through it. */
export interface ReadMap<V> {
  get(key: string): V | undefined;
  has(key: string): boolean;
  readonly size: number;
  /** All keys in code-unit order: order is data, never insertion order. */
  keys(): readonly string[];
  /** Records in the order of `keys()`. */
  values(): readonly V[];
  /** Keys filed under `value` in an index, in code-unit order. */
  by(index: string, value: string): readonly string[];
  /** Rises with every change, for caches and for subscriptions. */
  readonly version: number;
}

const NONE: readonly string[] = Object.freeze([]);

class Bucket {
  private readonly set = new Set<string>();
  private sorted: readonly string[] | undefined;
  add(key: string): void {
    this.set.add(key);
    this.sorted = undefined;
  }
  remove(key: string): void {
    this.set.delete(key);
    this.sorted = undefined;
  }
  get size(): number {
    return this.set.size;
  }
  keys(): readonly string[] {
    this.sorted ??= [...this.set].sort(byCodeUnit);
    return this.sorted;
  }
}

/**
 * A named map of frozen plain records. `set` and `delete` are the only ways in which the state of a world changes;
 * each is told to `onChange` (the journal), which puts it into the diff of the next trace event.
 */
export class RecordMap<V> implements ReadMap<V> {
  private readonly records = new Map<string, V>();
  private readonly order = new Bucket();
  private readonly indexes = new Map<string, Map<string, Bucket>>();
  private sortedValues: readonly V[] | undefined;
  version = 0;

  constructor(
    readonly def: MapDef<V>,
    private readonly onChange: (change: Change) => void,
  ) {
    for (const name of Object.keys(def.indexes)) this.indexes.set(name, new Map());
  }

  get size(): number {
    return this.records.size;
  }
  get(key: string): V | undefined {
    return this.records.get(key);
  }
  has(key: string): boolean {
    return this.records.has(key);
  }
  keys(): readonly string[] {
    return this.order.keys();
  }
  values(): readonly V[] {
    this.sortedValues ??= this.keys().map((k) => this.records.get(k) as V);
    return this.sortedValues;
  }
  by(index: string, value: string): readonly string[] {
    const idx = this.indexes.get(index);
    assert(idx, `map ${this.def.name} has no index ${index}`);
    return idx.get(value)?.keys() ?? NONE;
  }

  /** Puts a record; it is frozen. Setting the identical record is no change. */
  set(key: string, value: V): void {
    const before = this.records.get(key);
    if (before === value) return;
    freeze(value);
    this.put(key, before, value);
    this.onChange({ map: this.def.name, key, before, after: value });
  }

  /** Changes one record by a pure function; asserts that it exists. */
  update(key: string, change: (value: V) => V): void {
    const before = this.records.get(key);
    assert(before !== undefined, `map ${this.def.name} has no record ${key}`);
    this.set(key, change(before));
  }

  delete(key: string): void {
    const before = this.records.get(key);
    if (before === undefined) return;
    this.put(key, before, undefined);
    this.onChange({ map: this.def.name, key, before });
  }

  /** Applies one side of a journalled change without journalling it again (replicas only). */
  apply(key: string, value: V | undefined): void {
    this.put(key, this.records.get(key), value);
  }

  private put(key: string, before: V | undefined, after: V | undefined): void {
    this.version++;
    this.sortedValues = undefined;
    if (after === undefined) {
      this.records.delete(key);
      this.order.remove(key);
    } else {
      this.records.set(key, after);
      if (before === undefined) this.order.add(key);
    }
    for (const [name, file] of Object.entries(this.def.indexes)) {
      const idx = this.indexes.get(name) as Map<string, Bucket>;
      const was = before === undefined ? NONE : filed(file(before, key));
      const now = after === undefined ? NONE : filed(file(after, key));
      for (const v of was) if (!now.includes(v)) unfile(idx, v, key);
      for (const v of now) if (!was.includes(v)) fileUnder(idx, v, key);
    }
  }
}

function filed(v: string | readonly string[] | undefined): readonly string[] {
  return v === undefined ? NONE : typeof v === 'string' ? [v] : v;
}
function unfile(idx: Map<string, Bucket>, value: string, key: string): void {
  const bucket = idx.get(value);
  if (!bucket) return;
  bucket.remove(key);
  if (bucket.size === 0) idx.delete(value);
}
function fileUnder(idx: Map<string, Bucket>, value: string, key: string): void {
  let bucket = idx.get(value);
  if (!bucket) {
    bucket = new Bucket();
    idx.set(value, bucket);
  }
  bucket.add(key);
}

/** What panels, goal checks and listing commands read: the world at some cursor. */
export interface WorldReader {
  map<V>(def: MapDef<V>): ReadMap<V>;
  /** Simulated time of this state, in microseconds. */
  readonly nowUs: number;
}

/** The named RecordMaps of one simulation and the journal of what changed since it was last taken. */
export class World implements WorldReader {
  private readonly maps = new Map<string, RecordMap<unknown>>();
  private pending = new Map<string, Change>();
  /** Set by the simulator's clock. */
  nowUs = 0;

  map<V>(def: MapDef<V>): RecordMap<V> {
    let m = this.maps.get(def.name);
    if (!m) {
      m = new RecordMap(def as MapDef<unknown>, this.note) as RecordMap<unknown>;
      this.maps.set(def.name, m);
    }
    return m as RecordMap<V>;
  }

  private readonly note = (c: Change): void => {
    // Several changes of one record between two events show as one: first before, last after.
    const id = `${c.map}\u0000${c.key}`;
    const first = this.pending.get(id);
    if (!first) this.pending.set(id, c);
    else if (first.before === c.after) this.pending.delete(id);
    else this.pending.set(id, { ...c, before: first.before });
  };

  get hasPending(): boolean {
    return this.pending.size > 0;
  }

  /** Takes the journal: all changes since the last take, in the order in which the records were first touched. */
  takeChanges(): Change[] {
    if (this.pending.size === 0) return [];
    const out = [...this.pending.values()];
    this.pending = new Map();
    return out;
  }

  /** Hash of all records; independent of the order in which maps or records came to be. */
  stateHash(): string {
    return hashMaps(this.maps);
  }
}

/** A copy of a world that follows diffs forwards and backwards; lives on the view's side and for past cursors. */
export class Replica implements WorldReader {
  private readonly maps = new Map<string, RecordMap<unknown>>();
  /** Diffs that came before a map's definition was known here cannot happen: maps are made on first use. */
  private readonly raw = new Map<string, Map<string, unknown>>();
  nowUs = 0;

  map<V>(def: MapDef<V>): RecordMap<V> {
    let m = this.maps.get(def.name);
    if (!m) {
      m = new RecordMap(def as MapDef<unknown>, forbid) as RecordMap<unknown>;
      const raw = this.raw.get(def.name);
      if (raw) for (const [k, v] of raw) m.apply(k, v);
      this.raw.delete(def.name);
      this.maps.set(def.name, m);
    }
    return m as RecordMap<V>;
  }

  apply(diff: readonly Change[]): void {
    for (const c of diff) this.put(c.map, c.key, c.after);
  }
  revert(diff: readonly Change[]): void {
    for (let i = diff.length - 1; i >= 0; i--) {
      const c = diff[i] as Change;
      this.put(c.map, c.key, c.before);
    }
  }
  private put(map: string, key: string, value: unknown): void {
    const m = this.maps.get(map);
    if (m) {
      m.apply(key, value);
      return;
    }
    let raw = this.raw.get(map);
    if (!raw) {
      raw = new Map();
      this.raw.set(map, raw);
    }
    if (value === undefined) raw.delete(key);
    else raw.set(key, value);
  }

  stateHash(): string {
    // Maps nobody has asked for yet have no definition here (and so no indexes): hash their raw records.
    const all = new Map<string, Hashable>(this.maps);
    for (const [name, raw] of this.raw) {
      all.set(name, { size: raw.size, keys: () => [...raw.keys()].sort(byCodeUnit), get: (k) => raw.get(k) });
    }
    return hashMaps(all);
  }
}

function forbid(): never {
  assert(false, 'a replica changes by diffs only');
}

type Hashable = Pick<ReadMap<unknown>, 'size' | 'keys' | 'get'>;

function hashMaps(maps: ReadonlyMap<string, Hashable>): string {
  const h = new Hash64();
  for (const name of [...maps.keys()].sort(byCodeUnit)) {
    const m = maps.get(name) as Hashable;
    if (m.size === 0) continue;
    h.update(name);
    for (const k of m.keys()) h.update(k).update(canonicalJson(m.get(k)));
  }
  return h.digest();
}
