import type { NetStack } from '../../net/stack';
import type { CtDir, Packet } from '../../net/types';
import type { CtDraft, CtEntry } from './types';

/** What a tracker may use and do besides changing its draft. */
export interface TrackCtx {
  readonly net: NetStack;
  readonly nowUs: number;
  readonly confirmed: boolean;
  /** Microseconds that the entry has left. */
  readonly leftUs: number;
  /** Caches an event (IPCT_*), told when the packet leaves the namespace. */
  event(mask: number): void;
  /** nf_ct_refresh_acct: new timeout in microseconds, and accounting. */
  refresh(us: number): void;
}

/** Return codes of nf_conntrack_*_packet: NF_ACCEPT, -NF_ACCEPT, -NF_REPEAT, NF_DROP; `kill` ends the entry too. */
export type TrackResult =
  | { readonly kind: 'accept' }
  | { readonly kind: 'kill' }
  | { readonly kind: 'repeat' }
  | { readonly kind: 'invalid'; readonly why: string };

export const TRACKED: TrackResult = Object.freeze({ kind: 'accept' });
export const invalid = (why: string): TrackResult => ({ kind: 'invalid', why });

export interface CtProtocol {
  readonly name: string;
  readonly proto: number;
  /** nf_conntrack_*_packet for a packet in direction `dir`; changes the draft. */
  packet(draft: CtDraft, packet: Packet, dir: CtDir, ctx: TrackCtx): TrackResult;
  /** l4proto->allow_clash. */
  readonly allowClash: boolean;
  /** l4proto->can_early_drop: closing states that gc may throw out of a full table. */
  canEarlyDrop?(e: CtEntry): boolean;
}
