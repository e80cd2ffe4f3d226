import type { ClusterSpec, MachineSpec } from '../spec';

export interface ThreeNodesOptions {
  /** 1 to 12; default 3. */
  readonly nodes?: number;
  readonly proxyMode?: 'iptables' | 'ipvs' | 'nftables';
  readonly proxyFlags?: readonly string[];
  readonly dns?: boolean;
}

const LAN = 'sw:lan';

/** kube-proxy's flags of the recorded cluster: its conntrack settings are 0, so the kernel's own values hold. */
export const RECORDED_FLAGS: readonly string[] = [
  '--cluster-cidr=10.244.0.0/16',
  '--conntrack-max-per-core=0',
  '--conntrack-min=0',
  '--conntrack-tcp-timeout-established=0',
  '--conntrack-tcp-timeout-close-wait=0',
];

/** A node: eth0 on the LAN, bridge cni0, host routes to the other nodes' pod ranges (host-gw). */
export function nodeSpec(i: number, all: number, init: boolean): MachineSpec {
  return {
    id: `node-${i}`,
    hostname: `node-${i}`,
    kind: 'node',
    node: `node-${i}`,
    init,
    links: [
      { name: 'eth0', kind: 'eth', peer: LAN, addrs: [`192.168.10.${10 + i}/24`] },
      { name: 'cni0', kind: 'bridge', addrs: [`10.244.${i}.1/24`] },
    ],
    routes: [
      { dst: 'default', via: '192.168.10.1' },
      ...Array.from({ length: all }, (_, k) => k + 1)
        .filter((k) => k !== i)
        .map((k) => ({ dst: `10.244.${k}.0/24`, via: `192.168.10.${10 + k}` })),
    ],
    sysctls: {
      'net.ipv4.ip_forward': '1',
      'net.bridge.bridge-nf-call-iptables': '1',
      'net.ipv4.conf.all.rp_filter': '0',
      'net.ipv4.conf.default.rp_filter': '0',
      'net.ipv4.conf.all.send_redirects': '0',
      'net.ipv4.conf.default.send_redirects': '0',
      'net.ipv4.conf.eth0.send_redirects': '0',
    },
    image: 'node',
  };
}

/** A machine on the LAN that is no node. */
export function lanMachine(id: string, octet: number, extra: Partial<MachineSpec> = {}): MachineSpec {
  return {
    id,
    hostname: id,
    kind: 'machine',
    node: id,
    init: true,
    links: [{ name: 'eth0', kind: 'eth', peer: LAN, addrs: [`192.168.10.${octet}/24`] }],
    routes: octet === 1 ? [{ dst: 'default', kind: 'unreachable' }] : [{ dst: 'default', via: '192.168.10.1' }],
    sysctls: { 'net.ipv4.conf.all.send_redirects': '0', 'net.ipv4.conf.default.send_redirects': '0' },
    image: 'machine',
    ...extra,
  };
}

/** The gateway knows no way to Service and pod ranges and says so to those it can reach. */
export const gateway = (): MachineSpec =>
  lanMachine('gateway', 1, { sysctls: { 'net.ipv4.ip_forward': '1', 'net.ipv4.conf.all.send_redirects': '0' } });

/** Names outside the cluster, as the resolver on the LAN knows them: the rest of the world does not exist. */
const LAN_FILES = {
  '/etc/coredns/Corefile': `.:53 {
    errors
    file /etc/coredns/lan.db .
}
`,
  '/etc/coredns/lan.db': `. 300 IN SOA ns.lan. hostmaster.lan. 1 7200 1800 86400 300
. 300 IN NS ns.lan.
ns.lan. 300 IN A 192.168.10.10
gateway.lan. 300 IN A 192.168.10.1
outside.lan. 300 IN A 192.168.10.100
example.com. 300 IN A 192.168.10.100
www.example.com. 300 IN CNAME example.com.
`,
};

/** The machine of the control plane, part of the pod network; its resolver is the upstream of the cluster's DNS. */
const resolvingApiServer = (nodes: readonly number[]): MachineSpec =>
  lanMachine('api-server', 10, {
    routes: [
      { dst: 'default', via: '192.168.10.1' },
      ...nodes.map((i) => ({ dst: `10.244.${i}.0/24`, via: `192.168.10.${10 + i}` })),
    ],
    servers: [{ program: 'coredns', argv: ['coredns', '-conf', '/etc/coredns/Corefile'] }],
    files: LAN_FILES,
  });

/** The school's cluster: nodes, a gateway without routes to pods and Services, a machine outside. */
export function threeNodes(o: ThreeNodesOptions = {}): ClusterSpec {
  const n = o.nodes ?? 3;
  const ids = Array.from({ length: n }, (_, i) => i + 1);
  return {
    profile: 'three-nodes',
    machines: [
      gateway(),
      (o.dns ?? true) ? resolvingApiServer(ids) : lanMachine('api-server', 10),
      ...ids.map((i) => nodeSpec(i, n, true)),
      lanMachine('outside', 100),
    ],
    controlPlane: {
      serviceCidr: '10.96.0.0/12',
      clusterCidr: '10.244.0.0/16',
      apiServer: { ip: '192.168.10.10', port: 6443 },
      nodes: ids.map((i) => ({
        name: `node-${i}`,
        ip: `192.168.10.${10 + i}`,
        podCidr: `10.244.${i}.0/24`,
        zone: i <= 2 ? 'zone-a' : 'zone-b',
      })),
      proxyMode: o.proxyMode ?? 'iptables',
      proxyFlags: [...RECORDED_FLAGS, ...(o.proxyFlags ?? [])],
      kubelet: true,
      dns: o.dns ?? true,
    },
    versions: { kubernetes: '1.37', kernel: '6.18', iptables: '1.8.9', backend: 'nft', cni: 'bridge + host-gw' },
  };
}
