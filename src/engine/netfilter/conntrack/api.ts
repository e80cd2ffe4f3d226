import type { CtDir, CtInfo, HookVerdict, NetnsId, Skb } from '../../net/types';
import type { CtEntry } from './types';

/** struct nf_nat_range2. */
export interface NatRange {
  /** NF_NAT_RANGE_MAP_IPS: both set. */
  readonly minAddr?: string;
  readonly maxAddr?: string;
  /** NF_NAT_RANGE_PROTO_SPECIFIED: both set (ports, or ICMP ids). */
  readonly minPort?: number;
  readonly maxPort?: number;
  /** NF_NAT_RANGE_PROTO_OFFSET: port = min + (original - base). */
  readonly basePort?: number;
  readonly random?: boolean;
  readonly randomFully?: boolean;
  readonly persistent?: boolean;
}
export type Manip = 'src' | 'dst';

export interface SkbConn {
  readonly entry: CtEntry;
  readonly dir: CtDir;
  readonly info: CtInfo;
}

/** What matches and targets may ask of connection tracking. */
export interface ConntrackApi {
  /** nf_ct_get: undefined for INVALID and UNTRACKED packets. */
  conn(skb: Skb): SkbConn | undefined;
  setMark(skb: Skb, mark: number): void;
  /** Makes the packet UNTRACKED (CT --notrack, NOTRACK). */
  notrack(skb: Skb): void;
  /** CT --zone: the zone in which the packet's connection will be looked up. */
  setZone(skb: Skb, zone: number): void;
  /** nf_nat_setup_info; `how` names it in the trace. */
  setupNat(skb: Skb, range: NatRange, manip: Manip, how: string): HookVerdict;
  /** nf_ct_set_closing: REJECT answered a segment with a reset, so the connection is as good as closed. */
  setClosing(skb: Skb): void;
  /** MASQUERADE remembers the device. */
  setMasqDev(skb: Skb, dev: string): void;
  /** Live connections of the namespace, for connlimit. */
  entries(netns: NetnsId): readonly CtEntry[];
}
