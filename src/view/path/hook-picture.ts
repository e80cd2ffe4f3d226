import type { HookMarks, Scene } from '../scene/types';
import { type BranchLayout, layoutBranch } from './branch-layout';
import { easeTravel, lengthOf, type Pt, pointAt, pt, r1 } from './geometry';
import { type HookLayout, layoutHookLine } from './hook-layout';
import { openedHeight } from './opened';

/** Width of a process's box, px. */
export const PROCESS_W = 80;

/** x at which a branch comes back onto the rail: half way to the next stop. */
export function rejoinX(layout: HookLayout, at: number): number {
  const here = layout.points[at] ?? pt(0, 0);
  const next = layout.points[at + 1] ?? here;
  return r1(here.x + (next.x - here.x) / 2);
}

export interface HookPicture {
  readonly layout: HookLayout;
  readonly branch: BranchLayout | undefined;
  readonly height: number;
}
export function hookPicture(scene: Scene, hook: HookMarks, width: number): HookPicture {
  const { opened } = scene;
  const chains = opened?.kind === 'chains' ? opened : undefined;
  const layout = layoutHookLine(hook, width, chains?.stop);
  const branch =
    chains &&
    layoutBranch(chains, width, layout.points[chains.stop] ?? pt(36, layout.railY), rejoinX(layout, chains.stop));
  const predicted = scene.predicted ? 44 : 0;
  const ended = scene.drop && chains ? 84 + (scene.drop.kernelLine === undefined ? 0 : 36) : 0;
  return { layout, branch, height: Math.max(328, openedHeight(opened, branch?.bottom ?? 0) + predicted + ended) };
}

/** A packet stands on its station; at a device or a process beside the box, so that its name can be read. */
function standing(layout: HookLayout, hook: HookMarks, index: number): Pt {
  const at = layout.points[index] ?? pt(0, 0);
  const kind = hook.stops[index]?.kind;
  if (kind !== 'device' && kind !== 'process') return at;
  const other = layout.points[index === 0 ? 1 : index - 1] ?? at;
  const half = kind === 'process' ? PROCESS_W - 28 : 24;
  return pt(at.x + Math.sign(other.x - at.x) * (half + 12), at.y);
}

/** Where the packet stands on line or branch, at a phase. */
export function hookPacket(p: HookPicture, scene: Scene, hook: HookMarks, phase: number): Pt {
  const at = standing(p.layout, hook, hook.at);
  const t = easeTravel(phase);
  if (p.branch) {
    if (phase >= 1 || hook.atBefore !== hook.at) return phase >= 1 ? p.branch.head : pointAt(p.branch.walked, t, 10);
    // Within a table the packet goes the last part of the branch: from the row before, or from the caller's row.
    const line = p.branch.walked;
    const from = scene.branchFrom;
    const start = from === undefined ? 0 : partOf(p.branch, from);
    return pointAt(line, start + (1 - start) * t, 10);
  }
  if (phase >= 1 || hook.atBefore === hook.at) return at;
  return pointAt([standing(p.layout, hook, hook.atBefore), at], t, 0);
}

/** How far along the branch a row stands, 0..1: a row of the panel under the cursor, or the panel before it. */
function partOf(branch: BranchLayout, from: { readonly panel: number; readonly row: number }): number {
  const panel = branch.panels[from.panel];
  const row = panel?.rows[from.row];
  const total = lengthOf(branch.walked, 0);
  if (!panel || total === 0) return 0;
  const y = row?.station.y ?? panel.box.y + 16;
  // Length up to the point (branchX, y): walk the corners of the line.
  let sum = 0;
  let best = 0;
  for (let i = 1; i < branch.walked.length; i++) {
    const a = branch.walked[i - 1] as Pt;
    const b = branch.walked[i] as Pt;
    const d = Math.hypot(b.x - a.x, b.y - a.y);
    if (a.x === b.x && Math.abs(a.x - panel.branchX) < 1 && y >= Math.min(a.y, b.y) - 1 && y <= Math.max(a.y, b.y) + 1)
      best = sum + Math.abs(y - a.y);
    sum += d;
  }
  return best / total;
}

/** How much of the branch lies behind a point on it. */
export function branchPart(branch: BranchLayout, at: Pt): number {
  const total = lengthOf(branch.walked, 0);
  let sum = 0;
  let best = 1;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 1; i < branch.walked.length; i++) {
    const a = branch.walked[i - 1] as Pt;
    const b = branch.walked[i] as Pt;
    const d = Math.hypot(b.x - a.x, b.y - a.y);
    const t =
      d === 0 ? 0 : Math.min(1, Math.max(0, ((at.x - a.x) * (b.x - a.x) + (at.y - a.y) * (b.y - a.y)) / (d * d)));
    const off = Math.hypot(a.x + (b.x - a.x) * t - at.x, a.y + (b.y - a.y) * t - at.y);
    if (off < least) {
      least = off;
      best = total === 0 ? 1 : (sum + d * t) / total;
    }
    sum += d;
  }
  return best;
}
