import { formatIpv4, hash32, ipow, parseCidr, parseIpv4 } from '../base';
import type { Pod } from '../k8s';
import { DEVS, type Net } from '../net';
import { addMachine } from './machines';
import type { ControlPlaneSpec, MachineSpec } from './spec';

/** Namespace id of a pod that an API object stands for. */
export const podNetns = (node: string, namespace: string, name: string): string => `${node}/${namespace}.${name}`;

export const netnsOfPod = (pod: Pod): string =>
  podNetns(pod.spec.nodeName ?? '', pod.metadata.namespace ?? 'default', pod.metadata.name);

/** Bridge plugin with host-local addresses: a veth pair to cni0 with hairpin on, addresses from the node's range. */
export class BridgeCni {
  /** Addresses that the set-up of a world gives to pods by name. */
  private readonly reserved = new Map<string, string>();

  constructor(
    private readonly net: Net,
    private readonly nodes: ControlPlaneSpec['nodes'],
  ) {}

  reserve(namespace: string, name: string, ip: string): void {
    this.reserved.set(`${namespace}/${name}`, ip);
  }

  /** ADD: makes the pod's namespace; undefined when the node is not known or its range is used up. */
  add(pod: Pod): { readonly podIPs: readonly string[]; readonly hostIP: string } | undefined {
    const node = this.nodes.find((n) => n.name === pod.spec.nodeName);
    if (!node) return undefined;
    const wanted = this.reserved.get(`${pod.metadata.namespace}/${pod.metadata.name}`);
    const ip = wanted && this.free(wanted) ? wanted : this.pick(node.podCidr);
    if (ip === undefined) return undefined;
    addMachine(this.net, podMachine(pod, node, ip));
    return { podIPs: [ip], hostIP: node.ip };
  }

  /** DEL: the namespace goes, and its veth pair with it. */
  remove(pod: Pod): void {
    const id = netnsOfPod(pod);
    if (this.net.links.netns.has(id)) this.net.links.removeNamespace(id);
  }

  private free(ip: string): boolean {
    return this.net.ctx.world.map(DEVS).by('ip', ip).length === 0;
  }

  private pick(podCidr: string): string | undefined {
    const range = parseCidr(podCidr);
    const base = range && parseIpv4(range.base);
    if (!range || base === undefined) return undefined;
    const last = ipow(2, 32 - range.prefix) - 2;
    for (let i = 2; i <= last; i++) {
      const ip = formatIpv4(base + i);
      if (this.free(ip) && ![...this.reserved.values()].includes(ip)) return ip;
    }
    return undefined;
  }
}

function podMachine(pod: Pod, node: ControlPlaneSpec['nodes'][number], ip: string): MachineSpec {
  const id = netnsOfPod(pod);
  const prefix = parseCidr(node.podCidr)?.prefix ?? 24;
  const gateway = formatIpv4((parseIpv4(parseCidr(node.podCidr)?.base ?? '') ?? 0) + 1);
  return {
    id,
    hostname: pod.metadata.name,
    kind: 'pod',
    node: node.name,
    init: false,
    links: [
      {
        name: 'eth0',
        kind: 'veth',
        addrs: [`${ip}/${prefix}`],
        veth: { netns: node.name, name: vethName(id), master: `${node.name}:cni0`, hairpin: true },
      },
    ],
    routes: [{ dst: 'default', via: gateway }],
  };
}

/** `veth` and eight hex digits, as the plugin names the host's end. */
const vethName = (id: string): string => `veth${hash32(id).toString(16).padStart(8, '0')}`;
