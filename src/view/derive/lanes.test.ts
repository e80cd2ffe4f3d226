import { describe, expect, test } from 'vitest';
import type { Span, TraceEvent } from '../../engine/trace';
import { lanesOf, rowsOf, ticks } from './lanes';

const spans: Span[] = [];
const events: TraceEvent[] = [];
const span = (parent: number, kind: Span['kind'], label: string, facts: Span['facts'] = {}, netns?: string): number => {
  const id = spans.length + 1;
  const where = netns === undefined ? {} : { netns };
  spans.push({ id, parent, kind, label, where, facts, startSeq: events.length + 1 });
  return id;
};
const emit = (at: number, kind: string, facts: object = {}): void => {
  events.push({
    seq: events.length + 1,
    atUs: events.length * 10,
    span: at,
    kind,
    where: {},
    facts: facts as never,
    diff: [],
  });
};
const flow = (proto: string, src: string, dst: string, dport: number): number =>
  span(0, 'flow', `${proto} ${src} > ${dst}`, { proto, src, dst, sport: 40000, dport });
const packet = (
  of: number,
  no: number,
  dir: string,
  kinds: readonly string[],
  netns: readonly string[],
  seq = no,
): void => {
  const p = span(of, 'packet', 'SYN', { no, dir, flow: of });
  kinds.forEach((kind, i) => {
    const ns = span(p, 'netns', netns[i] ?? '', {}, netns[i]);
    const l4 = { kind: 'tcp', flags: 2, seq, payload: { len: 0 } };
    emit(ns, kind, { packet: { id: no, ip: { src: '10.0.0.1', dst: '10.0.0.2' }, l4 } });
  });
};

// A command's event, a name look-up of one query, then a connection whose SYN is sent twice.
emit(0, 'command.start');
emit(0, 'dns.lookup', { name: 'web', candidates: ['web.default.svc.cluster.local.'] });
const dns = flow('udp', '10.0.0.1', '10.96.0.10', 53);
packet(dns, 1, 'original', ['pkt.made', 'pkt.rewrite'], ['pod', 'node']);
packet(dns, 2, 'reply', ['pkt.made', 'pkt.deliver'], ['dns', 'pod']);
emit(0, 'dns.answer', { name: 'web.default.svc.cluster.local.', answers: ['10.96.10.10'] });
const web = flow('tcp', '10.0.0.1', '10.96.10.10', 80);
packet(web, 1, 'original', ['pkt.made', 'ct.new', 'pkt.drop'], ['pod', 'node', 'node'], 7);
packet(web, 2, 'original', ['pkt.made', 'pkt.deliver'], ['pod', 'pod2'], 7);

describe('lanes', () => {
  const lanes = lanesOf(events, spans, 1, events.length);

  test('one lane a packet, numbered in its flow, in order of the flows', () => {
    expect(lanes.map((l) => [l.number, l.direction, l.dns])).toEqual([
      [1, 'request', true],
      [2, 'reply', true],
      [1, 'request', false],
      [2, 'request', false],
    ]);
  });
  test('a reply goes from the flow’s destination to its source', () => {
    expect([lanes[1]?.from, lanes[1]?.to]).toEqual(['10.96.0.10', '10.0.0.1']);
  });
  test('a crossing of each namespace is a segment of its own', () => {
    expect(lanes[2]?.segments.map((s) => s.netns)).toEqual(['pod', 'node']);
    expect(lanes[2]?.marks.map((m) => m.kind)).toEqual(['entry', 'drop']);
  });
  test('the same segment once more says how much later it comes', () => {
    expect(lanes[2]?.againAfterUs).toBeUndefined();
    expect(lanes[3]?.againAfterUs).toBe(30);
  });
  test('nothing beyond the horizon is in them', () => {
    const early = lanesOf(events, spans, 1, 4);
    expect(early).toHaveLength(1);
    expect(early[0]?.last).toBe(4);
    expect(JSON.stringify(early)).not.toContain('10.96.10.10');
  });
});

describe('rows', () => {
  const lanes = lanesOf(events, spans, 1, events.length);

  test('a look-up is one row with its name, its answer and its queries', () => {
    const [row] = rowsOf(lanes, events, events.length, new Set());
    expect(row).toMatchObject({
      kind: 'lookup',
      open: false,
      lookup: { name: 'web', answer: '10.96.10.10', queries: 1 },
    });
    expect(rowsOf(lanes, events, events.length, new Set())).toHaveLength(3);
  });
  test('opened it stands over its packets', () => {
    const id = lanes[0]?.id ?? 0;
    expect(rowsOf(lanes, events, events.length, new Set([id])).map((r) => r.kind)).toEqual([
      'lookup',
      'packet',
      'packet',
      'packet',
      'packet',
    ]);
  });
  test('an answer beyond the horizon is not told', () => {
    const early = lanesOf(events, spans, 1, 5);
    expect(rowsOf(early, events, 5, new Set())[0]).toMatchObject({ lookup: { answer: undefined } });
  });
});

describe('ticks of the axis', () => {
  test.each([
    [0, 5, [0]],
    [9, 10, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
    [118, 12, [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110]],
    [1000, 4, [0, 500, 1000]],
  ])('0 to %i in at most %i', (length, max, expected) => {
    expect(ticks(length, max)).toEqual(expected);
  });
});
