import type { CtFacts, TraceEvent } from '../../engine/trace';

export type CtMark = 'made' | 'confirmed' | 'updated' | 'gone';

/** What the step under the cursor did to conntrack entries, by id. */
export function ctMarks(event: TraceEvent | undefined): ReadonlyMap<string, CtMark> {
  const marks = new Map<string, CtMark>();
  if (event === undefined) return marks;
  const ct = (event.facts as { ct?: CtFacts } | null)?.ct;
  if (ct === undefined) return marks;
  switch (event.kind) {
    case 'ct.new':
      marks.set(ct.id, 'made');
      break;
    case 'ct.confirm':
      marks.set(ct.id, 'confirmed');
      break;
    case 'ct.destroy':
    case 'ct.evict':
      marks.set(ct.id, 'gone');
      break;
    case 'ct.found':
    case 'ct.nat':
      marks.set(ct.id, 'updated');
      break;
  }
  return marks;
}

/** The entry that this step removed, as it was: it is no longer in the world at the cursor. */
export function goneEntry(event: TraceEvent | undefined): CtFacts | undefined {
  if (event === undefined || (event.kind !== 'ct.destroy' && event.kind !== 'ct.evict')) return undefined;
  return (event.facts as { ct?: CtFacts } | null)?.ct;
}
