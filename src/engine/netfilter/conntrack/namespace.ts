import type { NetStack } from '../../net/stack';
import type { CtDir, NetnsId, Skb } from '../../net/types';
import type { Ctx } from '../../trace/context';
import { ctFacts } from './facts';
import { CtHash, type HashNode } from './hashtable';
import {
  type CtDraft,
  type CtEntry,
  type CtStats,
  type CtTuple,
  IPCT,
  IPS,
  NF_CONNTRACK,
  NF_CTSTATS,
  NO_STATS,
} from './types';

export type CtEventType = 'NEW' | 'UPDATE' | 'DESTROY';
/** One line of `conntrack -E`, as values. */
export interface CtEvent {
  readonly seq: number;
  readonly atUs: number;
  readonly netns: NetnsId;
  readonly type: CtEventType;
  readonly entry: CtEntry;
  /** IPCT_* bits. */
  readonly mask: number;
  /** Made by a program through ctnetlink. */
  readonly userspace: boolean;
}

/** Events kept for `conntrack -E`; older ones are forgotten. */
const KEEP_EVENTS = 10_000;
/** Unconfirmed entries of packets that went nowhere are forgotten after this time (us). */
const FORGET_US = 5_000_000;

/** Connection tracking of one namespace: its entries, their hash, events and counts. */
export class CtNamespace {
  readonly hash: CtHash;
  /** Entries of packets that have not left yet (nf_ct_is_confirmed is false). */
  readonly unconfirmed = new Map<string, { entry: CtEntry; atUs: number }>();
  private readonly cached = new Map<string, number>();
  readonly events: CtEvent[] = [];
  private eventSeq = 0;
  readonly listeners = new Set<(e: CtEvent) => void>();
  private nextId = 1;
  gcTimer: number | undefined;
  gcAtUs = Number.POSITIVE_INFINITY;
  gcRanUs = Number.NEGATIVE_INFINITY;

  constructor(
    readonly ctx: Ctx,
    readonly net: NetStack,
    readonly netns: NetnsId,
    readonly node: string,
    readonly init: boolean,
    readonly inode: number,
    buckets: number,
    /** Called after an entry's expiry moved, so that gc comes in time. */
    private readonly onExpiry: (ns: CtNamespace, atUs: number) => void,
  ) {
    this.hash = new CtHash(buckets);
  }

  private map() {
    return this.ctx.world.map(NF_CONNTRACK);
  }
  get now(): number {
    return this.ctx.sim.now;
  }
  /** Ids of the confirmed entries in the order of their making; a cache of the records. */
  private readonly ids = new Set<string>();
  get count(): number {
    return this.ids.size;
  }

  get(id: string): CtEntry | undefined {
    return this.map().get(id) ?? this.unconfirmed.get(id)?.entry;
  }
  confirmed(id: string): boolean {
    return this.map().has(id);
  }
  entries(): readonly CtEntry[] {
    const map = this.map();
    return [...this.ids].map((id) => map.get(id) as CtEntry);
  }

  newId(): string {
    return `${this.netns}|ct${String(this.nextId++).padStart(7, '0')}`;
  }

  /** Replaces an entry, wherever it lives. */
  put(e: CtEntry): void {
    if (this.confirmed(e.id)) {
      const before = this.map().get(e.id);
      this.map().set(e.id, e);
      if (before && before.expiresAtUs > e.expiresAtUs) this.onExpiry(this, e.expiresAtUs);
      return;
    }
    this.unconfirmed.set(e.id, { entry: e, atUs: this.now });
  }

  /** Starts keeping an entry of a packet that has not left yet; forgets old ones that went nowhere. */
  hold(e: CtEntry): void {
    for (const [id, u] of this.unconfirmed) {
      if (u.atUs >= this.now - FORGET_US) break;
      this.forget(id);
    }
    this.unconfirmed.set(e.id, { entry: e, atUs: this.now });
  }

  private forget(id: string): void {
    const u = this.unconfirmed.get(id);
    if (!u) return;
    this.unconfirmed.delete(id);
    this.cached.delete(id);
    if (u.entry.status & IPS.SRC_NAT_DONE) this.hash.removeSource(u.entry);
  }

  /** Frees an entry whose packet was dropped before it was confirmed. */
  release(id: string): void {
    this.forget(id);
  }

  /** Puts an entry into the table (the caller has looked for clashes). */
  insert(e: CtEntry, replyOnly = false): void {
    this.unconfirmed.delete(e.id);
    this.map().set(e.id, e);
    this.ids.add(e.id);
    if (replyOnly) this.hash.insertReplyOnly(e);
    else this.hash.insert(e);
    this.onExpiry(this, e.expiresAtUs);
  }

  /** A live entry with this tuple; one that has run out is destroyed on the way, as the kernel's look-up does. */
  find(t: CtTuple, proto: number, zone: number): { node: HashNode; entry: CtEntry } | undefined {
    for (;;) {
      const node = this.hash.find(t, proto, zone);
      if (!node) return undefined;
      const entry = this.map().get(node.id) as CtEntry;
      if (entry.expiresAtUs > this.now) return { node, entry };
      this.destroy(entry, 'timeout');
    }
  }

  /** nf_ct_delete / nf_ct_kill. */
  destroy(e: CtEntry, why: string, userspace = false): void {
    if (!this.map().has(e.id)) {
      this.forget(e.id);
      return;
    }
    this.map().delete(e.id);
    this.ids.delete(e.id);
    this.hash.remove(e);
    this.cached.delete(e.id);
    this.tell('DESTROY', e, IPCT.DESTROY, userspace);
    if (this.ctx.trace.detailed) this.ctx.trace.emit('ct.destroy', { ct: ctFacts(e), why }, this.place());
  }

  place(): { node: string; netns: NetnsId } {
    return { node: this.node, netns: this.netns };
  }

  // — events —

  /** nf_conntrack_event_cache. */
  cacheEvent(id: string, mask: number): void {
    this.cached.set(id, (this.cached.get(id) ?? 0) | mask);
  }
  /** nf_ct_deliver_cached_events. */
  deliver(id: string): void {
    const mask = this.cached.get(id);
    if (!mask) return;
    const entry = this.map().get(id);
    if (!entry) return;
    this.cached.delete(id);
    this.tell(mask & (IPCT.NEW | IPCT.RELATED) ? 'NEW' : 'UPDATE', entry, mask, false);
  }
  tell(type: CtEventType, entry: CtEntry, mask: number, userspace: boolean): void {
    const e: CtEvent = { seq: ++this.eventSeq, atUs: this.now, netns: this.netns, type, entry, mask, userspace };
    this.events.push(e);
    if (this.events.length > KEEP_EVENTS) this.events.splice(0, KEEP_EVENTS / 2);
    for (const fn of this.listeners) fn(e);
  }

  // — counts —

  stat(name: keyof CtStats, n = 1): void {
    const map = this.ctx.world.map(NF_CTSTATS);
    const was = map.get(this.netns) ?? NO_STATS;
    map.set(this.netns, { ...was, [name]: was[name] + n });
  }
}

/** A fresh entry for the first packet of a flow. */
export function newEntry(
  ns: CtNamespace,
  skb: Skb,
  orig: CtTuple,
  reply: CtTuple,
  zone: number,
  acct: boolean,
): CtDraft {
  return {
    id: ns.newId(),
    netns: ns.netns,
    family: skb.packet.ip.family,
    zone,
    proto: skb.packet.ip.proto,
    orig,
    reply,
    status: 0,
    expiresAtUs: 0,
    mark: 0,
    ...(acct ? { acct: [0, 0, 0, 0] as const } : {}),
  };
}

export const dirIndex = (dir: CtDir): 0 | 1 => (dir === 'original' ? 0 : 1);
