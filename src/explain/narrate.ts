import type { Place, Span, TraceEvent } from '../engine/trace/events';
import type { FactsOf, Kind, PacketLike } from '../engine/trace/kinds';
import type { PacketRef, Scene, Told } from './catalogue';
import { netnsName, packetKind } from './format';
import type { Lang } from './lang';
import { language } from './languages';

/** What a narrator needs beside the event. */
export interface TellContext {
  readonly lang: Lang;
  /** Span with id n at index n - 1. */
  readonly spans: readonly Span[];
  /** Pod or node that has an address, if known. */
  readonly nameOf?: (ip: string) => string | undefined;
}

export interface Narration extends Told {
  /** `Packet 1, request, TCP SYN` the first time in a run, `Packet 1` later; absent outside packets. */
  readonly packet: string | undefined;
  /** Namespace, hook, table, chain, rule. */
  readonly place: string;
  /** All parts as one text, without the step's number. */
  readonly text: string;
  /** The same as it is read aloud: ports and arrows in words, chain names shortened. */
  readonly spoken: string;
}

/** The packet that an event belongs to: its place in its flow (from 1) and its direction. */
export function packetRef(e: TraceEvent, spans: readonly Span[]): PacketRef | undefined {
  const packet = enclosing(spans, e.span, 'packet');
  if (!packet) return undefined;
  const n = typeof packet.facts.no === 'number' ? packet.facts.no : 1;
  return { n, dir: packet.facts.dir === 'reply' ? 'reply' : 'original', span: packet };
}

/** Where an event happened: its own place within the places of the spans around it (hook, table, chain). */
export function whereOf(e: TraceEvent, spans: readonly Span[]): Place {
  const around: Place[] = [e.where];
  for (let s = spans[e.span - 1]; s; s = spans[s.parent - 1]) around.push(s.where);
  return Object.assign({}, ...around.reverse()) as Place;
}

function enclosing(spans: readonly Span[], id: number, kind: Span['kind']): Span | undefined {
  for (let s = spans[id - 1]; s; s = spans[s.parent - 1]) if (s.kind === kind) return s;
  return undefined;
}

/** What happened, what changed, why: the sentences of one event. */
export function tell(e: TraceEvent, ctx: TellContext): Told {
  return told(e, ctx.lang, {
    where: whereOf(e, ctx.spans),
    packet: packetRef(e, ctx.spans),
    nameOf: ctx.nameOf ?? (() => undefined),
  });
}

/** A kind this version has no words for (a trace from a later one) is named as it is. */
function told(e: TraceEvent, lang: Lang, scene: Scene): Told {
  const catalogue = language(lang).sentences;
  if (!Object.hasOwn(catalogue, e.kind)) return { what: e.kind };
  const kind = e.kind as Kind;
  const sentence = catalogue[kind] as (facts: FactsOf<Kind>, scene: Scene) => Told;
  const t = sentence(e.facts as unknown as FactsOf<Kind>, scene);
  if (lang === 'en') return t;
  return { what: spaced(t.what), changed: t.changed && spaced(t.changed), why: t.why && spaced(t.why) };
}

/** Chinese typography: a space between Chinese characters and Latin letters or digits. */
const spaced = (text: string): string =>
  text.replace(/([一-鿿])(?=[A-Za-z0-9])/g, '$1 ').replace(/([A-Za-z0-9])(?=[一-鿿])/g, '$1 ');

/** Namespace, hook, table, chain and rule of an event, in this order. */
export function placeText(e: TraceEvent, lang: Lang, spans: readonly Span[]): string {
  return language(lang).frame.place(placeParts(e, { lang, spans }));
}

function placeParts(e: TraceEvent, { lang, spans }: Pick<TellContext, 'lang' | 'spans'>): string[] {
  const where = whereOf(e, spans);
  const parts: string[] = [];
  const name = netnsName(where.netns ?? where.node);
  if (name !== '') parts.push(name);
  if (where.hook !== undefined) parts.push(where.hook.toUpperCase());
  if (where.table !== undefined) parts.push(where.table);
  const chain = where.chain ?? (e.facts as { chain?: unknown } | null)?.chain;
  if (typeof chain === 'string' && chain.toUpperCase() !== where.hook?.toUpperCase()) parts.push(chain);
  if (e.kind === 'nf.rule') {
    const f = e.facts as unknown as FactsOf<'nf.rule'>;
    parts.push(language(lang).frame.rule(f.number, f.rules));
  }
  return parts;
}

export interface NarrateOptions {
  /** The event told before this one, if any: a place that did not change is left out. */
  readonly before?: TraceEvent;
  /** True on the packet's first mention in a run. */
  readonly first?: boolean;
}

/** The whole caption of an event, in parts and as one text. */
export function narrate(e: TraceEvent, ctx: TellContext, options: NarrateOptions = {}): Narration {
  const frame = language(ctx.lang).frame;
  const ref = packetRef(e, ctx.spans);
  const scene: Scene = { where: whereOf(e, ctx.spans), packet: ref, nameOf: ctx.nameOf ?? (() => undefined) };
  const sentence = told(e, ctx.lang, scene);
  const packet = ref && frame.packet(ref, options.first === true ? kindOf(e) : undefined);
  const place = placeText(e, ctx.lang, ctx.spans);
  const same = options.before !== undefined && samePacket(options.before, e, ctx.spans);
  const shown = same && options.before !== undefined ? newPlace(options.before, e, ctx) : place;
  const head = frame.at(same ? undefined : packet, shown);
  const parts = [head, sentence.what, sentence.changed, sentence.why].filter(
    (p): p is string => p !== undefined && p !== '',
  );
  const text = frame.join(parts);
  return { ...sentence, packet, place, text, spoken: frame.spoken(text) };
}

/** Text of a step with its number; no total while a question is open. */
export function stepText(n: number, total: number | undefined, lang: Lang): string {
  return language(lang).frame.step(n, total);
}

function kindOf(e: TraceEvent): string | undefined {
  const packet = (e.facts as { packet?: unknown } | null)?.packet;
  return typeof packet === 'object' && packet !== null ? packetKind(packet as PacketLike) : undefined;
}

const samePacket = (a: TraceEvent, b: TraceEvent, spans: readonly Span[]): boolean =>
  enclosing(spans, a.span, 'packet')?.id === enclosing(spans, b.span, 'packet')?.id;

/** The place from the first part on that differs from the event before. */
function newPlace(before: TraceEvent, e: TraceEvent, ctx: Pick<TellContext, 'lang' | 'spans'>): string {
  const was = placeParts(before, ctx);
  const now = placeParts(e, ctx);
  let i = 0;
  while (i < now.length && now[i] === was[i]) i++;
  return language(ctx.lang).frame.place(now.slice(i));
}
