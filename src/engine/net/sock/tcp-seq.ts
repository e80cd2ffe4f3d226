import { type Payload, TCP } from '../types';
import type { SockRecord, Tcb, TxSegment } from './records';

/** Modulo-2^32 arithmetic of sequence numbers (before/after of include/net/tcp.h). */
export const add = (a: number, n: number): number => (a + n) >>> 0;
export const diff = (a: number, b: number): number => (a - b) | 0;
export const before = (a: number, b: number): boolean => diff(a, b) < 0;
export const after = (a: number, b: number): boolean => diff(a, b) > 0;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
/** Working copy of a TCP socket while one segment or call is handled; committed once at the end. */
export type Conn = Mutable<Omit<SockRecord, 'tcp' | 'remote'>> & {
  tcp: Mutable<Tcb>;
  remote: NonNullable<SockRecord['remote']>;
};

export function conn(s: SockRecord): Conn | undefined {
  if (!s.tcp || !s.remote) return undefined;
  return { ...s, tcp: { ...s.tcp }, remote: s.remote };
}

/** Sequence space of a segment: data plus one for SYN and FIN each. */
export const seqLen = (flags: number, payload: Payload): number =>
  payload.len + ((flags & TCP.SYN) !== 0 ? 1 : 0) + ((flags & TCP.FIN) !== 0 ? 1 : 0);

/** A piece of a payload; a structured message stays whole and rides on the first piece. */
export function slice(p: Payload, from: number, len: number): Payload {
  if (from === 0 && len === p.len) return p;
  if (p.text !== undefined) return { len, text: p.text.slice(from, from + len) };
  return from === 0 && p.app !== undefined ? { len, app: p.app } : { len };
}

/** Cuts a write into segments of at most `mss` bytes; the last one carries PSH. */
export function segments(payload: Payload, seq: number, mss: number): TxSegment[] {
  const out: TxSegment[] = [];
  for (let at = 0; at < payload.len; at += mss) {
    const len = Math.min(mss, payload.len - at);
    const last = at + len >= payload.len;
    out.push({
      seq: add(seq, at),
      len,
      flags: TCP.ACK | (last ? TCP.PSH : 0),
      payload: slice(payload, at, len),
      sent: false,
    });
  }
  return out;
}

/** Segments again for a smaller MSS (path MTU discovery). */
export function resegment(queue: readonly TxSegment[], mss: number): TxSegment[] {
  return queue.flatMap((q) => {
    if (q.payload.len <= mss) return [{ ...q, sent: false }];
    const cut = segments(q.payload, q.seq, mss);
    const last = cut.length - 1;
    return cut.map((c, i) => (i === last ? { ...c, flags: q.flags, len: seqLen(q.flags, c.payload) } : c));
  });
}
