import { DEVS, NETNS } from '../../net';
import type { Cluster } from '../cluster';
import { type Fault, text } from './fault';

/** The node's end of the veth of the pod with this address: its port on cni0. */
export function podPort(cluster: Cluster, ip: string): string | undefined {
  const devs = cluster.ctx.world.map(DEVS);
  const own = devs
    .by('ip', ip)
    .map((id) => devs.get(id))
    .find((d) => d?.kind === 'veth');
  return own?.peer;
}

/** Namespace of the pod with this address. */
export function podNetnsByIp(cluster: Cluster, ip: string): string | undefined {
  const devs = cluster.ctx.world.map(DEVS);
  const netns = cluster.ctx.world.map(NETNS);
  return devs
    .by('ip', ip)
    .map((id) => devs.get(id)?.netns ?? '')
    .find((id) => netns.get(id)?.kind === 'pod');
}

/** Hairpin flag of a pod's bridge port (`bridge link set dev … hairpin on|off`). */
export const bridgeHairpin: Fault = {
  name: 'bridge-hairpin',
  run(cluster, args) {
    const port = podPort(cluster, text(args, 'pod'));
    if (port === undefined) return `no pod has the address ${text(args, 'pod')}`;
    cluster.net.links.changeDevice(port, { hairpin: args.on === true || args.on === 'on' });
    return undefined;
  },
};

/** The node's end of a pod's veth goes down or up. */
export const podLink: Fault = {
  name: 'pod-link',
  run(cluster, args) {
    const port = podPort(cluster, text(args, 'pod'));
    if (port === undefined) return `no pod has the address ${text(args, 'pod')}`;
    cluster.net.links.setLink(port, text(args, 'state') === 'up');
    return undefined;
  },
};
