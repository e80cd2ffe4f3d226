import { cidrContains, parseCidr } from '../../../../engine/base/ip';
import { listObjects } from '../../../../engine/k8s/index';
import type { Client, FromPlace } from './types';
import type { ProbeWorld } from './world';

/** A draw that passes every threshold, and one that passes none. */
const TAKE = 0;
const PASS = 0x7fffffff;

/**
 * Steers kube-proxy's random choice: the k-th statistic rule that a connection meets takes it. Which k is right is read
 * from the rules that the node has at that moment.
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

  /** Addresses of the endpoints that this client's connection may be given, in the order of the rules. */
  candidates(c: Client): readonly string[] {
    const rules = this.world.natRules(this.entryNode(c));
    const of = (chain: string): string[] => rules.filter((r) => r.startsWith(`-A ${chain} `));
    const target = (r: string | undefined): string => / -j (KUBE-\S+)/.exec(r ?? '')?.[1] ?? '';
    const to = c.to ?? '';
    const ip = to.slice(0, to.lastIndexOf(':'));
    const port = to.slice(to.lastIndexOf(':') + 1);
    const proto = c.op.startsWith('udp') ? 'udp' : 'tcp';
    const at = (r: string): boolean => r.includes(` -p ${proto} `) && r.includes(` --dport ${port} `);
    const captured =
      of('KUBE-SERVICES').find((r) => at(r) && r.includes(` -d ${ip}/32 `)) ??
      of('KUBE-NODEPORTS').find((r) => at(r) && !r.includes('-d 127.')) ??
      // An address that somebody else translates to a node port.
      of('KUBE-NODEPORTS').find((r) => r.includes(` -p ${proto} `) && !r.includes('-d 127.'));
    let chain = target(captured);
    if (chain.startsWith('KUBE-FW-')) chain = chain.replace('-FW-', '-EXT-');
    if (chain.startsWith('KUBE-EXT-')) {
      const onwards = of(chain).map(target);
      const local = onwards.find((t) => t.startsWith('KUBE-SVL-'));
      const all = onwards.find((t) => t.startsWith('KUBE-SVC-'));
      chain = (this.shortCut(c.fromPlace) ? (all ?? local) : (local ?? all)) ?? '';
    }
    return of(chain)
      .filter((r) => !r.includes('-m recent'))
      .map(target)
      .filter((t) => t.startsWith('KUBE-SEP-'))
      .map((sep) => /--to-destination (\S+):\d+/.exec(of(sep).find((r) => r.includes('DNAT')) ?? '')?.[1] ?? '');
  }

  /** Pods and node processes take the cluster policy even where the external one is Local. */
  private shortCut(p: FromPlace | undefined): boolean {
    const pods = parseCidr('10.244.0.0/16');
    return p?.kind === 'node' || (p?.kind === 'pod' && pods !== undefined && cidrContains(pods, p.ip));
  }

  /** The node whose rules a connection meets first. */
  private entryNode(c: Client): string {
    const p = c.fromPlace;
    if (p?.kind === 'pod' && p.node) return p.node;
    if (p?.kind === 'node' && p.name) return p.name;
    const ip = (c.to ?? '').slice(0, (c.to ?? '').lastIndexOf(':'));
    const { net } = this.world.cluster;
    const route = p && net.lookupRoute(this.world.netnsOf(p), { dst: ip });
    const via = route && 'via' in route && typeof route.via === 'string' ? route.via : ip;
    const nodes = listObjects(this.world.ctx.world, 'Node');
    return nodes.find((n) => n.status?.addresses?.some((a) => a.address === via))?.metadata.name ?? 'node-1';
  }

  /** The next connection goes to the endpoint with this index; undefined: by chance. */
  next(index: number | undefined): void {
    this.plan = index;
    this.seen = 0;
  }

  /** Index of the endpoint that a recorded backend name (`pod-IP`, `host-node-N`, `outside-IP`) stands for. */
  indexOf(c: Client, backend: string): number | undefined {
    const i = this.candidates(c).indexOf(this.ipOf(backend));
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
    const i = this.candidates(c).findIndex((ip) => !taken.has(ip));
    return i < 0 ? undefined : i;
  }
}
