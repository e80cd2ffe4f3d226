import type { WorldReader } from '../../../engine/base';
import { byCodeUnit, hash32 } from '../../../engine/base';
import { DEVS, NETNS, type NeighRecord, type NetDevice, type NetnsId } from '../../../engine/net';

/** Interfaces of a namespace in the order of their index, as the kernel dumps them. */
export function interfaces(reader: WorldReader, netns: NetnsId): readonly NetDevice[] {
  const devs = reader.map(DEVS);
  return devs
    .by('netns', netns)
    .map((k) => devs.get(k) as NetDevice)
    .sort((a, b) => a.ifindex - b.ifindex);
}

/** The other end of a veth pair. */
export function peerOf(reader: WorldReader, d: NetDevice): NetDevice | undefined {
  return d.kind === 'veth' && d.peer !== undefined ? reader.map(DEVS).get(d.peer) : undefined;
}

/** Carrier: a veth has it while its peer is up, a bridge while one of its ports is. */
export function carrier(reader: WorldReader, d: NetDevice): boolean {
  if (!d.up) return false;
  if (d.kind === 'veth') return peerOf(reader, d)?.up ?? false;
  if (d.kind !== 'bridge') return true;
  const devs = reader.map(DEVS);
  return devs.by('master', d.id).some((k) => carrier(reader, devs.get(k) as NetDevice));
}

/** IFLA_OPERSTATE as ip prints it. */
export function operState(reader: WorldReader, d: NetDevice): string {
  if (!d.up) return 'DOWN';
  if (d.kind === 'lo' || d.kind === 'dummy') return 'UNKNOWN';
  if (carrier(reader, d)) return 'UP';
  return d.kind === 'veth' ? 'LOWERLAYERDOWN' : 'DOWN';
}

/** Interface flags in ip's order (print_link_flags). */
export function linkFlags(reader: WorldReader, d: NetDevice): string[] {
  const flags: string[] = [];
  if (d.up && !carrier(reader, d)) flags.push('NO-CARRIER');
  if (d.kind === 'lo') flags.push('LOOPBACK');
  else {
    flags.push('BROADCAST');
    flags.push(d.kind === 'dummy' ? 'NOARP' : 'MULTICAST');
  }
  if (d.up) flags.push('UP');
  if (d.up && d.kind === 'veth' && !carrier(reader, d)) flags.push('M-DOWN');
  if (d.up && carrier(reader, d)) flags.push('LOWER_UP');
  return flags;
}

/** base_reachable_time (us): a confirmed neighbour is stale after it. */
const REACHABLE_US = 30_000_000;

/** NUD state of a neighbour now: confirmed ones get stale by time alone. */
export function neighState(reader: WorldReader, n: NeighRecord): NeighRecord['state'] {
  return n.state === 'REACHABLE' && reader.nowUs - n.updatedAtUs >= REACHABLE_US ? 'STALE' : n.state;
}

export function qdisc(d: NetDevice): string {
  if (d.kind === 'eth') return 'fq_codel';
  return d.up || d.kind !== 'lo' ? 'noqueue' : 'noop';
}

/**
 * Name of a namespace as the runtime bind-mounted it below /run/netns: `cni-` and a UUID for a pod, which is derived
 * from the namespace's id; namespaces that were made by `ip netns add` keep the name they were given.
 */
export function netnsName(id: NetnsId): string {
  if (!id.includes('/')) return id;
  const h = [0, 1, 2, 3].map((seed) => hash32(id, seed).toString(16).padStart(8, '0')).join('');
  return `cni-${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20, 32)}`;
}

/** Ids (nsid) that a namespace has given to its peers' namespaces: in the order of its own interfaces. */
export function nsid(reader: WorldReader, netns: NetnsId, peer: NetnsId): number {
  const seen: NetnsId[] = [];
  for (const d of interfaces(reader, netns)) {
    const p = peerOf(reader, d);
    if (p && p.netns !== netns && !seen.includes(p.netns)) seen.push(p.netns);
  }
  // A namespace that was made by hand got its links one by one out of the initial one, which so was its first peer.
  const made = !netns.includes('/') && reader.map(NETNS).get(netns)?.init === false;
  return Math.max(0, seen.indexOf(peer)) + (made ? 1 : 0);
}

/** ` link-netns NAME` where the viewer's mount namespace has the names, else ` link-netnsid N`; '' for a local peer. */
export function linkNetns(reader: WorldReader, d: NetDevice, names = true): string {
  const p = peerOf(reader, d);
  if (!p || p.netns === d.netns) return '';
  if (!names || d.netns.includes('/')) return ` link-netnsid ${nsid(reader, d.netns, p.netns)}`;
  return ` link-netns ${netnsName(p.netns)}`;
}

/** `eth0@if5` for a veth whose peer is elsewhere, `veth1@veth0` for one in the same namespace. */
export function shownName(reader: WorldReader, d: NetDevice): string {
  const p = peerOf(reader, d);
  if (!p) return d.name;
  return p.netns === d.netns ? `${d.name}@${p.name}` : `${d.name}@if${p.ifindex}`;
}

/** Namespaces of pods of a node, in name order (for `ip netns`). */
export function podNamespaces(reader: WorldReader, node: string): readonly string[] {
  const map = reader.map(NETNS);
  return map
    .by('node', node)
    .filter((id) => id.includes('/'))
    .map(netnsName)
    .sort(byCodeUnit);
}
