import { type Lane, lanesOf, SpanIndex } from '../derive/lanes';
import { access, usePage } from '../model';

let memo: { last: unknown; head: number; origin: number; horizon: number; lanes: readonly Lane[] } | undefined;

/** Lanes for the page's trace up to its horizon; the last answer is kept, as several components ask. */
function lanesNow(head: number, origin: number, horizon: number): readonly Lane[] {
  const { events, spans } = access();
  // A fork keeps the array and replaces what is in it: the last event tells traces apart.
  const last = events[head - 1];
  if (
    memo !== undefined &&
    memo.last === last &&
    memo.head === head &&
    memo.origin === origin &&
    memo.horizon === horizon
  )
    return memo.lanes;
  const lanes = lanesOf(events, spans, origin, horizon);
  memo = { last, head, origin, horizon, lanes };
  return lanes;
}

export function useLanes(): readonly Lane[] {
  const head = usePage((p) => p.head);
  const origin = usePage((p) => p.origin);
  const horizon = usePage((p) => p.horizon);
  return lanesNow(head, origin, horizon);
}

/** The lane of the packet under the cursor. */
export function useCurrentLane(): Lane | undefined {
  const lanes = useLanes();
  const cursor = usePage((p) => p.cursor);
  const { events, spans } = access();
  const e = events[cursor - 1];
  if (e === undefined) return undefined;
  const packet = new SpanIndex(spans).packet(e.span);
  return packet === undefined ? undefined : lanes.find((l) => l.id === packet.id);
}
