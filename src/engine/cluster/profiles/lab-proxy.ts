import type { ClusterSpec, MachineSpec } from '../spec';
import { gateway, lanMachine, nodeSpec, RECORDED_FLAGS } from './three-nodes';

/** A pod of the recording lab: a namespace on cni0 that no API object made. Number 100 is the client without a server. */
function labPod(node: number, octet: number): MachineSpec {
  const ip = `10.244.${node}.${octet}`;
  return {
    id: `node-${node}/${ip}`,
    hostname: `pod-${ip}`,
    kind: 'pod',
    node: `node-${node}`,
    init: false,
    links: [
      {
        name: 'eth0',
        kind: 'veth',
        addrs: [`${ip}/24`],
        veth: { netns: `node-${node}`, name: `veth${octet}`, master: `node-${node}:cni0`, hairpin: true },
      },
    ],
    routes: [{ dst: 'default', via: `10.244.${node}.1` }],
    servers:
      octet === 100
        ? []
        : [{ program: 'echo', argv: ['echo', '-name', `pod-${ip}`, '-tcp', '80,8080,9090,53', '-udp', '53,5353'] }],
    image: 'nettools',
  };
}

/** The cluster on which the proxy records were made: a pool of pods with echo servers, no kubelet, child namespaces. */
export function labProxy(o: {
  readonly proxyMode?: 'iptables' | 'ipvs' | 'nftables';
  readonly proxyFlags?: readonly string[];
}): ClusterSpec {
  const ids = [1, 2, 3];
  const hostEcho = (name: string, tcp: string): { program: string; argv: string[] }[] => [
    { program: 'echo', argv: ['echo', '-name', name, '-tcp', tcp, '-udp', '15353'] },
  ];
  return {
    profile: 'lab-proxy',
    machines: [
      gateway(),
      lanMachine('api-server', 10),
      ...ids.map((i) => ({ ...nodeSpec(i, 3, false), servers: hostEcho(`host-node-${i}`, '18080') })),
      lanMachine('outside', 100, { servers: hostEcho('outside-192.168.10.100', '18080,5432') }),
      lanMachine('lb', 200, { sysctls: { 'net.ipv4.ip_forward': '1', 'net.ipv4.conf.all.send_redirects': '0' } }),
      ...ids.flatMap((i) => [10, 11, 12, 13, 100].map((k) => labPod(i, k))),
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
      kubelet: false,
      dns: false,
    },
    versions: { kubernetes: '1.37', kernel: '6.18', iptables: '1.8.9', backend: 'nft', cni: 'bridge + host-gw' },
  };
}
