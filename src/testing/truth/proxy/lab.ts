import { assert } from '../../../engine/base/assert';
import type { Json } from '../../../engine/base/json';
import { type ControlPlane, createControlPlane, getObject, listObjects } from '../../../engine/k8s/index';
import { createKubeProxy, type KubeProxy, PROXIES, rulesetText } from '../../../engine/kubeproxy/index';
import type { NetfilterDoor } from '../../../engine/netfilter/door';
import { type Ctx, createCtx } from '../../../engine/trace/index';
import type { TruthFiles } from '../types';
import { type Action, type CaseMeta, flagsOf } from './meta';
import { readDocs } from './yaml';

type Doc = { readonly [key: string]: unknown };
const rec = (v: unknown): Doc => (typeof v === 'object' && v !== null ? (v as Doc) : {});

/** Seconds of simulated time after which everything has settled. */
const SETTLE_US = 10_000_000;

/**
 * The lab of the truth folder without its packets: API server, controllers and three kube-proxies whose rules go
 * through a netfilter door.
 */
export class RuleLab {
  readonly ctx: Ctx;
  readonly cp: ControlPlane;
  readonly door: NetfilterDoor;
  private readonly proxies: KubeProxy[] = [];

  constructor(
    private readonly files: TruthFiles,
    private readonly meta: CaseMeta,
    makeDoor: (ctx: Ctx, nodes: readonly string[]) => NetfilterDoor,
  ) {
    this.ctx = createCtx(1);
    this.door = makeDoor(this.ctx, Object.keys(meta.nodes));
    this.cp = createControlPlane(this.ctx, {
      nodes: Object.entries(meta.nodes).map(([name, n]) => ({
        name,
        ips: [n.internalIP, secondAddress(n.internalIP)],
        podCidrs: [n.podCIDR],
        zone: n.zone,
      })),
      serviceCidrs: ['10.96.0.0/12', 'fd00:10:96::/112'],
      apiServer: { ip: '192.168.10.10', port: 6443 },
      // The lab's controller manager runs no garbage collector.
      garbageCollection: false,
    });
  }

  settle(): void {
    const end = this.ctx.sim.run({ untilUs: this.ctx.sim.now + SETTLE_US });
    assert(end === 'until', `settling ended with ${end}`);
  }

  applyFile(path: string, only?: { kind?: unknown; name?: unknown }): void {
    for (const o of readDocs(this.files, path) ?? []) {
      const name = rec(o.metadata).name;
      if (only && (o.kind !== only.kind || name !== only.name)) continue;
      this.applyObject(o);
    }
  }

  /** Creates an object and patches its status in, as the recorder did. */
  applyObject(o: Doc): void {
    const { status, ...rest } = o;
    // Objects that every cluster has are applied onto themselves.
    if (o.kind === 'Namespace' && getObject(this.ctx.world, 'Namespace', undefined, String(rec(o.metadata).name)))
      return;
    const made = this.cp.api.create(rest, { by: 'lab' });
    assert(made.ok, made.ok ? '' : made.error.message);
    if (status === undefined) return;
    const { kind, metadata } = made.value.object;
    const patch = { status: status as Json };
    const done = this.cp.api.patch(kind, metadata.namespace, metadata.name, 'merge', patch, {
      by: 'lab',
      subresource: 'status',
    });
    assert(done.ok, done.ok ? '' : done.error.message);
  }

  /** The case's objects, its dying pods, then kube-proxy on every node. */
  start(dir: string, mode: string): void {
    this.applyFile(`${dir}/objects.yaml`);
    this.settle();
    for (const name of this.meta.podsDeletedWithGrace) {
      this.cp.api.delete('Pod', 'default', name, { by: 'lab', graceSeconds: 30 });
    }
    this.settle();
    for (const [node, n] of Object.entries(this.meta.nodes)) {
      const proxy = createKubeProxy(this.ctx, {
        node,
        netns: node,
        controlPlane: this.cp,
        door: this.door,
        flags: flagsOf(this.meta, node, mode),
        families: [4, 6],
        localAddresses: () => ['127.0.0.1', '::1', n.internalIP, secondAddress(n.internalIP), gateway(n.podCIDR)],
        sysctl: { get: () => '0', set: () => undefined },
      });
      const started = proxy.start();
      assert(started.ok, started.ok ? '' : started.error);
      this.proxies.push(proxy);
    }
    this.settle();
    for (const p of this.proxies) assert(p.state?.healthy, `kube-proxy of ${p.state?.node} did not sync`);
  }

  /** Actions of meta.json steps. */
  act(dir: string, a: Action): void {
    const name = String(a.name);
    const namespace = String(a.namespace ?? 'default');
    if (a.op === 'apply') this.applyFile(`${dir}/${String(a.file)}`, a.only === undefined ? undefined : rec(a.only));
    else if (a.op === 'delete') {
      this.cp.api.delete(String(a.kind), namespace, name, { by: 'lab', graceSeconds: Number(a.graceSeconds) });
    } else if (a.op === 'patch' || a.op === 'patch-status') {
      const type = a.type === 'strategic-merge' ? 'strategic-merge' : 'merge';
      const sub = a.op === 'patch-status' ? ({ subresource: 'status' } as const) : {};
      const done = this.cp.api.patch(String(a.kind), namespace, name, type, a.patch as Json, { by: 'lab', ...sub });
      assert(done.ok, done.ok ? '' : done.error.message);
    } else assert(false, `step action ${a.op}`);
  }

  save(node: string, family: 4 | 6): string {
    return this.door.save(this.ctx.world, node, { family, header: false });
  }
  nft(node: string): string {
    return rulesetText(this.ctx.world, node);
  }
  services(): unknown[] {
    return listObjects(this.ctx.world, 'Service')
      .filter((s) => s.metadata.name !== 'kubernetes')
      .map((s) => ({ ...s, metadata: clean(s.metadata) }));
  }
  slices(): unknown[] {
    return listObjects(this.ctx.world, 'EndpointSlice').filter((s) => s.metadata.name !== 'kubernetes');
  }
  get healthy(): boolean {
    return this.ctx.world
      .map(PROXIES)
      .values()
      .every((p) => p.healthy);
  }
}

/** fd00:192:168:10::11 for 192.168.10.11. */
const secondAddress = (ip: string): string => `fd00:192:168:10::${ip.split('.').at(-1)}`;
const gateway = (cidr: string): string => cidr.replace(/\.0\/\d+$/, '.1');

const VOLATILE = ['uid', 'resourceVersion', 'creationTimestamp', 'generation', 'managedFields'];
const clean = (meta: object): object => Object.fromEntries(Object.entries(meta).filter(([k]) => !VOLATILE.includes(k)));
