import type { PacketLike, Span, TraceEvent } from '../../engine/trace';
import { whereOf } from '../../explain';
import { packetInfo, packetOf } from './facts';
import type { PacketInfo } from './types';

/** Events of each packet's span, kept as the trace grows: a step must not walk the whole trace. */
export class PacketIndex {
  private readonly spanOf = new Map<number, Span | undefined>();
  private readonly byPacket = new Map<number, TraceEvent[]>();
  private seen = 0;
  private last: TraceEvent | undefined;

  constructor(private readonly trace: { readonly events: readonly TraceEvent[]; readonly spans: readonly Span[] }) {}

  /** The packet span that an event lies in. */
  packetSpan(span: number): Span | undefined {
    if (!this.spanOf.has(span)) {
      let s = span === 0 ? undefined : this.trace.spans[span - 1];
      while (s !== undefined && s.kind !== 'packet') s = s.parent === 0 ? undefined : this.trace.spans[s.parent - 1];
      this.spanOf.set(span, s);
    }
    return this.spanOf.get(span);
  }

  private update(): void {
    const { events } = this.trace;
    // A fork replaces the trace: what was indexed no longer is.
    if (events.length < this.seen || (this.seen > 0 && events[this.seen - 1] !== this.last)) {
      this.spanOf.clear();
      this.byPacket.clear();
      this.seen = 0;
    }
    for (; this.seen < events.length; this.seen++) {
      const e = events[this.seen] as TraceEvent;
      const span = this.packetSpan(e.span);
      if (span) {
        const list = this.byPacket.get(span.id);
        const placed = { ...e, where: whereOf(e, this.trace.spans) };
        if (list) list.push(placed);
        else this.byPacket.set(span.id, [placed]);
      }
    }
    this.last = events[this.seen - 1];
  }

  /**
   * The packet at the cursor and its events up to the horizon, each with its full place. Between packets it is the
   * last one that moved, not further back than `origin`.
   */
  at(
    cursor: number,
    horizon: number,
    origin = 0,
  ): { readonly packet: PacketInfo; readonly events: readonly TraceEvent[] } | undefined {
    this.update();
    const { events } = this.trace;
    for (let seq = Math.min(cursor, events.length); seq > origin; seq--) {
      const span = this.packetSpan((events[seq - 1] as TraceEvent).span);
      if (!span) continue;
      const all = (this.byPacket.get(span.id) ?? []).filter((e) => e.seq <= horizon);
      const first = all.map(packetOf).find((p): p is PacketLike => p !== undefined);
      if (!first) continue;
      const no = span.facts.no;
      const number = typeof no === 'number' ? no : 1;
      return {
        packet: packetInfo(first, { number, reply: span.facts.dir === 'reply', label: span.label }),
        events: all,
      };
    }
    return undefined;
  }
}
