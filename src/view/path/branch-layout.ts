import type { ChainPanel, ChainRow, Opened } from '../scene/types';
import { joined, type Line, type Pt, pt, type Rect, r1 } from './geometry';

/** Geometry of an opened chain: a branch line that leaves its station and runs from panel to panel. */
export interface RowBox {
  readonly row: ChainRow;
  readonly box: Rect;
  /** Where its station stands on the branch. */
  readonly station: Pt;
}
export interface PanelBox {
  readonly panel: ChainPanel;
  readonly box: Rect;
  readonly title: Pt;
  readonly branchX: number;
  readonly rows: readonly RowBox[];
}
export interface BranchLayout {
  readonly panels: readonly PanelBox[];
  /** Panels folded to stubs, the oldest first. */
  readonly stubs: readonly { readonly panel: ChainPanel; readonly box: Rect }[];
  readonly walked: Line;
  /** Way out of the table, back onto the rail. */
  readonly exit: Line | undefined;
  /** Where the words on the way out stand. */
  readonly exitWords: { readonly at: Pt; readonly anchor: 'middle' | 'start' } | undefined;
  readonly back: Line | undefined;
  /** Where the base chain is named when it has no panel. */
  readonly via: Pt | undefined;
  /** Where the packet stands. */
  readonly head: Pt;
  readonly bottom: number;
}

export const PANEL_TOP = 172;
export const PANEL_W = 240;
const GAP = 24;
const TITLE = 32;
const FOLDED = 24;
const READ = 44;
const FOOT = 4;
const STUB = 32;

/** A panel narrower than this shows too little of a rule; then the oldest fold to stubs. */
const PANEL_MIN = 200;
const fitting = (room: number): number => Math.max(1, Math.floor((room + GAP) / (PANEL_MIN + GAP)));

/** A rule that came back and is not under the cursor needs one line only. */
export const isFolded = (row: ChainRow): boolean =>
  row.kind === 'skip' ||
  row.kind === 'rest' ||
  row.kind === 'policy' ||
  row.kind === 'return' ||
  (row.kind === 'rule' && row.back && !row.current);
export const rowHeight = (row: ChainRow): number => (isFolded(row) ? FOLDED : READ);

function panelBox(panel: ChainPanel, x: number, w: number, top: number): PanelBox {
  let y = top + TITLE;
  const rows = panel.rows.map((row): RowBox => {
    const h = rowHeight(row);
    const box = { x: x + 1, y, w: w - 2, h };
    y += h;
    return { row, box, station: pt(x + 16, box.y + h / 2) };
  });
  const lastRow = panel.rows[panel.rows.length - 1];
  const foot = lastRow && !isFolded(lastRow) ? FOOT : panel.rows.length === 0 ? 0 : 4;
  return { panel, box: { x, y: top, w, h: y - top + foot }, title: pt(x + 36, top + 21), branchX: x + 16, rows };
}

/** The row through which the walk left a panel: its last rule that matched and did not come back. */
const exitRow = (p: PanelBox): RowBox | undefined =>
  [...p.rows].reverse().find((r) => r.row.kind === 'rule' && r.row.matched && !r.row.back);
const currentRow = (p: PanelBox): RowBox | undefined =>
  p.rows.find((r) => 'current' in r.row && r.row.current) ?? p.rows.find((r) => r.row.kind === 'test');

/**
 * Panels of an opened table. `station`: the station's centre on the rail, `rejoin`: x at which the way comes back onto
 * the rail, `bus`: y of the branch's level run.
 */
export function layoutBranch(
  opened: Extract<Opened, { kind: 'chains' }>,
  width: number,
  station: Pt,
  rejoin: number,
): BranchLayout {
  const bus = PANEL_TOP - 20;
  const all = opened.panels;
  const stubbed = all.length > fitting(width - 32) ? all.length - fitting(width - 32 - STUB - GAP) : 0;
  const stubs = all
    .slice(0, stubbed)
    .map((panel, i) => ({ panel, box: { x: 16, y: PANEL_TOP + i * 36, w: STUB, h: 32 } }));
  const shown = all.slice(stubbed);
  const start = stubbed > 0 ? 16 + STUB + GAP : 16;
  const room = width - start - 16 - GAP * (shown.length - 1);
  const w = Math.min(PANEL_W, r1(room / Math.max(1, shown.length)));
  const panels = shown.map((p, i) => panelBox(p, start + i * (w + GAP), w, PANEL_TOP));
  const first = panels[0];
  const lead = stubbed > 0 ? 32 : (first?.branchX ?? 32);
  const lines: Line[] = [[station, pt(station.x, bus), pt(lead, bus)]];
  if (stubbed > 0 && first) {
    const stubFoot = PANEL_TOP + stubs.length * 36 - 4;
    lines.push([
      pt(lead, bus),
      pt(lead, stubFoot + 9),
      pt(first.box.x - 12, stubFoot + 9),
      pt(first.box.x - 12, PANEL_TOP + 16),
      pt(first.branchX, PANEL_TOP + 16),
    ]);
  }
  panels.forEach((p, i) => {
    const next = panels[i + 1];
    const out = next ? exitRow(p) : (currentRow(p) ?? exitRow(p) ?? p.rows[p.rows.length - 1]);
    const y = out?.station.y ?? p.box.y + 16;
    lines.push([pt(p.branchX, i === 0 && stubbed === 0 ? bus : PANEL_TOP + 16), pt(p.branchX, y)]);
    if (next && out) {
      const foot = out.box.y + out.box.h - 1;
      const gap = p.box.x + p.box.w + GAP / 2;
      lines.push([
        pt(p.branchX, y),
        pt(p.branchX, foot),
        pt(gap, foot),
        pt(gap, PANEL_TOP + 16),
        pt(next.branchX, PANEL_TOP + 16),
      ]);
    }
  });
  const walked = joined(...lines);
  const head = walked[walked.length - 1] ?? station;
  const top = panels[panels.length - 1];
  const last = top && (currentRow(top) ?? exitRow(top));
  let exit: Line | undefined;
  let exitWords: BranchLayout['exitWords'];
  if (opened.exit?.shown === true && top && last) {
    const foot = last.box.y + last.box.h - 1;
    const edge = Math.min(width - 8, Math.max(top.box.x + top.box.w + 8, rejoin + 40));
    // Back over its own branch: a little higher, so that the two runs stay apart.
    const level = rejoin < station.x ? bus - 9 : bus;
    exit = joined([
      head,
      pt(head.x, foot),
      pt(edge, foot),
      pt(edge, level),
      pt(rejoin, level),
      pt(rejoin, station.y + 2),
    ]);
    // Over the level part where it is long enough, else beside the way up.
    const run = edge - rejoin;
    if (opened.exit.how === 'rule') {
      exitWords =
        run > 320
          ? { at: pt(r1((edge + rejoin) / 2), bus), anchor: 'middle' }
          : { at: pt(edge + 12, bus + 18), anchor: 'start' };
    }
  }
  let back: Line | undefined;
  const caller = panels[panels.length - 2];
  if (opened.returning && top && caller) {
    const edge = caller.box.x + caller.box.w;
    const y = exitRow(caller)?.station.y ?? PANEL_TOP + 16;
    back = joined([pt(top.box.x, head.y), pt(edge + GAP / 2 + 5, head.y), pt(edge + GAP / 2 + 5, y), pt(edge + 2, y)]);
  }
  return {
    panels,
    stubs,
    walked,
    exit,
    exitWords,
    back,
    via: opened.via && Math.abs(station.x - lead) > 140 ? pt(r1((station.x + lead) / 2), bus) : undefined,
    head,
    bottom: Math.max(PANEL_TOP, ...panels.map((p) => p.box.y + p.box.h), ...stubs.map((s) => s.box.y + s.box.h)),
  };
}

export interface UprightBranch {
  readonly box: Rect;
  readonly sections: readonly {
    readonly panel: ChainPanel;
    readonly box: Rect;
    readonly station: Pt | undefined;
    readonly current: boolean;
    readonly lines: readonly UprightLine[];
  }[];
  readonly walked: Line;
  readonly exit: Line | undefined;
  readonly head: Pt;
  readonly height: number;
}
export interface UprightLine {
  readonly row: ChainRow;
  readonly y: number;
  readonly part: 'title' | 'detail' | 'note';
}

/** Chains on a phone: one panel right of the upright rail, a section a chain. `from`: the station, `to`: y of the stop below. */
export function layoutUprightBranch(
  opened: Extract<Opened, { kind: 'chains' }>,
  width: number,
  from: Pt,
): UprightBranch {
  const x = 64;
  const branch = 48;
  const top = from.y + 20;
  let y = top;
  const stations: Pt[] = [];
  const sections = opened.panels.map((panel) => {
    const start = y;
    y += 26;
    const lines: UprightLine[] = [];
    let station: Pt | undefined;
    const key =
      panel.rows.find((r) => ('current' in r && r.current) || r.kind === 'test') ??
      [...panel.rows].reverse().find((r) => r.kind === 'rule' && r.matched && !r.back);
    for (const row of panel.rows) {
      const isKey = row === key;
      const detailed = isKey && (row.kind === 'rule' || row.kind === 'test');
      if (row.kind === 'rest' && !panel.current) continue;
      if (row.kind === 'rule' && row.back && !isKey) continue;
      if (detailed) {
        lines.push({ row, y: y + 14, part: 'title' }, { row, y: y + 31, part: 'detail' });
        station = pt(branch, y + 16);
        y += 38;
      } else {
        lines.push({ row, y: y + 12, part: 'note' });
        if (isKey) station = pt(branch, y + 8);
        y += 20;
      }
    }
    y += 8;
    station ??= pt(branch, start + 18);
    stations.push(station);
    return { panel, box: { x, y: start, w: width - x - 16, h: y - start }, station, current: panel.current, lines };
  });
  const head = stations[stations.length - 1] ?? pt(branch, top);
  const turn = from.y + 42 - 10;
  return {
    box: { x, y: top, w: width - x - 16, h: y - top },
    sections,
    walked: [from, pt(from.x, turn), pt(branch, turn), head],
    exit: opened.exit?.shown === true ? [head, pt(branch, y + 6), pt(from.x, y + 6), pt(from.x, y + 24)] : undefined,
    head,
    height: y - top + 24,
  };
}
