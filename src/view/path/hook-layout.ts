import type { HookMarks, HookStop } from '../scene/types';
import { type Line, type Pt, pt, type Rect, r1, textWidth } from './geometry';

/** Geometry of the line of hooks: one rail with the stations of one traversal in the kernel's order. */
export interface StopBox {
  readonly stop: HookStop;
  readonly at: Pt;
  /** Baselines of name and priority. */
  readonly name: Pt;
  readonly nameAnchor: 'middle' | 'end' | 'start';
  /** Stops that this one stands for, where the line is too narrow to draw each. */
  readonly merged: readonly HookStop[];
}
export interface Band {
  readonly hook: string;
  readonly box: Rect;
  readonly title: Pt;
}
export interface HookLayout {
  readonly form: 'line' | 'upright';
  readonly width: number;
  readonly height: number;
  readonly railY: number;
  readonly rail: Line;
  readonly bands: readonly Band[];
  readonly stops: readonly StopBox[];
  /** Position of each stop of the marks, by index. */
  readonly points: readonly Pt[];
  readonly loop: { readonly line: Line; readonly pill: Rect } | undefined;
}

export const RAIL_Y = 84;
const END = 36;
const NARROW = 640;
/** Half of a hook's box that holds one stop, and what keeps two boxes apart. */
const PAD = 30;
const APART = 6;
const LOOP_PILL = 160;

/** Space before a stop, in px of a line 800 wide: stations of a band stand closer than what surrounds them. */
function gapBefore(a: HookStop, b: HookStop): number {
  if (a.kind === 'process') return 98;
  if (b.kind === 'process') return 92;
  if (b.kind === 'route') return a.kind === 'station' ? 76 : 70;
  if (a.kind === 'route') return b.kind === 'station' ? 68 : 70;
  if (a.kind !== 'station' || b.kind !== 'station') return 64;
  if (a.hook !== b.hook) return 72;
  if (a.hook === 'prerouting') return b.name === 'nat' ? 72 : 62;
  return 64;
}

/** Half of the width that a stop which stands for several takes: their names, their priorities, the hook's name. */
function mergedHalf(merged: readonly HookStop[]): number {
  if (merged.length < 2) return PAD;
  const names = textWidth(merged.map((s) => s.name).join(', '), false);
  const title = textWidth(merged[0]?.hook?.toUpperCase() ?? '', false);
  return Math.max(PAD, Math.ceil(Math.max(names, title) / 2) + 6);
}

/** Centres of the stops, left to right, before mirroring. `merged`: what each stands for, once some are drawn as one. */
function spread(stops: readonly HookStop[], width: number, merged?: readonly (readonly HookStop[])[]): number[] {
  const gaps = stops.slice(1).map((s, i) => gapBefore(stops[i] as HookStop, s));
  const room = width - 2 * END + 4;
  // A gap beside a stop that stands for several is at least as wide as their names ask.
  const half = (i: number): number => {
    const s = stops[i] as HookStop;
    return s.kind === 'station'
      ? mergedHalf(merged?.[i] ?? [])
      : s.kind === 'process'
        ? 52
        : s.kind === 'route'
          ? 18
          : 24;
  };
  const needs = gaps.map((_, i) =>
    [i, i + 1].some((k) => (merged?.[k]?.length ?? 1) > 1) ? half(i) + half(i + 1) + APART : 0,
  );
  const held = new Set<number>();
  const scaleOf = (): number => {
    let free = room;
    let sum = 0;
    gaps.forEach((g, i) => {
      if (held.has(i)) free -= needs[i] as number;
      else sum += g;
    });
    return Math.min(Math.max(free, 0) / (sum || 1), 1.5);
  };
  let scale = scaleOf();
  for (let again = true; again; scale = scaleOf()) {
    again = false;
    gaps.forEach((g, i) => {
      if (held.has(i) || g * scale >= (needs[i] as number)) return;
      held.add(i);
      again = true;
    });
  }
  const wide = gaps.map((g, i) => (held.has(i) ? (needs[i] as number) : g * scale));
  const all = wide.reduce((a, b) => a + b, 0) || 1;
  const fit = Math.min(1, room / all);
  const xs = [END];
  for (const g of wide) xs.push((xs[xs.length - 1] as number) + g * fit);
  return xs.map(r1);
}

/** Stations of a hook become one stop when they would stand closer than a name is wide. */
function merge(marks: HookMarks, width: number): { stops: HookStop[]; merged: HookStop[][]; of: number[] } {
  const all = marks.stops;
  const xs = spread(all, width);
  const tight = width < NARROW || xs.some((x, i) => i > 0 && x - (xs[i - 1] as number) < 52);
  const stops: HookStop[] = [];
  const merged: HookStop[][] = [];
  const of: number[] = [];
  const current = all[marks.at]?.hook;
  all.forEach((s, i) => {
    const last = stops[stops.length - 1];
    const lastGroup = merged[merged.length - 1];
    const own = s.kind !== 'station' || s.hook === current;
    if (tight && !own && last && lastGroup && last.kind === 'station' && last.hook === s.hook) {
      lastGroup.push(s);
      const passed =
        s.state === 'now' || s.state === 'dropped' ? s.state : last.state === 'none' ? s.state : last.state;
      stops[stops.length - 1] = { ...last, state: passed };
    } else {
      stops.push(s);
      merged.push([s]);
    }
    of[i] = stops.length - 1;
  });
  return { stops, merged, of };
}

/** The box on the way round: between its two feet, or as wide as its words where those stand too close. */
function loopPill(lo: number, hi: number, width: number): Rect {
  const w = Math.max(hi - lo - 4, LOOP_PILL);
  const x = Math.min(Math.max((lo + hi - w) / 2, 4), width - 4 - w);
  return { x: r1(x), y: 10, w: r1(w), h: 20 };
}

/** The line at a width. `branch`: index of a stop whose name gives way to a branch that leaves it downwards. */
export function layoutHookLine(marks: HookMarks, width: number, branch?: number): HookLayout {
  const { stops, merged, of } = merge(marks, width);
  const left = spread(stops, width, merged);
  const xs = marks.mirrored ? left.map((x) => width - x) : left;
  const branchStop = branch === undefined ? undefined : of[branch];
  const boxes = stops.map((stop, i): StopBox => {
    const x = xs[i] as number;
    const aside = i === branchStop;
    const before = xs[i - 1] ?? x;
    const beside = Math.abs(x - before) < 70 ? 8 : 12;
    return {
      stop,
      at: pt(x, RAIL_Y),
      name: pt(aside ? x + (marks.mirrored ? beside : -beside) : x, stop.kind === 'route' ? 118 : 110),
      nameAnchor: aside ? (marks.mirrored ? 'start' : 'end') : 'middle',
      merged: merged[i] ?? [],
    };
  });
  const bands: Band[] = [];
  for (const b of boxes) {
    if (b.stop.hook === undefined) continue;
    const last = bands[bands.length - 1];
    const pad = mergedHalf(b.merged);
    if (last && last.hook === b.stop.hook) {
      const x1 = Math.min(last.box.x, b.at.x - pad);
      const x2 = Math.max(last.box.x + last.box.w, b.at.x + pad);
      bands[bands.length - 1] = {
        hook: last.hook,
        box: { ...last.box, x: r1(x1), w: r1(x2 - x1) },
        title: pt(r1((x1 + x2) / 2), 47),
      };
    } else {
      // The device's box stands close on that side.
      const first = bands.length === 0 ? 4 : 0;
      const x = r1(b.at.x - pad + (marks.mirrored ? 0 : first));
      bands.push({ hook: b.stop.hook, box: { x, y: 52, w: pad * 2 - first, h: 84 }, title: pt(b.at.x, 47) });
    }
  }
  const points = marks.stops.map((_, i) => pt(xs[of[i] as number] as number, RAIL_Y));
  const first = points[0] ?? pt(END, RAIL_Y);
  const end = points[points.length - 1] ?? pt(width - END, RAIL_Y);
  let loop: HookLayout['loop'];
  if (marks.loop && !marks.dropped) {
    const a = points[marks.loop.from] as Pt;
    const target = points[marks.loop.to] as Pt;
    const previous = points[marks.loop.to - 1] ?? target;
    const b = pt(r1((target.x + previous.x) / 2), RAIL_Y);
    const lo = Math.min(a.x, b.x);
    const hi = Math.max(a.x, b.x);
    if (hi - lo > 100) {
      loop = {
        line: [a, pt(a.x, 20), pt(b.x, 20), b],
        pill: loopPill(lo, hi, width),
      };
    }
  }
  return {
    form: 'line',
    width,
    height: 148,
    railY: RAIL_Y,
    rail: [first, end],
    bands,
    stops: boxes,
    points,
    loop,
  };
}

const UPRIGHT_X = 28;
const PITCH = 34;

/** The same line upright, for a phone. `room`: px kept free below the stop at `at` for what stands open there. */
export function layoutUpright(
  marks: HookMarks,
  width: number,
  open?: { readonly at: number; readonly room: number },
): HookLayout {
  const current = marks.stops[marks.at]?.hook;
  const stops: HookStop[] = [];
  const merged: HookStop[][] = [];
  const of: number[] = [];
  marks.stops.forEach((s, i) => {
    const last = stops[stops.length - 1];
    if (s.kind === 'station' && s.hook !== current && last?.kind === 'station' && last.hook === s.hook) {
      merged[merged.length - 1]?.push(s);
      if (last.state === 'none') stops[stops.length - 1] = { ...s, id: last.id };
    } else {
      stops.push(s);
      merged.push([s]);
    }
    of[i] = stops.length - 1;
  });
  const openAt = open === undefined ? -1 : (of[open.at] ?? -1);
  let y = 20;
  const ys = stops.map((_, i) => {
    const here = y;
    y += PITCH + (i === openAt ? (open?.room ?? 0) : 0);
    return here;
  });
  const boxes = stops.map(
    (stop, i): StopBox => ({
      stop,
      at: pt(UPRIGHT_X, ys[i] as number),
      name: pt(52, (ys[i] as number) + 4),
      nameAnchor: 'start',
      merged: merged[i] ?? [],
    }),
  );
  const last = ys[ys.length - 1] ?? 20;
  return {
    form: 'upright',
    width,
    height: y - PITCH + 24,
    railY: 0,
    rail: [pt(UPRIGHT_X, 20), pt(UPRIGHT_X, last)],
    bands: [],
    stops: boxes,
    points: marks.stops.map((_, i) => pt(UPRIGHT_X, ys[of[i] as number] as number)),
    loop: undefined,
  };
}
