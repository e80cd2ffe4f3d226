import type { Span, TraceEvent } from '../engine/trace/events';
import type { PacketLike } from '../engine/trace/kinds';
import { destinationOf, deviceName, drawText, sourceOf } from './format';
import { whereOf } from './narrate';

interface Loose {
  readonly packet?: PacketLike;
  readonly number?: unknown;
  readonly goesTo?: unknown;
  readonly target?: unknown;
  readonly chain?: unknown;
  readonly via?: unknown;
  readonly oif?: unknown;
  readonly count?: unknown;
  readonly max?: unknown;
  readonly draw?: { readonly value: number; readonly below: number };
}

/** What an author's sentence at an event may name in braces: the event's own values, none of a later one. */
export function eventValues(e: TraceEvent, spans: readonly Span[]): Record<string, string> {
  const f = (e.facts ?? {}) as unknown as Loose;
  const values: Record<string, string> = {};
  const put = (name: string, v: unknown): void => {
    if (typeof v === 'string' || typeof v === 'number') values[name] = String(v);
  };
  if (f.packet) {
    put('src', sourceOf(f.packet));
    put('dst', destinationOf(f.packet));
    put('srcIp', f.packet.ip.src);
    put('dstIp', f.packet.ip.dst);
  }
  put('chain', f.chain ?? whereOf(e, spans).chain);
  put('number', f.number);
  put('goesTo', f.goesTo);
  put('target', f.target);
  put('via', f.via);
  if (typeof f.oif === 'string') put('oif', deviceName(f.oif));
  put('count', f.count);
  put('max', f.max);
  if (f.draw) {
    const { drew, needs } = drawText(f.draw.value, f.draw.below);
    put('drew', drew);
    put('needs', needs);
  }
  return values;
}

/** Names that `eventValues` can give, for the check of captions. */
export const EVENT_VALUES: readonly string[] = [
  'src',
  'dst',
  'srcIp',
  'dstIp',
  'chain',
  'number',
  'goesTo',
  'target',
  'via',
  'oif',
  'count',
  'max',
  'drew',
  'needs',
];
