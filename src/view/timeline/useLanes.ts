import { type Lane, lanesOf, looseEvents, SpanIndex } from '../derive/lanes';
import { access, usePage } from '../model';

interface Kept {
  readonly last: unknown;
  readonly head: number;
  readonly origin: number;
  readonly horizon: number;
  readonly lanes: readonly Lane[];
  readonly loose: readonly number[];
}
let memo: Kept | undefined;

/** Lanes for the page's trace up to its horizon; the last answer is kept, as several components ask. */
function now(head: number, origin: number, horizon: number): Kept {
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
    return memo;
  const lanes = lanesOf(events, spans, origin, horizon);
  memo = { last, head, origin, horizon, lanes, loose: looseEvents(events, spans, origin, horizon) };
  return memo;
}

function useKept(): Kept {
  const head = usePage((p) => p.head);
  const origin = usePage((p) => p.origin);
  const horizon = usePage((p) => p.horizon);
  return now(head, origin, horizon);
}

export const useLanes = (): readonly Lane[] => useKept().lanes;

/** Steps between the packets. */
export const useLoose = (): readonly number[] => useKept().loose;

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
