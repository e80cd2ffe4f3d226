import type { TraceEvent } from '../../engine/trace';
import { deviceName, deviceNetns, known, nodeOfNetns, podOfNetns } from './facts';
import type { MapStation, Spot, Topology, Visit } from './types';

const STATION: Readonly<Record<string, MapStation>> = {
  prerouting: 'PRE',
  input: 'FWD',
  forward: 'FWD',
  output: 'FWD',
  postrouting: 'POST',
};

export const hookOf = (e: TraceEvent): string | undefined => e.where.hook?.toLowerCase();

/** Same text for the same place. */
export function spotKey(s: Spot): string {
  switch (s.at) {
    case 'pod':
    case 'machine':
      return `${s.at} ${s.netns}`;
    case 'bridge':
      return `bridge ${s.node} ${s.netns ?? ''}`;
    case 'station':
      return `station ${s.node} ${s.station}`;
    case 'door':
      return `door ${s.node}`;
  }
}

/** Where on the map an event happens; undefined: where the packet was before. */
export function spotOf(t: Topology, e: TraceEvent, before: Spot | undefined): Spot | undefined {
  const netns = e.where.netns;
  if (netns === undefined) return undefined;
  const pod = podOfNetns(t, netns);
  if (pod) return { at: 'pod', node: pod.node.name, netns };
  const node = nodeOfNetns(t, netns);
  if (!node) return t.machines.some((m) => m.netns === netns) ? { at: 'machine', netns } : undefined;
  const station = (s: MapStation): Spot => ({ at: 'station', node: node.name, station: s });
  const a = known(e);
  switch (a.kind) {
    case 'dev.rcv':
    case 'dev.xmit': {
      if (deviceName(a.facts.dev) === node.uplink) return { at: 'door', node: node.name };
      if (deviceName(a.facts.dev) === 'lo') return undefined;
      // Out by the bridge: the port that comes next tells to which pod.
      if (a.kind === 'dev.xmit' && deviceName(a.facts.dev) === node.bridge) return undefined;
      const other =
        a.kind === 'dev.xmit'
          ? deviceNetns(a.facts.to)
          : before?.at === 'pod' && before.node === node.name
            ? before.netns
            : undefined;
      const end = other === undefined ? undefined : podOfNetns(t, other);
      if (end) return { at: 'bridge', node: node.name, netns: end.pod.netns };
      return before?.at === 'bridge' && before.node === node.name ? before : { at: 'bridge', node: node.name };
    }
    case 'bridge.forward':
      // The port that comes next tells to which pod; until then the packet stays where it was.
      return before === undefined ? { at: 'bridge', node: node.name } : undefined;
    case 'pkt.made':
    case 'pkt.deliver':
      return station('FWD');
    default: {
      const s = STATION[hookOf(e) ?? ''];
      return s === undefined ? undefined : station(s);
    }
  }
}

/** Places of a packet in order, each with the event that first reached it. */
export function visits(t: Topology, events: readonly TraceEvent[]): Visit[] {
  const out: Visit[] = [];
  let last: Spot | undefined;
  for (const e of events) {
    const spot = spotOf(t, e, last);
    if (spot === undefined || (last !== undefined && spotKey(last) === spotKey(spot))) continue;
    out.push({ seq: e.seq, spot });
    last = spot;
  }
  return out;
}
