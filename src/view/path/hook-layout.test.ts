import { describe, expect, test } from 'vitest';
import { inputAt } from '../gallery/maker';
import { BOOK, firstPacket, fromNode, type Story, THREE_NODES, toNode } from '../gallery/story';
import { buildScene } from '../scene/build';
import type { HookMarks } from '../scene/types';
import { textWidth } from './geometry';
import { layoutHookLine, layoutUpright } from './hook-layout';

const marksAt = (s: Story, mark: string, horizon?: number): HookMarks => {
  const hook = buildScene(
    inputAt(s.trace, THREE_NODES, BOOK, s.marks[mark] ?? 0, horizon === undefined ? {} : { horizon }),
  ).hook;
  if (!hook) throw new Error(`no hooks at ${mark}`);
  return hook;
};
const table = (m: HookMarks, width = 800) => layoutHookLine(m, width).stops.map((b) => `${b.stop.id} ${b.at.x}`);
const first = firstPacket();

describe('line of hooks at 800 px', () => {
  test('stands at the table of places, in the kernel’s order', () => {
    expect(table(marksAt(first, 'nat'))).toEqual([
      'dev-in 36',
      'prerouting.raw 100',
      'prerouting.conntrack 162',
      'prerouting.mangle 224',
      'prerouting.nat 296',
      'route.input 372',
      'forward.mangle 440',
      'forward.filter 504',
      'postrouting.mangle 576',
      'postrouting.nat 640',
      'postrouting.confirm 704',
      'dev-out 768',
    ]);
    expect(layoutHookLine(marksAt(first, 'nat'), 800).bands.map((b) => [b.hook, b.box.x, b.box.x + b.box.w])).toEqual([
      ['prerouting', 74, 326],
      ['forward', 410, 534],
      ['postrouting', 546, 734],
    ]);
  });
  test('is mirrored for a reply; the hooks’ names move with it', () => {
    const l = layoutHookLine(marksAt(first, 'reverse'), 800);
    expect(l.stops.map((b) => b.at.x)).toEqual([764, 700, 638, 576, 504, 428, 360, 296, 224, 160, 96, 32]);
    expect(l.bands[0]).toMatchObject({ hook: 'prerouting', box: { x: 474, w: 252 } });
  });
  test('runs through INPUT into the process for what is delivered here', () => {
    expect(table(marksAt(toNode(), 'input')).map((t) => t.split(' ')[0])).toEqual([
      'dev-in',
      'prerouting.raw',
      'prerouting.conntrack',
      'prerouting.mangle',
      'prerouting.nat',
      'route.input',
      'input.mangle',
      'input.filter',
      'input.nat',
      'input.confirm',
      'proc-out',
    ]);
  });
  test('starts at the process for what is made here, with the second routing decision after OUTPUT', () => {
    const ids = marksAt(fromNode(), 'outRewrite').stops.map((s) => s.id);
    expect(ids.slice(0, 3)).toEqual(['proc-in', 'route.output', 'output.raw']);
    expect(ids.indexOf('route.reroute')).toBeGreaterThan(ids.indexOf('output.nat'));
  });
  test('a hook without registered table is a broken outline that the way passes through', () => {
    const stops = marksAt(first, 'nat').stops;
    expect(stops.filter((s) => s.state === 'none').map((s) => s.id)).toEqual(['prerouting.raw']);
    expect(stops.filter((s) => s.state === 'passed').map((s) => s.id)).toEqual([
      'dev-in',
      'prerouting.conntrack',
      'prerouting.mangle',
    ]);
    expect(stops.find((s) => s.state === 'now')?.id).toBe('prerouting.nat');
  });
  test('does not tell the way out while nothing after the cursor may be shown', () => {
    const cursor = first.marks.nat ?? 0;
    const hidden = marksAt(first, 'nat', cursor);
    expect(hidden.aheadTo).toBeUndefined();
    expect(marksAt(first, 'nat').aheadTo).toBe(11);
  });
});

describe('narrow lines', () => {
  test('merge the stations of other hooks', () => {
    const l = layoutHookLine(marksAt(first, 'nat'), 560);
    expect(l.stops.map((b) => b.merged.length)).toEqual([1, 1, 1, 1, 1, 1, 2, 3, 1]);
    expect(l.points).toHaveLength(12);
    const xs = l.stops.map((b) => b.at.x);
    expect(xs.every((x, i) => i === 0 || x > (xs[i - 1] ?? 0))).toBe(true);
    expect(Math.max(...xs)).toBeLessThan(560);
  });
  test('stand upright on a phone, with room under the open station', () => {
    const l = layoutUpright(marksAt(first, 'nat'), 390, { at: 4, room: 100 });
    const ys = l.stops.map((b) => b.at.y);
    expect(ys.slice(0, 6)).toEqual([20, 54, 88, 122, 156, 290]);
    expect(l.stops.every((b) => b.at.x === 28)).toBe(true);
  });
});

describe('where stations are drawn as one', () => {
  test.each(['nat', 'route', 'reverse'])('no name touches another at 640 px, the packet at %s', (mark) => {
    const layout = layoutHookLine(marksAt(first, mark), 640);
    const texts = layout.stops
      .filter((b) => b.stop.kind === 'station')
      .map((b) => {
        const w = textWidth(b.merged.map((s) => s.name).join(', '), false);
        return { from: b.name.x - w / 2, to: b.name.x + w / 2 };
      })
      .sort((a, b) => a.from - b.from);
    for (const [i, t] of texts.slice(1).entries()) expect(t.from).toBeGreaterThan((texts[i] as { to: number }).to);
    const boxes = layout.bands.map((b) => b.box).sort((a, b) => a.x - b.x);
    for (const [i, box] of boxes.slice(1).entries()) {
      const before = boxes[i];
      expect(box.x).toBeGreaterThan((before?.x ?? 0) + (before?.w ?? 0));
    }
  });
});
