import { describe, expect, test } from 'vitest';
import { inputAt } from '../gallery/maker';
import { BOOK, firstPacket, hairpin, type Story, THREE_NODES } from '../gallery/story';
import { buildScene } from '../scene/build';
import { layoutBranch, layoutUprightBranch } from './branch-layout';
import { pt } from './geometry';

const chainsAt = (s: Story, mark: string) => {
  const opened = buildScene(inputAt(s.trace, THREE_NODES, BOOK, s.marks[mark] ?? 0)).opened;
  if (opened?.kind !== 'chains') throw new Error(`no chains at ${mark}`);
  return opened;
};

describe('branch at 800 px', () => {
  const l = layoutBranch(chainsAt(firstPacket(), 'n1Rewrite'), 800, pt(296, 84), 334);
  test('three panels beside each other, rows below their title', () => {
    expect(l.panels.map((p) => [p.panel.chain, p.box])).toEqual([
      ['KUBE-SERVICES', { x: 16, y: 172, w: 240, h: 128 }],
      ['KUBE-SVC-LOLE4ISW44XBNF3G', { x: 280, y: 172, w: 240, h: 148 }],
      ['KUBE-SEP-6UPWGGTAKQAHVD27', { x: 544, y: 172, w: 240, h: 104 }],
    ]);
    expect(l.panels[0]?.rows.map((r) => [r.row.kind, r.box.y, r.box.h])).toEqual([
      ['skip', 204, 24],
      ['rule', 228, 44],
      ['rest', 272, 24],
    ]);
  });
  test('the way underlines each rule that decided, and ends on the row under the cursor', () => {
    expect(l.walked.slice(0, 4)).toEqual([pt(296, 84), pt(296, 152), pt(32, 152), pt(32, 271)]);
    expect(l.walked.slice(4, 7)).toEqual([pt(268, 271), pt(268, 188), pt(296, 188)]);
    expect(l.head).toEqual(pt(560, 250));
  });
  test('DNAT leads out at the right edge and back onto the rail', () => {
    expect(l.exit).toEqual([pt(560, 250), pt(560, 271), pt(792, 271), pt(792, 152), pt(334, 152), pt(334, 86)]);
  });
  test('the base chain is named on the branch', () => {
    expect(chainsAt(firstPacket(), 'n1Rewrite').via).toEqual({ chain: 'PREROUTING', rule: 1 });
    expect(l.via).toEqual(pt(164, 152));
  });
});

describe('deeper than the stage is wide', () => {
  test('the oldest panel folds to a stub', () => {
    const l = layoutBranch(chainsAt(hairpin(), 'mark'), 800, pt(296, 84), 334);
    expect(l.stubs.map((s) => [s.panel.chain, s.box])).toEqual([['KUBE-SERVICES', { x: 16, y: 172, w: 32, h: 32 }]]);
    expect(l.panels).toHaveLength(3);
    for (const p of l.panels) expect(p.box.x + p.box.w).toBeLessThanOrEqual(784.1);
  });
  test('at any width at least the chain under the cursor is shown whole', () => {
    for (let width = 300; width <= 1200; width += 50) {
      const l = layoutBranch(chainsAt(hairpin(), 'mark'), width, pt(200, 84), 230);
      expect(l.panels[l.panels.length - 1]?.panel.chain).toBe('KUBE-MARK-MASQ');
      expect(l.stubs.length + l.panels.length).toBe(4);
    }
  });
});

describe('on a phone', () => {
  test('chains are sections of one panel, each with its station on the branch', () => {
    const l = layoutUprightBranch(chainsAt(firstPacket(), 'n1Rewrite'), 390, pt(28, 156));
    expect(l.sections.map((s) => s.panel.chain)).toHaveLength(3);
    const ys = l.sections.map((s) => s.station?.y ?? 0);
    expect(ys).toEqual([...ys].sort((a, b) => a - b));
    expect(l.box).toMatchObject({ x: 64, w: 310 });
    expect(l.head).toEqual(pt(48, ys[2] ?? 0));
  });
});
