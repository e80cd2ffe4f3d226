import { Hash64 } from '../engine/base';
import type { Span, TraceEvent } from '../engine/trace';
import { enclosing, inside, type TraceView } from './steps';

/**
 * A step as a page stores it: first by what it is (which packet of which flow, where, what kind, which occurrence),
 * then by number. Pages written today must still show the right step after later versions shifted the numbers.
 */
export interface Anchor {
  /** Flow by who calls whom and its place among such flows, from 1; absent outside flows. */
  readonly flow?: { readonly label: string; readonly nth: number };
  /** Packet within the flow (from 1), or among the events outside flows. */
  readonly packet?: number;
  readonly netns?: string;
  readonly hook?: string;
  readonly table?: string;
  readonly chain?: string;
  /** Rule number in its chain, for nf.rule events. */
  readonly rule?: number;
  readonly kind: string;
  /** Which occurrence (from 1) among the events that agree in everything above. */
  readonly nth: number;
  /** Event number when the anchor was made. */
  readonly seq: number;
}

export interface AnchorFound {
  readonly cursor: number;
  /**
   * `same`: the trace up to here is the one the anchor was made on. `anchor`: the trace differs, the anchor was found.
   * `nearest`: not found; the start of the nearest enclosing span. `lost`: nothing of it exists; cursor as numbered, clipped.
   */
  readonly how: 'same' | 'anchor' | 'nearest' | 'lost';
}

/** Hash of the events 1..cursor. */
export function prefixHash(t: TraceView, cursor: number): string {
  const h = new Hash64();
  for (let i = 0; i < cursor; i++) h.update(JSON.stringify(t.events[i]));
  return h.digest();
}

/** Who calls whom, without the caller's port: that is drawn anew when anything before it changes. */
function flowLabel(s: Span): string {
  const { proto, src, dst, dport } = s.facts;
  return proto === undefined ? s.label : `${proto} ${src} > ${dst}${dport === undefined ? '' : `:${dport}`}`;
}

type Key = Omit<Anchor, 'nth' | 'seq'>;

/** Numbers of flows and packets, computed once per trace. */
class Numbering {
  private readonly flows = new Map<number, { label: string; nth: number }>();
  private readonly packets = new Map<number, number>();

  constructor(private readonly t: TraceView) {
    const perLabel = new Map<string, number>();
    const perFlow = new Map<number, number>();
    for (const s of t.spans) {
      if (s.kind === 'flow') {
        const label = flowLabel(s);
        const nth = (perLabel.get(label) ?? 0) + 1;
        perLabel.set(label, nth);
        this.flows.set(s.id, { label, nth });
      } else if (s.kind === 'packet') {
        const flow = enclosing(t, s.id, 'flow')?.id ?? 0;
        const nth = (perFlow.get(flow) ?? 0) + 1;
        perFlow.set(flow, nth);
        this.packets.set(s.id, nth);
      }
    }
  }

  key(e: TraceEvent): Key {
    const flow = enclosing(this.t, e.span, 'flow');
    const packet = enclosing(this.t, e.span, 'packet');
    const facts = e.facts as { number?: unknown } | null;
    const rule = e.kind === 'nf.rule' && typeof facts?.number === 'number' ? facts.number : undefined;
    return {
      flow: flow && this.flows.get(flow.id),
      packet: packet && this.packets.get(packet.id),
      netns: e.where.netns,
      hook: e.where.hook,
      table: e.where.table,
      chain: e.where.chain,
      rule,
      kind: e.kind,
    };
  }

  span(id: number): { flow?: { label: string; nth: number }; packet?: number } {
    return { flow: this.flows.get(id), packet: this.packets.get(id) };
  }
}

const sameFlow = (a: Key['flow'], b: Key['flow']): boolean => a?.label === b?.label && a?.nth === b?.nth;

function sameKey(a: Key, b: Key): boolean {
  return (
    a.kind === b.kind &&
    a.packet === b.packet &&
    a.netns === b.netns &&
    a.hook === b.hook &&
    a.table === b.table &&
    a.chain === b.chain &&
    a.rule === b.rule &&
    sameFlow(a.flow, b.flow)
  );
}

/** The anchor of the event at `cursor` (1..number of events). */
export function anchorOf(t: TraceView, cursor: number): Anchor | undefined {
  const e = t.events[cursor - 1];
  if (!e) return undefined;
  const names = new Numbering(t);
  const key = names.key(e);
  let nth = 0;
  for (let i = 0; i < cursor; i++) if (sameKey(names.key(t.events[i] as TraceEvent), key)) nth++;
  return { ...key, nth, seq: cursor };
}

/** Where an anchor is in this trace; `hash` is the prefix hash stored with it, if any. */
export function resolveAnchor(t: TraceView, a: Anchor, hash?: string): AnchorFound {
  if (hash !== undefined && a.seq <= t.events.length && prefixHash(t, a.seq) === hash) {
    return { cursor: a.seq, how: 'same' };
  }
  const names = new Numbering(t);
  let nth = 0;
  for (const e of t.events) {
    if (e.kind !== a.kind || !sameKey(names.key(e), a)) continue;
    if (++nth === a.nth) return { cursor: e.seq, how: 'anchor' };
  }
  const span = nearestSpan(t, names, a);
  if (span) {
    const first = t.events.find((e) => inside(t, e.span, span.id));
    if (first) return { cursor: first.seq, how: 'nearest' };
  }
  return { cursor: Math.min(a.seq, t.events.length), how: 'lost' };
}

/** The innermost span of the anchor that still exists: hook in the packet's traversal, traversal, packet, flow. */
function nearestSpan(t: TraceView, names: Numbering, a: Anchor): Span | undefined {
  const flow = t.spans.find(
    (s) => s.kind === 'flow' && a.flow !== undefined && sameFlow(names.span(s.id).flow, a.flow),
  );
  const packet = t.spans.find(
    (s) => s.kind === 'packet' && names.span(s.id).packet === a.packet && enclosing(t, s.id, 'flow')?.id === flow?.id,
  );
  if (!packet) return flow;
  const within = (kind: Span['kind'], fits: (s: Span) => boolean): Span | undefined =>
    t.spans.find((s) => s.kind === kind && fits(s) && inside(t, s.id, packet.id));
  return (
    within('table', (s) => s.where.netns === a.netns && s.where.hook === a.hook && s.where.table === a.table) ??
    within('hook', (s) => s.where.netns === a.netns && s.where.hook === a.hook) ??
    within('netns', (s) => s.where.netns === a.netns) ??
    packet
  );
}
