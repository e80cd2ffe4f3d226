import type { ClusterSpec, MachineSpec } from '../../../engine/cluster';
import type { PackageSetName, Topology } from './records';

const VERSIONS: ClusterSpec['versions'] = {
  kernel: '6.18',
  iptables: '1.8.9',
  backend: 'nft',
  // CONFIG_DUMMY was off.
  linkTypes: ['bridge', 'veth'],
};

const packagesOf = (set: PackageSetName): 'debian12' | 'debian13' => (set === 'debian13' ? 'debian13' : 'debian12');

/** Name of a namespace in the recording lab. */
export const netnsOf = (ns: string, topology: boolean): string => (topology ? `c-${ns}` : ns);

/** A namespace of its own, without links. */
export function freshSpec(
  ns: string,
  set: PackageSetName,
  o: {
    readonly loUp: boolean;
    readonly init: boolean;
    readonly files: Readonly<Record<string, string>>;
    readonly hostname: string;
  },
): ClusterSpec {
  const machine: MachineSpec = {
    id: ns,
    hostname: o.hostname,
    kind: 'machine',
    node: 'lab',
    init: o.init,
    links: [],
    files: o.files,
    image: 'node',
    packages: packagesOf(set),
    loUp: o.loUp,
  };
  return { profile: 'lab-cli', machines: [machine], versions: VERSIONS };
}

/** The network of setup/topology.json: namespaces of one machine, joined by veth pairs. */
export function topologySpec(t: Topology, set: PackageSetName, hosts: Readonly<Record<string, string>>): ClusterSpec {
  const machines = t.namespaces.map((n): MachineSpec => {
    const pod = n.role === 'pod' || n.role === 'DNS pod' || n.ns === 'dns';
    return {
      id: netnsOf(n.ns, true),
      hostname: n.host ?? hosts[n.ns] ?? n.ns,
      kind: 'machine',
      node: 'lab',
      init: false,
      links: n.interfaces.flatMap((i) => link(t, n.ns, i)),
      routes: (n.routes ?? []).map(route),
      sysctls: {
        'net.ipv4.conf.all.send_redirects': '0',
        // The recording machine's receive buffers: window scale 10.
        'net.ipv4.tcp_rmem': '4096\t131072\t33554432',
        ...Object.fromEntries(Object.entries(n.sysctls ?? {}).map(([k, v]) => [k, String(v)])),
      },
      files: pod
        ? { '/etc/hosts': t.podHosts, '/etc/resolv.conf': t.podResolv }
        : { '/etc/hosts': t.nodeHosts, '/etc/resolv.conf': 'nameserver 192.0.2.53\n' },
      image: 'node',
      packages: packagesOf(set),
      // Debian 13's tools ran in a root directory of their own.
      namelessNetns: set === 'debian13',
    };
  });
  return { profile: 'lab-cli', machines, versions: VERSIONS };
}

type Interface = Topology['namespaces'][number]['interfaces'][number];

/** A bridge, or the end of a veth pair that is named first; the other end comes with it. */
function link(t: Topology, ns: string, i: Interface): MachineSpec['links'] {
  const peerOf = (x: Interface) =>
    t.namespaces.find((n) => n.ns === x.peer?.ns)?.interfaces.find((y) => y.name === x.peer?.name);
  const index = (x: Interface) => x.ifindex ?? peerOf(x)?.peer_ifindex;
  const own = (x: Interface, where: string) => ({
    name: x.name,
    mac: x.mac,
    ...(x.address === undefined ? {} : { addrs: [x.address] }),
    ...(x.master === undefined ? {} : { master: `${netnsOf(where, true)}:${x.master}` }),
    ...(x.hairpin === undefined ? {} : { hairpin: x.hairpin }),
    ...(index(x) === undefined ? {} : { ifindex: index(x) as number }),
  });
  if (!i.peer) return [{ kind: i.kind === 'bridge' ? ('bridge' as const) : ('dummy' as const), ...own(i, ns) }];
  const order = t.namespaces.map((n) => n.ns);
  if (order.indexOf(i.peer.ns) < order.indexOf(ns)) return [];
  const peer = peerOf(i);
  if (!peer) return [];
  // Bridges of either side must be there first; the file lists them before their ports.
  return [{ kind: 'veth' as const, ...own(i, ns), veth: { ...own(peer, i.peer.ns), netns: netnsOf(i.peer.ns, true) } }];
}

/** `10.244.2.0/24 via 192.168.56.12 dev eth0`, `blackhole 10.96.0.0/12`. */
function route(text: string): NonNullable<MachineSpec['routes']>[number] {
  const words = text.split(' ');
  const kinds = ['blackhole', 'unreachable', 'prohibit'] as const;
  const kind = kinds.find((k) => k === words[0]);
  const dst = (kind ? words[1] : words[0]) as string;
  const after = (w: string): string | undefined => (words.includes(w) ? words[words.indexOf(w) + 1] : undefined);
  const via = after('via');
  const dev = after('dev');
  return {
    dst,
    proto: 'boot',
    ...(kind ? { kind } : {}),
    ...(via === undefined ? {} : { via }),
    ...(dev === undefined ? {} : { dev }),
  };
}

/** The control plane of groups 9 and 10: an API server and controllers, no nodes' kernels, no kubelet. */
export function controlPlaneSpec(): ClusterSpec {
  return {
    profile: 'lab-cli',
    machines: [],
    controlPlane: {
      serviceCidr: '10.96.0.0/12',
      clusterCidr: '10.244.0.0/16',
      apiServer: { ip: '192.168.56.11', port: 26443 },
      nodes: [],
      proxyMode: 'iptables',
      proxyFlags: [],
      kubelet: false,
      dns: false,
    },
    versions: VERSIONS,
  };
}
