import type { TraceEvent } from '../../engine/trace';
import { countRules } from './chains';
import { deviceName, factsOf, known, netnsName, nodeOfNetns, packetOf } from './facts';
import { ruleParts } from './rule-text';
import type { HookMarks, HookStations, HookStop, Remark, SceneInput, StopState, TableRead, Topology } from './types';
import { hookOf } from './visits';

/** Priority of the conntrack confirmation: the last of its hook (INT_MAX). */
export const LAST = 2 ** 31 - 1;

interface Slot {
  readonly name: string;
  readonly priority: number;
}
/** Tables and functions that a hook can have, in the kernel's order; drawn hollow and broken where not registered. */
const SLOTS: Readonly<Record<string, readonly Slot[]>> = {
  prerouting: [
    { name: 'raw', priority: -300 },
    { name: 'conntrack', priority: -200 },
    { name: 'mangle', priority: -150 },
    { name: 'nat', priority: -100 },
  ],
  input: [
    { name: 'mangle', priority: -150 },
    { name: 'filter', priority: 0 },
    { name: 'nat', priority: 100 },
    { name: 'confirm', priority: LAST },
  ],
  forward: [
    { name: 'mangle', priority: -150 },
    { name: 'filter', priority: 0 },
  ],
  output: [
    { name: 'raw', priority: -300 },
    { name: 'conntrack', priority: -200 },
    { name: 'mangle', priority: -150 },
    { name: 'nat', priority: -100 },
    { name: 'filter', priority: 0 },
  ],
  postrouting: [
    { name: 'mangle', priority: -150 },
    { name: 'nat', priority: 100 },
    { name: 'confirm', priority: LAST },
  ],
};
/** Registered functions that are no stop of their own: they belong to conntrack. */
const NO_STOP = new Set(['defrag', 'helper', 'seqadj']);
const OF_CONNTRACK = new Set(['conntrack', 'confirm']);

/** Stations of a hook: the kernel's slots and whatever else is registered, by priority. */
export function stationsOf(
  hooks: readonly HookStations[],
  netns: string,
  family: 4 | 6,
  hook: string,
  mode: Topology['proxyMode'],
): { readonly name: string; readonly priority: number; readonly registered: boolean }[] {
  const registered = (
    hooks.find((h) => h.netns === netns && h.family === family && h.hook === hook)?.stations ?? []
  ).filter((s) => !NO_STOP.has(s.name));
  const slots = (SLOTS[hook] ?? []).filter((s) => mode !== 'nftables' || OF_CONNTRACK.has(s.name));
  const all = [
    ...registered.map((s) => ({ ...s, registered: true })),
    ...slots.filter((s) => !registered.some((r) => r.name === s.name)).map((s) => ({ ...s, registered: false })),
  ];
  return all.sort((a, b) => a.priority - b.priority);
}

/** The run of events around the cursor that lie in one namespace: one traversal. */
export function segmentAt(
  events: readonly TraceEvent[],
  cursor: number,
): { before: TraceEvent[]; after: TraceEvent[]; netns: string } | undefined {
  const inside = events.filter((e) => e.where.netns !== undefined);
  let at = -1;
  inside.forEach((e, i) => {
    if (e.seq <= cursor) at = i;
  });
  const netns = inside[at]?.where.netns;
  if (netns === undefined) return undefined;
  let first = at;
  while (
    first > 0 &&
    inside[first - 1]?.where.netns === netns &&
    !enters(inside[first] as TraceEvent, inside[first - 1])
  )
    first--;
  let last = at;
  while (
    last + 1 < inside.length &&
    inside[last + 1]?.where.netns === netns &&
    !enters(inside[last + 1] as TraceEvent, inside[last])
  )
    last++;
  return { before: inside.slice(first, at + 1), after: inside.slice(at + 1, last + 1), netns };
}
/** A packet that left and came back into the same namespace starts a traversal of its own. */
const enters = (e: TraceEvent, before: TraceEvent | undefined): boolean =>
  e.kind === 'pkt.made' || (e.kind === 'dev.rcv' && before?.kind === 'dev.xmit');

/** Priority as the line shows it, with a real minus sign; undefined stands for "last". */
export const priorityText = (p: number): string | undefined => (p === LAST ? undefined : p < 0 ? `−${-p}` : String(p));

type Draft = Omit<HookStop, 'state'>;

function draftStops(input: SceneInput, all: readonly TraceEvent[], netns: string, family: 4 | 6): Draft[] {
  const { topology, hooks } = input;
  const node = nodeOfNetns(topology, netns);
  const localOut = all[0]?.kind === 'pkt.made';
  const decision = all.map((e) => factsOf(e, 'route')).find((r) => r !== undefined && r.stage === 'input');
  const seen = new Set(all.map(hookOf));
  // A pod or a machine outside forwards nothing: what it receives is for itself.
  const own = node === undefined && decision === undefined;
  const localIn = !localOut && (decision?.result === 'local' || seen.has('input') || own);
  const throughIpvs = localIn && seen.has('postrouting');
  const rcv = all.map((e) => factsOf(e, 'dev.rcv')).find((f) => f !== undefined);
  const xmits = all.map((e) => factsOf(e, 'dev.xmit')).filter((f) => f !== undefined);
  const named = (dev: string): string => {
    const name = deviceName(dev);
    return node?.bridge !== undefined && name !== node.uplink && name !== 'lo' ? node.bridge : name;
  };
  const inName = rcv ? named(rcv.dev) : (node?.uplink ?? 'eth0');
  const routed = all.map((e) => factsOf(e, 'route')?.oif).filter((d) => d !== undefined);
  const lastXmit = xmits[xmits.length - 1];
  const lastRoute = routed[routed.length - 1];
  const outName = lastXmit
    ? named(lastXmit.dev)
    : lastRoute !== undefined
      ? named(lastRoute)
      : node?.bridge !== undefined && inName === node.uplink
        ? node.bridge
        : (node?.uplink ?? 'eth0');

  const device = (name: string, side: 'in' | 'out'): Draft => ({
    id: `dev-${side}`,
    kind: 'device',
    name,
    registered: true,
  });
  const process = (side: 'in' | 'out'): Draft => ({
    id: `proc-${side}`,
    kind: 'process',
    name: netnsName(topology, netns),
    registered: true,
  });
  const route = (id: string): Draft => ({ id, kind: 'route', name: 'route', registered: true });
  const hook = (h: string, until = LAST + 1): Draft[] =>
    stationsOf(hooks, netns, family, h, topology.proxyMode)
      .filter((s) => s.priority <= until)
      .map((s) => ({
        id: `${h}.${s.name}`,
        kind: 'station',
        name: s.name,
        hook: h,
        priority: s.priority,
        registered: s.registered,
      }));
  const rerouted = all.some((e) => factsOf(e, 'route')?.stage === 'reroute');

  if (localOut) {
    return [
      process('in'),
      route('route.output'),
      ...hook('output'),
      ...(rerouted ? [route('route.reroute')] : []),
      ...hook('postrouting'),
      device(outName, 'out'),
    ];
  }
  if (throughIpvs) {
    const ipvs = all.map((e) => factsOf(e, 'nf.station')).find((s) => s?.station === 'ipvs');
    return [
      device(inName, 'in'),
      ...hook('prerouting'),
      route('route.input'),
      ...hook('input', ipvs?.priority ?? LAST),
      ...hook('output'),
      ...hook('postrouting'),
      device(outName, 'out'),
    ];
  }
  if (localIn)
    return [device(inName, 'in'), ...hook('prerouting'), route('route.input'), ...hook('input'), process('out')];
  return [
    device(inName, 'in'),
    ...hook('prerouting'),
    route('route.input'),
    ...hook('forward'),
    ...hook('postrouting'),
    device(outName, 'out'),
  ];
}

/** Drops that happen after the last hook: the socket, or that there is none. */
const AT_SOCKET = new Set(['no-listener', 'bad-segment']);

/** Index of the stop at which an event happens, never before the one the packet was at. */
function stopOf(stops: readonly Draft[], e: TraceEvent, from: number): number {
  const find = (test: (s: Draft) => boolean): number => stops.findIndex((s, i) => i >= from && test(s));
  const a = known(e);
  const hook = hookOf(e);
  let at = -1;
  switch (a.kind) {
    case 'nf.station':
      at = find((s) => s.hook === hook && s.name === a.facts.station);
      if (at < 0) at = find((s) => s.hook === hook && (s.priority ?? 0) >= a.facts.priority);
      break;
    case 'route':
      at = find((s) => s.kind === 'route');
      break;
    case 'dev.xmit':
      at = find((s) => s.id === 'dev-out');
      break;
    case 'pkt.drop':
      if (AT_SOCKET.has(a.facts.cause.reason)) at = find((s) => s.id === 'proc-out');
      break;
    case 'pkt.deliver':
      at = find((s) => s.id === 'proc-out');
      break;
    case 'ct.new':
    case 'ct.found':
    case 'ct.invalid':
    case 'ct.untracked':
    case 'ct.full':
      at = find((s) => s.name === 'conntrack' && (hook === undefined || s.hook === hook));
      break;
    case 'ct.confirm':
    case 'ct.clash':
      at = find((s) => s.name === 'confirm' && (hook === undefined || s.hook === hook));
      break;
    default:
      break;
  }
  return at < 0 ? from : at;
}

function remarkOf(stop: Draft, events: readonly TraceEvent[]): Remark | undefined {
  for (const e of [...events].reverse()) {
    const a = known(e);
    if (a.kind === 'ct.new') return { code: 'ct-new' };
    if (a.kind === 'ct.found') return { code: 'ct-found', info: a.facts.info };
    if (a.kind === 'ct.confirm') return { code: 'ct-confirmed' };
    if (a.kind === 'pkt.drop') return { code: 'dropped' };
    if (a.kind === 'route' && a.facts.oif !== undefined)
      return {
        code: 'route',
        oif: deviceName(a.facts.oif),
        ...(a.facts.via === undefined ? {} : { via: a.facts.via }),
      };
    if (a.kind === 'nf.station' && !a.facts.walked && a.facts.reason !== undefined)
      return { code: 'not-asked', reason: a.facts.reason };
  }
  if (stop.kind !== 'station' || OF_CONNTRACK.has(stop.name)) return undefined;
  return { code: 'rules-read', count: countRules(events).read };
}

function tableRead(stop: Draft, events: readonly TraceEvent[]): TableRead | undefined {
  const station = events.map((e) => factsOf(e, 'nf.station')).find((s) => s !== undefined);
  if (!station || stop.hook === undefined || OF_CONNTRACK.has(stop.name)) return undefined;
  const matched = events.map((e) => factsOf(e, 'nf.rule')).filter((r) => r?.matched === true);
  const policy = events.map((e) => factsOf(e, 'nf.policy')).find((p) => p !== undefined);
  const last = matched[matched.length - 1];
  const { read } = countRules(events);
  const table = { hook: stop.hook.toUpperCase(), table: stop.name, read };
  if (policy || !last) return { ...table, verdict: policy?.policy ?? 'ACCEPT' };
  const { condition } = ruleParts(last.text);
  return { ...table, verdict: last.target ?? last.verdict, chain: last.chain, rule: last.number, condition };
}

/** The line of hooks for the namespace that the packet is in, and where each event of the traversal happened on it. */
export function hookMarks(input: SceneInput): { marks: HookMarks; before: TraceEvent[]; stopAt: number[] } | undefined {
  const segment = segmentAt(input.packetEvents, input.cursor);
  if (!segment) return undefined;
  const { before, after, netns } = segment;
  const all = [...before, ...after];
  const family = all.map(packetOf).find((p) => p !== undefined)?.ip.family ?? 4;
  const drafts = draftStops(input, all, netns, family);
  const place = (events: readonly TraceEvent[], from: number): number[] => {
    let at = from;
    return events.map((e) => {
      at = stopOf(drafts, e, at);
      return at;
    });
  };
  const stopAt = place(before, 0);
  const at = stopAt[stopAt.length - 1] ?? 0;
  const later = place(after, at);
  const dropped = before.some((e) => e.kind === 'pkt.drop' || e.kind === 'ct.full');
  const count = countRules(before);
  const of = (index: number): TraceEvent[] => before.filter((_, i) => stopAt[i] === index);

  const stops = drafts.map((d, i): HookStop => {
    const state: StopState =
      dropped && i === at ? 'dropped' : i < at ? 'passed' : i === at ? 'now' : dropped ? 'never' : 'ahead';
    const shown = !d.registered && state !== 'dropped' ? 'none' : state;
    const remark: Remark | undefined = !d.registered
      ? { code: 'no-table' }
      : i <= at
        ? remarkOf(d, of(i))
        : dropped
          ? undefined
          : { code: 'ahead' };
    return { ...d, state: shown, ...(remark === undefined ? {} : { remark }) };
  });
  const routeAt = stops.findIndex((s) => s.id === 'route.input');
  const post = stops.findIndex((s) => s.hook === 'postrouting');
  const loop: HookMarks['loop'] =
    routeAt < 0 || dropped
      ? undefined
      : post >= 0 && stops.some((s) => s.hook === 'forward')
        ? { from: routeAt, to: post, road: 'local' }
        : post < 0
          ? { from: routeAt, to: stops.length - 1, road: 'FORWARD' }
          : undefined;
  return {
    marks: {
      netns,
      name: netnsName(input.topology, netns),
      mirrored: input.packet?.role === 'reply',
      stops,
      at,
      atBefore: stopAt[stopAt.length - 2] ?? at,
      aheadTo: later.length > 0 && !dropped ? Math.max(at, ...later) : undefined,
      loop,
      dropped,
      rulesRead: count.read,
      rulesMissed: count.missed,
      tablesRead: stops.slice(0, at + 1).flatMap((s, i) => tableRead(s, of(i)) ?? []),
    },
    before,
    stopAt,
  };
}
