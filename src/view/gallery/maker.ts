import type { FactsOf, Kind, PacketLike, Place, Span, TraceEvent } from '../../engine/trace';
import { PacketIndex } from '../scene/select';
import type { HookStations, RuleView, SceneInput, Topology } from '../scene/types';

/** Writes traces by hand in the engine's form: for pictures that a real run reaches only after many steps. */
export class TraceMaker {
  readonly events: TraceEvent[] = [];
  readonly spans: Span[] = [];
  private span = 0;
  private where: Place = {};
  private nextId = 1;

  packet(no: number, dir: 'original' | 'reply', label: string): void {
    const flow = this.spans.find((s) => s.kind === 'flow')?.id ?? this.open('flow', 0, 'flow', {});
    this.span = this.open('packet', flow, label, { no, dir });
  }
  at(where: Place): void {
    this.where = where;
  }
  hook(hook: string, table?: string): void {
    const { node, netns } = this.where;
    this.where = {
      ...(node === undefined ? {} : { node }),
      ...(netns === undefined ? {} : { netns }),
      hook,
      ...(table === undefined ? {} : { table }),
    };
  }
  add<K extends Kind>(kind: K, facts: FactsOf<K>): number {
    const seq = this.events.length + 1;
    this.events.push({ seq, atUs: seq * 7, span: this.span, kind, where: this.where, facts: facts as never, diff: [] });
    return seq;
  }
  id(): number {
    return this.nextId++;
  }
  private open(kind: Span['kind'], parent: number, label: string, facts: Span['facts']): number {
    const id = this.spans.length + 1;
    this.spans.push({ id, parent, kind, label, where: {}, facts, startSeq: this.events.length + 1 });
    return id;
  }
}

export interface Ends {
  readonly src: string;
  readonly sport: number;
  readonly dst: string;
  readonly dport: number;
}
export const TCP_FLAGS = { SYN: 2, SYNACK: 18, ACK: 16, RST: 20 } as const;

export function tcp(id: number, e: Ends, flags: number, ttl = 64): PacketLike {
  const ip = { family: 4 as const, src: e.src, dst: e.dst, proto: 6, ttl, tos: 0, id: 0, df: true };
  const l4 = { kind: 'tcp', sport: e.sport, dport: e.dport, seq: 1, ack: 0, flags, window: 64240, payload: { len: 0 } };
  return { id, ip, l4 };
}
export function udp(id: number, e: Ends): PacketLike {
  const ip = { family: 4 as const, src: e.src, dst: e.dst, proto: 17, ttl: 64, tos: 0, id: 0, df: true };
  return { id, ip, l4: { kind: 'udp', sport: e.sport, dport: e.dport, payload: { len: 30 } } as PacketLike['l4'] };
}
export function icmp(id: number, src: string, dst: string, type: number, inner?: PacketLike): PacketLike {
  const ip = { family: 4 as const, src, dst, proto: 1, ttl: 64, tos: 0, id: 0, df: true };
  const l4 = {
    kind: 'icmp',
    type,
    code: 0,
    id: 9,
    seq: 1,
    payload: { len: 56 },
    ...(inner === undefined ? {} : { inner }),
  };
  return { id, ip, l4 };
}
export function withEnds(p: PacketLike, e: Partial<Ends>): PacketLike {
  const { src = p.ip.src, dst = p.ip.dst, ...ports } = e;
  return { ...p, ip: { ...p.ip, src, dst }, l4: { ...p.l4, ...ports } };
}

/** Stations that a node of kube-proxy's iptables mode registers: no raw table. */
export function nodeHooks(netns: string): HookStations[] {
  const s = (name: string, priority: number) => ({ name, priority });
  const last = 2 ** 31 - 1;
  const list: Record<string, { name: string; priority: number }[]> = {
    prerouting: [s('defrag', -400), s('conntrack', -200), s('mangle', -150), s('nat', -100)],
    input: [s('mangle', -150), s('filter', 0), s('nat', 100), s('confirm', last)],
    forward: [s('mangle', -150), s('filter', 0)],
    output: [s('defrag', -400), s('conntrack', -200), s('mangle', -150), s('nat', -100), s('filter', 0)],
    postrouting: [s('mangle', -150), s('nat', 100), s('confirm', last)],
  };
  return Object.entries(list).map(([hook, stations]) => ({ netns, hook, family: 4 as const, stations }));
}

export type RuleBook = Readonly<Record<string, readonly string[]>>;

/** The input for a cursor, as the page's store gives it. */
export function inputAt(
  trace: TraceMaker,
  topology: Topology,
  book: RuleBook,
  cursor: number,
  more: Partial<SceneInput> = {},
): SceneInput {
  const horizon = more.horizon ?? trace.events.length;
  const found = new PacketIndex(trace).at(cursor, horizon);
  return {
    topology,
    hooks: topology.nodes.flatMap((n) => nodeHooks(n.netns)),
    event: trace.events[cursor - 1],
    cursor,
    horizon,
    packet: found?.packet,
    packetEvents: found?.events ?? [],
    spans: trace.spans,
    rules: (_netns, table, chain): readonly RuleView[] | undefined =>
      book[`${table} ${chain}`]?.map((text, i) => ({ id: `${table} ${chain} ${i + 1}`, text })),
    ...more,
  };
}
