import { assert } from '../base/assert';
import type { IpFamily } from '../base/ip';
import { byCodeUnit, type Json } from '../base/json';
import { ok, type Result } from '../base/result';
import { type ControlPlane, getObject, type KObject, keyOf, listObjects, type WatchEvent } from '../k8s/index';
import type { NetfilterDoor } from '../netfilter';
import type { Ctx } from '../trace/context';
import { cleanStale } from './conntrack';
import { type ProxyConfig, parseFlags } from './flags';
import { localDetector, nodeIp, nodePortTargets } from './local';
import { clearLog, writeLog } from './log';
import type { ProxyMode, SyncEnv } from './mode';
import { modeOf } from './modes/index';
import { canaryLives } from './modes/iptables/jumps';
import { HEALTHZ_PORT, healthCheckPorts, METRICS_PORT } from './pages';
import { PROXIES, PROXY_CACHE, type ProxyState } from './records';
import { logStart } from './startlog';
import { familyView, matters } from './view';

export interface KubeProxyOptions {
  readonly node: string;
  /** The node's network namespace. */
  readonly netns: string;
  readonly controlPlane: ControlPlane;
  readonly door: NetfilterDoor;
  /** Command line without the program's name. */
  readonly flags: readonly string[];
  /** Addresses of the node's own interfaces, loopback included. */
  readonly localAddresses: () => readonly string[];
  readonly sysctl: {
    get(key: string): string | undefined;
    set(key: string, value: string): void;
  };
  /** ipset(8) in the node, for ipvs mode: argv without the program's name. */
  readonly ipset?: (argv: readonly string[]) => {
    readonly stdout: string;
    readonly stderr: string;
    readonly exit: number;
  };
  /** Ports on which the process answers HTTP from now on (see proxyPage); none when it ends. */
  readonly listen?: (ports: readonly number[]) => void;
  /** Families whose rules are written; default IPv4 alone. */
  readonly families?: readonly IpFamily[];
}

/** From an API write to kube-proxy's notice of it, us. */
const WATCH_US = 8_000;
/** From start to the end of the first lists, us. */
const LIST_US = 500_000;
/** A sync takes this long, plus its rules, us. */
const SYNC_FULL_US = 180_000;
const SYNC_PARTIAL_US = 20_000;
/** Full syncs happen at least this often when something changes (proxyutil.FullSyncPeriod), us. */
const FULL_SYNC_PERIOD_US = 3_600_000_000;
const LIBERAL = 'net.netfilter.nf_conntrack_tcp_be_liberal';
const ROUTE_LOCALNET = 'net.ipv4.conf.all.route_localnet';

/** One node's kube-proxy: watches, waits its turn, writes rules. */
export class KubeProxy {
  private config: ProxyConfig;

  constructor(
    private readonly ctx: Ctx,
    private readonly o: KubeProxyOptions,
  ) {
    const parsed = parseFlags(o.flags);
    assert(parsed.ok, parsed.ok ? '' : parsed.error);
    this.config = parsed.value;
    const t = (kind: string, run: (p: { run: number }) => void): void =>
      ctx.sim.on<{ run: number }>(`kubeproxy.${kind}/${o.node}`, (p) => {
        if (this.state?.running && this.state.run === p.run) run(p);
      });
    t('listed', () => this.listed());
    t('sync', () => this.begin());
    t('monitor', () => this.monitor());
    ctx.sim.on<CommitPayload & Json>(`kubeproxy.commit/${o.node}`, (p) => {
      if (this.state?.running && this.state.run === p.run) this.commit(p);
    });
    o.controlPlane.api.watch({
      name: `kube-proxy/${o.node}`,
      kinds: ['Service', 'EndpointSlice', 'Node'],
      delayUs: WATCH_US,
      onEvent: (e) => this.notice(e),
    });
  }

  get state(): ProxyState | undefined {
    return this.ctx.world.map(PROXIES).get(this.o.node);
  }

  private set(change: Partial<ProxyState>): void {
    this.ctx.world.map(PROXIES).update(this.o.node, (s) => ({ ...s, ...change }));
  }

  private after(us: number, kind: string): void {
    this.ctx.sim.after(us, `kubeproxy.${kind}/${this.o.node}`, { run: this.state?.run ?? 0 });
  }

  /** Starts the process; rules that are there stay. `extra` flags come after the node's own. */
  start(extra: readonly string[] = []): Result<null> {
    const flags = [...this.o.flags, ...extra];
    const parsed = parseFlags(flags);
    if (!parsed.ok) return parsed;
    this.config = parsed.value;
    const mode = modeOf(this.config.mode);
    if (!mode)
      return {
        ok: false,
        error: `can't use the ${this.config.mode.toUpperCase()} proxier: ${this.config.mode} not supported`,
      };
    const run = (this.state?.run ?? 0) + 1;
    this.prepareKernel();
    this.ctx.world.map(PROXIES).set(this.o.node, {
      node: this.o.node,
      running: true,
      mode: this.config.mode,
      flags,
      run,
      startedAtUs: this.ctx.sim.now,
      initialized: false,
      dirty: false,
      syncing: false,
      needFull: true,
      lastSyncUs: -1,
      lastFullUs: -1,
      changed: [],
      staleSinceUs: this.ctx.sim.now,
      liberal: this.o.sysctl.get(LIBERAL) === '1',
      healthy: false,
    });
    clearLog(this.ctx, this.o.node);
    logStart(this.ctx, this.o.node, this.config, mode, this.families());
    this.listen();
    this.after(LIST_US, 'listed');
    return ok(null);
  }

  /** Ends the process; its rules stay. */
  stop(): void {
    if (!this.state?.running) return;
    this.set({ running: false, initialized: false, dirty: false, syncing: false, healthy: false });
    const cache = this.ctx.world.map(PROXY_CACHE);
    for (const k of cache.by('node', this.o.node)) cache.delete(k);
    this.o.listen?.([]);
  }

  private listen(): void {
    this.o.listen?.([HEALTHZ_PORT, METRICS_PORT, ...healthCheckPorts(this.ctx.world, this.o.node)]);
  }

  /** Somebody else may have changed the node's tables: with the canary gone, the monitor's next turn finds out. */
  rulesTouched(): void {
    const s = this.state;
    if (!s?.running || s.lastFullUs < 0 || this.config.mode === 'nftables' || this.canaryLives()) return;
    const period = this.config.syncPeriodUs;
    const since = this.ctx.sim.now - s.startedAtUs;
    this.after(period - (since % period), 'monitor');
  }

  private canaryLives(): boolean {
    return this.families().every((f) => canaryLives(this.ctx.world, this.o.door, this.o.netns, f));
  }

  private localhostNodePorts(): boolean {
    if (this.config.mode !== 'iptables' || !this.config.localhostNodePorts) return false;
    return nodePortTargets(this.config, 4, undefined, this.o.localAddresses()).includesLoopback;
  }

  private prepareKernel(): void {
    const put = (key: string): void => {
      if (this.o.sysctl.get(key) === '1') return;
      this.o.sysctl.set(key, '1');
    };
    if (this.localhostNodePorts()) put(ROUTE_LOCALNET);
    if (this.config.conntrackBeLiberal) put(LIBERAL);
    if (this.config.mode !== 'ipvs') return;
    for (const name of ['conntrack', 'expire_nodest_conn', 'expire_quiescent_template']) put(`net.ipv4.vs.${name}`);
    put('net.ipv4.ip_forward');
    if (!this.config.ipvsStrictArp) return;
    put('net.ipv4.conf.all.arp_ignore');
    this.o.sysctl.set('net.ipv4.conf.all.arp_announce', '2');
  }

  private families(): readonly IpFamily[] {
    return this.o.families ?? [4];
  }

  private listed(): void {
    const { world } = this.ctx;
    const cache = world.map(PROXY_CACHE);
    for (const kind of ['Service', 'EndpointSlice'] as const) {
      for (const o of listObjects(world, kind)) cache.set(`${this.o.node}|${keyOf(o)}`, o);
    }
    this.set({ initialized: true });
    this.want();
  }

  private notice({ type, object }: WatchEvent): void {
    const s = this.state;
    if (!s?.running || !s.initialized) return;
    if (object.kind === 'Node') {
      this.noticeNode(object);
      return;
    }
    const cache = this.ctx.world.map(PROXY_CACHE);
    const key = `${this.o.node}|${keyOf(object)}`;
    const before = cache.get(key);
    // An event that the list already held is old news.
    if (before && Number(before.metadata.resourceVersion) >= Number(object.metadata.resourceVersion)) return;
    if (type === 'DELETED') cache.delete(key);
    else cache.set(key, object);
    const { namespace = '', name } = object.metadata;
    this.ctx.trace.emitAlways(
      'proxy.notice',
      { node: this.o.node, kind: object.kind, namespace, name },
      { node: this.o.node },
    );
    if (type !== 'DELETED' && before && !matters(before, object)) return;
    const service = object.kind === 'Service' ? name : (object.metadata.labels?.['kubernetes.io/service-name'] ?? '');
    const changed = [...new Set([...s.changed, `${namespace}/${service}`])].sort(byCodeUnit);
    this.set({ changed, staleSinceUs: s.staleSinceUs < 0 ? this.ctx.sim.now : s.staleSinceUs });
    this.want();
  }

  /** A change of the node's zone: every Service is looked at anew. */
  private noticeNode(object: KObject): void {
    if (object.metadata.name !== this.o.node || this.state?.lastFullUs === -1) return;
    const key = `${this.o.node}|node-zone`;
    const cache = this.ctx.world.map(PROXY_CACHE);
    const zone = (o: KObject | undefined): string | undefined => o?.metadata.labels?.['topology.kubernetes.io/zone'];
    const before = cache.get(key);
    cache.set(key, object);
    if (before === undefined || zone(before) === zone(object)) return;
    this.set({ needFull: true });
    this.want();
  }

  /** Asks for a sync: at once, but not before the minimum period since the last one is over. */
  private want(): void {
    const s = this.state as ProxyState;
    if (s.dirty) return;
    this.set({ dirty: true });
    if (s.syncing) return;
    this.schedule();
  }

  private schedule(): void {
    const s = this.state as ProxyState;
    const due = s.lastSyncUs < 0 ? 0 : s.lastSyncUs + this.config.minSyncPeriodUs - this.ctx.sim.now;
    this.after(Math.max(0, due), 'sync');
  }

  private isFull(s: ProxyState): boolean {
    return s.needFull || this.ctx.sim.now - s.lastFullUs > FULL_SYNC_PERIOD_US;
  }

  /** A sync begins: it works with what is known now; changes from here on need another one. */
  private begin(): void {
    const s = this.state as ProxyState;
    if (!s.dirty || s.syncing) return;
    const full = this.isFull(s);
    const changed = new Set(s.changed);
    this.set({ syncing: true, dirty: false, changed: [], lastSyncUs: this.ctx.sim.now });
    const mode = modeOf(this.config.mode) as ProxyMode;
    const view = this.view(this.families()[0] ?? 4);
    const writes: Json[] = [];
    let failed = false;
    this.inSpan(() => {
      this.ctx.trace.emitAlways(
        'proxy.sync',
        { node: this.o.node, mode: s.mode, full, services: view.ports.length, endpoints: view.numEndpoints },
        { node: this.o.node, netns: this.o.netns },
      );
      for (const family of this.families()) {
        const write = this.prepareFamily(mode, family, full, changed, s);
        if (write === undefined) failed = true;
        else writes.push(write);
      }
    });
    const payload = { run: s.run, full, changed: s.changed, writes: failed ? null : writes };
    this.ctx.sim.after(full ? SYNC_FULL_US : SYNC_PARTIAL_US, `kubeproxy.commit/${this.o.node}`, payload);
  }

  private inSpan(body: () => void): void {
    const where = { node: this.o.node, netns: this.o.netns };
    this.ctx.trace.inSpan({ kind: 'control', label: 'kube-proxy', where }, body);
  }

  /** The sync's writes reach the kernel. */
  private commit(p: CommitPayload): void {
    const s = this.state as ProxyState;
    const mode = modeOf(this.config.mode) as ProxyMode;
    this.inSpan(() => {
      const before = mode.ruleCount(this.countEnv());
      let good = p.writes !== null;
      this.families().forEach((family, i) => {
        const write = p.writes?.[i];
        if (write !== undefined) good = this.commitFamily(mode, family, write) && good;
      });
      const now = this.ctx.sim.now;
      const again = [...new Set([...s.changed, ...p.changed])].sort(byCodeUnit);
      this.set({
        syncing: false,
        healthy: good,
        needFull: !good,
        lastFullUs: good && p.full ? now : s.lastFullUs,
        changed: good ? s.changed : again,
        staleSinceUs: good && !s.dirty ? -1 : s.staleSinceUs,
      });
      this.ctx.trace.emitAlways(
        'proxy.synced',
        { node: this.o.node, rulesBefore: before, rulesAfter: mode.ruleCount(this.countEnv()) },
        { node: this.o.node, netns: this.o.netns },
      );
      this.listen();
      if (s.dirty) this.schedule();
      else if (!good) this.want();
    });
  }

  private countEnv(): Pick<SyncEnv, 'ctx' | 'door' | 'netns' | 'node'> {
    return { ctx: this.ctx, door: this.o.door, netns: this.o.netns, node: this.o.node };
  }

  private view(family: IpFamily): ReturnType<typeof familyView> {
    const cache = this.ctx.world.map(PROXY_CACHE);
    const keys = cache.by('node', this.o.node).filter((k) => !k.endsWith('|node-zone'));
    return familyView(cache, keys, family, this.o.node, this.zone());
  }

  private nodeObject() {
    return getObject(this.ctx.world, 'Node', undefined, this.o.node);
  }

  private zone(): string | undefined {
    return this.nodeObject()?.metadata.labels?.['topology.kubernetes.io/zone'];
  }

  private log(
    severity: 'I' | 'E',
    source: string,
    text: string,
    pairs: readonly (readonly [string, string | number | boolean])[] = [],
  ): void {
    writeLog(this.ctx, this.o.node, severity, source, text, pairs);
  }

  private prepareFamily(
    mode: ProxyMode,
    family: IpFamily,
    full: boolean,
    changed: ReadonlySet<string>,
    s: ProxyState,
  ): Json | undefined {
    const node = this.nodeObject();
    const ip = nodeIp(node, family);
    const ipFamily = `IPv${family}`;
    this.log('I', 'proxier.go:655', `Syncing ${mode.word} rules`, [
      ['ipFamily', ipFamily],
      ['fullSync', full],
    ]);
    const prepared = mode.prepare({
      ctx: this.ctx,
      node: this.o.node,
      netns: this.o.netns,
      door: this.o.door,
      ...(this.o.ipset ? { ipset: this.o.ipset } : {}),
      config: this.config,
      family,
      view: this.view(family),
      local: localDetector(this.config, family, node),
      nodeIp: ip,
      nodePorts: nodePortTargets(this.config, family, ip, this.o.localAddresses()),
      localhostNodePorts: family === 4 && this.localhostNodePorts(),
      conntrackLiberal: s.liberal || this.config.conntrackBeLiberal,
      serviceCidrs: this.o.controlPlane.api.ranges
        .filter((r) => r.family === family)
        .map((r) => `${r.base}/${r.prefix}`),
      full,
      changed,
      lastFullUs: s.lastFullUs,
    });
    if (!prepared.ok) {
      this.failed(mode, ipFamily, prepared.error);
      return undefined;
    }
    const figures = prepared.value.figures;
    this.log('I', 'proxier.go:1373', `Reloading service ${mode.word} data`, [['ipFamily', ipFamily], ...figures]);
    return prepared.value.write;
  }

  private commitFamily(mode: ProxyMode, family: IpFamily, write: Json): boolean {
    const done = mode.commit({ ...this.countEnv(), ...(this.o.ipset ? { ipset: this.o.ipset } : {}), family }, write);
    if (!done.ok) {
      this.failed(mode, `IPv${family}`, done.error);
      return false;
    }
    cleanStale(this.o.door, this.o.netns, family, this.view(family));
    return true;
  }

  private failed(mode: ProxyMode, ipFamily: string, error: string): void {
    this.log('E', 'proxier.go:1409', `Failed to execute ${mode.word}-restore`, [
      ['err', error],
      ['ipFamily', ipFamily],
    ]);
    this.log('I', 'proxier.go:638', 'Sync failed', [
      ['ipFamily', ipFamily],
      ['retryingTime', '30s'],
    ]);
  }

  /** The canary monitor's turn: mangle has lost its canary, so the rules were flushed from outside. */
  private monitor(): void {
    if (this.state?.needFull || this.canaryLives()) return;
    writeLog(this.ctx, this.o.node, 'I', 'iptables.go:571', 'Reloading after iptables flush');
    this.set({ needFull: true });
    this.want();
  }
}

/** What a sync carries from its beginning to its end. */
interface CommitPayload {
  readonly run: number;
  readonly full: boolean;
  readonly changed: readonly string[];
  readonly writes: readonly Json[] | null;
}

/** Makes a node's kube-proxy; `start` starts its process. */
export const createKubeProxy = (ctx: Ctx, options: KubeProxyOptions): KubeProxy => new KubeProxy(ctx, options);
