import type { AnyEvent, FactsOf, Kind, PacketLike, TraceEvent, TupleFacts } from '../../engine/trace';
import type { PacketInfo, Topology, TopoNode, TopoPod, TupleText } from './types';

/** Facts of an event if it is of that kind. The view may not import the engine's own guard, which is code. */
export function factsOf<K extends Kind>(e: TraceEvent | undefined, kind: K): FactsOf<K> | undefined {
  return e !== undefined && e.kind === kind ? (e.facts as unknown as FactsOf<K>) : undefined;
}

/** The union of known kinds, for a switch; unknown kinds fall through to its default. */
export const known = (e: TraceEvent): AnyEvent => e as unknown as AnyEvent;

/** The packet that an event carries, if it carries one. */
export function packetOf(e: TraceEvent): PacketLike | undefined {
  const facts = e.facts as { readonly packet?: PacketLike } | null;
  const p = facts !== null && typeof facts === 'object' ? facts.packet : undefined;
  return p !== undefined && typeof p === 'object' ? p : undefined;
}

const l4 = (p: PacketLike): Readonly<Record<string, unknown>> => p.l4 as unknown as Readonly<Record<string, unknown>>;
const portOf = (p: PacketLike, field: 'sport' | 'dport'): number | undefined => {
  const v = l4(p)[field];
  return typeof v === 'number' ? v : undefined;
};
const withPort = (ip: string, port: number | undefined): string =>
  port === undefined ? ip : ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;

/** `address:port` of a packet's source; the address alone where the protocol has no ports. */
export const sourceOf = (p: PacketLike): string => withPort(p.ip.src, portOf(p, 'sport'));
export const destinationOf = (p: PacketLike): string => withPort(p.ip.dst, portOf(p, 'dport'));

export function tupleText(t: TupleFacts): TupleText {
  return { src: withPort(t.src, t.sport), dst: withPort(t.dst, t.dport) };
}

/** `node-1:cni0` → `cni0`. */
export const deviceName = (dev: string): string => dev.slice(dev.lastIndexOf(':') + 1);
/** `node-1/default.web:eth0` → `node-1/default.web`; undefined for a plain name. */
export const deviceNetns = (dev: string): string | undefined => {
  const i = dev.lastIndexOf(':');
  return i < 0 ? undefined : dev.slice(0, i);
};

export function nodeOfNetns(t: Topology, netns: string): TopoNode | undefined {
  return t.nodes.find((n) => n.netns === netns);
}
export function podOfNetns(t: Topology, netns: string): { node: TopoNode; pod: TopoPod } | undefined {
  for (const node of t.nodes) {
    const pod = node.pods.find((p) => p.netns === netns);
    if (pod) return { node, pod };
  }
  return undefined;
}
/** What a reader calls a namespace: the pod's or the machine's name. */
export function netnsName(t: Topology, netns: string): string {
  return (
    nodeOfNetns(t, netns)?.name ??
    podOfNetns(t, netns)?.pod.name ??
    t.machines.find((m) => m.netns === netns)?.name ??
    netns
  );
}

const TCP_RST = 4;
const DNS_PORT = 53;

/** How a packet is drawn, from what its first event carries. */
export function packetInfo(
  p: PacketLike,
  facts: { readonly number: number; readonly reply: boolean; readonly label: string },
): PacketInfo {
  const fields = l4(p);
  const flags = fields.flags;
  const dns = p.l4.kind === 'udp' && (fields.dport === DNS_PORT || fields.sport === DNS_PORT);
  const form =
    p.l4.kind === 'icmp'
      ? fields.inner === undefined
        ? 'icmp'
        : 'icmp-error'
      : typeof flags === 'number' && (flags & TCP_RST) !== 0
        ? 'rst'
        : dns
          ? 'dns'
          : 'tag';
  return { id: p.id, number: facts.number, role: facts.reply ? 'reply' : 'request', form, label: facts.label };
}
