import type { IpAddr, IpFamily } from '../base/ip';
import type { Json } from '../base/json';
import type { InputDecision } from './routing';

/** The five netfilter hooks of a family, in the kernel's names. */
export type Hook = 'prerouting' | 'input' | 'forward' | 'output' | 'postrouting';
/** Network namespace id: `node-1` for a node's own, `node-1/default.web-1-10` for a pod's, `outside` and so on. */
export type NetnsId = string;
/** `netns:name`, e.g. `node-1:cni0`. */
export type DevId = string;
export type Mac = string;

/** IP protocol numbers that the model names. */
export const IPPROTO = { icmp: 1, tcp: 6, udp: 17, icmpv6: 58, sctp: 132 } as const;

/** TCP flag bits as on the wire. */
export const TCP = { FIN: 1, SYN: 2, RST: 4, PSH: 8, ACK: 16, URG: 32, ECE: 64, CWR: 128 } as const;

/** Application bytes: the length counts, the content is text (one char a byte) or a structured message. */
export interface Payload {
  readonly len: number;
  readonly text?: string;
  /** A message as a value (e.g. DNS); its exact wire size is `len`. */
  readonly app?: Json;
}
export const NO_PAYLOAD: Payload = Object.freeze({ len: 0 });

export interface TcpOptions {
  readonly mss?: number;
  readonly wscale?: number;
  readonly sackOk?: boolean;
  /** Timestamp value and echo, milliseconds. */
  readonly tsVal?: number;
  readonly tsEcr?: number;
}
export interface TcpSegment {
  readonly kind: 'tcp';
  readonly sport: number;
  readonly dport: number;
  /** Sequence numbers are unsigned 32-bit. */
  readonly seq: number;
  readonly ack: number;
  readonly flags: number;
  /** Raw window field (before scaling). */
  readonly window: number;
  readonly options?: TcpOptions;
  readonly payload: Payload;
}
export interface UdpDatagram {
  readonly kind: 'udp';
  readonly sport: number;
  readonly dport: number;
  readonly payload: Payload;
}
export interface IcmpMessage {
  readonly kind: 'icmp';
  readonly type: number;
  readonly code: number;
  /** Echo only. */
  readonly id?: number;
  readonly seq?: number;
  /** Fragmentation needed: next-hop MTU. */
  readonly mtu?: number;
  readonly gateway?: IpAddr;
  /** ICMP errors: the quoted packet (header and first 8 or more bytes, as values). */
  readonly inner?: Packet;
  readonly payload: Payload;
}
export interface OtherL4 {
  readonly kind: 'other';
  readonly payload: Payload;
}
export type L4 = TcpSegment | UdpDatagram | IcmpMessage | OtherL4;

export interface IpHeader {
  readonly family: IpFamily;
  readonly src: IpAddr;
  readonly dst: IpAddr;
  readonly proto: number;
  readonly ttl: number;
  readonly tos: number;
  readonly id: number;
  readonly df: boolean;
}

/** An immutable value; rewriting returns a new one. `id` follows one packet through all its rewrites and hops. */
export interface Packet {
  readonly id: number;
  readonly ip: IpHeader;
  readonly l4: L4;
}

/** ip total length in bytes: header 20 (40 for IPv6), L4 header with options, payload. */
export function packetLen(p: Packet): number {
  return (p.ip.family === 4 ? 20 : 40) + l4Len(p.l4);
}
export function l4Len(l4: L4): number {
  switch (l4.kind) {
    case 'tcp':
      return 20 + tcpOptionsLen(l4.options) + l4.payload.len;
    case 'udp':
      return 8 + l4.payload.len;
    case 'icmp':
      return 8 + (l4.inner ? packetLen(l4.inner) : l4.payload.len);
    case 'other':
      return l4.payload.len;
  }
}
/** Bytes of TCP options, padded to 32-bit words as Linux lays them out. */
export function tcpOptionsLen(o: TcpOptions | undefined): number {
  if (!o) return 0;
  let n = 0;
  if (o.mss !== undefined) n += 4;
  if (o.tsVal !== undefined) n += o.sackOk ? 10 : 12;
  if (o.sackOk) n += o.tsVal !== undefined ? 2 : 4;
  if (o.wscale !== undefined) n += 4;
  return Math.ceil(n / 4) * 4;
}

export type CtDir = 'original' | 'reply';
/** enum ip_conntrack_info, by name; UNTRACKED by notrack. */
export type CtInfo = 'NEW' | 'RELATED' | 'ESTABLISHED' | 'RELATED_REPLY' | 'ESTABLISHED_REPLY' | 'UNTRACKED';

/** What `skb->_nfct` holds: which entry (confirmed or not yet), which direction, which state. */
export interface SkbCt {
  /** Entry id; netfilter/conntrack finds the working entry by it. Empty for UNTRACKED. */
  readonly id: string;
  readonly dir: CtDir;
  readonly info: CtInfo;
}

export interface Route {
  /** No route at all: kind `unreachable` with errno ENETUNREACH. */
  readonly kind: 'local' | 'unicast' | 'broadcast' | 'multicast' | 'blackhole' | 'unreachable' | 'prohibit';
  readonly oif?: DevId;
  readonly via?: IpAddr;
  readonly prefsrc?: IpAddr;
  /** The chosen FIB record's key, for display. */
  readonly routeKey?: string;
  /** What a local sender gets where the route leads nowhere. */
  readonly errno?: string;
}

/** Where a packet belongs in the trace; travels with the frame. */
export interface Lineage {
  /** Span ids of the flow and of the packet. */
  readonly flow: number;
  readonly span: number;
  /** Number of the packet in its flow, from 1. */
  readonly no: number;
  readonly dir: CtDir;
  readonly level: 'full' | 'summary' | 'bulk';
}

/**
 * One traversal of one namespace; lives only during a run. The only mutable object of the data path: hooks rewrite
 * `packet`, `mark`, `ct`, `route`.
 */
export interface Skb {
  packet: Packet;
  readonly netns: NetnsId;
  inDev: DevId | undefined;
  outDev: DevId | undefined;
  /** Bridge ports, set while br_netfilter walks IP hooks for a bridged frame (physdev match). */
  physIn?: DevId;
  physOut?: DevId;
  srcMac?: Mac;
  dstMac?: Mac;
  pktType: 'host' | 'otherhost' | 'broadcast' | 'multicast' | 'loopback' | 'outgoing';
  mark: number;
  ct: SkbCt | undefined;
  route: Route | undefined;
  /** Local output: who made it. uid/gid for `-m owner`; `kernel` for RSTs and ICMP errors the kernel makes. */
  origin:
    | { readonly kind: 'socket'; readonly sock: string; readonly uid: number }
    | { readonly kind: 'kernel' }
    | undefined;
  /** skb->nf_trace: set by the TRACE target or by a lab recorder. */
  traced: boolean;
  /** Span of this namespace traversal in the trace. */
  span: number;
  /** Flow and packet spans; absent only in hand-made test traversals. */
  lineage?: Lineage;
  /** br_netfilter is walking (or has walked) the IP hooks for this frame: PREROUTING is not repeated above the bridge. */
  bridged?: boolean;
  /** Routing decision taken below the IP layer (bridged DNAT). */
  routed?: InputDecision | undefined;
  /** Set where re-routing failed: what the sender gets instead of EPERM. */
  errno?: string;
}

/** Why a packet ended other than by delivery. Codes; words are in explain/. */
export type DropReason =
  | 'rule'
  | 'policy'
  | 'conntrack-full'
  | 'conntrack-insert-failed'
  | 'nat-no-free-tuple'
  | 'no-route'
  | 'blackhole'
  | 'prohibit'
  | 'ttl-exceeded'
  | 'forwarding-disabled'
  | 'martian-source'
  | 'martian-destination'
  | 'rp-filter'
  | 'no-listener'
  | 'bad-segment'
  | 'no-neighbour'
  | 'link-down'
  | 'mtu-exceeded'
  | 'not-for-us'
  | 'bridge-same-port'
  | 'ipvs'
  | 'no-memory';

export interface DropCause {
  readonly reason: DropReason;
  readonly hook?: Hook;
  readonly table?: string;
  readonly chain?: string;
  /** 1-based number of the rule; rules+1 for the policy. */
  readonly rule?: number;
  readonly ruleId?: string;
  /** REJECT and kernel errors: what was sent back. */
  readonly answered?: 'tcp-reset' | 'icmp';
}

export type HookVerdict =
  | { readonly kind: 'accept' }
  /** Silent end. `errno` is what a local sender gets (e.g. EPERM); default by the hook's convention. */
  | { readonly kind: 'drop'; readonly cause: DropCause }
  | { readonly kind: 'stolen' };

export const ACCEPT: HookVerdict = Object.freeze({ kind: 'accept' });

export interface NetDevice {
  readonly id: DevId;
  readonly netns: NetnsId;
  readonly name: string;
  readonly ifindex: number;
  readonly kind: 'lo' | 'veth' | 'bridge' | 'eth' | 'dummy';
  /** veth: the other end. eth: the switch (`sw:<name>`) it is plugged into. */
  readonly peer?: DevId;
  /** Bridge it is a port of. */
  readonly master?: DevId;
  /** Bridge ports: hairpin flag. */
  readonly hairpin?: boolean;
  readonly addrs: readonly {
    readonly ip: IpAddr;
    readonly prefix: number;
    readonly scope?: 'global' | 'link' | 'host';
  }[];
  readonly mac: Mac;
  readonly mtu: number;
  readonly up: boolean;
}

export interface NetNamespace {
  readonly id: NetnsId;
  /** The machine whose kernel it belongs to: a node's name, `outside`, `gateway`... */
  readonly node: string;
  readonly kind: 'node' | 'pod' | 'machine';
  /** True: it is its kernel's initial namespace (writable nf_conntrack_max, log line without "in netns N"). */
  readonly init: boolean;
  /** Inode number that the kernel prints for a child namespace. */
  readonly inode: number;
}
