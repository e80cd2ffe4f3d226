import type { IpAddr } from '../../base/ip';
import { defineMap } from '../../base/recordmap';
import type { Lineage, NetnsId, Packet, Payload } from '../types';

export type SockProto = 'tcp' | 'udp' | 'icmp' | 'raw';

/** TCP states by the kernel's names; UDP, ping and raw sockets are CLOSE (unconnected) or ESTABLISHED (connected). */
export type TcpState =
  | 'CLOSE'
  | 'LISTEN'
  | 'SYN_SENT'
  | 'SYN_RECV'
  | 'ESTABLISHED'
  | 'FIN_WAIT1'
  | 'FIN_WAIT2'
  | 'CLOSE_WAIT'
  | 'CLOSING'
  | 'LAST_ACK'
  | 'TIME_WAIT';

export interface Endpoint {
  readonly ip: IpAddr;
  readonly port: number;
}

/** One item of a receive queue: a datagram, or a piece of a stream. */
export interface RxItem {
  readonly payload: Payload;
  readonly from?: Endpoint;
  readonly ttl?: number;
  /** Raw sockets: the packet itself. */
  readonly packet?: Packet;
}

/** An entry of the error queue (IP_RECVERR, struct sock_extended_err). */
export interface SockError {
  readonly errno: string;
  readonly type: number;
  readonly code: number;
  /** Who reported it. */
  readonly offender: IpAddr;
  readonly packet: Packet;
}

/** A segment on the write queue. */
export interface TxSegment {
  readonly seq: number;
  readonly len: number;
  /** FIN and SYN count one sequence number each. */
  readonly flags: number;
  readonly payload: Payload;
  readonly sent: boolean;
}

/** The transmission control block: sequence numbers are unsigned 32-bit, times us. */
export interface Tcb {
  readonly iss: number;
  readonly irs: number;
  readonly sndUna: number;
  readonly sndNxt: number;
  /** Sequence number after the last queued byte. */
  readonly writeSeq: number;
  readonly sndWnd: number;
  readonly rcvNxt: number;
  readonly rcvWnd: number;
  readonly mss: number;
  readonly cwnd: number;
  readonly wscaleOk: boolean;
  readonly sndWscale: number;
  readonly tsOk: boolean;
  readonly tsOffset: number;
  readonly tsRecent: number;
  readonly sackOk: boolean;
  readonly queue: readonly TxSegment[];
  readonly rtoUs: number;
  readonly retransmits: number;
  /** tp->total_rto: timeouts so far, for linear SYN timeouts. */
  readonly totalRto: number;
  readonly timer?: number;
  readonly timerKind?: 'rtx' | 'time-wait' | 'fin-wait2' | 'synack' | 'delack';
  /** icsk_ack.lrcvtime: when data came last, us. */
  readonly lastRxUs?: number;
  /** It answered data soon after it came: ACKs wait for the next answer (inet_csk_enter_pingpong_mode). */
  readonly pingpong?: boolean;
  readonly ipId: number;
  readonly passive: boolean;
  /** Soft error (ICMP that did not end the connection). */
  readonly softError?: string;
}

export interface SockRecord {
  readonly id: string;
  readonly netns: NetnsId;
  readonly proto: SockProto;
  readonly state: TcpState;
  readonly local: Endpoint;
  readonly remote?: Endpoint;
  /** Whether bind chose the address or the port. */
  readonly boundIp: boolean;
  readonly boundPort: boolean;
  readonly reuse: boolean;
  readonly uid: number;
  readonly pid?: string;
  readonly fd?: number;
  readonly inode: number;
  readonly ttl?: number;
  readonly dev?: string;
  readonly linger0?: boolean;
  readonly recvErr?: boolean;
  /** No process holds it any more. */
  readonly orphan: boolean;
  readonly rx: readonly RxItem[];
  /** End of stream received. */
  readonly rxEof: boolean;
  readonly txShut: boolean;
  readonly error?: string;
  readonly errors: readonly SockError[];
  /** LISTEN: greatest accept queue length, and established children waiting. */
  readonly backlog?: number;
  readonly accept?: readonly string[];
  /** Children: the listener they came by, until accepted. */
  readonly listener?: string;
  readonly tcp?: Tcb;
}

export const pairKey = (netns: NetnsId, proto: string, local: Endpoint, remote: Endpoint): string =>
  `${netns}|${proto}|${local.ip}:${local.port}|${remote.ip}:${remote.port}`;
export const portKey = (netns: NetnsId, proto: string, port: number): string => `${netns}|${proto}|${port}`;

/** All sockets, also those of no process (TIME_WAIT, request sockets). */
export const SOCKS = defineMap<SockRecord>('net.sock', {
  netns: (s) => s.netns,
  pair: (s) => (s.remote === undefined ? undefined : pairKey(s.netns, s.proto, s.local, s.remote)),
  port: (s) => (s.local.port === 0 && s.proto !== 'raw' ? undefined : portKey(s.netns, s.proto, s.local.port)),
  pid: (s) => s.pid,
});

/** Trace only: to which flow the packets of a socket (towards one peer) belong. */
export interface SockFlow {
  readonly flow: number;
  readonly dir: Lineage['dir'];
  readonly level: Lineage['level'];
}
