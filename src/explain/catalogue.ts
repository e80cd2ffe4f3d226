import type { Place, Span } from '../engine/trace/events';
import type { FactsOf, Kind } from '../engine/trace/kinds';

/** What is said of one event, in the order of a caption; parts that have nothing to say are absent. */
export interface Told {
  /** What happened. */
  readonly what: string;
  /** What it changed: always the old value, then the new one. */
  readonly changed?: string;
  /** Why: one sentence from the event's own facts. */
  readonly why?: string;
}

/** What a sentence may use beside the facts of its event. */
export interface Scene {
  readonly where: Place;
  /** Packet of the event: its number in its flow and its direction; absent outside packets. */
  readonly packet?: PacketRef;
  /** Who holds an address (a pod's or node's name), if known. */
  readonly nameOf: (ip: string) => string | undefined;
}

export interface PacketRef {
  /** From 1, in the flow. */
  readonly n: number;
  readonly dir: 'original' | 'reply';
  /** Packet span. */
  readonly span: Span;
}

/** One sentence per kind of event: a kind without one does not compile. */
export type Catalogue = { readonly [K in Kind]: (facts: FactsOf<K>, scene: Scene) => Told };

/** Words around the sentences of the catalogue. */
export interface Frame {
  packet(ref: PacketRef, kind: string | undefined): string;
  rule(number: number, of: number): string;
  step(n: number, total: number | undefined): string;
  /** Joins sentences. */
  join(parts: readonly string[]): string;
  /** Joins the parts of a place. */
  place(parts: readonly string[]): string;
  /** Joins packet and place. */
  at(packet: string | undefined, place: string): string;
  /** Spoken form of a text: ports, arrows, chain names. */
  spoken(text: string): string;
}
