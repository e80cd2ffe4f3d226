import type { WorldReader } from '../engine/base';
import { getObject, isReady, listObjects, type Pod, type Service, slicesOf } from '../engine/k8s';
import { PROXIES } from '../engine/kubeproxy';
import type { NetNamespace } from '../engine/net';
import { DEVS, NETNS, type NetDevice, SYSCTLS } from '../engine/net';

/** What the map is drawn from; the view's Topology is this shape. Names and addresses of the world at a cursor. */
export interface Topology {
  readonly nodes: readonly TopologyNode[];
  readonly services: readonly {
    readonly namespace: string;
    readonly name: string;
    readonly clusterIP?: string;
    readonly ports: readonly { readonly port: number; readonly protocol: string; readonly nodePort?: number }[];
    readonly endpoints: readonly string[];
  }[];
  readonly machines: readonly {
    readonly name: string;
    readonly netns: string;
    readonly address?: string;
    readonly kind: 'outside' | 'gateway';
  }[];
  readonly network?: string;
  readonly proxyMode: 'iptables' | 'ipvs' | 'nftables';
}

interface TopologyNode {
  readonly name: string;
  readonly address?: string;
  readonly netns: string;
  readonly bridge?: string;
  readonly uplink?: string;
  readonly bridgeHooks?: boolean;
  readonly pods: readonly {
    readonly namespace: string;
    readonly name: string;
    readonly netns: string;
    readonly address?: string;
    readonly state: 'ready' | 'unready' | 'terminating';
  }[];
}

/** Machines that play a part behind the scenes and are drawn only when a packet of theirs is followed. */
const HIDDEN = new Set(['api-server']);

export function topologyOf(reader: WorldReader): Topology {
  const spaces = reader.map(NETNS).values();
  const hasNodes = spaces.some((n) => n.kind === 'node');
  // A world without nodes (two namespaces and a wire) shows its machines as rooms.
  const rooms = spaces.filter((n) => (hasNodes ? n.kind === 'node' : n.kind === 'machine'));
  const nodes = rooms.map((n) => nodeOf(reader, n, spaces)).sort((a, b) => natural(a.name, b.name));
  const mode = (reader.map(PROXIES).values()[0]?.mode ?? 'iptables') as Topology['proxyMode'];
  const network = networkOf(reader, nodes[0]);
  return {
    nodes,
    services: listObjects(reader, 'Service').map((s) => serviceOf(reader, s as Service)),
    machines: hasNodes
      ? spaces
          .filter((n) => n.kind === 'machine' && !HIDDEN.has(n.id))
          .map((n) => ({
            name: n.id,
            netns: n.id,
            ...address(uplink(reader, n.id)),
            kind: n.id === 'gateway' ? ('gateway' as const) : ('outside' as const),
          }))
      : [],
    ...(network === undefined ? {} : { network }),
    proxyMode: mode,
  };
}

function nodeOf(reader: WorldReader, n: NetNamespace, spaces: readonly NetNamespace[]): TopologyNode {
  const devs = devices(reader, n.id);
  const bridge = devs.find((d) => d.kind === 'bridge');
  const up = uplink(reader, n.id);
  const hooks = reader.map(SYSCTLS).get(`${n.id}|net.bridge.bridge-nf-call-iptables`)?.value;
  return {
    name: n.id,
    netns: n.id,
    ...address(up),
    ...(bridge ? { bridge: bridge.name } : {}),
    ...(up ? { uplink: up.name } : {}),
    bridgeHooks: hooks !== '0',
    pods: spaces
      .filter((p) => p.kind === 'pod' && p.node === n.node)
      .map((p) => podOf(reader, p))
      .sort((a, b) => natural(a.name, b.name)),
  };
}

function podOf(reader: WorldReader, p: NetNamespace): TopologyNode['pods'][number] {
  const id = p.id.slice(p.id.indexOf('/') + 1);
  const dot = id.indexOf('.');
  const found = getObject(reader, 'Pod', id.slice(0, dot), id.slice(dot + 1)) as Pod | undefined;
  const base = { netns: p.id, ...address(devices(reader, p.id).find((d) => d.kind !== 'lo')) };
  if (!found) return { ...base, namespace: '', name: id, state: 'ready' };
  const state = found.metadata.deletionTimestamp ? 'terminating' : isReady(found) ? 'ready' : 'unready';
  return { ...base, namespace: id.slice(0, dot), name: id.slice(dot + 1), state };
}

function serviceOf(reader: WorldReader, s: Service): Topology['services'][number] {
  const { namespace = 'default', name } = s.metadata;
  const ip = s.spec.clusterIP;
  const endpoints = slicesOf(reader, namespace, name).flatMap((e) =>
    (e.endpoints ?? []).filter((x) => x.conditions?.ready !== false).flatMap((x) => x.addresses),
  );
  return {
    namespace,
    name,
    ...(ip === undefined || ip === 'None' ? {} : { clusterIP: ip }),
    ports: (s.spec.ports ?? []).map((p) => ({
      port: p.port,
      protocol: p.protocol,
      ...(p.nodePort === undefined ? {} : { nodePort: p.nodePort }),
    })),
    endpoints: [...new Set(endpoints)],
  };
}

const devices = (reader: WorldReader, netns: string): NetDevice[] => {
  const map = reader.map(DEVS);
  return map.by('netns', netns).map((k) => map.get(k) as NetDevice);
};
const uplink = (reader: WorldReader, netns: string): NetDevice | undefined =>
  devices(reader, netns).find((d) => d.kind === 'eth') ??
  devices(reader, netns).find((d) => d.kind === 'veth' && d.master === undefined);
const address = (d: NetDevice | undefined): { address?: string } => (d?.addrs[0] ? { address: d.addrs[0].ip } : {});

function networkOf(reader: WorldReader, node: TopologyNode | undefined): string | undefined {
  const a = node && uplink(reader, node.netns)?.addrs[0];
  return a && `${a.ip.slice(0, a.ip.lastIndexOf('.'))}.0/${a.prefix}`;
}

/** Names with numbers in them by number: node-2 before node-10. */
export function natural(a: string, b: string): number {
  const parts = (s: string): string[] => s.split(/(\d+)/);
  const x = parts(a);
  const y = parts(b);
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const [p, q] = [x[i] as string, y[i] as string];
    if (p === q) continue;
    return i % 2 === 1 ? Number(p) - Number(q) : p < q ? -1 : 1;
  }
  return x.length - y.length;
}
