import { type Lang, type Narration, stepText, narrate as tellAll } from '../../explain';
import type { TraceAccess } from '../../store/types';

/** Who holds an address, for sentences; the page fills it from the world. */
export type NameOf = (ip: string) => string | undefined;

/** The caption of the event at `cursor`, or undefined at the very start. */
export function narrationAt(
  access: Pick<TraceAccess, 'events' | 'spans'>,
  cursor: number,
  lang: Lang,
  nameOf?: NameOf,
): Narration | undefined {
  const event = access.events[cursor - 1];
  if (event === undefined) return undefined;
  const before = access.events[cursor - 2];
  return tellAll(event, { lang, spans: access.spans, nameOf }, before === undefined ? {} : { before });
}

/** `Step 17 of 118. Packet 1: node-1, ...` as it is read aloud. */
export function narrate(
  access: Pick<TraceAccess, 'events' | 'spans'>,
  cursor: number,
  origin: number,
  total: number | undefined,
  lang: Lang,
  nameOf?: NameOf,
): string {
  const step = stepText(Math.max(0, cursor - origin), total, lang);
  if (cursor <= origin) return step;
  const event = access.events[cursor - 1];
  if (event === undefined) return step;
  // The whole caption: a listener has no picture that shows where the step before was.
  return `${step} ${tellAll(event, { lang, spans: access.spans, nameOf }).spoken}`;
}
