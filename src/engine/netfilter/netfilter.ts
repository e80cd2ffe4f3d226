import type { WorldReader } from '../base/recordmap';
import type { HookFn } from '../net/hooks';
import { NETNS } from '../net/records';
import type { ExecResult, NetStack } from '../net/stack';
import { ACCEPT, type Hook, type HookVerdict, type NetnsId, type Packet, type Skb } from '../net/types';
import type { Ctx } from '../trace/context';
import { protocolNumber } from './args';
import { Conntrack } from './conntrack/conntrack';
import type { CtEvent } from './conntrack/namespace';
import { trackOf } from './conntrack/track';
import { type CtEntry, IPS, NF_CTUSERS, stateName } from './conntrack/types';
import type { ConntrackView, Family, IptablesBackend, NetfilterDoor, RestoreOptions, RestoreResult } from './door';
import type { IpsetCommand } from './ipset/command';
import { SetStore } from './ipset/store';
import { findMatch } from './known-matches';
import { findTarget } from './known-targets';
import type { RuleRecord } from './model';
import {
  BASE_CHAINS,
  type ChainRecord,
  NF_CHAINS,
  NF_STATE,
  NF_TABLES,
  type TableName,
  type TableRecord,
} from './model';
import { TableDraft } from './ruleset';
import { runIptables } from './text/command';
import { runRestore } from './text/restore';
import { type SaveOptions, saveText } from './text/save';
import { toolsOf } from './tools';
import { type ExplainedMatch, explainRule, type PacketView } from './walk/explain';
import { TableWalker } from './walk/walker';
import type { Draws, XtEnv } from './xt';

const CONFIRM = 2147483647;

export interface NetfilterOptions {
  /** nf_conntrack_max and buckets of every kernel at start. */
  readonly conntrackMax?: number;
  readonly conntrackBuckets?: number;
  /** Names for addresses in listings without -n, and addresses for names in rules. */
  readonly hosts?: (netns: NetnsId, key: string) => string | undefined;
}

/** iptables (both back ends), ip sets, connection tracking and NAT of all namespaces. */
export class Netfilter implements NetfilterDoor {
  readonly ct: Conntrack;
  readonly sets: SetStore;
  private ipsetCommand: IpsetCommand | undefined;
  private readonly draws: { current: Draws };
  private readonly envs = new Map<NetnsId, XtEnv>();
  private readonly walkers = new Map<string, TableWalker>();
  private readonly registered = new Map<string, HookFn>();
  private readonly needs = new WeakMap<ChainRecord, boolean>();
  private tableOrder = 0;
  private readonly queues = new Map<string, (packet: Packet, accept: () => void) => void>();

  constructor(
    readonly ctx: Ctx,
    readonly net: NetStack,
    readonly options: NetfilterOptions = {},
  ) {
    const statistic = ctx.prng.stream('statistic');
    const ports = ctx.prng.stream('nat-port');
    this.draws = {
      current: {
        u31: () => statistic.u32() & 0x7fffffff,
        u16: () => ports.u32() >>> 16,
        below: (n) => ports.below(n),
      },
    };
    this.ct = new Conntrack(ctx, net, this.draws, {
      max: options.conntrackMax ?? 262144,
      buckets: options.conntrackBuckets ?? 262144,
    });
    this.sets = new SetStore(ctx.world);
    net.onNetns((netns) => {
      if (this.isInit(netns)) {
        net.declareSysctl(netns, 'net.netfilter.nf_log_all_netns', { default: '0', writable: true, min: 0, max: 1 });
      }
    });
  }

  /** ipset(8). */
  get ipset(): IpsetCommand {
    const { Ipset } = toolsOf();
    this.ipsetCommand ??= new Ipset(
      this.sets,
      (netns, name) => this.setInUse(netns, name),
      () => this.ctx.sim.now,
    );
    return this.ipsetCommand;
  }

  private isInit(netns: NetnsId): boolean {
    return this.ctx.world.map(NETNS).get(netns)?.init ?? true;
  }
  node(netns: NetnsId): string {
    return this.ctx.world.map(NETNS).get(netns)?.node ?? netns;
  }

  /** Replaces the source of random numbers (a walk with given draws); returns the one before. */
  setDraws(draws: Draws): Draws {
    const was = this.draws.current;
    this.draws.current = draws;
    return was;
  }

  env(netns: NetnsId): XtEnv {
    let e = this.envs.get(netns);
    if (!e) {
      const { draws } = this;
      e = {
        netns,
        world: this.ctx.world,
        net: this.net,
        ct: this.ct,
        sets: this.sets,
        get draws() {
          return draws.current;
        },
        log: (line) => this.log(netns, line),
        queue: (num, skb, hook, table) => this.enqueue(netns, num, skb, hook, table),
        mode: 'walk',
      };
      this.envs.set(netns, e);
    }
    return e;
  }

  /** A program listens on an NFQUEUE number: it gets each packet with the way to let it go on. */
  listenQueue(netns: NetnsId, num: number, fn: (packet: Packet, accept: () => void) => void): void {
    this.queues.set(`${netns}|${num}`, fn);
  }

  private enqueue(netns: NetnsId, num: number, skb: Skb, hook: Hook, table: string): boolean {
    const fn = this.queues.get(`${netns}|${num}`);
    if (!fn) return false;
    const priority = BASE_CHAINS[table as TableName].find((b) => b.hook === hook)?.priority ?? 0;
    fn(skb.packet, () => this.net.reinject(skb, hook, priority));
    return true;
  }

  /** LOG: a child namespace is heard only when its kernel's initial namespace lets it. */
  private log(netns: NetnsId, line: string): void {
    if (!this.isInit(netns)) {
      const map = this.ctx.world.map(NETNS);
      const init = map.by('node', this.node(netns)).find((id) => map.get(id)?.init);
      if (init === undefined || this.net.sysctl(init, 'net.netfilter.nf_log_all_netns') !== '1') return;
    }
    this.net.klog(netns, line);
  }

  private setInUse(netns: NetnsId, name: string): boolean {
    const map = this.ctx.world.map(NF_CHAINS);
    for (const key of map.by('netns', netns)) {
      for (const r of map.get(key)?.rules ?? []) {
        if (r.matches.some((m) => m.name === 'set' && (m.data as { name?: string }).name === name)) return true;
        if (r.target?.kind === 'ext' && r.target.name === 'SET' && (r.target.data as { name?: string }).name === name) {
          return true;
        }
      }
    }
    return this.sets.list(netns).some((s) => s.type === 'list:set' && s.members.some((m) => m.parts[0] === name));
  }

  // — rulesets —

  draft(netns: NetnsId, family: Family, backend: IptablesBackend, table: TableName): TableDraft {
    return new TableDraft(this.ctx.world, netns, family, backend, table);
  }

  /** Writes drafts into the records and brings hooks, conntrack's users and lists into step. */
  commit(netns: NetnsId, drafts: readonly TableDraft[], by: string): void {
    const touched = drafts.filter((d) => d.changed || d.fresh);
    if (touched.length === 0) return;
    const before = this.ruleCount(this.ctx.world, netns);
    const was = new Map(touched.map((d) => [d, this.rulesIn(d.id)]));
    for (const d of touched) d.commit(++this.tableOrder);
    for (const d of touched) this.forgetStates(d, was.get(d) ?? []);
    this.refresh(netns);
    const rulesAfter = this.ruleCount(this.ctx.world, netns);
    this.ctx.trace.emitAlways(
      'nf.ruleset',
      { by, tables: touched.map((d) => d.table), rulesBefore: before, rulesAfter },
      { node: this.node(netns), netns },
    );
  }

  private rulesIn(id: string): readonly RuleRecord[] {
    const map = this.ctx.world.map(NF_CHAINS);
    return map.by('table', id).flatMap((k) => map.get(k)?.rules ?? []);
  }

  /** Rules that are gone take what their matches remembered with them; legacy makes every rule of the table anew. */
  private forgetStates(d: TableDraft, before: readonly RuleRecord[]): void {
    const now = new Set(d.backend === 'legacy' && d.touched ? [] : this.rulesIn(d.id).map((r) => r.id));
    const states = this.ctx.world.map(NF_STATE);
    for (const r of before) {
      if (now.has(r.id)) continue;
      for (let i = 0; i < r.matches.length; i++) states.delete(`${r.id}/${i}`);
    }
  }

  /** Hooks, the nat stations and conntrack as the rulesets of a namespace ask for them. */
  private refresh(netns: NetnsId): void {
    const world = this.ctx.world;
    const tables = world.map(NF_TABLES);
    const chains = world.map(NF_CHAINS);
    const wanted = new Map<string, () => HookFn>();
    const natHooks = new Map<
      string,
      { family: Family; hook: Hook; chains: { walker: TableWalker; chain: string; priority: number }[] }
    >();
    const inOrder = tables
      .by('netns', netns)
      .map((k) => tables.get(k) as TableRecord)
      .sort((a, b) => a.order - b.order);
    for (const t of inOrder) {
      for (const b of BASE_CHAINS[t.table]) {
        const has = chains.has(`${t.id}|${b.chain}`);
        if (t.table === 'nat') {
          const key = `${t.family}|${b.hook}`;
          const entry = natHooks.get(key) ?? { family: t.family, hook: b.hook, chains: [] };
          if (has) entry.chains.push({ walker: this.walker(t), chain: b.chain, priority: b.priority });
          natHooks.set(key, entry);
          continue;
        }
        if (!has) continue;
        wanted.set(`${t.id}|${b.chain}`, () => this.tableHook(t, b.chain, b.hook, b.priority));
      }
    }
    for (const [key, n] of natHooks) {
      wanted.set(`nat|${key}|${n.chains.map((c) => `${c.walker.backend}${c.chain}`).join()}`, () => this.natHook(n));
    }
    const used = this.countUsers(netns);
    const users = world.map(NF_CTUSERS);
    const rec = users.get(netns) ?? { rules: 0, forced: 0 };
    if (rec.rules !== used) users.set(netns, { ...rec, rules: used });
    if (used + rec.forced > 0) {
      for (const family of [4, 6] as const) {
        for (const [hook, name, priority] of CT_HOOKS) {
          wanted.set(`ct|${family}|${hook}|${name}`, () => this.ctHook(family, hook, name, priority));
        }
      }
    }
    const prefix = `${netns}\u0000`;
    for (const [key, fn] of [...this.registered]) {
      if (!key.startsWith(prefix) || wanted.has(key.slice(prefix.length))) continue;
      this.net.hooks.unregister(netns, fn);
      this.registered.delete(key);
    }
    for (const [key, make] of wanted) {
      if (this.registered.has(prefix + key)) continue;
      const fn = make();
      this.registered.set(prefix + key, fn);
      this.net.hooks.register(netns, fn);
    }
    this.forgetLists(netns);
  }

  /** Lists of `recent` and `hashlimit` live as long as a rule names them. */
  private forgetLists(netns: NetnsId): void {
    const states = this.ctx.world.map(NF_STATE);
    const lists = states.keys().filter((k) => k.startsWith(`recent|${netns}|`) || k.startsWith(`hashlimit|${netns}|`));
    if (lists.length === 0) return;
    const named = new Set<string>();
    const chains = this.ctx.world.map(NF_CHAINS);
    for (const key of chains.by('netns', netns)) {
      const c = chains.get(key) as ChainRecord;
      for (const r of c.rules) {
        for (const m of r.matches) {
          const name = findMatch(m.name)?.list_key?.(m.data);
          if (name === undefined) continue;
          named.add(
            m.name === 'recent' ? `recent|${netns}|${c.family}|${name}` : `hashlimit|${netns}|${name.slice(10)}`,
          );
        }
      }
    }
    for (const k of lists) if (!named.has(k)) states.delete(k);
  }

  private countUsers(netns: NetnsId): number {
    const map = this.ctx.world.map(NF_CHAINS);
    let n = 0;
    for (const key of map.by('netns', netns)) {
      const c = map.get(key) as ChainRecord;
      let need = this.needs.get(c);
      if (need === undefined) {
        need = c.rules.some(
          (r) =>
            r.matches.some((m) => findMatch(m.name)?.needsConntrack?.(m.data) ?? false) ||
            (r.target?.kind === 'ext' && (findTarget(r.target.name)?.needsConntrack?.(r.target.data) ?? false)),
        );
        this.needs.set(c, need);
      }
      if (need) n++;
    }
    return n;
  }

  /** Keeps conntrack on in a namespace, as a native nft rule or IPVS does, until released. */
  forceConntrack(netns: NetnsId, on = true): void {
    const users = this.ctx.world.map(NF_CTUSERS);
    const rec = users.get(netns) ?? { rules: 0, forced: 0 };
    users.set(netns, { ...rec, forced: Math.max(0, rec.forced + (on ? 1 : -1)) });
    this.refresh(netns);
  }

  private walker(t: TableRecord): TableWalker {
    let w = this.walkers.get(t.id);
    if (!w) {
      w = new TableWalker(
        this.ctx.world,
        this.ctx.trace,
        this.env(t.netns),
        t.netns,
        this.node(t.netns),
        t.family,
        t.backend,
        t.table,
        (what, assumption) => this.ctx.assumed(what, assumption),
      );
      this.walkers.set(t.id, w);
    }
    return w;
  }

  private tableHook(t: TableRecord, chain: string, hook: Hook, priority: number): HookFn {
    const w = this.walker(t);
    const reroutes = t.table === 'mangle' && hook === 'output';
    return {
      name: t.table,
      hook,
      family: t.family,
      priority,
      run: (skb) => {
        if (!reroutes) return w.run(chain, skb, hook, priority);
        const { src, dst, tos } = skb.packet.ip;
        const { mark } = skb;
        const v = w.run(chain, skb, hook, priority);
        if (v.kind !== 'accept') return v;
        const ip = skb.packet.ip;
        if (ip.src === src && ip.dst === dst && ip.tos === tos && skb.mark === mark) return v;
        return this.reroute(skb, hook);
      },
    };
  }

  /** ip_route_me_harder after OUTPUT changed what routing looks at. */
  private reroute(skb: Skb, hook: Hook): HookVerdict {
    return this.net.rerouteOutput(skb) ? ACCEPT : { kind: 'drop', cause: { reason: 'no-route', hook } };
  }

  private natHook(n: {
    family: Family;
    hook: Hook;
    chains: { walker: TableWalker; chain: string; priority: number }[];
  }): HookFn {
    const { hook } = n;
    const priority = hook === 'prerouting' || hook === 'output' ? -100 : 100;
    const rules = (skb: Skb): HookVerdict => {
      for (const c of n.chains) {
        const v = c.walker.run(c.chain, skb, hook, c.priority);
        if (v.kind !== 'accept') return v;
        const e = this.ct.conn(skb)?.entry;
        const done = hook === 'prerouting' || hook === 'output' ? IPS.DST_NAT_DONE : IPS.SRC_NAT_DONE;
        if (e && e.status & done) break;
      }
      return ACCEPT;
    };
    return {
      name: 'nat',
      hook,
      family: n.family,
      priority,
      run: (skb) => {
        const { dst } = skb.packet.ip;
        const v = this.ct.nat(
          skb,
          hook,
          () => rules(skb),
          (reason) =>
            this.ctx.trace.emit(
              'nf.station',
              { packet: skb.packet, station: 'nat', priority, walked: false, reason },
              { node: this.node(skb.netns), netns: skb.netns, hook, table: 'nat' },
            ),
        );
        if (v.kind !== 'accept' || hook !== 'output' || skb.packet.ip.dst === dst) return v;
        return this.reroute(skb, hook);
      },
    };
  }

  private ctHook(family: Family, hook: Hook, name: string, priority: number): HookFn {
    return {
      name,
      hook,
      family,
      priority,
      run: (skb) => (name === 'confirm' ? this.ct.confirm(skb, hook) : this.ct.in(skb, hook)),
    };
  }

  // — the door —

  restore(netns: NetnsId, text: string, options: RestoreOptions = {}): RestoreResult {
    return runRestore(this, netns, text, options);
  }

  iptables(
    netns: NetnsId,
    argv: readonly string[],
    opts: { family?: Family; backend?: IptablesBackend; reader?: WorldReader; version?: '1.8.9' | '1.8.11' } = {},
  ): ExecResult {
    return runIptables(this, netns, argv, opts);
  }

  save(reader: WorldReader, netns: NetnsId, opts: SaveOptions = {}): string {
    return saveText(reader, netns, opts);
  }

  ruleCount(reader: WorldReader, netns: NetnsId): number {
    const map = reader.map(NF_CHAINS);
    let n = 0;
    for (const k of map.by('netns', netns)) n += map.get(k)?.rules.length ?? 0;
    return n;
  }

  conntrack(
    netns: NetnsId,
    argv: readonly string[],
    opts: { reader?: WorldReader; version?: '1.4.7' | '1.4.8'; uid?: number } = {},
  ): ExecResult {
    return toolsOf().runConntrack(this.ct, this.ctx.world, netns, argv, opts);
  }

  deleteConntrack(netns: NetnsId, match: (e: ConntrackView) => boolean): number {
    const ns = this.ct.space(netns);
    let n = 0;
    for (const e of ns.entries()) {
      if (!match(conntrackView(e))) continue;
      ns.destroy(e, 'userspace', true);
      n++;
    }
    return n;
  }

  /** nf_conntrack_max of the kernel that owns a namespace, whoever may write the sysctl. */
  setConntrackMax(netns: NetnsId, max: number): void {
    this.ct.setMax(netns, max);
  }

  /** An entry made through ctnetlink without any packet; false when the table is full or a tuple is taken. */
  insertConntrack(
    netns: NetnsId,
    e: {
      readonly proto: string;
      readonly src: string;
      readonly dst: string;
      readonly sport: number;
      readonly dport: number;
      readonly assured: boolean;
      readonly state?: string | undefined;
      readonly timeoutS: number;
    },
  ): boolean {
    const proto = protocolNumber(e.proto);
    const orig = { src: e.src, dst: e.dst, sport: e.sport, dport: e.dport };
    const made = this.ct.insertFromUser(netns, {
      family: 4,
      zone: 0,
      proto,
      orig,
      reply: { src: e.dst, dst: e.src, sport: e.dport, dport: e.sport },
      status: e.assured ? IPS.ASSURED | IPS.SEEN_REPLY : 0,
      timeoutUs: e.timeoutS * 1_000_000,
      mark: 0,
      ...(proto === 6 ? { tcp: trackOf(e.state ?? 'ESTABLISHED') } : {}),
    });
    return made !== undefined;
  }

  /** All tables of a namespace gone, as after `iptables -F; iptables -X` and policies back. */
  flush(netns: NetnsId): void {
    const tables = this.ctx.world.map(NF_TABLES);
    const drafts = tables.by('netns', netns).map((k) => {
      const t = tables.get(k) as TableRecord;
      const d = this.draft(netns, t.family, t.backend, t.table);
      d.wipe();
      return d;
    });
    this.commit(netns, drafts, 'iptables -F');
  }

  /** Events of `conntrack -E` since a sequence number, and a subscription to those to come. */
  conntrackEvents(netns: NetnsId, after = 0): readonly CtEvent[] {
    return this.ct.space(netns).events.filter((e) => e.seq > after);
  }
  onConntrackEvent(netns: NetnsId, fn: (e: CtEvent) => void): () => void {
    const { listeners } = this.ct.space(netns);
    listeners.add(fn);
    return () => listeners.delete(fn);
  }

  /** ✓/✗ of a rule's matches for a packet, without side effects. */
  explain(rule: RuleRecord, view: PacketView): ExplainedMatch[] {
    return explainRule(rule, view, this.env(view.netns));
  }
}

const CT_HOOKS: readonly (readonly [Hook, string, number])[] = [
  ['prerouting', 'conntrack', -200],
  ['output', 'conntrack', -200],
  ['input', 'confirm', CONFIRM],
  ['postrouting', 'confirm', CONFIRM],
];

/** An entry as panels and clean-up read it. */
export function conntrackView(e: CtEntry): ConntrackView {
  return {
    id: e.id,
    netns: e.netns,
    zone: e.zone,
    proto: e.proto,
    orig: e.orig,
    reply: e.reply,
    state: stateName(e),
    assured: (e.status & IPS.ASSURED) !== 0,
    seenReply: (e.status & IPS.SEEN_REPLY) !== 0,
    expiresAtUs: e.expiresAtUs,
    mark: e.mark,
  };
}

/** Netfilter on a network stack: registers its hooks and sysctls in every namespace, now and later. */
export function createNetfilter(ctx: Ctx, net: NetStack, options: NetfilterOptions = {}): Netfilter {
  return new Netfilter(ctx, net, options);
}
