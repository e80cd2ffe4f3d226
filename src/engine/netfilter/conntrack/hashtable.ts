import type { CtDir } from '../../net/types';
import { hashTuple, sameTuple, scale } from './tuple';
import type { CtEntry, CtTuple } from './types';

export interface HashNode {
  readonly tuple: CtTuple;
  readonly dir: CtDir;
  readonly id: string;
  readonly proto: number;
  readonly zone: number;
}

/** NF_CT_EVICTION_RANGE: buckets that early drop looks into. */
const EVICTION_RANGE = 8;

/**
 * The tuples of one namespace in buckets, as ct_hash holds them. A cache of the nf.conntrack records: rebuilt from
 * them when asked for.
 */
export class CtHash {
  private buckets = new Map<number, HashNode[]>();
  /** nat_bysource: proto|src|sport of the original direction → entry ids, newest first. */
  private readonly bySource = new Map<string, string[]>();

  constructor(private size: number) {}

  resize(size: number, entries: readonly CtEntry[]): void {
    this.size = size;
    this.buckets = new Map();
    for (const e of entries) this.insert(e);
  }

  hash(t: CtTuple, proto: number, zone: number): number {
    return hashTuple(t, proto, zone);
  }

  find(t: CtTuple, proto: number, zone: number): HashNode | undefined {
    const list = this.buckets.get(scale(hashTuple(t, proto, zone), this.size));
    if (!list) return undefined;
    for (const n of list) if (n.proto === proto && n.zone === zone && sameTuple(n.tuple, t)) return n;
    return undefined;
  }

  /** Entries in the bucket of a tuple, for the chain length limit. */
  chainLength(t: CtTuple, proto: number, zone: number): number {
    return this.buckets.get(scale(hashTuple(t, proto, zone), this.size))?.length ?? 0;
  }

  insert(e: CtEntry): void {
    this.add({ tuple: e.orig, dir: 'original', id: e.id, proto: e.proto, zone: e.zone });
    this.add({ tuple: e.reply, dir: 'reply', id: e.id, proto: e.proto, zone: e.zone });
  }

  /** Clash resolution puts only the answer's tuple in. */
  insertReplyOnly(e: CtEntry): void {
    this.add({ tuple: e.reply, dir: 'reply', id: e.id, proto: e.proto, zone: e.zone });
  }

  private add(n: HashNode): void {
    const b = scale(hashTuple(n.tuple, n.proto, n.zone), this.size);
    const list = this.buckets.get(b);
    if (list) list.unshift(n);
    else this.buckets.set(b, [n]);
  }

  remove(e: CtEntry): void {
    for (const t of [e.orig, e.reply]) {
      const b = scale(hashTuple(t, e.proto, e.zone), this.size);
      const list = this.buckets.get(b);
      if (!list) continue;
      const rest = list.filter((n) => n.id !== e.id);
      if (rest.length === 0) this.buckets.delete(b);
      else this.buckets.set(b, rest);
    }
    this.removeSource(e);
  }

  /** Ids in the buckets from the tuple's on, bucket by bucket (early_drop). */
  neighbours(hash: number): readonly (readonly HashNode[])[] {
    const first = scale(hash, this.size);
    const out: HashNode[][] = [];
    for (let i = 0; i < EVICTION_RANGE && i < this.size; i++) {
      const list = this.buckets.get((first + i) % this.size);
      if (list) out.push(list);
    }
    return out;
  }

  /** Rank of an entry in the order in which a dump walks the table. */
  rank(e: CtEntry): number {
    return scale(hashTuple(e.orig, e.proto, e.zone), this.size);
  }

  addSource(e: CtEntry): void {
    const key = sourceKey(e.orig, e.proto, e.zone);
    const list = this.bySource.get(key);
    if (list) list.unshift(e.id);
    else this.bySource.set(key, [e.id]);
  }
  removeSource(e: CtEntry): void {
    const key = sourceKey(e.orig, e.proto, e.zone);
    const rest = this.bySource.get(key)?.filter((id) => id !== e.id);
    if (!rest || rest.length === 0) this.bySource.delete(key);
    else this.bySource.set(key, rest);
  }
  sameSource(t: CtTuple, proto: number, zone: number): readonly string[] {
    return this.bySource.get(sourceKey(t, proto, zone)) ?? [];
  }
}

const sourceKey = (t: CtTuple, proto: number, zone: number): string => `${proto}|${zone}|${t.src}|${t.sport}`;
