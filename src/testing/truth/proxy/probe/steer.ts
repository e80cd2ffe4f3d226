import { cidrContains, parseCidr } from '../../../../engine/base/ip';
import { K8S_OBJECTS, listObjects } from '../../../../engine/k8s/index';
import { familyView, type PortView } from '../../../../engine/kubeproxy/view';
import type { Client, FromPlace } from './types';
import type { ProbeWorld } from './world';

/** A draw that passes every threshold, and one that passes none. */
const TAKE = 0;
const PASS = 0x7fffffff;

/**
 * Steers kube-proxy's random choice: the k-th statistic rule that a connection meets takes it. Which k is right follows
 * from the endpoints that the node may use, in their order.
 */
export class Steer {
  private plan: number | undefined;
  private seen = 0;

  constructor(private readonly world: ProbeWorld) {
    const { netfilter } = world.cluster;
    const chance = netfilter.setDraws({
      u31: () => {
        if (this.plan === undefined) return chance.u31();
        return this.seen++ === this.plan ? TAKE : PASS;
      },
      u16: () => chance.u16(),
      below: (n) => chance.below(n),
    });
  }

  /** Endpoint addresses (`ip:port`) that this client's connection may be given, in kube-proxy's order. */
  candidates(c: Client): readonly { readonly ip: string; readonly port: number }[] {
    const view = this.viewOf(c);
    if (!view) return [];
    const { port, use } = view;
    const ip = (c.to ?? '').slice(0, (c.to ?? '').lastIndexOf(':'));
    if (ip === port.clusterIp) return port.internalLocal ? use.local : use.cluster;
    return port.externalLocal && !this.shortCut(c.fromPlace) ? use.local : use.cluster;
  }

  /** Pods and node processes take the cluster policy even where the external one is Local. */
  private shortCut(p: FromPlace | undefined): boolean {
    const pods = parseCidr('10.244.0.0/16');
    return p?.kind === 'node' || (p?.kind === 'pod' && pods !== undefined && cidrContains(pods, p.ip));
  }

  /** The Service port that an address means, as the node sees it where the connection enters. */
  private viewOf(c: Client): PortView | undefined {
    const to = c.to ?? '';
    const ip = to.slice(0, to.lastIndexOf(':'));
    const port = Number(to.slice(to.lastIndexOf(':') + 1));
    const proto = c.op.startsWith('udp') ? 'udp' : 'tcp';
    const { world } = this.world.ctx;
    const nodes = listObjects(world, 'Node');
    const byIp = nodes.find((n) => n.status?.addresses?.some((a) => a.address === ip))?.metadata.name;
    const p = c.fromPlace;
    const node = p?.kind === 'pod' ? p.node : p?.kind === 'node' ? p.name : (byIp ?? 'node-1');
    const zone = nodes.find((n) => n.metadata.name === node)?.metadata.labels?.['topology.kubernetes.io/zone'];
    const map = world.map(K8S_OBJECTS);
    const keys = [...map.by('kind', 'Service'), ...map.by('kind', 'EndpointSlice')];
    const { ports } = familyView(map, keys, 4, node ?? 'node-1', zone);
    return ports.find(
      (v) =>
        v.port.protocol === proto &&
        ((v.port.port === port && [v.port.clusterIp, ...v.port.externalIps, ...v.port.lbVips].includes(ip)) ||
          (v.port.nodePort === port && byIp !== undefined) ||
          (v.port.nodePort === port && (ip === '127.0.0.1' || ip.startsWith('10.244.')))),
    );
  }

  /** The next connection goes to the endpoint with this index; undefined: by chance. */
  next(index: number | undefined): void {
    this.plan = index;
    this.seen = 0;
  }

  /** Index of the endpoint that a recorded backend name (`pod-IP`, `host-node-N`, `outside-IP`) stands for. */
  indexOf(c: Client, backend: string): number | undefined {
    const list = this.candidates(c);
    const ip = this.ipOf(backend);
    const i = list.findIndex((e) => e.ip === ip);
    return i < 0 ? undefined : i;
  }

  private ipOf(backend: string): string {
    const host = /^host-(node-\d)$/.exec(backend)?.[1];
    if (host === undefined) return backend.replace(/^[a-z]+-/, '');
    const node = listObjects(this.world.ctx.world, 'Node').find((n) => n.metadata.name === host);
    return node?.status?.addresses?.[0]?.address ?? '';
  }

  /** An endpoint that none of the backends stands for: where a recorded failure went. */
  otherThan(c: Client, backends: readonly string[]): number | undefined {
    const taken = new Set(backends.map((b) => this.ipOf(b)));
    const i = this.candidates(c).findIndex((e) => !taken.has(e.ip));
    return i < 0 ? undefined : i;
  }
}
