import type { Json } from '../base/json';
import type { Change } from '../base/recordmap';

/** Where something happened: names, never coordinates. */
export interface Place {
  readonly node?: string;
  readonly netns?: string;
  readonly hook?: string;
  readonly table?: string;
  readonly chain?: string;
  readonly dev?: string;
}

/** Spans nest as in a debugger. `control` spans hold control-plane work. */
export type SpanKind = 'command' | 'flow' | 'packet' | 'netns' | 'hook' | 'table' | 'chain' | 'control' | 'process';

export interface Span {
  readonly id: number;
  /** 0: top level. */
  readonly parent: number;
  readonly kind: SpanKind;
  /** Short code for display, e.g. the chain's name, `SYN`, the command line. */
  readonly label: string;
  readonly where: Place;
  /** Extra values, e.g. the flow's tuple, packet number in the flow, direction. */
  readonly facts: { readonly [key: string]: Json | undefined };
  /** Sequence number that the next event had when the span was opened. */
  readonly startSeq: number;
}

/** `full` events are kept for followed flows only; `summary` and `bulk` always. */
export type TraceLevel = 'full' | 'summary' | 'bulk';

/**
 * One event. `facts` are plain values typed per kind in FactsOf (see kinds.ts); `diff` carries every record that
 * changed since the event before it, so that a replica can follow.
 */
export interface TraceEvent {
  /** 1-based; the cursor is the number of applied events, so the event at cursor n has seq n. */
  readonly seq: number;
  readonly atUs: number;
  readonly span: number;
  readonly kind: string;
  readonly where: Place;
  readonly facts: Json;
  readonly diff: readonly Change[];
}
