import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { node, THREE_NODES } from '../gallery/story';
import type { Topology, TopoPod } from '../scene/types';
import type { Rect } from './geometry';
import { type Focus, layoutMap, NO_FOCUS, natural } from './map-layout';
import { routeBetween, spotPoint } from './map-routes';

const pods = (n: number, count: number): TopoPod[] =>
  Array.from({ length: count }, (_, i) => ({
    namespace: 'default',
    name: `app-${i + 1}`,
    netns: `node-${n}/default.app-${i + 1}`,
    address: `10.244.${n}.${i + 2}`,
    state: 'ready',
  }));
const cluster = (nodes: number, each: number): Topology => ({
  ...THREE_NODES,
  nodes: Array.from({ length: nodes }, (_, i) => node(i + 1, pods(i + 1, each))),
});
const apart = (a: Rect, b: Rect): boolean =>
  a.x + a.w <= b.x + 0.01 || b.x + b.w <= a.x + 0.01 || a.y + a.h <= b.y + 0.01 || b.y + b.h <= a.y + 0.01;
const within = (inner: Rect, outer: Rect): boolean =>
  inner.x >= outer.x - 0.01 &&
  inner.y >= outer.y - 0.01 &&
  inner.x + inner.w <= outer.x + outer.w + 0.01 &&
  inner.y + inner.h <= outer.y + outer.h + 0.01;

describe('three nodes at 800 px', () => {
  const l = layoutMap(THREE_NODES, 800);
  test('rooms, pods, bridge, strip and door stand where the rules say', () => {
    expect(l.rooms.map((r) => r.box)).toEqual([
      { x: 156, y: 12, w: 204, h: 214 },
      { x: 368, y: 12, w: 204, h: 214 },
      { x: 580, y: 12, w: 204, h: 214 },
    ]);
    const room = l.rooms[0];
    expect(room?.pods.map((p) => p.box)).toEqual([
      { x: 164, y: 48, w: 92, h: 44 },
      { x: 260, y: 48, w: 92, h: 44 },
    ]);
    expect(room?.bridge?.box).toEqual({ x: 164, y: 108, w: 188, h: 20 });
    expect(room?.strip).toEqual({ x: 164, y: 142, w: 188, h: 44 });
    expect(room?.door?.box).toEqual({ x: 230, y: 215, w: 56, h: 22 });
    expect(room?.stations.FWD).toEqual({ x: 258, y: 160 });
    expect(Math.round((room?.stations.PRE.x ?? 0) * 10)).toBe(1953);
    expect(l.height).toBe(280);
    expect(l.trunks).toEqual([
      [
        { x: 82, y: 262 },
        { x: 682, y: 262 },
      ],
    ]);
  });
  test('pods stand in natural order, whatever order they came in', () => {
    expect(['web-10', 'web-9', 'db-2', 'web-2'].sort(natural)).toEqual(['db-2', 'web-2', 'web-9', 'web-10']);
    const turned = {
      ...THREE_NODES,
      nodes: [...THREE_NODES.nodes].reverse().map((n) => ({ ...n, pods: [...n.pods].reverse() })),
    };
    expect(layoutMap(turned, 800)).toEqual(l);
  });
});

describe('1 to 40 nodes, 0 to 300 pods', () => {
  test('nothing overlaps and nothing leaves the stage', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 640, max: 1400 }),
        (n, p, width) => {
          const focus: Focus = { ...NO_FOCUS, netns: new Set(['node-1/default.app-1']), nodes: new Set([`node-${n}`]) };
          const l = layoutMap(cluster(n, p), width, focus);
          const stage = { x: 0, y: 0, w: width, h: l.height };
          for (const [i, room] of l.rooms.entries()) {
            expect(within(room.box, stage)).toBe(true);
            for (const other of l.rooms.slice(i + 1)) expect(apart(room.box, other.box)).toBe(true);
            for (const [k, pod] of room.pods.entries()) {
              expect(within(pod.box, room.box)).toBe(true);
              if (room.bridge) expect(pod.box.y + pod.box.h).toBeLessThanOrEqual(room.bridge.box.y + 0.01);
              for (const other of room.pods.slice(k + 1)) expect(apart(pod.box, other.box)).toBe(true);
            }
            const shown = room.pods.length + room.uncounted;
            expect(shown).toBe(p);
          }
          expect(l.rooms.length + (l.more?.count ?? 0)).toBe(n);
        },
      ),
      { numRuns: 60 },
    );
  });
  test.each([
    [1, 420],
    [2, 310],
    [3, 204],
    [4, 151],
    [6, 98],
  ])('%i nodes are %i px wide', (n, width) => {
    expect(Math.round(layoutMap(cluster(n, 1), 800).rooms[0]?.box.w ?? 0)).toBe(width);
  });
  test('more than a row of pods: followed ones keep their box, the others are beads, then dots, then a number', () => {
    const focus: Focus = { ...NO_FOCUS, netns: new Set(['node-1/default.app-7']) };
    const forms = (count: number) => {
      const room = layoutMap(cluster(3, count), 800, focus).rooms[0];
      const by = (form: string) => room?.pods.filter((p) => p.form === form).length;
      return [by('full'), by('bead'), by('dot'), room?.uncounted];
    };
    expect(forms(4)).toEqual([4, 0, 0, 0]);
    expect(forms(20)).toEqual([1, 19, 0, 0]);
    expect(forms(60)).toEqual([1, 0, 59, 0]);
    expect(forms(216)).toEqual([2, 0, 0, 214]);
  });
  test('rooms of a row take the height of the tallest', () => {
    const [first, ...rest] = THREE_NODES.nodes;
    if (!first) throw new Error('no node');
    const l = layoutMap({ ...THREE_NODES, nodes: [{ ...first, pods: pods(1, 4) }, ...rest] }, 800);
    expect(l.rooms.map((r) => r.box.h)).toEqual([262, 262, 262]);
    expect(l.height).toBe(328);
  });
});

describe('ways', () => {
  const l = layoutMap(THREE_NODES, 800);
  const client = { at: 'pod', node: 'node-1', netns: 'node-1/default.client' } as const;
  const web = { at: 'pod', node: 'node-2', netns: 'node-2/default.web-2-10' } as const;
  test('go down from a pod over the bridge to PRE, along the rail and by the door to the wire', () => {
    const line = routeBetween(l, client, { at: 'door', node: 'node-1' });
    expect(line.map((p) => [Math.round(p.x), p.y])).toEqual([
      [210, 92],
      [210, 118],
      [195, 118],
      [195, 160],
      [321, 160],
      [321, 202],
      [258, 202],
      [258, 226],
    ]);
  });
  test('are orthogonal and stay the same streets in both directions of a wire', () => {
    for (const [a, b] of [
      [client, web],
      [web, client],
      [{ at: 'machine', netns: 'outside' } as const, web],
    ] as const) {
      const line = routeBetween(l, a, b);
      expect(line.length).toBeGreaterThan(6);
      line.slice(1).forEach((p, i) => {
        const q = line[i];
        expect(Math.abs(p.x - (q?.x ?? 0)) < 0.01 || Math.abs(p.y - (q?.y ?? 0)) < 0.01).toBe(true);
      });
      expect(line[line.length - 1]).toEqual(spotPoint(l, b));
    }
  });
  test('pods of one bridge meet on the bridge', () => {
    const other = { at: 'pod', node: 'node-1', netns: 'node-1/default.web-1-10' } as const;
    expect(routeBetween(l, client, other).map((p) => p.y)).toEqual([92, 118, 118, 92]);
  });
});
