import type { Topology, TopoNode, TopoPod } from '../scene/types';
import { type Line, type Pt, pt, type Rect } from './geometry';

/**
 * Geometry of the cluster map: a function of topology and width only, so that no element moves while a run is shown.
 * Pods on top, wire at the bottom, the kernel between.
 */
export interface PodBox {
  readonly netns: string;
  readonly name: string;
  readonly address: string | undefined;
  readonly state: TopoPod['state'];
  readonly form: 'full' | 'bead' | 'dot';
  readonly box: Rect;
}
export interface RoomBox {
  readonly name: string;
  readonly address: string | undefined;
  readonly form: 'full' | 'row' | 'grid';
  readonly box: Rect;
  /** y of the rule under the title; undefined: no rule. */
  readonly titleRule: number | undefined;
  readonly pods: readonly PodBox[];
  /** Pods that are counted only. */
  readonly uncounted: number;
  readonly countAt: Pt | undefined;
  readonly bridge: { readonly name: string; readonly box: Rect } | undefined;
  readonly strip: Rect | undefined;
  readonly rail: number;
  readonly stations: Readonly<Record<'PRE' | 'FWD' | 'POST', Pt>>;
  readonly door: { readonly name: string; readonly box: Rect } | undefined;
  /** y at which the ways bend from a station to the door. */
  readonly bend: number;
  /** Where the door's wire meets the trunk. */
  readonly socket: Pt;
  readonly tracks: readonly Line[];
}
export interface MapLayout {
  readonly form: 'rooms' | 'grid';
  readonly width: number;
  readonly height: number;
  readonly rooms: readonly RoomBox[];
  readonly service: Rect;
  readonly label: Rect;
  readonly machines: readonly {
    readonly netns: string;
    readonly name: string;
    readonly address: string | undefined;
    readonly box: Rect;
    readonly form: 'outside' | 'gateway';
    readonly socket: Pt;
  }[];
  readonly trunks: readonly Line[];
  readonly network: { readonly text: string; readonly at: Pt } | undefined;
  /** Nodes that have no room of their own, and the room that counts them. */
  readonly more: { readonly count: number; readonly box: Rect } | undefined;
}

/** What keeps its full box where not all pods have room: stays the same during a run. */
export interface Focus {
  readonly netns: ReadonlySet<string>;
  readonly addresses: ReadonlySet<string>;
  readonly nodes: ReadonlySet<string>;
}
export const NO_FOCUS: Focus = { netns: new Set(), addresses: new Set(), nodes: new Set() };

const LEFT = 156;
const GAP = 8;
const POD_W = 92;
const POD_H = 44;
const POD_GAP = 4;
const ROW = POD_H + POD_GAP;

/** `web-2-10` after `web-2-9`: runs of digits compare as numbers. */
export function natural(a: string, b: string): number {
  const parts = (s: string): string[] => s.match(/\d+|\D+/g) ?? [];
  const x = parts(a);
  const y = parts(b);
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const p = x[i] as string;
    const q = y[i] as string;
    if (p === q) continue;
    const numbers = /^\d/.test(p) && /^\d/.test(q);
    if (numbers && Number(p) !== Number(q)) return Number(p) - Number(q);
    return p < q ? -1 : 1;
  }
  return x.length - y.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** Full boxes in a row of a room `w` wide; a box gives way by a few px before it gives up its place. */
const fullPerRow = (w: number): number => Math.max(1, Math.floor((w - 12) / POD_W));

interface PodPlan {
  readonly pods: readonly PodBox[];
  readonly uncounted: number;
  readonly height: number;
  readonly countAt: Pt | undefined;
}

/** Pods of a full room: boxes, then beads, then dots, then a count. */
function planPods(node: TopoNode, x: number, w: number, focus: Focus): PodPlan {
  const pods = [...node.pods].sort((a, b) => natural(a.name, b.name));
  const perRow = fullPerRow(w);
  const inner = w - 16;
  const podW = Math.min(POD_W, (inner - POD_GAP * (perRow - 1)) / perRow);
  const full = (p: TopoPod, i: number): PodBox => ({
    netns: p.netns,
    name: p.name,
    address: p.address,
    state: p.state,
    form: 'full',
    box: { x: x + 8 + (i % perRow) * (podW + POD_GAP), y: 48 + Math.floor(i / perRow) * ROW, w: podW, h: POD_H },
  });
  if (pods.length <= perRow * 2) {
    const rows = Math.max(1, Math.ceil(pods.length / perRow));
    return { pods: pods.map(full), uncounted: 0, height: rows * ROW - POD_GAP, countAt: undefined };
  }
  const important = (p: TopoPod): boolean =>
    focus.netns.has(p.netns) || (p.address !== undefined && focus.addresses.has(p.address));
  const first = [...pods.filter(important), ...(pods.length > 60 ? pods.filter((p) => !important(p)) : [])].slice(
    0,
    perRow,
  );
  const shown = pods.filter((p) => first.includes(p));
  const others = pods.filter((p) => !first.includes(p));
  const top = shown.length > 0 ? ROW : 0;
  if (pods.length > 60) {
    return { pods: shown.map(full), uncounted: others.length, height: top + 16, countAt: pt(x + 8, 48 + top + 12) };
  }
  const size = pods.length <= 24 ? 20 : 10;
  const gap = pods.length <= 24 ? 4 : 2;
  const per = Math.max(1, Math.floor((inner + gap) / (size + gap)));
  const beads = others.map(
    (p, i): PodBox => ({
      netns: p.netns,
      name: p.name,
      address: p.address,
      state: p.state,
      form: size === 20 ? 'bead' : 'dot',
      box: { x: x + 8 + (i % per) * (size + gap), y: 48 + top + Math.floor(i / per) * (size + gap), w: size, h: size },
    }),
  );
  const rows = Math.ceil(others.length / per);
  return {
    pods: [...shown.map(full), ...beads],
    uncounted: 0,
    height: top + rows * (size + gap) - gap,
    countAt: undefined,
  };
}

function stationsAt(x: number, w: number, y: number): RoomBox['stations'] {
  return { PRE: pt(x + w / 6, y), FWD: pt(x + w / 2, y), POST: pt(x + (w * 5) / 6, y) };
}

function fullRoom(node: TopoNode, x: number, w: number, shift: number, plan: PodPlan): RoomBox {
  const cx = x + w / 2;
  const strip = { x: x + 8, y: 142 + shift, w: w - 16, h: 44 };
  const rail = 160 + shift;
  const stations = stationsAt(strip.x, strip.w, rail);
  const bus = 118 + shift;
  const bend = 202 + shift;
  const socket = pt(cx, 262 + shift);
  const door =
    node.uplink === undefined ? undefined : { name: node.uplink, box: { x: cx - 28, y: 215 + shift, w: 56, h: 22 } };
  const tracks: Line[] = [];
  if (node.bridge !== undefined) {
    for (const p of plan.pods) {
      const px = p.box.x + p.box.w / 2;
      if (p.form === 'full') tracks.push([pt(px, p.box.y + p.box.h), pt(px, bus)]);
    }
    tracks.push([pt(stations.PRE.x, bus), stations.PRE], [pt(stations.POST.x, bus), stations.POST]);
  }
  if (door) {
    for (const s of [stations.PRE, stations.POST]) tracks.push([s, pt(s.x, bend), pt(cx, bend), socket]);
  }
  return {
    name: node.name,
    address: node.address,
    form: 'full',
    box: { x, y: 12, w, h: 214 + shift },
    titleRule: 40,
    pods: plan.pods,
    uncounted: plan.uncounted,
    countAt: plan.countAt,
    bridge:
      node.bridge === undefined
        ? undefined
        : { name: node.bridge, box: { x: x + 8, y: 108 + shift, w: w - 16, h: 20 } },
    strip,
    rail,
    stations,
    door,
    bend,
    socket,
    tracks,
  };
}

/** A room of four to six in a row: only the pods of the followed flow, as beads with their names. */
function rowRoom(node: TopoNode, x: number, w: number, focus: Focus): RoomBox {
  const followed = [...node.pods].sort((a, b) => natural(a.name, b.name)).filter((p) => focus.netns.has(p.netns));
  const most = w >= 140 ? 2 : 1;
  const shown = followed.slice(0, most);
  const pitch = (w - 16) / Math.max(1, shown.length);
  const pods = shown.map(
    (p, i): PodBox => ({
      netns: p.netns,
      name: p.name,
      address: p.address,
      state: p.state,
      form: 'bead',
      box: { x: x + 8 + pitch * (i + 0.5) - 10, y: 66, w: 20, h: 20 },
    }),
  );
  const cx = x + w / 2;
  const strip = { x: x + 8, y: 142, w: w - 16, h: 44 };
  const stations = stationsAt(strip.x, strip.w, 160);
  const bus = 118;
  const socket = pt(cx, 262);
  const tracks: Line[] = pods.map((p) => [pt(p.box.x + 10, p.box.y + 20), pt(p.box.x + 10, bus)]);
  if (pods.length > 0) tracks.push([pt(stations.PRE.x, bus), stations.PRE], [pt(stations.POST.x, bus), stations.POST]);
  const door = node.uplink === undefined ? undefined : { name: node.uplink, box: { x: cx - 28, y: 215, w: 56, h: 22 } };
  if (door) for (const s of [stations.PRE, stations.POST]) tracks.push([s, pt(s.x, 202), pt(cx, 202), socket]);
  return {
    name: node.name,
    address: w >= 116 ? node.address : undefined,
    form: 'row',
    box: { x, y: 12, w, h: 214 },
    titleRule: 40,
    pods,
    uncounted: node.pods.length - shown.length,
    countAt: pt(x + w - 12, 32),
    bridge:
      shown.length === 0 || node.bridge === undefined
        ? undefined
        : { name: '', box: { x: x + 8, y: 116, w: w - 16, h: 4 } },
    strip,
    rail: 160,
    stations,
    door,
    bend: 202,
    socket,
    tracks,
  };
}

function gridRoom(node: TopoNode, x: number, y: number, w: number): RoomBox {
  const cx = x + w / 2;
  const rail = y + 36;
  const third = (w - 39) / 2;
  const stations = { PRE: pt(cx - third, rail), FWD: pt(cx, rail), POST: pt(cx + third, rail) };
  const socket = pt(cx, y + 68);
  return {
    name: node.name,
    address: undefined,
    form: 'grid',
    box: { x, y, w, h: 54 },
    titleRule: undefined,
    pods: [],
    uncounted: node.pods.length,
    countAt: pt(x + w - 10, y + 18),
    bridge: undefined,
    strip: undefined,
    rail,
    stations,
    door: undefined,
    bend: y + 54,
    socket,
    tracks: [[pt(cx, y + 54), socket]],
  };
}

function gridMap(t: Topology, width: number, focus: Focus): MapLayout {
  const nodes = [...t.nodes].sort((a, b) => natural(a.name, b.name));
  const most = 12;
  let shown = nodes;
  if (nodes.length > most) {
    // The nodes of the flow first; the rest in order, with one place left for what is not drawn.
    const kept = new Set([...nodes.filter((n) => focus.nodes.has(n.name)), ...nodes].map((n) => n.name));
    const names = new Set([...kept].slice(0, most - 1));
    shown = nodes.filter((n) => names.has(n.name));
  }
  const pitch = (width - LEFT - 16 + 6) / 6;
  const w = pitch - 6;
  const rooms = shown.map((n, i) => gridRoom(n, LEFT + (i % 6) * pitch, 12 + Math.floor(i / 6) * 84, w));
  const hidden = nodes.length - shown.length;
  const more = hidden > 0 ? { x: LEFT + 5 * pitch, y: 96, w, h: 54 } : undefined;
  const rows = Math.ceil(shown.length / 6);
  const join = 128;
  const trunks: Line[] = [];
  for (let r = 0; r < rows; r++) {
    const inRow = rooms.slice(r * 6, r * 6 + 6);
    const last = inRow[inRow.length - 1];
    if (last) trunks.push([pt(join, last.socket.y), last.socket]);
  }
  if (rows > 1) trunks.push([pt(join, 80), pt(join, 164)]);
  const outside = t.machines.find((m) => m.kind === 'outside');
  const box = { x: 16, y: 96, w: 96, h: 40 };
  if (outside) trunks.push([pt(112, 116), pt(join, 116), ...(rows > 1 ? [] : [pt(join, 80)])]);
  return {
    form: 'grid',
    width,
    height: rows > 1 ? 188 : 148,
    rooms,
    service: { x: 16, y: 12, w: 96, h: 54 },
    label: { x: 0, y: 0, w: 0, h: 0 },
    machines: outside
      ? [
          {
            netns: outside.netns,
            name: outside.name,
            address: outside.address,
            box,
            form: 'outside',
            socket: pt(join, 116),
          },
        ]
      : [],
    trunks,
    network: undefined,
    more: more && { count: hidden, box: more },
  };
}

/** Boxes and tracks of the map. `width`: of the stage, at least 640. */
export function layoutMap(t: Topology, width: number, focus: Focus = NO_FOCUS): MapLayout {
  const n = t.nodes.length;
  if (n > 6) return gridMap(t, width, focus);
  const nodes = [...t.nodes].sort((a, b) => natural(a.name, b.name));
  const area = width - LEFT - 16;
  const w = n === 1 ? Math.min(420, area) : (area - GAP * (n - 1)) / Math.max(1, n);
  const plans = nodes.map((node, i) => planPods(node, LEFT + i * (w + GAP), w, focus));
  const shift = n > 3 ? 0 : Math.max(0, ...plans.map((p) => p.height - POD_H));
  const rooms = nodes.map((node, i) => {
    const x = LEFT + i * (w + GAP);
    return n > 3 ? rowRoom(node, x, w, focus) : fullRoom(node, x, w, shift, plans[i] as PodPlan);
  });
  const wire = 262 + shift;
  const outside = t.machines.filter((m) => m.kind === 'outside').slice(0, 1);
  const gateway = t.machines.find((m) => m.kind === 'gateway' && focus.netns.has(m.netns));
  const last = rooms[rooms.length - 1];
  const start = outside.length > 0 ? 82 : (rooms[0]?.socket.x ?? 82);
  const end = last?.socket.x ?? 320;
  const trunks: Line[] = [[pt(start, wire), pt(end, wire)]];
  if (gateway) trunks.push([pt(end, wire), pt(width - 44, wire)]);
  return {
    form: 'rooms',
    width,
    height: 280 + shift,
    rooms,
    service: { x: 16, y: 12, w: 132, h: 80 },
    label: { x: 16, y: 104, w: 132, h: 64 },
    machines: [
      ...outside.map((m) => ({
        netns: m.netns,
        name: m.name,
        address: m.address,
        box: { x: 16, y: 196 + shift, w: 132, h: 40 },
        form: 'outside' as const,
        socket: pt(82, wire),
      })),
      ...(gateway
        ? [
            {
              netns: gateway.netns,
              name: gateway.name,
              address: gateway.address,
              box: { x: width - 84, y: wire - 22, w: 72, h: 22 },
              form: 'gateway' as const,
              socket: pt(width - 48, wire),
            },
          ]
        : []),
    ],
    trunks,
    network: t.network === undefined ? undefined : { text: t.network, at: pt(gateway ? 520 : width - 16, wire + 14) },
    more: undefined,
  };
}
