import { assert } from '../../../../engine/base/assert';
import type { Json } from '../../../../engine/base/json';
import { getObject, listObjects } from '../../../../engine/k8s/index';
import { proxyLogText } from '../../../../engine/kubeproxy/index';
import type { Program } from '../../../../engine/workload/process';
import type { PlaceRef } from '../../../../session/protocol';
import { Session } from '../../../../session/session';
import type { TruthFiles } from '../../types';
import { type Action, type CaseMeta, flagsOf } from '../meta';
import { readDocs } from '../yaml';
import type { FromPlace, Tables } from './types';

type Doc = { readonly [key: string]: unknown };
const rec = (v: unknown): Doc => (typeof v === 'object' && v !== null ? (v as Doc) : {});

/** Simulated time in which everything settles, us. */
const SETTLE_US = 6_000_000;
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
      case 'wait-rules':
        this.wait(Number(a.quietS) * 1e6 + 500_000);
        return;
      case 'read-conntrack':
        this.reads.set(String(a.into), this.tables());
        return;
      case 'nft':
        assert(false, 'nft has no place in iptables mode here');
        return;
      default: {
        const { op, ...args } = a;
        this.fault(op, args);
        if (op === 'iptables') for (const p of this.cluster.proxies.values()) p.rulesTouched();
      }
    }
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
