/** Milliseconds one event takes at speed 1; under 80 ms a motion is a cut (stage-geometry §4). */
export const EVENT_MS = 480;
/** With reduced motion play advances one event per 900 ms and draws nothing between. */
export const REDUCED_EVENT_MS = 900;

export interface Tick {
  readonly phase: number;
  /** Whole events passed. */
  readonly events: number;
}

/** Where the playhead is after `elapsedMs` more: a pure function, so pausing and playing backwards need no other rules. */
export function advance(phase: number, elapsedMs: number, speed: number, reduced: boolean): Tick {
  const perEvent = (reduced ? REDUCED_EVENT_MS : EVENT_MS) / speed;
  const total = phase + elapsedMs / perEvent;
  const events = Math.floor(total);
  return reduced ? { phase: events > 0 ? 0 : total, events } : { phase: total - events, events };
}
