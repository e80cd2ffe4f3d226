import { assert } from '../../../../engine/base/assert';
import type { Json } from '../../../../engine/base/json';
import { getObject, listObjects } from '../../../../engine/k8s/index';
import { PROXIES, proxyLogText } from '../../../../engine/kubeproxy/index';
import { NF_STATE } from '../../../../engine/netfilter';
import { type RecentList, recentKey } from '../../../../engine/netfilter/matches/recent';
import type { Program } from '../../../../engine/workload/process';
import type { PlaceRef } from '../../../../session/protocol';
import { Session } from '../../../../session/session';
import type { TruthFiles } from '../../types';
import { type Action, type CaseMeta, flagsOf } from '../meta';
import { readDocs } from '../yaml';
import { echoOnce } from './programs';
import type { FromPlace, Tables } from './types';

type Doc = { readonly [key: string]: unknown };
const rec = (v: unknown): Doc => (typeof v === 'object' && v !== null ? (v as Doc) : {});

/** Simulated time in which everything settles, us. */
const SETTLE_US = 6_000_000;
/** What one call to the API server took the recorder, us. */
const CALL_US = 30_000;
/** Pause between two looks at a value that should stay the same, us. */
const POLL_US = 50_000;
/** Lines of a node's table that were kept at most. */
const MAX_LINES = 60;

/** Flags that the lab profile has by itself. */
const PROFILE_FLAGS = /^--(proxy-mode|hostname-override)=/;

/** The recording lab with packets: a session of the profile `lab-proxy`, and the actions of section 8.2. */
export class ProbeWorld {
  readonly session: Session;
  /** Conntrack tables read on the way, by the key of the record. */
  readonly reads = new Map<string, Tables>();

  constructor(
    private readonly files: TruthFiles,
    private readonly dir: string,
    meta: CaseMeta,
    withObjects: boolean,
  ) {
    this.session = Session.open({
      format: 1,
      seed: 1,
      cluster: {
        profile: 'lab-proxy',
        proxyMode: 'iptables',
        proxyFlags: flagsOf(meta, 'node-1', 'iptables').filter((f) => !PROFILE_FLAGS.test(f)),
      },
      commands: [],
    });
    if (!withObjects) return;
    this.applyFile('objects.yaml');
    this.wait(SETTLE_US);
    for (const name of meta.podsDeletedWithGrace) {
      this.fault('delete', { kind: 'Pod', namespace: 'default', name, graceSeconds: 30 });
    }
    this.wait(SETTLE_US);
    for (const node of Object.keys(meta.nodes))
      this.fault('kube-proxy', { node, state: 'restarted', rulesFlushed: true });
    this.wait(SETTLE_US);
    this.warmUp(Object.keys(meta.nodes));
  }

  /** The recorder's checks had spoken to every pod before: each node knows the neighbours on its bridge. */
  private warmUp(nodes: readonly string[]): void {
    for (const [i, node] of nodes.entries()) {
      for (const octet of [10, 11, 12, 13]) {
        const dial = { proto: 'udp' as const, to: `10.244.${i + 1}.${octet}:53`, timeoutUs: 1_000_000 };
        const from: FromPlace = { kind: 'node', name: node, ip: '' };
        this.finish(
          this.spawn(
            from,
            echoOnce(dial, () => undefined),
            ['ptool', 'get', dial.to],
          ),
        );
      }
    }
    this.fault('conntrack-flush', {});
  }

  get cluster() {
    return this.session.cluster;
  }
  get ctx() {
    return this.session.cluster.ctx;
  }

  wait(us: number): void {
    this.session.do({ op: 'advance', us: Math.round(us) });
  }

  fault(name: string, args: Doc): void {
    const r = this.session.do({ op: 'fault', name, args });
    assert(r.exit === 0, `${name}: ${r.stderr}`);
  }

  applyFile(file: string, only?: Doc): void {
    for (const o of readDocs(this.files, `${this.dir}/${file}`) ?? []) {
      const { status, ...rest } = o;
      const meta = rec(o.metadata);
      if (only && (o.kind !== only.kind || meta.name !== only.name)) continue;
      if (o.kind === 'Namespace' && getObject(this.ctx.world, 'Namespace', undefined, String(meta.name))) continue;
      const made = this.cluster.api.create(rest, { by: 'lab' });
      assert(made.ok, made.ok ? '' : made.error.message);
      this.wait(CALL_US);
      if (status === undefined) continue;
      const { kind, metadata } = made.value.object;
      this.cluster.api.patch(
        kind,
        metadata.namespace,
        metadata.name,
        'merge',
        { status: status as Json },
        {
          by: 'lab',
          subresource: 'status',
        },
      );
    }
  }

  /** One action of setup, undo or during that is no client. */
  act(a: Action): void {
    switch (a.op) {
      case 'apply':
        this.applyFile(String(a.file), a.only === undefined ? undefined : rec(a.only));
        return;
      case 'wait':
        this.wait(Number(a.s) * 1e6);
        return;
      case 'wait-slices':
        this.waitQuiet(Number(a.quietS), () => this.slicesVersion());
        return;
      case 'wait-rules':
        this.waitQuiet(Number(a.quietS), () => this.rulesVersion());
        return;
      case 'read-conntrack':
        this.reads.set(String(a.into), this.tables());
        return;
      case 'nft':
        assert(String(a.args) === 'flush ruleset', `nft ${String(a.args)}`);
        this.cluster.netfilter.flush(String(a.place));
        return;
      default: {
        const { op, ...args } = a;
        this.fault(op, args);
      }
    }
  }

  /** Waits until a value has stayed the same for `quietS` seconds. */
  private waitQuiet(quietS: number, value: () => string): void {
    let last = value();
    for (let quiet = 0; quiet < quietS * 1e6; ) {
      this.wait(POLL_US);
      const now = value();
      quiet = now === last ? quiet + POLL_US : 0;
      last = now;
    }
  }
  private slicesVersion(): string {
    return listObjects(this.ctx.world, 'EndpointSlice')
      .map((s) => s.metadata.resourceVersion)
      .join();
  }
  private rulesVersion(): string {
    const proxies = this.ctx.world.map(PROXIES).values();
    return (
      proxies.map((p) => `${p.lastSyncUs} ${p.syncing} ${p.dirty}`).join() +
      (proxies.every((p) => p.healthy || !p.running) ? '' : this.ctx.sim.now)
    );
  }

  /** `conntrack -L` of the nodes, as the recorder cleaned it. */
  tables(): Tables {
    const out: Record<string, string[]> = {};
    for (const node of ['node-1', 'node-2', 'node-3']) {
      const text = this.cluster.netfilter.conntrack(node, ['-L']).stdout;
      const lines = text
        .split('\n')
        .map((l) => l.trim().replace(/ +/g, ' '))
        .filter((l) => l !== '' && !/6443|[sd]port=10249|dport=10256|icmpv6/.test(l));
      if (lines.length > 0) out[node] = lines.slice(0, MAX_LINES);
    }
    return out;
  }

  netnsOf(p: FromPlace): string {
    if (p.kind === 'pod') return `${p.node}/${p.ip}`;
    return p.kind === 'node' ? String(p.name) : p.kind;
  }

  private placeOf(p: FromPlace): PlaceRef {
    if (p.kind === 'pod') return { kind: 'pod', namespace: 'default', name: `${p.node}/${p.ip}` };
    return p.kind === 'node' ? { kind: 'node', name: String(p.name) } : { kind: 'machine', name: p.kind };
  }

  /** Runs a command at a place, through the session. */
  run(p: FromPlace, argv: readonly string[]): { stdout: string; stderr: string; exit: number } {
    return this.session.do({ op: 'run', place: this.placeOf(p), argv });
  }

  /** Starts a program at a place. */
  spawn(p: FromPlace, program: Program, argv: readonly string[]): string {
    return this.cluster.procs.spawn(this.netnsOf(p), program, argv);
  }

  /** Lets the clock run until a program has ended. */
  finish(pid: string, limitUs = 600_000_000): void {
    const { sim } = this.ctx;
    sim.run({ untilUs: sim.now + limitUs, until: () => !this.cluster.procs.running(pid) });
    assert(!this.cluster.procs.running(pid), 'the client does not end');
  }

  /** Lists of xt_recent in a node: `NAME: ` and the entries as /proc/net/xt_recent shows them. */
  recent(node: string): string[] {
    const names = [
      ...new Set(this.natRules(node).flatMap((r) => /-m recent .*--name (\S+)/.exec(r)?.[1] ?? [])),
    ].sort();
    const state = this.ctx.world.map(NF_STATE);
    return names.map((n) => {
      const list = state.get(recentKey(node, 4, n)) as unknown as RecentList | undefined;
      const entries = (list?.entries ?? []).map((e) => `src=${e.addr} ttl: ${e.ttl} ${e.stamps.join(', ')};`);
      return `${n}: ${entries.join('')}`;
    });
  }

  log(node: string): string[] {
    return proxyLogText(this.ctx.world, node).split('\n');
  }
  natRules(node: string): string[] {
    const save = this.cluster.netfilter.save(this.ctx.world, node, { table: 'nat', header: false });
    return save.split('\n').filter((l) => l.startsWith('-A '));
  }

  /** Ports that endpoints of any Service have. */
  endpointPorts(): Set<number> {
    return new Set(
      listObjects(this.ctx.world, 'EndpointSlice').flatMap((s) => (s.ports ?? []).flatMap((p) => p.port ?? [])),
    );
  }
}
