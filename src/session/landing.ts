import type { Span } from '../engine/trace';
import { inside, type TraceView } from './steps';

const isLookup = (s: Span): boolean => s.facts.dport === 53 || s.facts.sport === 53;

/**
 * Where the reader wants to stand after a command: the first event of the first connection that it opened to what was
 * typed. Name lookups before it are passed over; a command that only looked names up is entered at its first query.
 */
export function landingOf(t: TraceView, command: number, fromSeq: number, toSeq: number): number | undefined {
  const flows = t.spans.filter(
    (s) => s.kind === 'flow' && s.startSeq >= fromSeq && s.startSeq <= toSeq && inside(t, s.id, command),
  );
  const flow = flows.find((s) => !isLookup(s)) ?? flows[0];
  if (!flow) return undefined;
  for (let seq = flow.startSeq; seq <= toSeq; seq++) {
    const e = t.events[seq - 1];
    if (e && inside(t, e.span, flow.id)) return seq;
  }
  return undefined;
}
