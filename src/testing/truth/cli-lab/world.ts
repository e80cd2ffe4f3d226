import type { Json } from '../../../engine/base';
import type { MachineSpec } from '../../../engine/cluster';
import { Session } from '../../../session/session';
import { BashShells, type ExecOutput } from '../../../shell/bash';
import { defaultKubeconfig } from '../../../shell/kube/cli/config';
import { documents, isBroken } from '../../../shell/kube/cli/manifest';
import type { PlaceFs } from '../../../shell/language/livefs';
import type { PlaceRef } from '../../../shell/place';
import type { CliRecord, Lab, PackageSetName, Setup, Step } from './records';
import { startServers } from './servers';
import { controlPlaneSpec, freshSpec, netnsOf, topologySpec } from './spec';
import { Traffic } from './traffic';

/** Where the recorder's files lie in the shells of a replay. */
const BASE = '/lab';
/** Simulated time that passes after a step of a set-up (us). */
const STEP_US = 50_000;

/** One world of a setup: a session and the shells of its places. */
export class World {
  readonly session: Session;
  readonly shells: BashShells;
  private readonly traffic: Traffic;
  private readonly kube: boolean;
  private readonly topology: boolean;
  private interruptUs: number | undefined;

  private readonly prepared = new Set<string>();
  private readonly overrides = new Map<string, Record<string, string>>();
  private count = 0;
  /** When the first client of the set-up had ended: ages (`at_s`) count from there. */
  epochUs: number | undefined;
  /** The object of a record that tells only how it is made. */
  generated: Readonly<Record<string, unknown>> | undefined;
  /** When the set-up was done. */
  readyUs = 0;
  /** Whether the set-up left processes running. */
  left = false;

  constructor(
    private readonly lab: Lab,
    private readonly record: CliRecord,
    readonly packages: PackageSetName,
  ) {
    const setup = setupOf(lab, record.setup);
    const steps = allSteps(lab, setup);
    this.kube = setup.ns === 'workstation';
    this.topology = setup.ns === 'from topology' || steps.some((s) => s.op === 'topology');
    const place = lab.places[record.ns];
    const hosts = Object.fromEntries(
      Object.entries(lab.places).flatMap(([ns, p]) => (p.host === undefined ? [] : [[ns, p.host]])),
    );
    const spec = this.kube
      ? controlPlaneSpec()
      : this.topology
        ? topologySpec(lab.topology, packages, hosts)
        : freshSpec(record.ns, packages, {
            loUp: place?.start === 'fresh, lo up' || setup.ns.includes('lo up') || setup.ns.includes('initial'),
            init: setup.ns.includes('initial'),
            hostname: place?.host ?? 'node-1',
            files: /^iso/.test(record.ns)
              ? { '/etc/hosts': lab.topology.podHosts, '/etc/resolv.conf': lab.topology.podResolv }
              : { '/etc/hosts': lab.topology.nodeHosts, '/etc/resolv.conf': 'nameserver 192.0.2.53\n' },
          });
    this.session = Session.open({ format: 1, seed: 3, cluster: { profile: 'lab-cli', spec }, commands: [] });
    // Told in words only: the one set-up where this program is there.
    if (/crictl \S+ is in PATH/.test(setup.text ?? '')) this.change((m) => ({ ...m, extra: ['crictl'] }));
    this.traffic = new Traffic(
      this.session.cluster,
      (ns) => this.netns(ns),
      (ns) => this.placeOf(ns),
    );
    this.shells = new BashShells({
      run: async (r) => {
        const files = { ...this.overrides.get(JSON.stringify(r.place)), ...r.files };
        return this.session.do({
          ...r,
          files,
          ...(this.interruptUs === undefined || r.maxUs !== undefined ? {} : { maxUs: this.interruptUs }),
        });
      },
      advance: async (us) => void this.session.do({ op: 'advance', us }),
      nowUs: () => this.session.cluster.ctx.sim.now,
    });
  }

  placeOf(ns: string): PlaceRef {
    if (this.kube) return { kind: 'workstation' };
    return { kind: 'machine', name: netnsOf(ns, this.topology) };
  }

  /** /proc/sys of a place is mounted read-only (for one command), or no more. */
  mountReadOnly(ns: string, on: boolean): void {
    this.change((m) => (m.id === this.netns(ns) ? { ...m, readOnlySys: on } : m));
  }

  private change(fn: (m: MachineSpec) => MachineSpec): void {
    const machines = this.session.cluster.spec.machines as MachineSpec[];
    for (const [i, m] of machines.entries()) machines[i] = fn(m);
  }

  wait(us: number): void {
    this.session.do({ op: 'advance', us });
  }

  async prepare(
    steps: readonly Step[],
    variant: string | undefined,
    sequence: (id: string) => Promise<void>,
  ): Promise<void> {
    for (const s of steps) await this.step(s, variant, sequence);
  }

  private async step(s: Step, variant: string | undefined, sequence: (id: string) => Promise<void>): Promise<void> {
    const ns = s.ns === '(record)' || s.ns === undefined ? this.record.ns : s.ns;
    switch (s.op) {
      case 'topology':
      case 'control-plane':
      case 'kernel':
        return;
      case 'path':
        this.change((m) => ({ ...m, applets: s.applets ?? [] }));
        return;
      case 'setup':
        return this.prepare(setupOf(this.lab, s.id ?? '').steps, variant, sequence);
      case 'sequence':
        return sequence(s.id ?? '');
      case 'servers':
        startServers(this.session.cluster);
        await this.line(
          'web1',
          'iptables -A INPUT -p tcp --dport 9999 -j DROP; iptables -A INPUT -p udp --dport 9998 -j DROP',
        );
        await this.line('web1', 'iptables -A INPUT -p tcp --dport 9997 -j REJECT --reject-with icmp-admin-prohibited');
        await this.line('web1', 'iptables -A INPUT -p tcp --dport 9996 -j REJECT --reject-with icmp-host-prohibited');
        await this.line(
          'web1',
          'iptables -A INPUT -p tcp --dport 9995 -j REJECT; iptables -A INPUT -p tcp --dport 9994 -j REJECT --reject-with tcp-reset',
        );
        this.wait(1_000_000);
        return;
      case 'wait':
        this.wait(Math.round((s.s ?? 0) * 1_000_000));
        return;
      case 'klog':
        this.session.cluster.net.klog(this.netns(ns), (s.line ?? '').replace(' N,', ' 4026532200,'));
        return;
      case 'resolv': {
        const text = `nameserver ${s.nameserver}\nsearch ${(s.search ?? []).join(' ')}\noptions ${(s.options ?? []).join(' ')}\n`;
        this.overrides.set(JSON.stringify(this.placeOf(ns)), { '/etc/resolv.conf': text });
        return;
      }
      case 'create-each':
        return this.createEach(s.file ?? '');
      case 'cmd':
        await this.line(ns, s.cmd ?? '', { variant, cwd: this.kube ? 'setup/k8s/' : 'setup/' });
        // The recorder's next step came a moment later: closing connections have closed.
        if (this.topology) this.wait(STEP_US);
        if (/^curl /.test(s.cmd ?? '')) this.epochUs ??= this.session.cluster.ctx.sim.now;
        return;
      case 'background':
        this.left = true;
        this.traffic.background(ns, s.cmd ?? '');
        // The next command was typed a moment later.
        this.wait(STEP_US);
        return;
      default:
        throw new Error(`setup step ${s.op} is not known`);
    }
  }

  private netns(ns: string): string {
    return netnsOf(ns, this.topology);
  }

  /** Objects of a file in its order: each made without its status, which is then set. */
  private createEach(file: string): void {
    const { api } = this.session.cluster;
    for (const m of documents(file, this.lab.files.read(file) ?? '')) {
      if (isBroken(m)) throw new Error(m.error);
      const { status, ...object } = m.object;
      const meta = object.metadata as { name: string; namespace?: string };
      const ns = m.resource.namespaced ? (meta.namespace ?? 'default') : undefined;
      // The recorded server made no endpoints of its own (endpoint reconciler none); this one has.
      if (meta.name === 'kubernetes') api.delete(m.resource.kind, ns, meta.name, { by: 'setup' });
      const made = api.create(object as Json, { by: 'setup' });
      if (!made.ok) throw new Error(`${file}: ${made.error.message}`);
      if (status !== undefined)
        api.patch(m.resource.kind, ns, meta.name, 'merge', { status }, { by: 'setup', subresource: 'status' });
    }
  }

  /** Runs one line in a place, in the setup's working folder. */
  async line(
    ns: string,
    cmd: string,
    o: { readonly variant?: string | undefined; readonly record?: CliRecord; readonly cwd?: string } = {},
  ): Promise<ExecOutput> {
    const shell = this.shells.of(this.placeOf(ns));
    const cwd = o.cwd ?? 'setup/';
    await this.files(ns);
    let dir = `${BASE}/${cwd.replace(/\/$/, '')}`;
    if (cwd === 'empty') {
      dir = `${BASE}/empty-${++this.count}`;
      await shell.fs.mkdir(dir, { recursive: true });
    }
    const r = o.record;
    this.interruptUs = r?.sigint_after_s === undefined ? undefined : Math.round(r.sigint_after_s * 1_000_000);
    if (r?.input_generator !== undefined) await this.manyEndpoints(shell, `${dir}/${r.cmd.split(' ').at(-1)}`);
    if (r?.neigh_confirmed !== undefined) this.neighbours(ns, r.neigh_confirmed);
    if (r?.traffic) this.traffic.schedule(r.traffic);
    try {
      return await shell.exec(cmd, {
        cwd: dir,
        interactive: r?.shell === 'bash -ic',
        ash: r?.shell?.startsWith('busybox') === true,
        ...(r?.user === undefined ? {} : { uid: r.user }),
        ...(r?.tty ? { cols: r.cols ?? 80, errApart: !/stdout and stderr both on one/.test(r.note ?? '') } : {}),
        env: {
          ...this.hostname(ns),
          ...(r?.locale === undefined ? {} : { LC_ALL: r.locale }),
          ...(o.variant === 'legacy' ? { XTABLES_VARIANT: 'legacy' } : {}),
          ...r?.env,
        },
      });
    } finally {
      this.interruptUs = undefined;
    }
  }

  /** The 1,001 endpoints of the record whose file was not kept (`input_generator`). */
  private async manyEndpoints(shell: { readonly fs: PlaceFs }, path: string): Promise<void> {
    const [ok] = documents('', this.lab.files.read('setup/k8s/err-es-ok.yaml') ?? '');
    if (!ok || isBroken(ok)) return;
    const [first] = ok.object.endpoints as { [key: string]: Json }[];
    const endpoints = Array.from({ length: 1001 }, (_, i) => {
      const [a, b, c] = [1 + Math.floor(i / 62_500), Math.floor(i / 250) % 250, 1 + (i % 250)];
      return { ...first, addresses: [`10.${a}.${b}.${c}`] };
    });
    this.generated = { ...ok.object, endpoints };
    await shell.fs.own.writeFile(path, JSON.stringify(this.generated));
  }

  /** The bridge's entries for the servers: confirmed just now, or known from long ago. */
  private neighbours(ns: string, confirmed: boolean): void {
    const { links } = this.session.cluster.net;
    const bridge = links.devices(this.netns(ns)).find((d) => d.kind === 'bridge');
    for (const ip of ['10.244.1.20', '10.244.1.2']) {
      const owner = links.devs.by('ip', ip).flatMap((k) => links.dev(k) ?? [])[0];
      if (bridge && owner) links.setNeigh(bridge.id, ip, owner.mac, confirmed ? 'REACHABLE' : 'STALE');
    }
  }

  private hostname(ns: string): Record<string, string> {
    const spec = this.session.cluster.spec.machines.find((m) => m.id === this.netns(ns));
    return spec ? { HOSTNAME: spec.hostname } : {};
  }

  /** The recorder's files, once a place. */
  private async files(ns: string): Promise<void> {
    const key = JSON.stringify(this.placeOf(ns));
    if (this.prepared.has(key)) return;
    this.prepared.add(key);
    const { fs } = this.shells.of(this.placeOf(ns));
    const put = async (dir: string): Promise<void> => {
      for (const n of this.lab.files.list(dir)) {
        if (n.endsWith('/')) {
          if (this.kube || !n.startsWith('k8s')) await put(`${dir}/${n.slice(0, -1)}`);
        } else await fs.own.writeFile(`${BASE}/${dir}/${n}`, this.lab.files.read(`${dir}/${n}`) ?? '');
      }
    };
    await put('setup');
    if (this.kube) await fs.own.writeFile('/root/.kube/config', defaultKubeconfig('https://127.0.0.1:26443'));
  }
}

export function setupOf(lab: Lab, id: string): Setup {
  const s = lab.setups[id];
  if (!s) throw new Error(`no setup ${id}`);
  return s;
}

function allSteps(lab: Lab, setup: Setup): Step[] {
  return setup.steps.flatMap((s) => (s.op === 'setup' ? allSteps(lab, setupOf(lab, s.id ?? '')) : [s]));
}
