import type { Span, SpanKind, TraceEvent } from '../engine/trace';

/**
 * Stepping as in a debugger: pure searches in the trace. All functions take and return cursors (number of applied
 * events; the event at cursor n has seq n) and give undefined when there is nothing further in that direction.
 */
export interface TraceView {
  readonly events: readonly TraceEvent[];
  /** Span with id n at index n - 1. */
  readonly spans: readonly Span[];
}

export type StepKind =
  | 'into'
  | 'over'
  | 'out'
  | 'nextRewrite'
  | 'nextHook'
  | 'nextHop'
  | 'nextPacket'
  | 'untilReply'
  | 'untilEnd';

const eventAt = (t: TraceView, cursor: number): TraceEvent | undefined => t.events[cursor - 1];
const spanOf = (t: TraceView, id: number): Span | undefined => (id === 0 ? undefined : t.spans[id - 1]);

/** The innermost span of `kind` that holds the span `id` (itself included), or undefined. */
export function enclosing(t: TraceView, id: number, kind: SpanKind): Span | undefined {
  for (let s = spanOf(t, id); s; s = spanOf(t, s.parent)) if (s.kind === kind) return s;
  return undefined;
}

/** Whether span `id` is `ancestor` or lies in it. */
export function inside(t: TraceView, id: number, ancestor: number): boolean {
  for (let s = spanOf(t, id); s; s = spanOf(t, s.parent)) if (s.id === ancestor) return true;
  return false;
}

/** All cursors at which `halts` says to stop, searched from `cursor` in a direction. */
function search(
  t: TraceView,
  cursor: number,
  direction: 1 | -1,
  halts: (e: TraceEvent) => boolean,
  horizon: number,
): number | undefined {
  for (let c = cursor + direction; c >= 1 && c <= horizon; c += direction) {
    if (halts(t.events[c - 1] as TraceEvent)) return c;
  }
  return undefined;
}

/**
 * Next cursor for a step. `horizon`: last cursor that may be shown (a question is open beyond it). `stops`: if given,
 * the cursors at which the lesson's level halts ("by station or matched rule"); stepping moves among those only.
 */
export function step(
  t: TraceView,
  cursor: number,
  kind: StepKind,
  direction: 1 | -1 = 1,
  horizon = t.events.length,
  stops?: ReadonlySet<number>,
): number | undefined {
  const here = eventAt(t, cursor);
  // Bookkeeping between two things worth seeing is no step.
  const may = (e: TraceEvent): boolean => (stops ? stops.has(e.seq) : e.kind !== 'state.changed');
  if (!here) return search(t, cursor, direction, may, horizon);
  switch (kind) {
    case 'into':
      return search(t, cursor, direction, may, horizon);
    case 'over': {
      // Not into what opens below the current span: the next event whose span is not a descendant of this one's child.
      return search(t, cursor, direction, (e) => may(e) && !deeper(t, e.span, here.span), horizon);
    }
    case 'out': {
      if (here.span === 0) return undefined;
      return search(t, cursor, direction, (e) => may(e) && !inside(t, e.span, here.span), horizon);
    }
    case 'nextRewrite':
      return search(t, cursor, direction, (e) => e.kind === 'pkt.rewrite', horizon);
    case 'nextHook': {
      const hook = enclosing(t, here.span, 'hook')?.id ?? 0;
      return search(
        t,
        cursor,
        direction,
        (e) => {
          const h = enclosing(t, e.span, 'hook');
          return h !== undefined && h.id !== hook;
        },
        horizon,
      );
    }
    case 'nextHop': {
      const ns = enclosing(t, here.span, 'netns')?.id ?? 0;
      return search(
        t,
        cursor,
        direction,
        (e) => {
          const n = enclosing(t, e.span, 'netns');
          return n !== undefined && n.id !== ns;
        },
        horizon,
      );
    }
    case 'nextPacket': {
      const p = enclosing(t, here.span, 'packet')?.id ?? 0;
      return search(
        t,
        cursor,
        direction,
        (e) => {
          const q = enclosing(t, e.span, 'packet');
          return q !== undefined && q.id !== p;
        },
        horizon,
      );
    }
    case 'untilReply': {
      const flow = enclosing(t, here.span, 'flow')?.id;
      const dir = enclosing(t, here.span, 'packet')?.facts.dir;
      return search(
        t,
        cursor,
        direction,
        (e) => {
          const p = enclosing(t, e.span, 'packet');
          return p !== undefined && p.facts.dir !== dir && (flow === undefined || inside(t, p.id, flow));
        },
        horizon,
      );
    }
    case 'untilEnd':
      return direction === 1 ? (horizon > cursor ? horizon : undefined) : cursor > 0 ? 0 : undefined;
  }
}

function deeper(t: TraceView, id: number, than: number): boolean {
  return id !== than && inside(t, id, than);
}
