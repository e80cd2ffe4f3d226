import type { WorldReader } from '../engine/base/index';
import type { TraceEvent } from '../engine/trace/index';
import { enclosing, type Finder, fieldAt } from './query';
import type { Read } from './schema';
import { entries, entryFits, rulesMentioning } from './world';

/** What a read gave, and at which event it was read (0: at no event, it is a fact about the world). */
export interface Answer {
  readonly value: string;
  readonly seq: number;
}

export interface ReadContext {
  readonly finder: Finder;
  /** The event that the question stands at; reads look at what comes after it in the same flow. */
  readonly at: TraceEvent | undefined;
  /** Without an event: the cursor after which reads look. */
  readonly from?: number;
  /** The world at a cursor. */
  readonly world: (cursor: number) => WorldReader;
}

/** The engine's own answer; undefined when the trace does not hold it (yet). */
export function readValue(r: Read, ctx: ReadContext): Answer | undefined {
  const { finder } = ctx;
  const after = ctx.at?.seq ?? ctx.from ?? 0;
  const flow = ctx.at === undefined ? undefined : finder.flow(ctx.at);
  if ('event' in r) {
    const e = finder.find(r.event, after, r.event.flow === 'any' ? undefined : flow);
    if (!e) return r.none === undefined ? undefined : { value: r.none, seq: 0 };
    // `where.node` and so on: the place of the event; anything else is one of its facts.
    const value = r.field.startsWith('where.')
      ? fieldAt(finder.where(e), r.field.slice('where.'.length))
      : fieldAt(e.facts, r.field);
    return value === undefined || value === null ? undefined : { value: String(value), seq: e.seq };
  }
  if ('happens' in r) {
    const e = finder.find(r.happens, after, r.happens.flow === 'any' ? undefined : flow);
    return { value: e ? 'yes' : 'no', seq: e?.seq ?? 0 };
  }
  if ('counts' in r) return { value: String(finder.count(r.counts, after, flow)), seq: 0 };
  if ('first' in r) {
    let best: Answer | undefined;
    for (const f of r.first) {
      const e = finder.find(f.event, after, f.event.flow === 'any' ? undefined : flow);
      if (e && (!best || e.seq < best.seq)) best = { value: f.gives, seq: e.seq };
    }
    return best ?? (r.none === undefined ? undefined : { value: r.none, seq: 0 });
  }
  if ('secondsTo' in r) {
    const e = finder.find(r.secondsTo, after, r.secondsTo.flow === 'any' ? undefined : flow);
    const from = ctx.at?.atUs ?? 0;
    return e && { value: String(Math.round((e.atUs - from) / 1_000_000)), seq: e.seq };
  }
  if ('fateOf' in r) return fate(finder, r.fateOf.packet, flow);
  if ('entry' in r) {
    const end = flowEnd(finder, flow);
    const found = entries(ctx.world(end), r.entry.node).some((e) => entryFits(e, r.entry));
    return { value: found ? 'yes' : 'no', seq: 0 };
  }
  const n = rulesMentioning(ctx.world(after), r.rules.node, r.rules.table, r.rules.mentions);
  return { value: String(n), seq: 0 };
}

/** How a packet of a flow ended: its last drop or delivery. */
function fate(finder: Finder, packet: number, flow: number | undefined): Answer | undefined {
  let last: Answer | undefined;
  for (const e of finder.trace.events) {
    if (flow !== undefined && finder.flow(e) !== flow) continue;
    const span = enclosing(finder.trace, e.span, 'packet');
    if (span?.facts.no !== packet) continue;
    if (e.kind === 'pkt.deliver') last = { value: 'delivered', seq: e.seq };
    if (e.kind === 'pkt.drop') {
      last = { value: fieldAt(e.facts, 'cause.answered') === undefined ? 'dropped' : 'rejected', seq: e.seq };
    }
  }
  return last;
}

/** Last event of a flow; the end of the trace outside flows. */
function flowEnd(finder: Finder, flow: number | undefined): number {
  const { events } = finder.trace;
  if (flow === undefined) return events.length;
  for (let i = events.length - 1; i >= 0; i--) if (finder.flow(events[i] as TraceEvent) === flow) return i + 1;
  return events.length;
}
