import type { Spot } from '../scene/types';
import { joined, type Pt, pt } from './geometry';
import type { MapLayout, RoomBox } from './map-layout';

const ORDER = { PRE: 0, FWD: 1, POST: 2 } as const;

function podPoint(room: RoomBox, netns: string): Pt | undefined {
  const p = room.pods.find((b) => b.netns === netns);
  return p && pt(p.box.x + p.box.w / 2, p.box.y + p.box.h);
}
const busOf = (room: RoomBox): number => (room.bridge ? room.bridge.box.y + room.bridge.box.h / 2 : room.rail);

/** Point at which a packet stands at a place. */
export function spotPoint(l: MapLayout, s: Spot): Pt | undefined {
  if (s.at === 'machine') {
    const m = l.machines.find((b) => b.netns === s.netns);
    return m && (m.form === 'outside' && l.form === 'rooms' ? pt(m.box.x + m.box.w / 2, m.box.y + m.box.h) : m.socket);
  }
  const room = l.rooms.find((r) => r.name === s.node);
  if (!room) return undefined;
  switch (s.at) {
    case 'pod':
      return podPoint(room, s.netns) ?? (room.form === 'full' ? undefined : room.stations.PRE);
    case 'bridge': {
      const pod = s.netns === undefined ? undefined : podPoint(room, s.netns);
      return room.bridge ? pt(pod?.x ?? room.stations.PRE.x, busOf(room)) : room.stations.PRE;
    }
    case 'station':
      return room.stations[s.station];
    case 'door':
      return room.door
        ? pt(room.door.box.x + room.door.box.w / 2, room.door.box.y + room.door.box.h / 2)
        : pt(room.box.x + room.box.w / 2, room.bend);
  }
}

/** Line inside one room. A way enters a node at PRE and leaves at POST, in both directions. */
function inside(l: MapLayout, room: RoomBox, a: Spot, b: Spot): Pt[] {
  const from = spotPoint(l, a);
  const to = spotPoint(l, b);
  if (!from || !to) return [];
  if (a.at === 'door' && b.at === 'door') return [from];
  const bus = busOf(room);
  const upper = (s: Spot): boolean => s.at === 'pod' || s.at === 'bridge';
  if (upper(a) && upper(b)) return [from, pt(from.x, bus), pt(to.x, bus), to];
  const cx = room.box.x + room.box.w / 2;
  const { PRE, POST } = room.stations;
  const ia = a.at === 'station' ? ORDER[a.station] : -1;
  const ib = b.at === 'station' ? ORDER[b.station] : 3;
  const out: Pt[] = [from];
  if (ia < 0) {
    if (upper(a)) out.push(pt(from.x, bus), pt(PRE.x, bus), PRE);
    else out.push(pt(cx, room.bend), pt(PRE.x, room.bend), PRE);
  }
  if (ib === 3) {
    out.push(POST);
    if (upper(b)) out.push(pt(POST.x, bus), pt(to.x, bus), to);
    else out.push(pt(POST.x, room.bend), pt(cx, room.bend), to);
  } else out.push(to);
  return out;
}

/** Line along the tracks from one place to another. */
export function routeBetween(l: MapLayout, a: Spot, b: Spot): Pt[] {
  const roomOf = (s: Spot): RoomBox | undefined => ('node' in s ? l.rooms.find((r) => r.name === s.node) : undefined);
  const ra = roomOf(a);
  const rb = roomOf(b);
  if (ra && rb && ra === rb) return joined(inside(l, ra, a, b));
  const leave = (s: Spot, room: RoomBox | undefined): Pt[] => {
    if (room) return [...inside(l, room, s, { at: 'door', node: room.name }), room.socket];
    const p = spotPoint(l, s);
    const m = s.at === 'machine' ? l.machines.find((x) => x.netns === s.netns) : undefined;
    return p && m ? [p, m.socket] : [];
  };
  const enter = (s: Spot, room: RoomBox | undefined): Pt[] => {
    if (room)
      return s.at === 'door'
        ? [room.socket, spotPoint(l, s) ?? room.socket]
        : [room.socket, ...inside(l, room, { at: 'door', node: room.name }, s)];
    return leave(s, undefined).reverse();
  };
  const out = leave(a, ra);
  const back = enter(b, rb);
  const p = out[out.length - 1];
  const q = back[0];
  // Rows of rooms have a trunk each; they meet at the left.
  const between = p && q && Math.abs(p.y - q.y) > 1 && l.form === 'grid' ? [pt(128, p.y), pt(128, q.y)] : [];
  return joined(out, between, back);
}

/** One line through a list of places. */
export function wayThrough(l: MapLayout, spots: readonly Spot[]): Pt[] {
  const lines = spots.slice(1).map((s, i) => routeBetween(l, spots[i] as Spot, s));
  return joined(...lines);
}
