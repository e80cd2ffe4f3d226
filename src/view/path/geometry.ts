/** Plain geometry: points, orthogonal lines with round corners, places along them. Units are CSS pixels. */
export interface Pt {
  readonly x: number;
  readonly y: number;
}
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}
export type Line = readonly Pt[];

export const pt = (x: number, y: number): Pt => ({ x, y });
/** One decimal: what is drawn and what snapshots hold. */
export const r1 = (n: number): number => Math.round(n * 10) / 10;
export const mid = (r: Rect): Pt => pt(r.x + r.w / 2, r.y + r.h / 2);

const same = (a: Pt, b: Pt): boolean => Math.abs(a.x - b.x) < 0.05 && Math.abs(a.y - b.y) < 0.05;
const distance = (a: Pt, b: Pt): number => Math.hypot(b.x - a.x, b.y - a.y);
const towards = (a: Pt, b: Pt, by: number): Pt => {
  const d = distance(a, b);
  return d === 0 ? a : pt(a.x + ((b.x - a.x) * by) / d, a.y + ((b.y - a.y) * by) / d);
};

/** Joins lines end to start, without repeated points and without points in the middle of a straight run. */
export function joined(...lines: readonly Line[]): Pt[] {
  const out: Pt[] = [];
  for (const p of lines.flat()) {
    const last = out[out.length - 1];
    if (last && same(last, p)) continue;
    const before = out[out.length - 2];
    if (last && before) {
      const cross = (last.x - before.x) * (p.y - last.y) - (last.y - before.y) * (p.x - last.x);
      const along = (last.x - before.x) * (p.x - last.x) + (last.y - before.y) * (p.y - last.y);
      if (Math.abs(cross) < 0.01 && along > 0) out.pop();
    }
    out.push(p);
  }
  return out;
}

interface Corner {
  readonly in: Pt;
  readonly at: Pt;
  readonly out: Pt;
}
/** Corners cut to quarter circles; a corner takes at most half of each side it stands on. */
function corners(line: Line, radius: number): Corner[] {
  return line.slice(1, -1).map((at, i) => {
    const a = line[i] as Pt;
    const b = line[i + 2] as Pt;
    const turn = Math.abs((at.x - a.x) * (b.y - at.y) - (at.y - a.y) * (b.x - at.x)) > 0.01;
    const first = i === 0 ? 1 : 0.5;
    const last = i === line.length - 3 ? 1 : 0.5;
    const r = turn ? Math.min(radius, distance(a, at) * first, distance(at, b) * last) : 0;
    return { in: towards(at, a, r), at, out: towards(at, b, r) };
  });
}

/** SVG path of a line with round corners. */
export function pathOf(line: Line, radius = 10): string {
  const first = line[0];
  const end = line[line.length - 1];
  if (!first || !end || line.length < 2) return '';
  const p = (q: Pt): string => `${r1(q.x)} ${r1(q.y)}`;
  let d = `M${p(first)}`;
  for (const c of corners(line, radius)) d += same(c.in, c.out) ? `L${p(c.at)}` : `L${p(c.in)}Q${p(c.at)} ${p(c.out)}`;
  return `${d}L${p(end)}`;
}

/** The same line as short straight pieces, for walking along it. */
function flat(line: Line, radius: number): Pt[] {
  const first = line[0];
  const end = line[line.length - 1];
  if (!first || !end) return [];
  const out: Pt[] = [first];
  for (const c of corners(line, radius)) {
    out.push(c.in);
    for (const t of [0.25, 0.5, 0.75, 1]) {
      const u = 1 - t;
      out.push(
        pt(
          u * u * c.in.x + 2 * u * t * c.at.x + t * t * c.out.x,
          u * u * c.in.y + 2 * u * t * c.at.y + t * t * c.out.y,
        ),
      );
    }
  }
  out.push(end);
  return out;
}

/** Length of a line with round corners, px. */
export function lengthOf(line: Line, radius = 10): number {
  const f = flat(line, radius);
  return f.reduce((sum, p, i) => (i === 0 ? 0 : sum + distance(f[i - 1] as Pt, p)), 0);
}

/** Point at a part (0..1) of the line's length: constant speed along the track. */
export function pointAt(line: Line, part: number, radius = 10): Pt {
  const f = flat(line, radius);
  const end = f[f.length - 1];
  if (!end) return pt(0, 0);
  let left = Math.min(1, Math.max(0, part)) * lengthOf(line, radius);
  for (let i = 1; i < f.length; i++) {
    const a = f[i - 1] as Pt;
    const b = f[i] as Pt;
    const d = distance(a, b);
    if (left <= d) return towards(a, b, left);
    left -= d;
  }
  return end;
}

/** cubic-bezier(0.45, 0, 0.25, 1), the easing of travel, by bisection. */
export function easeTravel(x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const bez = (t: number, a: number, b: number): number => 3 * (1 - t) ** 2 * t * a + 3 * (1 - t) * t ** 2 * b + t ** 3;
  let lo = 0;
  let hi = 1;
  for (let i = 0; i < 24; i++) {
    const t = (lo + hi) / 2;
    if (bez(t, 0.45, 0.25) < x) lo = t;
    else hi = t;
  }
  return bez((lo + hi) / 2, 0, 1);
}

/** Widths of Inter's letters in em, in groups: enough to decide what fits. */
const NARROW = /[ .,:;'|!iIjlrt()[\]/f·]/;
const BROAD = /[mwMW…→—]/;

/** Width of text in px, near enough to decide what fits: Inter 12/500 and JetBrains Mono. */
export function textWidth(text: string, mono: boolean, size = 12): number {
  let em = 0;
  for (const ch of text) {
    if ((ch.codePointAt(0) ?? 0) > 0x2e7f) em += 1;
    else if (mono) em += 0.6;
    else if (NARROW.test(ch)) em += 0.33;
    else if (BROAD.test(ch)) em += 0.88;
    else em += /[A-Z]/.test(ch) ? 0.68 : /\d/.test(ch) ? 0.63 : 0.56;
  }
  return em * size;
}
/** Text cut to a width with an ellipsis; the whole of it stays in the tooltip. */
export function fitText(text: string, width: number, mono: boolean, size = 12): string {
  if (textWidth(text, mono, size) <= width) return text;
  let cut = text;
  while (cut.length > 1 && textWidth(`${cut}…`, mono, size) > width) cut = cut.slice(0, -1);
  return `${cut}…`;
}
