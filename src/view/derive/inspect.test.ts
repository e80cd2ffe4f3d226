import { describe, expect, test } from 'vitest';
import type { Span, TraceEvent } from '../../engine/trace';
import { inspect, tupleEnds } from './inspect';

const spans: Span[] = [
  { id: 1, parent: 0, kind: 'packet', label: 'SYN', where: {}, facts: { no: 1, dir: 'original' }, startSeq: 1 },
  {
    id: 2,
    parent: 1,
    kind: 'netns',
    label: 'node-1',
    where: { netns: 'node-1', node: 'node-1' },
    facts: {},
    startSeq: 1,
  },
  {
    id: 3,
    parent: 1,
    kind: 'netns',
    label: 'node-2',
    where: { netns: 'node-2', node: 'node-2' },
    facts: {},
    startSeq: 5,
  },
];
const events: TraceEvent[] = [];
const emit = (span: number, kind: string, facts: object): void => {
  events.push({ seq: events.length + 1, atUs: 0, span, kind, where: {}, facts: facts as never, diff: [] });
};
const packet = (dst: string, dport: number) => ({
  id: 1,
  ip: { family: 4, src: '10.244.1.100', dst, proto: 6, ttl: 64, tos: 0, id: 0, df: true },
  l4: { kind: 'tcp', sport: 41002, dport, flags: 2 },
});
const asked = packet('10.96.10.10', 80);
const chosen = packet('10.244.2.10', 8080);
const ct = {
  id: 'c',
  orig: { proto: 'tcp', src: '10.244.1.100', dst: '10.96.10.10', sport: 41002, dport: 80 },
  status: [],
};
const rule = {
  packet: asked,
  ruleId: 'r',
  chain: 'KUBE-SEP',
  number: 2,
  rules: 2,
  matched: true,
  matches: [],
  text: '-j DNAT',
};

emit(2, 'dev.rcv', { packet: asked, dev: 'cni0' });
emit(2, 'ct.new', { packet: asked, ct: { ...ct, reply: ct.orig } });
emit(2, 'nf.rule', rule);
emit(2, 'pkt.rewrite', {
  packet: chosen,
  before: asked,
  how: 'dnat',
  fields: [
    { field: 'dst', before: '10.96.10.10', after: '10.244.2.10' },
    { field: 'dport', before: '80', after: '8080' },
  ],
});
emit(3, 'dev.rcv', { packet: chosen, dev: 'eth0' });

const field = (cursor: number, name: string) => inspect(events, spans, cursor)?.fields.find((f) => f.name === name);

describe('the inspector', () => {
  test('a rewrite shows both values in its own step only', () => {
    expect(field(4, 'dst')).toEqual({ name: 'dst', value: '10.244.2.10', before: '10.96.10.10' });
    expect(inspect(events, spans, 4)?.changed).toBe(2);
    expect(field(5, 'dst')).toEqual({ name: 'dst', value: '10.244.2.10' });
    expect(field(3, 'dst')).toEqual({ name: 'dst', value: '10.96.10.10' });
  });
  test('the rule that rewrote is shown with the rewrite', () => {
    expect(inspect(events, spans, 4)?.rule).toMatchObject({ ruleId: 'r' });
    expect(inspect(events, spans, 2)?.rule).toBeUndefined();
  });
  test('the entry belongs to the kernel that the packet is in', () => {
    expect(inspect(events, spans, 4)?.entry).toMatchObject({ inTable: false, info: 'NEW' });
    expect(inspect(events, spans, 5)?.entry).toBeUndefined();
  });
  test('what was asked for stays known after the rewrite', () => {
    expect(inspect(events, spans, 5)?.wasTo).toBe('10.96.10.10:80');
    expect(inspect(events, spans, 1)?.wasTo).toBeUndefined();
  });
  test('nothing stands at cursor 0', () => {
    expect(inspect(events, spans, 0)).toBeUndefined();
  });
});

test('the ends of a tuple: ports, or the id of an echo', () => {
  expect(tupleEnds(ct.orig)).toEqual({ src: '10.244.1.100:41002', dst: '10.96.10.10:80' });
  expect(tupleEnds({ proto: 'icmp', src: '10.0.0.1', dst: '10.0.0.2', icmpId: 77 })).toEqual({
    src: '10.0.0.1',
    dst: '10.0.0.2 id 77',
  });
});
