import { describe, expect, test } from 'vitest';
import { inputAt, TraceMaker } from '../gallery/maker';
import {
  BOOK,
  CHAINS,
  firstPacket,
  hairpin,
  rejected,
  type Story,
  THREE_NODES,
  tableFull,
  toNode,
} from '../gallery/story';
import { buildScene } from './build';
import { PacketIndex } from './select';
import type { Scene, SceneInput } from './types';
import { spotKey } from './visits';

const sceneAt = (s: Story, mark: string, more: Partial<SceneInput> = {}): Scene => {
  const cursor = s.marks[mark];
  if (cursor === undefined) throw new Error(mark);
  return buildScene(inputAt(s.trace, THREE_NODES, BOOK, cursor, more));
};
const chains = (s: Scene) => {
  if (s.opened?.kind !== 'chains') throw new Error(`opened ${s.opened?.kind}`);
  return s.opened;
};
const first = firstPacket();

describe('places on the map', () => {
  test('the way of a request, in order', () => {
    const s = sceneAt(first, 'arrive');
    expect(s.map.walked.map((v) => spotKey(v.spot))).toEqual([
      'pod node-1/default.client',
      'bridge node-1 node-1/default.client',
      'station node-1 PRE',
      'station node-1 FWD',
      'station node-1 POST',
      'door node-1',
      'door node-2',
      'station node-2 PRE',
      'station node-2 FWD',
      'station node-2 POST',
      'bridge node-2 node-2/default.web-2-10',
      'pod node-2/default.web-2-10',
    ]);
    expect(s.map.arrived).toBe(true);
    expect(s.map.from).toBe('node-1/default.client');
  });
  test('what is ahead is known only up to the horizon', () => {
    const cursor = first.marks.n1Rewrite ?? 0;
    expect(sceneAt(first, 'n1Rewrite').map.ahead.length).toBeGreaterThan(0);
    expect(sceneAt(first, 'n1Rewrite', { horizon: cursor }).map.ahead).toEqual([]);
  });
  test('the rewrite shows old and new until the packet leaves the namespace', () => {
    const after = { field: 'destination', before: '10.96.10.10:80', after: '10.244.2.10:8080', how: 'dnat' };
    expect(sceneAt(first, 'n1Rewrite').map.rewrite).toMatchObject(after);
    expect(sceneAt(first, 'wire').map.rewrite).toMatchObject(after);
    expect(sceneAt(first, 'n2Skip').map.rewrite).toBeUndefined();
    expect(sceneAt(first, 'reverse').map.rewrite).toMatchObject({
      field: 'source',
      before: '10.244.2.10:8080',
      after: '10.96.10.10:80',
      how: 'reverse',
    });
  });
  test('the Service is the one the packet asked for', () => {
    expect(sceneAt(first, 'reverse').service?.name).toBe('web');
    expect(sceneAt(toNode(), 'input').service).toBeUndefined();
  });
  test('local delivery renames the middle station of its room', () => {
    expect(sceneAt(toNode(), 'input').map.local).toEqual({ 'node-1': 'IN' });
  });
});

describe('opened chains', () => {
  test('misses with one reason fold into a number, a draw is shown', () => {
    const c = chains(sceneAt(first, 'n1Rewrite'));
    expect(c.panels.map((p) => p.rows.map((r) => r.kind))).toEqual([
      ['skip', 'rule', 'rest'],
      ['skip', 'rule', 'rule'],
      ['skip', 'rule'],
    ]);
    expect(c.panels[1]?.rows[1]).toMatchObject({
      matched: false,
      title: { text: 'random 0.50000000000' },
      detail: { code: 'drew', values: { draw: '0.731', below: '0.5' } },
    });
    expect(c.panels[2]?.rows[1]).toMatchObject({
      current: true,
      rewrites: true,
      title: { text: 'DNAT --to-destination' },
    });
    expect(c.exit).toEqual({ verdict: 'DNAT', how: 'rule', shown: true });
  });
  test('after a jump the packet stands at the first rule of the new chain', () => {
    const c = chains(sceneAt(first, 'n1Base', { horizon: first.marks.n1Base ?? 0 }));
    expect(c.panels.map((p) => p.chain)).toEqual(['KUBE-SERVICES']);
    expect(c.panels[0]?.rows).toMatchObject([
      { kind: 'test', number: 1, of: 3, title: { text: '10.96.0.1/32 tcp 443' } },
      { kind: 'rest', count: 2, read: 'not-yet' },
    ]);
    expect(c.exit).toBeUndefined();
  });
  test('a chain that came back leaves its row, marked', () => {
    const c = chains(sceneAt(first, 'n1Policy'));
    expect(c.panels.map((p) => p.chain)).toEqual(['FORWARD']);
    expect(c.panels[0]?.rows).toMatchObject([
      { back: true },
      { back: true },
      { back: true },
      { kind: 'skip' },
      { kind: 'policy', policy: 'ACCEPT', current: true },
    ]);
  });
  test('a chain that is coming back is still open', () => {
    const c = chains(sceneAt(hairpin(), 'back'));
    expect(c.returning).toBe(true);
    expect(c.panels.map((p) => p.chain)).toEqual(['KUBE-SERVICES', CHAINS.SVC, CHAINS.SEP2, 'KUBE-MARK-MASQ']);
    expect(chains(sceneAt(hairpin(), 'dnat')).panels).toHaveLength(3);
  });
  test('a drop by a rule stands on its row and has no way out', () => {
    const s = sceneAt(rejected(), 'drop');
    expect(chains(s).exit).toMatchObject({ verdict: 'REJECT', shown: false });
    expect(s.drop).toMatchObject({
      reason: 'rule',
      answered: 'icmp',
      neverReached: 3,
      where: { hook: 'FORWARD', chain: 'KUBE-SERVICES' },
    });
  });
});

describe('what else opens', () => {
  test.each([
    ['ctNew', 'entry'],
    ['route', 'route'],
    ['reverse', 'entry'],
    ['notAsked-node-1', 'not-asked'],
    ['wire', 'device'],
    ['arrive', 'process'],
  ])('%s: %s', (mark, kind) => {
    expect(sceneAt(first, mark).opened?.kind).toBe(kind);
  });
  test('the entry of the reverse translation: which tuple, what is written', () => {
    expect(sceneAt(first, 'reverse').opened).toMatchObject({
      entry: {
        phase: 'translated',
        match: 'reply',
        state: 'SYN_RECV',
        orig: { dst: '10.96.10.10:80' },
        rewrite: { after: '10.96.10.10:80' },
      },
    });
  });
  test('a full table: the packet ends at conntrack, the rest is never reached', () => {
    const s = sceneAt(tableFull(), 'drop');
    expect(s.opened?.kind).toBe('drop');
    expect(s.drop).toMatchObject({
      reason: 'conntrack-full',
      neverReached: 8,
      where: { name: 'node-2', hook: 'PREROUTING', station: 'conntrack −200' },
      conntrack: { max: 262144 },
    });
    expect(s.hook?.stops.filter((x) => x.state === 'never').length).toBeGreaterThan(6);
    expect(s.hook?.aheadTo).toBeUndefined();
  });
  test('an event outside of packets gets the generic card', () => {
    const t = new TraceMaker();
    t.at({ node: 'node-2' });
    t.add('proxy.synced', { node: 'node-2', rulesBefore: 3, rulesAfter: 5 });
    const s = buildScene(inputAt(t, THREE_NODES, BOOK, 1));
    expect(s.card).toMatchObject({ kind: 'proxy.synced', place: ['node-2'] });
    expect(s.hook).toBeUndefined();
  });
  test('the tables read on the way stand beside an entry', () => {
    expect(sceneAt(first, 'reverse').hook?.tablesRead.filter((x) => x.read > 0)).toEqual([
      {
        hook: 'FORWARD',
        table: 'filter',
        read: 5,
        verdict: 'ACCEPT',
        chain: 'KUBE-FORWARD',
        rule: 3,
        condition: 'ctstate RELATED,ESTABLISHED',
      },
    ]);
  });
});

describe('breadcrumb', () => {
  test('names every level down to the chain', () => {
    expect(sceneAt(first, 'n1Rewrite').crumbs.map((c) => c.text)).toEqual([
      'cluster',
      'node-1',
      'PREROUTING',
      'nat',
      CHAINS.SEP2,
    ]);
    expect(sceneAt(first, 'reverse').crumbs.map((c) => c.text)).toEqual([
      'cluster',
      'node-1',
      'POSTROUTING',
      'nat 100',
    ]);
    expect(sceneAt(first, 'made').crumbs.map((c) => c.text)).toEqual(['cluster', 'node-1', 'client']);
  });
});

describe('the packet at a cursor', () => {
  test('has its number, role and events up to the horizon, however the trace grows', () => {
    const s = firstPacket();
    const index = new PacketIndex(s.trace);
    const at = index.at(s.marks.reverse ?? 0, s.trace.events.length);
    expect(at?.packet).toMatchObject({ number: 2, role: 'reply', form: 'tag', label: 'SYN/ACK' });
    expect(at?.events[0]?.kind).toBe('pkt.made');
    const early = index.at(s.marks.nat ?? 0, s.marks.nat ?? 0);
    expect(early?.packet).toMatchObject({ number: 1, role: 'request' });
    expect(early?.events.every((e) => e.seq <= (s.marks.nat ?? 0))).toBe(true);
    s.trace.add('kernel.log', { line: 'x' });
    expect(index.at(s.trace.events.length, s.trace.events.length)?.packet.number).toBe(2);
  });
  test('an event outside of packets keeps the last packet, not one from before the origin', () => {
    const t = new TraceMaker();
    t.add('state.changed', { count: 1 });
    expect(new PacketIndex(t).at(1, 1, 0)).toBeUndefined();
  });
});
