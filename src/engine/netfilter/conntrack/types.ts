import type { IpFamily } from '../../base/ip';
import { defineMap } from '../../base/recordmap';
import type { CtDir, NetnsId } from '../../net/types';

/**
 * One direction of a connection. ICMP: `sport` is the id, `dport` is type * 256 + code, as the kernel's union lays
 * them out; protocols without ports hold zeros.
 */
export interface CtTuple {
  readonly src: string;
  readonly dst: string;
  readonly sport: number;
  readonly dport: number;
}

/** enum ip_conntrack_status. */
export const IPS = {
  EXPECTED: 1,
  SEEN_REPLY: 2,
  ASSURED: 4,
  CONFIRMED: 8,
  SRC_NAT: 16,
  DST_NAT: 32,
  SEQ_ADJUST: 64,
  SRC_NAT_DONE: 128,
  DST_NAT_DONE: 256,
  DYING: 512,
  FIXED_TIMEOUT: 1024,
  NAT_CLASH: 4096,
} as const;
export const IPS_NAT_MASK = IPS.SRC_NAT | IPS.DST_NAT;
export const IPS_NAT_DONE = IPS.SRC_NAT_DONE | IPS.DST_NAT_DONE;

/** enum ip_conntrack_events, as a mask. */
export const IPCT = { NEW: 1, RELATED: 2, DESTROY: 4, REPLY: 8, ASSURED: 16, PROTOINFO: 32, MARK: 128 } as const;

/** struct ip_ct_tcp_state. */
export interface TcpSide {
  end: number;
  maxend: number;
  maxwin: number;
  maxack: number;
  scale: number;
  flags: number;
}
/** struct ip_ct_tcp. State by number, see TCP_STATES. */
export interface TcpTrack {
  seen: [TcpSide, TcpSide];
  state: number;
  /** 0 original, 1 reply. */
  lastDir: number;
  retrans: number;
  lastIndex: number;
  lastSeq: number;
  lastAck: number;
  lastEnd: number;
  lastWin: number;
  lastWscale: number;
  lastFlags: number;
}

export const TCP_STATES = [
  'NONE',
  'SYN_SENT',
  'SYN_RECV',
  'ESTABLISHED',
  'FIN_WAIT',
  'CLOSE_WAIT',
  'LAST_ACK',
  'TIME_WAIT',
  'CLOSE',
  'SYN_SENT2',
] as const;

export const SCTP_STATES = [
  'NONE',
  'CLOSED',
  'COOKIE_WAIT',
  'COOKIE_ECHOED',
  'ESTABLISHED',
  'SHUTDOWN_SENT',
  'SHUTDOWN_RECD',
  'SHUTDOWN_ACK_SENT',
  'HEARTBEAT_SENT',
] as const;

export interface CtEntry {
  readonly id: string;
  readonly netns: NetnsId;
  readonly family: IpFamily;
  readonly zone: number;
  readonly proto: number;
  readonly orig: CtTuple;
  readonly reply: CtTuple;
  /** IPS_* bits. */
  readonly status: number;
  /** Absolute simulated time, us. Not confirmed yet: the timeout to start with, us. */
  readonly expiresAtUs: number;
  readonly mark: number;
  readonly tcp?: TcpTrack;
  /** SCTP state by number, see SCTP_STATES. */
  readonly sctp?: number;
  /** UDP: from when on a packet makes the flow a stream, us. */
  readonly streamAtUs?: number;
  /** nf_conntrack_acct: packets and bytes of original, then of reply. */
  readonly acct?: readonly [number, number, number, number];
  /** nf_conntrack_timestamp: when it was confirmed, us. */
  readonly startUs?: number;
  /** MASQUERADE: the device it was done for; another one later ends the connection. */
  readonly masqDev?: string;
}

/** A change in the making; becomes an entry when it is put. */
export type CtDraft = { -readonly [K in keyof CtEntry]: CtEntry[K] };

export const NF_CONNTRACK = defineMap<CtEntry>('nf.conntrack', { netns: (e) => e.netns });

/** conntrack -S, one record a namespace (the model has one CPU's worth of counts). */
export interface CtStats {
  readonly found: number;
  readonly invalid: number;
  readonly insert: number;
  readonly insert_failed: number;
  readonly drop: number;
  readonly early_drop: number;
  readonly error: number;
  readonly search_restart: number;
  readonly clash_resolve: number;
  readonly chaintoolong: number;
}
export const NO_STATS: CtStats = Object.freeze({
  found: 0,
  invalid: 0,
  insert: 0,
  insert_failed: 0,
  drop: 0,
  early_drop: 0,
  error: 0,
  search_restart: 0,
  clash_resolve: 0,
  chaintoolong: 0,
});
export const NF_CTSTATS = defineMap<CtStats>('nf.ctstats');

/** Whether conntrack works in a namespace: how many users it has there (nf_ct_netns_get). */
export const NF_CTUSERS = defineMap<{ readonly rules: number; readonly forced: number }>('nf.ctusers');

export const stateName = (e: CtEntry): string | undefined =>
  e.tcp ? TCP_STATES[e.tcp.state] : e.sctp !== undefined ? SCTP_STATES[e.sctp] : undefined;

export const other = (d: CtDir): CtDir => (d === 'original' ? 'reply' : 'original');
export const tupleOf = (e: CtEntry, d: CtDir): CtTuple => (d === 'original' ? e.orig : e.reply);
