import type { IpAddr } from '../base/ip';
import type { WorldReader } from '../base/recordmap';
import type { HookRegistry } from './hooks';
import type { DevId, Hook, NetnsId, Packet, Route, Skb } from './types';

/**
 * What netfilter (and ipvs, dns) may ask of the network stack. Implemented in this folder; netfilter imports the type
 * only, so that the stack never depends on it.
 */
export interface NetStack {
  readonly hooks: HookRegistry;
  /** Next packet id. */
  newPacketId(): number;
  /** FIB lookup without side effects (ip_route_output_key / fib_lookup). */
  lookupRoute(netns: NetnsId, key: { dst: IpAddr; src?: IpAddr; oif?: DevId; iif?: DevId; mark?: number }): Route;
  /** inet_select_addr / prefsrc: the source address for packets out of `oif` towards `dst` (MASQUERADE). */
  selectSource(netns: NetnsId, oif: DevId | undefined, dst: IpAddr): IpAddr | undefined;
  /** First address of a device (REDIRECT), or undefined. */
  primaryAddress(dev: DevId): IpAddr | undefined;
  /** Address type as RTN_*: LOCAL, UNICAST, BROADCAST, MULTICAST, BLACKHOLE, UNREACHABLE, PROHIBIT, ANYCAST (addrtype match); `dev` limits to an interface. */
  addrType(netns: NetnsId, addr: IpAddr, dev?: DevId): string;
  /** ip_route_me_harder: new output route after OUTPUT changed addresses or mark; false when there is none. */
  rerouteOutput(skb: Skb): boolean;
  /** icmp_send: an ICMP error about `skb` (rate limits, no errors about errors). Walks OUTPUT as a kernel-made packet. */
  sendIcmpError(skb: Skb, type: number, code: number, opts?: { mtu?: number; hook?: Hook }): void;
  /** nf_send_reset: a RST that answers `skb`'s TCP segment (never to a RST). */
  sendTcpReset(skb: Skb, hook: Hook): void;
  /** Puts a packet made by the kernel or a raw socket on the OUTPUT path of a namespace. Returns the sender's errno name, or undefined. */
  sendLocal(netns: NetnsId, packet: Packet, origin: Skb['origin'], opts?: { mark?: number }): string | undefined;
  /** nf_reinject: a packet held by a queue goes on behind the hook functions up to priority `after`. */
  reinject(skb: Skb, hook: Hook, after: number): void;
  /** Sysctl value as text, e.g. sysctl('node-1', 'net.ipv4.ip_forward'). Undefined: not present in this namespace. */
  sysctl(netns: NetnsId, key: string): string | undefined;
  /** Registers a sysctl of a namespace with default, writability and an optional validator. */
  declareSysctl(netns: NetnsId, key: string, spec: SysctlSpec): void;
  /** Appends a line to the kernel log of the machine that owns the namespace (dmesg). */
  klog(netns: NetnsId, line: string): void;
  /** net_warn_ratelimited: the same, 10 lines per 5 s at most for the whole machine; says afterwards how many were suppressed. */
  klogRatelimited(netns: NetnsId, line: string): void;
  /** Called for every new namespace, also for those that exist already. */
  onNetns(fn: (netns: NetnsId) => void): void;
  /** Socket lookup for the `socket`/`owner` matches and for delivery checks. */
  findSocket(netns: NetnsId, packet: Packet): string | undefined;
}

export interface SysctlSpec {
  readonly default: string;
  /** False: writes fail with EINVAL/EACCES as the kernel does for child namespaces. */
  readonly writable: boolean;
  /** Integer bounds of the kernel's proc handler; absent: free text. */
  readonly min?: number;
  readonly max?: number;
  /** Read through this function instead of the stored value (e.g. nf_conntrack_count), from a world at some cursor. */
  readonly live?: (reader: WorldReader) => string;
  /** Runs after a write. */
  readonly onSet?: (value: string) => void;
}

/** Result of a command line or a tool as its user sees it. */
export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}
