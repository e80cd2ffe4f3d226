import type { Scene, Spot } from '../scene/types';
import { easeTravel, joined, type Line, lengthOf, type Pt, pointAt, pt } from './geometry';
import type { Focus, MapLayout } from './map-layout';
import { routeBetween, spotPoint, wayThrough } from './map-routes';

/** What moves on the map: ways and the packet's place. Pure in (layout, scene, phase). */
export interface MapPicture {
  readonly walked: Line;
  readonly ahead: Line;
  readonly packet: Pt | undefined;
}

/** The first `part` (0..1) of a line. */
export function cutLine(line: Line, part: number): Pt[] {
  if (part >= 1) return [...line];
  const total = lengthOf(line, 0);
  let left = total * Math.max(0, part);
  const out: Pt[] = [];
  for (let i = 0; i < line.length; i++) {
    const p = line[i] as Pt;
    const before = line[i - 1];
    if (!before) {
      out.push(p);
      continue;
    }
    const d = Math.hypot(p.x - before.x, p.y - before.y);
    if (left >= d) {
      out.push(p);
      left -= d;
      continue;
    }
    if (d > 0) out.push(pt(before.x + ((p.x - before.x) * left) / d, before.y + ((p.y - before.y) * left) / d));
    break;
  }
  return out;
}

/** A way ends at a box's lower edge; the packet stands just below it, so that the address can be read. */
function below(l: MapLayout, s: Spot | undefined): number {
  if (s?.at === 'machine') return l.form === 'rooms' ? 9 : 0;
  if (s?.at !== 'pod') return 0;
  const pod = l.rooms.flatMap((r) => r.pods).find((p) => p.netns === s.netns);
  return pod === undefined ? 0 : pod.form === 'full' ? 9 : -pod.box.h / 2;
}

/** Where pods are not drawn, a packet that arrived in one stands at its node's last station. */
function shownAt(l: MapLayout, spots: readonly Spot[]): Spot[] {
  const drawn = new Set(l.rooms.flatMap((r) => r.pods.map((p) => p.netns)));
  return spots.map((s, i) =>
    s.at === 'pod' && i > 0 && !drawn.has(s.netns) ? { at: 'station', node: s.node, station: 'POST' } : s,
  );
}

export function mapPicture(layout: MapLayout, scene: Scene, phase: number): MapPicture {
  const { map } = scene;
  const spots = shownAt(
    layout,
    map.walked.map((v) => v.spot),
  );
  const here = spots[spots.length - 1];
  const full = wayThrough(layout, spots);
  const moving =
    phase < 1 && map.before !== undefined && here !== undefined ? routeBetween(layout, map.before, here) : [];
  const t = easeTravel(phase);
  let walked: Line = full;
  let packet: Pt | undefined = here === undefined ? undefined : spotPoint(layout, here);
  if (packet !== undefined) packet = pt(packet.x, packet.y + below(layout, here));
  if (moving.length > 1) {
    const p = pointAt(moving, t, 10);
    packet = pt(p.x, p.y + below(layout, map.before) * (1 - t) + below(layout, here) * t);
    walked = joined(wayThrough(layout, spots.slice(0, -1)), cutLine(moving, t));
  }
  const later = here === undefined ? [] : shownAt(layout, [here, ...map.ahead.map((v) => v.spot)]);
  return { walked, ahead: map.ahead.length > 0 ? wayThrough(layout, later) : [], packet };
}

/** Pods and nodes that keep their full form: those of the followed flow and the endpoints of the followed Service. */
export function focusOf(scene: Scene): Focus {
  const netns = new Set<string>();
  const nodes = new Set<string>();
  for (const v of [...scene.map.walked, ...scene.map.ahead]) {
    if (v.spot.at === 'pod' || v.spot.at === 'machine') netns.add(v.spot.netns);
    if ('node' in v.spot) nodes.add(v.spot.node);
  }
  return { netns, nodes, addresses: new Set(scene.service?.endpoints ?? []) };
}
