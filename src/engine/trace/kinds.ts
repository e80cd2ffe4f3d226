import type { Json } from '../base/json';
import type { TraceEvent } from './events';

/**
 * Every kind of event and the values it carries. One member here + one sentence per language in explain/ adds a kind.
 * The types of packets, causes and so on are structural copies by reference to the engine's own plain types: trace/
 * lies below net/, so they are declared as generic parameters of the union's users (see net/types.ts for Packet).
 */
export interface PacketLike {
  readonly id: number;
  readonly ip: {
    readonly family: 4 | 6;
    readonly src: string;
    readonly dst: string;
    readonly proto: number;
    readonly ttl: number;
    readonly tos: number;
    readonly id: number;
    readonly df: boolean;
  };
  readonly l4: { readonly kind: string };
}

export interface TupleFacts {
  readonly proto: string;
  readonly src: string;
  readonly dst: string;
  readonly sport?: number;
  readonly dport?: number;
  readonly icmpType?: number;
  readonly icmpCode?: number;
  readonly icmpId?: number;
}

export interface CtFacts {
  readonly id: string;
  readonly orig: TupleFacts;
  readonly reply: TupleFacts;
  /** Protocol state by the kernel's name (SYN_SENT, ESTABLISHED ...), absent for udp/icmp. */
  readonly state?: string;
  readonly status: readonly string[];
}

export interface MatchResult {
  /** Match as printed: `-p tcp`, `-m comment`, `-d 10.96.10.10/32`... */
  readonly name: string;
  readonly ok: boolean;
  /** The packet's own value, as text for display next to it ('' when there is none). */
  readonly value: string;
}

export interface FactsByKind {
  // — data path —
  /** A socket or the kernel made a packet. */
  'pkt.made': { packet: PacketLike; by: 'socket' | 'kernel'; proc?: string };
  /** A packet came in by a device (after the wire or veth). */
  'dev.rcv': { packet: PacketLike; dev: string };
  /** A packet leaves by a device. `to`: the device or switch at the other end. */
  'dev.xmit': { packet: PacketLike; dev: string; to: string; dstMac?: string };
  'bridge.forward': { packet: PacketLike; bridge: string; in: string; out: string };
  /** A base chain / hook function is entered. `station`: raw, conntrack, mangle, nat, filter, confirm, ipvs... */
  'nf.station': { packet: PacketLike; station: string; priority: number; walked: boolean; reason?: string };
  /** Consecutive rules that did not match, as one run. `reason`: code of the first failing match; 'mixed'. */
  'nf.skip': { chain: string; first: number; last: number; count: number; reason: string };
  /** A rule matched (or, where `matched` is false, a miss that is never folded: statistic, recent, limit). */
  'nf.rule': {
    packet: PacketLike;
    ruleId: string;
    chain: string;
    number: number;
    rules: number;
    matched: boolean;
    matches: readonly MatchResult[];
    target: string | null;
    /** accept drop return jump goto continue reject, or the target's own word. */
    verdict: string;
    goesTo?: string;
    /** statistic: the draw as a number 0..2^31-1 and the threshold; others: what hidden input was seen. */
    draw?: { value: number; below: number };
    text: string;
  };
  'nf.return': { chain: string; number: number; to: string };
  'nf.policy': { chain: string; policy: string; number: number };
  /** What a rule or NAT wrote. Field values before and after; `how`: dnat snat masquerade reverse mark... */
  'pkt.rewrite': {
    packet: PacketLike;
    before: PacketLike;
    how: string;
    fields: readonly { readonly field: string; readonly before: string; readonly after: string }[];
  };
  'pkt.mark': { before: number; after: number };
  'ct.new': { ct: CtFacts; packet: PacketLike };
  'ct.found': { ct: CtFacts; dir: 'original' | 'reply'; info: string; packet: PacketLike; stateBefore?: string };
  'ct.invalid': { packet: PacketLike; why: string };
  'ct.untracked': { packet: PacketLike };
  'ct.nat': { ct: CtFacts; manip: 'src' | 'dst' };
  'ct.confirm': { ct: CtFacts; count: number; timeoutUs: number };
  'ct.full': { count: number; max: number; packet: PacketLike };
  'ct.evict': { ct: CtFacts; why: 'early-drop' | 'gc' };
  'ct.destroy': { ct: CtFacts; why: string };
  'ct.clash': { ct: CtFacts; resolved: boolean };
  /** A routing decision. */
  route: {
    packet: PacketLike;
    result: string;
    oif?: string;
    via?: string;
    prefsrc?: string;
    routeKey?: string;
    stage: 'input' | 'output' | 'reroute';
  };
  'pkt.deliver': { packet: PacketLike; sock: string; proc?: string };
  'pkt.drop': {
    packet: PacketLike;
    cause: {
      reason: string;
      hook?: string;
      table?: string;
      chain?: string;
      rule?: number;
      ruleId?: string;
      answered?: string;
    };
    /** What the sender will see: nothing (timeout), refused, unreachable, EPERM... */
    symptom: string;
  };
  // — sockets, processes —
  'sock.state': { sock: string; before: string; after: string; proto: string };
  'proc.start': { pid: string; argv: readonly string[] };
  'proc.output': { pid: string; fd: 1 | 2; text: string };
  'proc.exit': { pid: string; exit: number };
  /** A resolver lookup made by a process: name asked for and candidates. */
  'dns.lookup': { name: string; candidates: readonly string[] };
  'dns.query': { name: string; type: string; server: string; id: number };
  'dns.answer': { name: string; type: string; rcode: string; answers: readonly string[]; id: number };
  // — kernel —
  'kernel.log': { line: string };
  'sysctl.set': { key: string; before: string; after: string };
  'link.set': { dev: string; up: boolean };
  'nf.ruleset': { by: string; tables: readonly string[]; rulesBefore: number; rulesAfter: number };
  // — control plane —
  'api.write': { verb: string; kind: string; namespace: string; name: string; resourceVersion: string; by: string };
  'ctl.sync': { controller: string; key: string; changed: boolean };
  'proxy.notice': { node: string; kind: string; namespace: string; name: string };
  'proxy.sync': { node: string; mode: string; full: boolean; services: number; endpoints: number };
  'proxy.synced': { node: string; rulesBefore: number; rulesAfter: number };
  // — session —
  'command.start': { place: string; line: string };
  'command.end': { exit: number };
  /** Records changed without an event of their own (bulk set-up, gc). */
  'state.changed': { count: number };
  /** A value was unknown and a walk went on under an assumption. */
  assumed: { what: string; assumption: string };
}

export type Kind = keyof FactsByKind;
export type FactsOf<K extends Kind> = FactsByKind[K];

/** An event whose kind is known, with its facts typed. */
export type EventOf<K extends Kind> = Omit<TraceEvent, 'kind' | 'facts'> & {
  readonly kind: K;
  readonly facts: FactsOf<K>;
};
export type AnyEvent = { [K in Kind]: EventOf<K> }[Kind];

/** Narrows an event to a kind. */
export function isKind<K extends Kind>(
  e: TraceEvent,
  kind: K,
): e is TraceEvent & EventOf<K> & { facts: FactsOf<K> & Json } {
  return e.kind === kind;
}
