import type { PacketLike, Span, TraceEvent } from '../../engine/trace';
import { packetKind, whereOf } from '../../explain';

/** One crossing of one namespace by a packet, in event numbers; both ends belong to it. */
export interface Segment {
  readonly first: number;
  readonly last: number;
  readonly netns: string;
}

export type MarkKind = 'rewrite' | 'entry' | 'drop';

export interface Mark {
  readonly seq: number;
  readonly kind: MarkKind;
}

export type Direction = 'request' | 'reply';

/** One packet of the trace as the timeline draws it. */
export interface Lane {
  /** Id of the packet's span. */
  readonly id: number;
  /** From 1, in its flow. */
  readonly number: number;
  readonly direction: Direction;
  /** Short word for it: `SYN`, `SYN, ACK`, `GET /`, `ICMP echo`. */
  readonly label: string;
  /** Addresses of the flow's two ends in this packet's direction: a Service's address, where that was dialled. */
  readonly from: string;
  readonly to: string;
  readonly first: number;
  readonly last: number;
  readonly segments: readonly Segment[];
  readonly marks: readonly Mark[];
  /** Id of the flow's span; 0: none. */
  readonly flow: number;
  /** A packet of a name look-up. */
  readonly dns: boolean;
  /** Simulated time between the first try and this one, for retransmissions (us). */
  readonly againAfterUs?: number;
}

const MARKS: Readonly<Record<string, MarkKind>> = {
  'pkt.rewrite': 'rewrite',
  'ct.new': 'entry',
  'ct.confirm': 'entry',
  'pkt.drop': 'drop',
};

interface Draft {
  span: Span;
  flow: Span | undefined;
  first: number;
  last: number;
  segments: { first: number; last: number; netns: string }[];
  marks: Mark[];
  packet: PacketLike | undefined;
  firstUs: number;
}

/** Spans by id, walked upwards once per span and remembered. */
export class SpanIndex {
  private readonly packetOf = new Map<number, Span | undefined>();
  private readonly netnsOf = new Map<number, string | undefined>();

  constructor(private readonly spans: readonly Span[]) {}

  get(id: number): Span | undefined {
    return id === 0 ? undefined : this.spans[id - 1];
  }
  /** The innermost span of a kind at or above `id`. */
  up(id: number, kind: Span['kind']): Span | undefined {
    let s = this.get(id);
    while (s !== undefined && s.kind !== kind) s = this.get(s.parent);
    return s;
  }
  /** Namespace that an event happened in: its own, or that of the spans around it. */
  netns(e: TraceEvent): string | undefined {
    if (e.where.netns !== undefined) return e.where.netns;
    if (!this.netnsOf.has(e.span)) this.netnsOf.set(e.span, whereOf({ ...e, where: {} }, this.spans).netns);
    return this.netnsOf.get(e.span);
  }
  packet(id: number): Span | undefined {
    if (!this.packetOf.has(id)) this.packetOf.set(id, this.up(id, 'packet'));
    return this.packetOf.get(id);
  }
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/**
 * Lanes of all packets with an event in `origin`+1..`horizon`, in the order in which their flows begin and, inside a
 * flow, of their first event. Nothing later than `horizon` is looked at.
 */
export function lanesOf(
  events: readonly TraceEvent[],
  spans: readonly Span[],
  origin: number,
  horizon: number,
): readonly Lane[] {
  const index = new SpanIndex(spans);
  const drafts = new Map<number, Draft>();
  const flowFirst = new Map<number, number>();
  const end = Math.min(horizon, events.length);
  for (let i = origin; i < end; i++) {
    const e = events[i] as TraceEvent;
    const span = index.packet(e.span);
    if (span === undefined) continue;
    let d = drafts.get(span.id);
    if (d === undefined) {
      const flow = index.up(span.parent, 'flow');
      d = { span, flow, first: e.seq, last: e.seq, segments: [], marks: [], packet: undefined, firstUs: e.atUs };
      drafts.set(span.id, d);
      const key = flow?.id ?? -span.id;
      if (!flowFirst.has(key)) flowFirst.set(key, e.seq);
    }
    d.last = e.seq;
    d.packet ??= (e.facts as { packet?: PacketLike } | null)?.packet;
    const open = d.segments[d.segments.length - 1];
    const netns = index.netns(e) ?? open?.netns ?? '';
    if (open !== undefined && open.netns === netns) open.last = e.seq;
    else d.segments.push({ first: e.seq, last: e.seq, netns });
    const mark = MARKS[e.kind];
    if (mark !== undefined) d.marks.push({ seq: e.seq, kind: mark });
  }
  const key = (d: Draft): number => flowFirst.get(d.flow?.id ?? -d.span.id) ?? 0;
  const ordered = [...drafts.values()].sort((a, b) => key(a) - key(b) || a.first - b.first);
  const before = new Map<string, number>();
  return ordered.map((d) => {
    const { facts } = d.span;
    const label = d.packet === undefined ? d.span.label : packetKind(d.packet).replace(/^TCP /, '');
    const direction: Direction = facts.dir === 'reply' ? 'reply' : 'request';
    const flow = d.flow?.facts;
    const ends = [text(flow?.src) ?? d.packet?.ip.src ?? '', text(flow?.dst) ?? d.packet?.ip.dst ?? ''] as const;
    // The same segment once more is a retransmission: a lane of its own that says how much later it comes.
    const l4 = d.packet?.l4 as { seq?: unknown } | undefined;
    const identity = `${d.flow?.id ?? 0}|${direction}|${label}|${typeof l4?.seq === 'number' ? l4.seq : `span ${d.span.id}`}`;
    const firstUs = before.get(identity);
    if (firstUs === undefined) before.set(identity, d.firstUs);
    return {
      id: d.span.id,
      number: typeof facts.no === 'number' ? facts.no : 1,
      direction,
      label,
      from: direction === 'request' ? ends[0] : ends[1],
      to: direction === 'request' ? ends[1] : ends[0],
      first: d.first,
      last: d.last,
      segments: d.segments,
      marks: d.marks,
      flow: d.flow?.id ?? 0,
      dns: flow?.proto === 'udp' && flow.dport === 53,
      ...(firstUs === undefined || d.firstUs === firstUs ? {} : { againAfterUs: d.firstUs - firstUs }),
    };
  });
}

/** Numbers of the events in `origin`+1..`horizon` that are no packet's: the control plane, processes, the kernel. */
export function looseEvents(
  events: readonly TraceEvent[],
  spans: readonly Span[],
  origin: number,
  horizon: number,
): readonly number[] {
  const index = new SpanIndex(spans);
  const out: number[] = [];
  for (let i = origin; i < Math.min(horizon, events.length); i++) {
    const e = events[i] as TraceEvent;
    if (index.packet(e.span) === undefined) out.push(e.seq);
  }
  return out;
}

/** Neighbouring packets of a name look-up, as one lane. */
export interface Lookup {
  /** Id of its first lane. */
  readonly id: number;
  readonly name: string;
  readonly answer: string | undefined;
  readonly queries: number;
  readonly first: number;
  readonly last: number;
  readonly lanes: readonly Lane[];
}

export type Row =
  | { readonly kind: 'packet'; readonly lane: Lane }
  /** Closed it stands for its packets; open it stands over them. */
  | { readonly kind: 'lookup'; readonly lookup: Lookup; readonly open: boolean };

const fact = (e: TraceEvent | undefined, name: string): unknown =>
  (e?.facts as Readonly<Record<string, unknown>> | null | undefined)?.[name];

function lookupOf(lanes: readonly Lane[], events: readonly TraceEvent[], horizon: number): Lookup {
  const first = Math.min(...lanes.map((l) => l.first));
  const last = Math.max(...lanes.map((l) => l.last));
  let name = '';
  let answer: string | undefined;
  // The resolver says what it looks for just before its first query, and what it got just after the last answer.
  for (let seq = Math.max(1, first - 8); seq <= Math.min(last + 8, horizon); seq++) {
    const e = events[seq - 1];
    if (e?.kind === 'dns.lookup' && name === '') name = String(fact(e, 'name') ?? '');
    if (e?.kind === 'dns.answer') {
      const got = fact(e, 'answers');
      if (Array.isArray(got) && typeof got[0] === 'string') answer = got[0];
    }
  }
  const flow = lanes[0]?.flow;
  const queries = lanes.filter((l) => l.flow === flow && l.direction === 'request').length;
  return { id: lanes[0]?.id ?? 0, name, answer, queries, first, last, lanes };
}

/** Rows of the timeline: a look-up's packets are one row until it is opened. */
export function rowsOf(
  lanes: readonly Lane[],
  events: readonly TraceEvent[],
  horizon: number,
  opened: ReadonlySet<number>,
): readonly Row[] {
  const rows: Row[] = [];
  for (let i = 0; i < lanes.length; ) {
    const lane = lanes[i] as Lane;
    if (!lane.dns) {
      rows.push({ kind: 'packet', lane });
      i++;
      continue;
    }
    let end = i;
    while (lanes[end]?.dns === true) end++;
    const lookup = lookupOf(lanes.slice(i, end), events, horizon);
    const open = opened.has(lookup.id);
    rows.push({ kind: 'lookup', lookup, open });
    if (open) for (const l of lookup.lanes) rows.push({ kind: 'packet', lane: l });
    i = end;
  }
  return rows;
}

/** Round numbers for an axis from 0 to `length`, at most `max` of them. */
export function ticks(length: number, max: number): readonly number[] {
  if (length <= 0) return [0];
  let step = 1;
  const steps = [1, 2, 5];
  for (let i = 0; length / step > max; i++) step = (steps[i % 3] as number) * 10 ** Math.floor(i / 3);
  const out: number[] = [];
  for (let t = 0; t <= length; t += step) out.push(t);
  return out;
}
