import type { Place, Span, SpanKind, TraceEvent } from '../engine/trace/index';
import type { EventQuery, Expected, Scenario } from './schema';

/** A trace as the scenario's questions see it. */
export interface Trace {
  readonly events: readonly TraceEvent[];
  /** Span with id n at index n - 1. */
  readonly spans: readonly Span[];
}

/** The innermost span of a kind that holds the span `id` (itself included). */
export function enclosing(t: Trace, id: number, kind: SpanKind): Span | undefined {
  for (let s = t.spans[id - 1]; s; s = t.spans[s.parent - 1]) if (s.kind === kind) return s;
  return undefined;
}

/** Whether a value is the one asked for: equal, one of several, or a text with `*` for anything. */
export function fits(value: unknown, expected: Expected): boolean {
  if (Array.isArray(expected)) return expected.some((e) => fits(value, e));
  if (typeof expected === 'string' && typeof value === 'string' && expected.includes('*')) return glob(expected, value);
  return value === expected;
}

/** `*` stands for any run of characters; everything else for itself. */
function glob(pattern: string, value: string): boolean {
  const parts = pattern.split('*');
  const first = parts[0] as string;
  const last = parts[parts.length - 1] as string;
  if (!value.startsWith(first) || value.length < first.length + last.length || !value.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = value.indexOf(part, at);
    if (found < 0 || found + part.length > value.length - last.length) return false;
    at = found + part.length;
  }
  return at <= value.length - last.length;
}

/** A field by dotted path; undefined where the path leads nowhere. */
export function fieldAt(value: unknown, path: string): unknown {
  let v: unknown = value;
  for (const step of path.split('.')) {
    if (typeof v !== 'object' || v === null || !Object.hasOwn(v, step)) return undefined;
    v = (v as Record<string, unknown>)[step];
  }
  return v;
}

/** Whether a span is a flow to the target that the lesson follows (`10.96.10.10:80`, tcp). */
export function isFollowed(s: Span, follow: Scenario['follow']): boolean {
  if (s.kind !== 'flow' || s.facts.proto !== follow.proto) return false;
  const colon = follow.to.lastIndexOf(':');
  const [ip, port] =
    colon < 0 ? [follow.to, undefined] : [follow.to.slice(0, colon), Number(follow.to.slice(colon + 1))];
  return s.facts.dst === ip && (port === undefined || s.facts.dport === port);
}

/** Finds events by query; remembers the flow of every span, so that a search costs one look per event. */
export class Finder {
  private readonly flowOf = new Map<number, number>();
  private readonly placeOf = new Map<number, Place>();

  constructor(
    readonly trace: Trace,
    private readonly follow: Scenario['follow'],
  ) {}

  /** Flow span of an event, 0 outside flows. */
  flow(e: TraceEvent): number {
    let flow = this.flowOf.get(e.span);
    if (flow === undefined) {
      flow = enclosing(this.trace, e.span, 'flow')?.id ?? 0;
      this.flowOf.set(e.span, flow);
    }
    return flow;
  }

  /** Where an event happened: its own place within those of the spans around it. */
  where(e: TraceEvent): Place {
    return { ...this.around(e.span), ...e.where };
  }

  private around(span: number): Place {
    const known = this.placeOf.get(span);
    if (known) return known;
    const s = this.trace.spans[span - 1];
    const place = s ? { ...this.around(s.parent), ...s.where } : {};
    this.placeOf.set(span, place);
    return place;
  }

  /** Whether one event is meant by a query (its `nth` aside). */
  matches(e: TraceEvent, q: EventQuery): boolean {
    if (e.kind !== q.kind) return false;
    const w = this.where(e);
    if (q.node !== undefined && !fits(w.node, q.node)) return false;
    if (q.netns !== undefined && !fits(w.netns, q.netns)) return false;
    if (q.hook !== undefined && !fits(w.hook, q.hook)) return false;
    if (q.table !== undefined && !fits(w.table, q.table)) return false;
    if (q.chain !== undefined && !fits(fieldAt(e.facts, 'chain') ?? w.chain, q.chain)) return false;
    for (const [path, expected] of Object.entries(q.facts ?? {})) {
      if (!fits(fieldAt(e.facts, path), expected)) return false;
    }
    if (q.flow !== 'any') {
      const flow = this.trace.spans[this.flow(e) - 1];
      if (!flow || !isFollowed(flow, this.follow)) return false;
    }
    if (q.packet !== undefined || q.dir !== undefined) {
      const packet = enclosing(this.trace, e.span, 'packet');
      if (!packet) return false;
      if (q.packet !== undefined && packet.facts.no !== q.packet) return false;
      if (q.dir !== undefined && packet.facts.dir !== q.dir) return false;
    }
    return true;
  }

  /** The nth event that fits after `after` (a seq), in one flow if `flow` is given. */
  find(q: EventQuery, after = 0, flow?: number): TraceEvent | undefined {
    let left = q.nth ?? 1;
    for (let i = after; i < this.trace.events.length; i++) {
      const e = this.trace.events[i] as TraceEvent;
      if (!this.matches(e, q) || (flow !== undefined && this.flow(e) !== flow)) continue;
      if (--left === 0) return e;
    }
    return undefined;
  }

  count(q: EventQuery, after = 0, flow?: number): number {
    let n = 0;
    for (let i = after; i < this.trace.events.length; i++) {
      const e = this.trace.events[i] as TraceEvent;
      if (this.matches(e, q) && (flow === undefined || this.flow(e) === flow)) n++;
    }
    return n;
  }
}
