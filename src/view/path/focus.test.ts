import { describe, expect, test } from 'vitest';
import { inputAt } from '../gallery/maker';
import { BOOK, firstPacket, THREE_NODES } from '../gallery/story';
import { buildScene } from '../scene/build';
import { mapItems } from './ClusterMap';
import { type FocusItem, itemAt, nextItem } from './focus';
import { pt } from './geometry';
import { layoutMap } from './map-layout';

const first = firstPacket();
const scene = buildScene(inputAt(first.trace, THREE_NODES, BOOK, first.marks.n1Rewrite ?? 0));
const items = mapItems(layoutMap(THREE_NODES, 800), scene);
const item = (id: string): FocusItem => {
  const found = items.find((i) => i.id === id);
  if (!found) throw new Error(id);
  return found;
};
const go = (id: string, ...keys: string[]): string => {
  let at = item(id);
  for (const k of keys) at = nextItem(items, at, k) ?? at;
  return at.id;
};

describe('arrows on the map', () => {
  test('move between rooms, pods and stations', () => {
    expect(go('node node-1', 'ArrowDown')).toMatch(/^pod node-1/);
    expect(go('pod node-1/default.client', 'ArrowRight')).toBe('pod node-1/default.web-1-10');
    expect(go('pod node-1/default.client', 'ArrowDown')).toBe('station node-1 PRE');
    expect(go('station node-1 POST', 'ArrowRight')).toBe('station node-2 PRE');
    expect(go('node node-1', 'ArrowRight', 'ArrowRight')).toBe('node node-3');
  });
  test('stay where there is nothing further', () => {
    expect(nextItem(items, item('node node-3'), 'ArrowRight')).toBeUndefined();
    expect(nextItem(items, item('node node-3'), 'Enter')).toBeUndefined();
  });
  test('a click takes the smallest thing under it', () => {
    expect(itemAt(items, pt(210, 70))?.id).toBe('pod node-1/default.client');
    expect(itemAt(items, pt(4, 4))).toBeUndefined();
  });
});
