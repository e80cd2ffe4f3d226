import type { CtFacts, FactsByKind, PacketLike, Place, Span, TraceEvent, TupleFacts } from '../../engine/trace';
import { endpoint, flagNames, hex, protocolName, whereOf } from '../../explain';
import { SpanIndex } from './lanes';

/** One header field at the cursor; `before` is there only in the step that rewrote it. */
export interface Field {
  readonly name: string;
  readonly value: string;
  readonly before?: string;
}

export type RuleFacts = FactsByKind['nf.rule'];

export interface EntryView {
  readonly ct: CtFacts;
  /** Confirmed: it stands in the table. */
  readonly inTable: boolean;
  /** Which tuple the packet matched. */
  readonly dir: 'original' | 'reply';
  /** What the kernel calls the packet's relation to it: NEW, ESTABLISHED, RELATED. */
  readonly info: string;
  readonly timeoutUs?: number;
  /** The step at which it was found or made. */
  readonly seq: number;
}

export interface Inspection {
  readonly event: TraceEvent;
  readonly packet: PacketLike | undefined;
  readonly packetSpan: Span | undefined;
  readonly fields: readonly Field[];
  readonly changed: number;
  readonly rule: RuleFacts | undefined;
  /** The rewrite of this step, if it is one. */
  readonly rewrite: FactsByKind['pkt.rewrite'] | undefined;
  readonly entry: EntryView | undefined;
  readonly drop: FactsByKind['pkt.drop'] | undefined;
  readonly route: FactsByKind['route'] | undefined;
  /** The Service address that the packet was first sent to, where it differs from what it carries now. */
  readonly wasTo: string | undefined;
}

/** Both ends of a tuple as text; ICMP shows its id in place of ports. */
export function tupleEnds(t: TupleFacts): { readonly src: string; readonly dst: string } {
  if (t.icmpId !== undefined) return { src: t.src, dst: `${t.dst} id ${t.icmpId}` };
  return { src: endpoint(t.src, t.sport), dst: endpoint(t.dst, t.dport) };
}

interface L4Like {
  readonly kind: string;
  readonly sport?: number;
  readonly dport?: number;
  readonly flags?: number;
  readonly type?: number;
  readonly code?: number;
  readonly id?: number;
}

function headerOf(packet: PacketLike): [string, string][] {
  const l4 = packet.l4 as unknown as L4Like;
  const rows: [string, string][] = [
    ['src', packet.ip.src],
    ['dst', packet.ip.dst],
  ];
  if (l4.sport !== undefined) rows.push(['sport', String(l4.sport)]);
  if (l4.dport !== undefined) rows.push(['dport', String(l4.dport)]);
  if (l4.kind === 'icmp') rows.push(['type', `${l4.type ?? ''} code ${l4.code ?? 0}`]);
  if (l4.id !== undefined) rows.push(['id', String(l4.id)]);
  if (l4.kind === 'tcp') rows.push(['flags', flagNames(l4.flags ?? 0)]);
  rows.push(['proto', protocolName(packet.ip.proto)]);
  rows.push(['ttl', String(packet.ip.ttl)]);
  return rows;
}

const packetIn = (e: TraceEvent): PacketLike | undefined => (e.facts as { packet?: PacketLike } | null)?.packet;

function factsOf<K extends keyof FactsByKind>(e: TraceEvent, kind: K): FactsByKind[K] | undefined {
  return e.kind === kind ? (e.facts as unknown as FactsByKind[K]) : undefined;
}

const samePlace = (a: Place, b: Place): boolean => a.netns === b.netns && a.hook === b.hook;

/** The rule that this step is about: its own, or the one just before a rewrite or a drop in the same chain. */
function ruleAt(
  events: readonly TraceEvent[],
  spans: readonly Span[],
  at: TraceEvent,
  index: SpanIndex,
): RuleFacts | undefined {
  const own = factsOf(at, 'nf.rule');
  if (own !== undefined) return own;
  if (at.kind !== 'pkt.rewrite' && at.kind !== 'pkt.drop' && at.kind !== 'pkt.mark' && at.kind !== 'ct.nat')
    return undefined;
  const packet = index.packet(at.span);
  for (let i = at.seq - 2; i >= 0 && i > at.seq - 8; i--) {
    const e = events[i] as TraceEvent;
    if (index.packet(e.span)?.id !== packet?.id) return undefined;
    const rule = factsOf(e, 'nf.rule');
    if (rule !== undefined) return samePlace(whereOf(e, spans), whereOf(at, spans)) ? rule : undefined;
  }
  return undefined;
}

/** Everything the inspector shows for the event at `cursor`; it looks at nothing later. */
export function inspect(events: readonly TraceEvent[], spans: readonly Span[], cursor: number): Inspection | undefined {
  const event = events[cursor - 1];
  if (event === undefined) return undefined;
  const index = new SpanIndex(spans);
  const packetSpan = index.packet(event.span);

  let packet = packetIn(event);
  let entry: EntryView | undefined;
  let mark = 0;
  let markKnown = false;
  let first: PacketLike | undefined;
  const netns = index.netns(event);
  if (packetSpan !== undefined) {
    for (let i = event.seq - 1; i >= 0; i--) {
      const e = events[i] as TraceEvent;
      if (e.seq < packetSpan.startSeq) break;
      if (index.packet(e.span)?.id !== packetSpan.id) continue;
      const p = packetIn(e);
      packet ??= p;
      if (p !== undefined) first = factsOf(e, 'pkt.rewrite')?.before ?? p;
      if (index.netns(e) !== netns) continue;
      const marked = factsOf(e, 'pkt.mark');
      if (marked !== undefined && !markKnown) {
        mark = marked.after;
        markKnown = true;
      }
      entry = entryFrom(entry, e);
    }
  }

  const rewrite = factsOf(event, 'pkt.rewrite');
  const markStep = factsOf(event, 'pkt.mark');
  const before = new Map<string, string>();
  for (const f of rewrite?.fields ?? []) before.set(f.field, f.before);
  if (markStep !== undefined) before.set('mark', hex(markStep.before));

  const fields: Field[] = [];
  if (packet !== undefined) {
    const rows = headerOf(packet);
    rows.push(['mark', hex(mark)]);
    if (entry !== undefined) rows.push(['ctstate', entry.info]);
    for (const [name, value] of rows) {
      const was = before.get(name);
      fields.push(was === undefined || was === value ? { name, value } : { name, value, before: was });
    }
  }
  const firstTo = first === undefined ? undefined : endpoint(first.ip.dst, (first.l4 as unknown as L4Like).dport);
  const nowTo = packet === undefined ? undefined : endpoint(packet.ip.dst, (packet.l4 as unknown as L4Like).dport);
  return {
    event,
    packet,
    packetSpan,
    fields,
    changed: fields.filter((f) => f.before !== undefined).length,
    rule: ruleAt(events, spans, event, index),
    rewrite,
    entry,
    drop: factsOf(event, 'pkt.drop'),
    route: factsOf(event, 'route'),
    wasTo: firstTo !== nowTo ? firstTo : undefined,
  };
}

/** Folds one event, met while walking backwards, into what is known of the packet's entry. */
function entryFrom(known: EntryView | undefined, e: TraceEvent): EntryView | undefined {
  const confirm = factsOf(e, 'ct.confirm');
  if (confirm !== undefined && known === undefined) {
    return { ct: confirm.ct, inTable: true, dir: 'original', info: 'NEW', timeoutUs: confirm.timeoutUs, seq: e.seq };
  }
  const nat = factsOf(e, 'ct.nat');
  if (nat !== undefined && known === undefined) {
    return { ct: nat.ct, inTable: false, dir: 'original', info: 'NEW', seq: e.seq };
  }
  const found = factsOf(e, 'ct.found');
  if (found !== undefined) {
    const info = found.info.replace(/_REPLY$/, '');
    return known === undefined
      ? { ct: found.ct, inTable: true, dir: found.dir, info, seq: e.seq }
      : { ...known, inTable: true, dir: found.dir, info, seq: e.seq };
  }
  const made = factsOf(e, 'ct.new');
  if (made !== undefined && known === undefined) {
    return { ct: made.ct, inTable: false, dir: 'original', info: 'NEW', seq: e.seq };
  }
  return known;
}
