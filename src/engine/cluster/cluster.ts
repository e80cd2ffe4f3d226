import { assert } from '../base';
import { type ApiServer, type ControlPlane, createControlPlane, type KubeletDoor, type Pod } from '../k8s';
import { createKubeProxy, type KubeProxy } from '../kubeproxy';
import { createNet, type Net } from '../net';
import { createNetfilter, type Netfilter } from '../netfilter';
import type { Ctx } from '../trace';
import { Processes } from '../workload';
import { BridgeCni, netnsOfPod } from './cni';
import { dnsManifests } from './dns';
import { serversOf } from './images';
import { buildMachines } from './machines';
import { podFiles } from './podfiles';
import { LATE_PROGRAMS, programOf } from './programs';
import { proxyHttp } from './proxyhttp';
import type { ClusterSpec, ControlPlaneSpec, ServerSpec } from './spec';

/** From SIGTERM to the end of a pod's servers, us: they finish what they have begun. */
const STOP_AFTER_US = 2_000_000;

/**
 * Composition root: one world with its kernels, wires, processes and (where the spec has one) control plane. The only
 * place that knows all parts of the engine.
 */
export class Cluster {
  readonly net: Net;
  readonly netfilter: Netfilter;
  readonly procs: Processes;
  readonly control: ControlPlane | undefined;
  readonly cni: BridgeCni | undefined;
  readonly proxies = new Map<string, KubeProxy>();
  private readonly proxyServers = new Map<string, string>();
  /** Servers of namespaces, to be stopped and started again. */
  private waiting: { readonly netns: string; readonly spec: ServerSpec }[] | undefined = [];
  private readonly servers = new Map<string, { readonly specs: readonly ServerSpec[]; pids: string[] }>();

  constructor(
    readonly ctx: Ctx,
    readonly spec: ClusterSpec,
  ) {
    this.net = createNet(ctx);
    this.netfilter = createNetfilter(ctx, this.net, {
      hosts: (netns, key) => inHosts(podFiles(this, netns)['/etc/hosts'], key),
    });
    this.procs = new Processes(this.net);
    buildMachines(this.net, spec.machines);
    for (const m of spec.machines) this.startServers(m.id, m.servers ?? []);
    const cp = spec.controlPlane;
    if (!cp) return;
    this.cni = new BridgeCni(this.net, cp.nodes);
    this.control = createControlPlane(ctx, {
      nodes: cp.nodes.map((n) => ({ name: n.name, ips: [n.ip], podCidrs: [n.podCidr], zone: n.zone })),
      serviceCidrs: [cp.serviceCidr],
      apiServer: cp.apiServer,
      ...(cp.kubelet ? { kubelet: this.kubelet(this.cni) } : { garbageCollection: false }),
    });
    if (cp.dns) this.installDns(this.control.api, cp);
    for (const n of cp.nodes) this.addProxy(cp, this.control, n.name);
  }

  /** The API server; asserted: only clusters with a control plane are asked. */
  get api(): ApiServer {
    assert(this.control, 'this world has no API server');
    return this.control.api;
  }

  /** kube-proxy of a node: made once, started with the cluster's flags (and more, when it is started again). */
  private addProxy(cp: ControlPlaneSpec, control: ControlPlane, node: string): void {
    const proxy = createKubeProxy(this.ctx, {
      node,
      netns: node,
      controlPlane: control,
      door: this.netfilter,
      flags: [`--proxy-mode=${cp.proxyMode}`, `--hostname-override=${node}`, ...cp.proxyFlags],
      localAddresses: () => this.net.links.devices(node).flatMap((d) => d.addrs.map((a) => a.ip)),
      sysctl: {
        get: (key) => this.net.sysctl(node, key),
        set: (key, value) => {
          this.net.setSysctl(node, key, value);
        },
      },
      listen: (ports) => this.listenProxy(node, ports),
    });
    this.proxies.set(node, proxy);
    const started = proxy.start();
    assert(started.ok, `kube-proxy of ${node}: ${started.ok ? '' : started.error}`);
  }

  /** A command may have flushed rules: the kube-proxies' monitors look. */
  rulesMayHaveChanged(): void {
    for (const p of this.proxies.values()) p.rulesTouched();
  }

  /** kube-proxy's HTTP servers: one process a port, started and ended as the ports come and go. */
  private listenProxy(node: string, ports: readonly number[]): void {
    for (const [key, pid] of [...this.proxyServers]) {
      if (!key.startsWith(`${node}|`) || ports.includes(Number(key.slice(node.length + 1)))) continue;
      this.procs.kill(pid, 'TERM');
      this.proxyServers.delete(key);
    }
    for (const port of ports) {
      const key = `${node}|${port}`;
      if (this.proxyServers.has(key)) continue;
      const pid = this.procs.spawn(node, proxyHttp(this.ctx.world, node, port), ['kube-proxy']);
      this.proxyServers.set(key, pid);
    }
  }

  /** Spawns the servers of a namespace and remembers them; late ones wait for the first command. */
  startServers(netns: string, specs: readonly ServerSpec[]): void {
    const pids = specs.flatMap((s) => {
      if (this.waiting === undefined || !LATE_PROGRAMS.includes(s.program)) return [this.spawnServer(netns, s)];
      this.waiting.push({ netns, spec: s });
      return [];
    });
    this.servers.set(netns, { specs, pids });
  }

  /** Starts the servers whose code comes late; called before every command. Says whether there were any. */
  startLate(): boolean {
    const waiting = this.waiting ?? [];
    this.waiting = undefined;
    for (const { netns, spec } of waiting) {
      if (this.net.links.netns.has(netns)) this.servers.get(netns)?.pids.push(this.spawnServer(netns, spec));
    }
    return waiting.length > 0;
  }

  private spawnServer(netns: string, s: ServerSpec): string {
    return this.procs.spawn(netns, programOf(this, s.program), s.argv, {
      files: (path) => podFiles(this, netns)[path],
    });
  }

  /** Signals the servers of a namespace; their sockets close. */
  stopServers(netns: string, signal: 'TERM' | 'KILL'): void {
    for (const pid of this.servers.get(netns)?.pids ?? []) this.procs.kill(pid, signal);
  }

  /** Starts the servers anew that a namespace had before. */
  restartServers(netns: string): void {
    this.startServers(netns, this.servers.get(netns)?.specs ?? []);
  }

  private kubelet(cni: BridgeCni): KubeletDoor {
    return {
      addPod: (pod) => cni.add(pod),
      startPod: (pod) => this.startServers(netnsOfPod(pod), serversOf(pod)),
      stopPod: (pod) => this.stopServers(netnsOfPod(pod), 'TERM'),
      removePod: (pod: Pod) => {
        this.stopServers(netnsOfPod(pod), 'KILL');
        cni.remove(pod);
      },
      stopAfterUs: () => STOP_AFTER_US,
    };
  }

  private installDns(api: ApiServer, cp: ControlPlaneSpec): void {
    for (const { object, ip } of dnsManifests(cp)) {
      const { metadata, kind } = object as unknown as Pod;
      if (kind === 'Pod' && ip !== undefined) this.cni?.reserve(metadata.namespace ?? 'default', metadata.name, ip);
      const made = api.create(object, { by: 'kubeadm' });
      assert(made.ok, `kube-dns: ${made.ok ? '' : made.error.message}`);
    }
  }
}

/** The other half of a line of a hosts file: a name's address, or an address's first name. */
function inHosts(text: string | undefined, key: string): string | undefined {
  for (const line of (text ?? '').split('\n')) {
    const [ip, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (ip === key) return names[0];
    if (names.includes(key)) return ip;
  }
  return undefined;
}

export const createCluster = (ctx: Ctx, spec: ClusterSpec): Cluster => new Cluster(ctx, spec);
