import { assert } from '../base/assert';
import { Hash64 } from '../base/hash';
import { freeze, type Json } from '../base/json';
import type { World } from '../base/recordmap';
import type { Place, Span, SpanKind, TraceEvent, TraceLevel } from './events';
import type { FactsOf, Kind } from './kinds';

/** Events of one run at most; beyond it only `state.changed` events keep the replica true. */
export const MAX_EVENTS = 1_000_000;

export interface SpanSpec {
  readonly kind: SpanKind;
  readonly label: string;
  readonly where?: Place;
  readonly facts?: Span['facts'];
  /** Default: the current span. */
  readonly parent?: number;
}

/**
 * Collects events and spans. Every change of state lands in the diff of exactly one event: an event that the trace
 * level suppresses leaves its changes to the next one.
 */
export class Recorder {
  private readonly list: TraceEvent[] = [];
  private readonly spanList: Span[] = [];
  private readonly stack: number[] = [];
  private level: TraceLevel = 'full';
  private hashed = 0;
  private readonly hasher = new Hash64();

  constructor(private readonly world: World) {}

  get events(): readonly TraceEvent[] {
    return this.list;
  }
  /** Span with id n is at index n - 1. */
  get spans(): readonly Span[] {
    return this.spanList;
  }
  get head(): number {
    return this.list.length;
  }
  get span(): number {
    return this.stack[this.stack.length - 1] ?? 0;
  }

  /** Makes a span without entering it. */
  openSpan(spec: SpanSpec): number {
    const id = this.spanList.length + 1;
    this.spanList.push(
      freeze({
        id,
        parent: spec.parent ?? this.span,
        kind: spec.kind,
        label: spec.label,
        where: spec.where ?? {},
        facts: spec.facts ?? {},
        startSeq: this.head + 1,
      }),
    );
    return id;
  }

  /** Runs `body` with `span` as the current one. */
  within<T>(span: number, body: () => T): T {
    const depth = this.stack.push(span);
    try {
      return body();
    } finally {
      assert(this.stack.length === depth, 'span stack out of step');
      this.stack.pop();
    }
  }

  /** Opens a span and runs `body` in it. */
  inSpan<T>(spec: SpanSpec, body: () => T): T {
    return this.within(this.openSpan(spec), body);
  }

  /** Runs `body` at another trace level: `summary` and `bulk` suppress `full` events. */
  atLevel<T>(level: TraceLevel, body: () => T): T {
    const was = this.level;
    this.level = level;
    try {
      return body();
    } finally {
      this.level = was;
    }
  }

  get detailed(): boolean {
    return this.level === 'full' && this.list.length < MAX_EVENTS;
  }

  /** Records an event of detail `full`; dropped (its changes kept for the next) when the level is lower. */
  emit<K extends Kind>(kind: K, facts: FactsOf<K>, where: Place = {}): void {
    if (this.detailed) this.push(kind, facts as unknown as Json, where);
  }

  /** Records an event whatever the level: control plane, drops, log lines, processes. */
  emitAlways<K extends Kind>(kind: K, facts: FactsOf<K>, where: Place = {}): void {
    this.push(kind, facts as unknown as Json, where);
  }

  /** Puts changes that no event carried into one; the simulator calls it after every handler. */
  flush(): void {
    if (!this.world.hasPending) return;
    const diff = this.world.takeChanges();
    if (diff.length === 0) return;
    this.list.push(this.make('state.changed', { count: diff.length }, {}, diff));
  }

  private push(kind: string, facts: Json, where: Place): void {
    this.list.push(this.make(kind, facts, where, this.world.takeChanges()));
  }
  private make(kind: string, facts: Json, where: Place, diff: TraceEvent['diff']): TraceEvent {
    return freeze({ seq: this.list.length + 1, atUs: this.world.nowUs, span: this.span, kind, where, facts, diff });
  }

  /** Hash over all events so far, 16 hex digits; work is done once per event. */
  hash(): string {
    for (; this.hashed < this.list.length; this.hashed++) this.hasher.update(JSON.stringify(this.list[this.hashed]));
    return this.hasher.digest();
  }
}
