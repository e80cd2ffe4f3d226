import type { WorldReader } from '../engine/base/index';
import type { TraceEvent } from '../engine/trace/index';
import { type Finder, fieldAt } from './query';
import type { PinQuery, Scenario, Slot, Text } from './schema';
import { type EntryView, entries, entryByKey, entryFits } from './world';

/** What was pinned, with the cursor at which it was seen; the store's PinTarget has the same form. */
export type Pin =
  | { readonly kind: 'event'; readonly seq: number }
  | { readonly kind: 'rule'; readonly ruleId: string; readonly seq: number }
  | { readonly kind: 'row'; readonly map: string; readonly key: string; readonly seq: number }
  | {
      readonly kind: 'token';
      readonly terminal: string;
      readonly line: string;
      readonly token: string;
      readonly seq: number;
    };

/** The thing behind a pin. */
export type Pinned =
  | { readonly kind: 'event'; readonly event: TraceEvent }
  | { readonly kind: 'entry'; readonly entry: EntryView; readonly seq: number }
  | { readonly kind: 'output'; readonly line: string; readonly seq: number }
  /** A rule that the packet has not met, an entry that is not there. */
  | { readonly kind: 'nothing'; readonly seq: number };

export interface PinContext {
  readonly finder: Finder;
  readonly world: (cursor: number) => WorldReader;
}

/** Finds the thing itself: a rule's row is the step at which the packet under the cursor met it, a listed entry is the entry. */
export function pinned(pin: Pin, ctx: PinContext): Pinned {
  const { events } = ctx.finder.trace;
  switch (pin.kind) {
    case 'event': {
      const event = events[pin.seq - 1];
      return event ? { kind: 'event', event } : { kind: 'nothing', seq: pin.seq };
    }
    case 'rule': {
      const event = lastBefore(
        events,
        pin.seq,
        (e) => e.kind === 'nf.rule' && fieldAt(e.facts, 'ruleId') === pin.ruleId,
      );
      return event ? { kind: 'event', event } : { kind: 'nothing', seq: pin.seq };
    }
    case 'row': {
      const entry = pin.map === 'nf.conntrack' ? entryByKey(ctx.world(pin.seq), pin.key) : undefined;
      return entry ? { kind: 'entry', entry, seq: pin.seq } : { kind: 'nothing', seq: pin.seq };
    }
    case 'token': {
      const line = pin.line.trim();
      const rule = lastBefore(events, pin.seq, (e) => e.kind === 'nf.rule' && fieldAt(e.facts, 'text') === line);
      if (rule) return { kind: 'event', event: rule };
      const entry = entryOfLine(line, pin, ctx);
      return entry ? { kind: 'entry', entry, seq: pin.seq } : { kind: 'output', line: pin.line, seq: pin.seq };
    }
  }
}

function lastBefore(
  events: readonly TraceEvent[],
  cursor: number,
  test: (e: TraceEvent) => boolean,
): TraceEvent | undefined {
  for (let i = Math.min(cursor, events.length) - 1; i >= 0; i--) if (test(events[i] as TraceEvent)) return events[i];
  return undefined;
}

/** The entry that a line of `conntrack -L`, typed on a node, prints. */
function entryOfLine(line: string, pin: { terminal: string; seq: number }, ctx: PinContext): EntryView | undefined {
  const words = [...line.matchAll(/\b(src|dst|sport|dport)=(\S+)/g)].map((m) => m[2] as string);
  if (words.length !== 8) return undefined;
  const [src, dst, sport, dport, rsrc, rdst, rsport, rdport] = words;
  const node = pin.terminal.replace(/^node[ :/]/, '');
  return entries(ctx.world(pin.seq)).find(
    (e) =>
      (pin.terminal === node || e.node === node) &&
      e.orig.src === src &&
      e.orig.dst === dst &&
      String(e.orig.sport) === sport &&
      String(e.orig.dport) === dport &&
      e.reply.src === rsrc &&
      e.reply.dst === rdst &&
      String(e.reply.sport) === rsport &&
      String(e.reply.dport) === rdport,
  );
}

/** Whether a pinned thing is what a query asks for. */
export function pinFits(p: Pinned, q: PinQuery, ctx: PinContext): boolean {
  if ('event' in q) return p.kind === 'event' && ctx.finder.matches(p.event, q.event);
  if ('row' in q) return p.kind === 'entry' && p.entry.confirmed && entryFits(p.entry, q.row);
  return p.kind === 'output' && q.output.every((part) => printed(p.line, part));
}

function printed(line: string, part: string): boolean {
  const more = /^(\w+)>(\d+)$/.exec(part);
  if (!more) return line.includes(part);
  const words = line.split(/[\s,;]+/);
  const prefix = `${more[1]}=`;
  return words.some((w) => w.startsWith(prefix) && Number(w.slice(prefix.length)) > Number(more[2]));
}

/** What became of a pin in a slot. */
export type PinVerdict =
  | { readonly kind: 'fits' }
  /** `say`: the author's sentence for this kind of mistake, if there is one. */
  | { readonly kind: 'refused'; readonly say: Text | undefined; readonly pinned: Pinned };

export function judge(slot: Slot, pin: Pin, ctx: PinContext): PinVerdict {
  const p = pinned(pin, ctx);
  if (slot.accept.some((q) => pinFits(p, q, ctx))) return { kind: 'fits' };
  const known = slot.refuse?.find((r) => pinFits(p, r.when, ctx));
  return { kind: 'refused', say: known?.say, pinned: p };
}

/**
 * The slot a pin goes to: the first open one it fits; else, if it fits a filled one, that one anew; else the first
 * open one, which refuses it. Undefined when all slots are filled and it fits none.
 */
export function slotFor(s: Scenario, pin: Pin, filled: (slot: string) => boolean, ctx: PinContext): Slot | undefined {
  const p = pinned(pin, ctx);
  const takes = (slot: Slot): boolean => slot.accept.some((q) => pinFits(p, q, ctx));
  const open = s.slots.filter((slot) => !filled(slot.id));
  return open.find(takes) ?? s.slots.find(takes) ?? open[0];
}

/** Whether the event at a cursor would fill an open slot: then the loud button is Pin. */
export function fitsOpenSlot(s: Scenario, seq: number, filled: (slot: string) => boolean, ctx: PinContext): boolean {
  const event = ctx.finder.trace.events[seq - 1];
  if (!event) return false;
  const p: Pinned = { kind: 'event', event };
  return s.slots.some((slot) => !filled(slot.id) && slot.accept.some((q) => pinFits(p, q, ctx)));
}
