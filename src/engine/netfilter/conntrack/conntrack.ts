import { NETNS } from '../../net/records';
import type { NetStack } from '../../net/stack';
import type { CtDir, CtInfo, Hook, HookVerdict, NetnsId, Packet, Skb } from '../../net/types';
import { ACCEPT, IPPROTO, packetLen } from '../../net/types';
import type { Ctx } from '../../trace/context';
import type { Draws } from '../xt';
import type { ConntrackApi, Manip, NatRange, SkbConn } from './api';
import { ctFacts } from './facts';
import { Gc } from './gc';
import { CtNamespace, dirIndex, newEntry } from './namespace';
import { manipulate, uniqueTuple } from './nat';
import type { TrackCtx } from './protocol';
import { protocolOf } from './protocols';
import { CT_SYSCTLS, nfSysctl, timeoutUs } from './timeouts';
import { invert, packetTuple, sameTuple } from './tuple';
import { type CtDraft, type CtEntry, IPCT, IPS, IPS_NAT_DONE, IPS_NAT_MASK, other, stateName, tupleOf } from './types';

/** MIN_CHAINLEN and MAX_CHAINLEN (nf_conntrack_core.c): a bucket's chain may not grow beyond 50 to 80. */
const MIN_CHAINLEN = 50;
const CHAINLEN_SPREAD = 30;

/** ICMP errors by type (nf_conntrack_icmpv4_error): they belong to the packet that they quote. */
const ICMP_ERRORS = [3, 4, 5, 11, 12];
const ICMP6_ERRORS = [1, 2, 3, 4];

const drop = (reason: 'conntrack-full' | 'conntrack-insert-failed' | 'nat-no-free-tuple', hook: Hook): HookVerdict => ({
  kind: 'drop',
  cause: { reason, hook },
});

/** Limits that one kernel holds for all its namespaces. */
interface KernelLimits {
  max: number;
  buckets: number;
  expectMax: number;
}

/** Connection tracking and NAT of all namespaces (nf_conntrack_core.c, nf_nat_core.c). */
export class Conntrack implements ConntrackApi {
  private readonly spaces = new Map<NetnsId, CtNamespace>();
  private readonly kernels = new Map<string, KernelLimits>();
  private readonly zones = new WeakMap<Skb, number>();
  readonly gc: Gc;

  constructor(
    private readonly ctx: Ctx,
    private readonly net: NetStack,
    readonly draws: { current: Draws },
    private readonly defaults: { readonly max: number; readonly buckets: number },
  ) {
    this.gc = new Gc(
      ctx,
      (netns) => this.space(netns),
      (ns) => this.limits(ns.node).max,
    );
    net.onNetns((netns) => this.declare(netns));
  }

  private limits(node: string): KernelLimits {
    let k = this.kernels.get(node);
    if (!k) {
      k = { max: this.defaults.max, buckets: this.defaults.buckets, expectMax: 4096 };
      this.kernels.set(node, k);
    }
    return k;
  }

  /** nf_conntrack_max of the machine: the initial namespace's value, with which every namespace's own count is compared. */
  setMax(netns: NetnsId, max: number): void {
    this.limits(this.space(netns).node).max = max;
  }
  max(netns: NetnsId): number {
    return this.limits(this.space(netns).node).max;
  }
  buckets(netns: NetnsId): number {
    return this.limits(this.space(netns).node).buckets;
  }

  space(netns: NetnsId): CtNamespace {
    let ns = this.spaces.get(netns);
    if (!ns) {
      const rec = this.ctx.world.map(NETNS).get(netns);
      const node = rec?.node ?? netns;
      ns = new CtNamespace(
        this.ctx,
        this.net,
        netns,
        node,
        rec?.init ?? true,
        rec?.inode ?? 0,
        this.limits(node).buckets,
        (space, atUs) => this.gc.expiryMoved(space, atUs),
      );
      this.spaces.set(netns, ns);
    }
    return ns;
  }

  private declare(netns: NetnsId): void {
    const init = this.ctx.world.map(NETNS).get(netns)?.init ?? true;
    const limits = () => this.limits(this.space(netns).node);
    const put = (name: string, spec: Parameters<NetStack['declareSysctl']>[2]) =>
      this.net.declareSysctl(netns, `net.netfilter.${name}`, spec);
    for (const [name, value, min, max] of CT_SYSCTLS) {
      put(name, {
        default: String(value),
        writable: true,
        min: min ?? 0,
        ...(max === undefined ? {} : { max }),
      });
    }
    const shared = (name: string, read: (k: KernelLimits) => number, write: (k: KernelLimits, n: number) => void) => ({
      default: String(read(limits())),
      writable: init,
      min: 0,
      live: () => String(read(limits())),
      onSet: (v: string) => write(limits(), Number(v)),
      name,
    });
    const max = shared(
      'nf_conntrack_max',
      (k) => k.max,
      (k, n) => {
        k.max = n;
      },
    );
    put('nf_conntrack_max', max);
    if (init) this.net.declareSysctl(netns, 'net.nf_conntrack_max', max);
    put(
      'nf_conntrack_buckets',
      shared(
        'nf_conntrack_buckets',
        (k) => k.buckets,
        (k, n) => {
          k.buckets = n;
          for (const ns of this.spaces.values()) {
            if (ns.node === this.space(netns).node) ns.hash.resize(Math.max(1, n), ns.entries());
          }
        },
      ),
    );
    put(
      'nf_conntrack_expect_max',
      shared(
        'nf_conntrack_expect_max',
        (k) => k.expectMax,
        (k, n) => {
          k.expectMax = n;
        },
      ),
    );
    put('nf_conntrack_count', { default: '0', writable: false, live: () => String(this.space(netns).count) });
  }

  // — what matches and targets see —

  conn(skb: Skb): SkbConn | undefined {
    if (!skb.ct || skb.ct.info === 'UNTRACKED') return undefined;
    const entry = this.space(skb.netns).get(skb.ct.id);
    return entry && { entry, dir: skb.ct.dir, info: skb.ct.info };
  }
  setMark(skb: Skb, mark: number): void {
    const c = this.conn(skb);
    if (!c || c.entry.mark === mark) return;
    const ns = this.space(skb.netns);
    ns.put({ ...c.entry, mark });
    ns.cacheEvent(c.entry.id, IPCT.MARK);
  }
  notrack(skb: Skb): void {
    if (skb.ct) return;
    skb.ct = { id: '', dir: 'original', info: 'UNTRACKED' };
    this.ctx.trace.emit('ct.untracked', { packet: skb.packet }, this.space(skb.netns).place());
  }
  setZone(skb: Skb, zone: number): void {
    if (!skb.ct) this.zones.set(skb, zone);
  }
  setClosing(skb: Skb): void {
    const c = this.conn(skb);
    if (!c?.entry.tcp) return;
    const ns = this.space(skb.netns);
    const us = timeoutUs(this.net, skb.netns, 'nf_conntrack_tcp_timeout_close');
    const confirmed = ns.confirmed(c.entry.id);
    ns.put({ ...c.entry, tcp: { ...c.entry.tcp, state: 8 }, expiresAtUs: confirmed ? ns.now + us : us });
    ns.cacheEvent(c.entry.id, IPCT.PROTOINFO);
  }
  setMasqDev(skb: Skb, dev: string): void {
    const c = this.conn(skb);
    if (c) this.space(skb.netns).put({ ...c.entry, masqDev: dev });
  }
  entries(netns: NetnsId): readonly CtEntry[] {
    return this.space(netns).entries();
  }

  // — tracking —

  /** nf_conntrack_in: hook PREROUTING and OUTPUT at priority -200. */
  in(skb: Skb, hook: Hook): HookVerdict {
    // Seen already: UNTRACKED, over loopback, or made by the kernel as an answer to a tracked packet.
    if (skb.ct) return ACCEPT;
    const ns = this.space(skb.netns);
    const p = skb.packet;
    if (p.l4.kind === 'icmp') {
      const errors = p.ip.family === 4 ? ICMP_ERRORS : ICMP6_ERRORS;
      if (errors.includes(p.l4.type)) return this.icmpError(ns, skb);
    }
    for (;;) {
      const found = this.resolve(ns, skb);
      if (found === 'full') return drop('conntrack-full', hook);
      if (found === undefined) return this.invalid(ns, skb, 'no tuple');
      const r = this.track(ns, skb, found.entry, found.dir);
      if (r === 'repeat') {
        skb.ct = undefined;
        continue;
      }
      return ACCEPT;
    }
  }

  private invalid(ns: CtNamespace, skb: Skb, why: string): HookVerdict {
    skb.ct = undefined;
    ns.stat('invalid');
    this.ctx.trace.emit('ct.invalid', { packet: skb.packet, why }, ns.place());
    if (nfSysctl(this.net, ns.netns, 'nf_conntrack_log_invalid') !== 0) {
      this.net.klog(
        ns.netns,
        `nf_ct_proto_${skb.packet.ip.proto}: ${why} SRC=${skb.packet.ip.src} DST=${skb.packet.ip.dst}`,
      );
    }
    return ACCEPT;
  }

  /** resolve_normal_ct: finds or makes the entry and sets the packet's state. */
  private resolve(ns: CtNamespace, skb: Skb): { entry: CtEntry; dir: CtDir } | undefined | 'full' {
    const t = packetTuple(skb.packet);
    const proto = skb.packet.ip.proto;
    const zone = this.zones.get(skb) ?? 0;
    const found = ns.find(t, proto, zone);
    if (!found) {
      const reply = invert(t, proto);
      if (!reply) return undefined;
      if (!this.room(ns, skb, ns.hash.hash(t, proto, zone))) return 'full';
      const entry: CtEntry = newEntry(ns, skb, t, reply, zone, nfSysctl(this.net, ns.netns, 'nf_conntrack_acct') !== 0);
      ns.hold(entry);
      skb.ct = { id: entry.id, dir: 'original', info: 'NEW' };
      return { entry, dir: 'original' };
    }
    const { entry, node } = found;
    let info: CtInfo = 'ESTABLISHED_REPLY';
    if (node.dir === 'original') {
      info = entry.status & IPS.SEEN_REPLY ? 'ESTABLISHED' : entry.status & IPS.EXPECTED ? 'RELATED' : 'NEW';
    }
    skb.ct = { id: entry.id, dir: node.dir, info };
    return { entry, dir: node.dir };
  }

  /** The limit of __nf_conntrack_alloc: early drop makes room or the packet dies. */
  private room(ns: CtNamespace, skb: Skb, hash: number): boolean {
    const max = this.limits(ns.node).max;
    if (max === 0 || ns.count + 1 <= max || this.gc.earlyDrop(ns, hash)) return true;
    this.gc.arm(ns);
    ns.stat('drop');
    this.ctx.trace.emitAlways('ct.full', { count: ns.count, max, packet: skb.packet }, ns.place());
    const where = ns.init ? '' : ` in netns ${ns.inode}`;
    this.net.klogRatelimited(ns.netns, `nf_conntrack: nf_conntrack: table full${where}, dropping packet`);
    return false;
  }

  /** nf_conntrack_handle_packet and what nf_conntrack_in does with its result. */
  private track(ns: CtNamespace, skb: Skb, entry: CtEntry, dir: CtDir): 'done' | 'repeat' {
    const confirmed = ns.confirmed(entry.id);
    const d: CtDraft = { ...entry };
    const stateBefore = stateName(entry);
    const tctx: TrackCtx = {
      net: this.net,
      nowUs: ns.now,
      confirmed,
      leftUs: Math.max(0, entry.expiresAtUs - ns.now),
      event: (mask) => ns.cacheEvent(entry.id, mask),
      refresh: (us) => {
        if ((d.status & IPS.FIXED_TIMEOUT) === 0) d.expiresAtUs = confirmed ? ns.now + us : us;
        if (d.acct) {
          const a: [number, number, number, number] = [...d.acct];
          const i = dirIndex(dir) * 2;
          a[i] = (a[i] as number) + 1;
          a[i + 1] = (a[i + 1] as number) + packetLen(skb.packet);
          d.acct = a;
        }
      },
    };
    const r = protocolOf(entry.proto).packet(d, skb.packet, dir, tctx);
    if (r.kind === 'invalid') {
      // The tracker may have noted something about an entry that lives on.
      if (confirmed) ns.put(d);
      else ns.release(entry.id);
      this.invalid(ns, skb, r.why);
      return 'done';
    }
    if (r.kind === 'repeat') {
      ns.put(d);
      ns.destroy(d, 'reopened');
      return 'repeat';
    }
    if (skb.ct?.info === 'ESTABLISHED_REPLY' && (d.status & IPS.SEEN_REPLY) === 0 && r.kind !== 'kill') {
      d.status |= IPS.SEEN_REPLY;
      ns.cacheEvent(entry.id, IPCT.REPLY);
    }
    ns.put(d);
    if (this.ctx.trace.detailed) this.tell(ns, skb, d, dir, confirmed, stateBefore);
    if (r.kind === 'kill') {
      // The packet keeps the entry for its own way through; the table has lost it.
      ns.destroy(d, 'rst');
      ns.unconfirmed.set(d.id, { entry: { ...d, status: d.status | IPS.DYING }, atUs: ns.now });
    }
    return 'done';
  }

  private tell(
    ns: CtNamespace,
    skb: Skb,
    d: CtEntry,
    dir: CtDir,
    confirmed: boolean,
    stateBefore: string | undefined,
  ): void {
    const ct = ctFacts(d);
    const { packet } = skb;
    if (!confirmed) {
      this.ctx.trace.emit('ct.new', { ct, packet }, ns.place());
      return;
    }
    const info = skb.ct?.info ?? 'NEW';
    this.ctx.trace.emit(
      'ct.found',
      { ct, dir, info, packet, ...(stateBefore === undefined ? {} : { stateBefore }) },
      ns.place(),
    );
  }

  /** nf_conntrack_inet_error: an ICMP error is RELATED to the connection of the packet it quotes. */
  private icmpError(ns: CtNamespace, skb: Skb): HookVerdict {
    const l4 = skb.packet.l4;
    const fail = (why: string): HookVerdict => {
      ns.stat('error');
      this.ctx.trace.emit('ct.invalid', { packet: skb.packet, why }, ns.place());
      return ACCEPT;
    };
    if (l4.kind !== 'icmp' || !l4.inner) return fail('icmp error: no quoted packet');
    const t = packetTuple(l4.inner);
    const inv = invert(t, l4.inner.ip.proto);
    const found = inv && ns.find(inv, l4.inner.ip.proto, this.zones.get(skb) ?? 0);
    if (!found) return fail('icmp error: no connection of the quoted packet');
    const { entry, node } = found;
    if (tupleOf(entry, node.dir).dst !== skb.packet.ip.dst)
      return fail("icmp error: outer address is not the connection's");
    const info: CtInfo = node.dir === 'reply' ? 'RELATED_REPLY' : 'RELATED';
    skb.ct = { id: entry.id, dir: node.dir, info };
    this.ctx.trace.emit('ct.found', { ct: ctFacts(entry), dir: node.dir, info, packet: skb.packet }, ns.place());
    return ACCEPT;
  }

  /** nf_conntrack_confirm: hook INPUT and POSTROUTING at the end. */
  confirm(skb: Skb, hook: Hook): HookVerdict {
    if (!skb.ct || skb.ct.info === 'UNTRACKED') return ACCEPT;
    const ns = this.space(skb.netns);
    const id = skb.ct.id;
    if (ns.confirmed(id)) {
      ns.deliver(id);
      return ACCEPT;
    }
    if (skb.ct.dir !== 'original') return ACCEPT;
    const entry = ns.get(id);
    // A killed entry stays with its packet and is not put back.
    if (!entry || skb.ct.info === 'RELATED' || entry.status & IPS.CONFIRMED) return ACCEPT;
    if (entry.status & IPS.DYING) {
      ns.stat('insert_failed');
      return drop('conntrack-insert-failed', hook);
    }
    const orig = ns.find(entry.orig, entry.proto, entry.zone);
    const reply = ns.find(entry.reply, entry.proto, entry.zone);
    if (orig || reply) return this.clash(ns, skb, entry, (orig ?? reply)?.entry as CtEntry, reply !== undefined, hook);
    const longest = MIN_CHAINLEN + CHAINLEN_SPREAD;
    if (
      ns.hash.chainLength(entry.orig, entry.proto, entry.zone) > MIN_CHAINLEN &&
      Math.max(
        ns.hash.chainLength(entry.orig, entry.proto, entry.zone),
        ns.hash.chainLength(entry.reply, entry.proto, entry.zone),
      ) > longest
    ) {
      ns.stat('chaintoolong');
      ns.stat('insert_failed');
      ns.release(id);
      return drop('conntrack-insert-failed', hook);
    }
    this.insertConfirmed(ns, entry);
    ns.cacheEvent(id, IPCT.NEW);
    ns.deliver(id);
    return ACCEPT;
  }

  private insertConfirmed(ns: CtNamespace, entry: CtEntry): CtEntry {
    const live: CtEntry = {
      ...entry,
      status: entry.status | IPS.CONFIRMED,
      expiresAtUs: ns.now + entry.expiresAtUs,
      ...(nfSysctl(this.net, ns.netns, 'nf_conntrack_timestamp') !== 0 ? { startUs: ns.now } : {}),
    };
    ns.insert(live);
    if (this.ctx.trace.detailed)
      this.ctx.trace.emit(
        'ct.confirm',
        { ct: ctFacts(live), count: ns.count, timeoutUs: entry.expiresAtUs },
        ns.place(),
      );
    return live;
  }

  /** nf_ct_resolve_clash: two packets of one flow were on their way before either entry was confirmed. */
  private clash(
    ns: CtNamespace,
    skb: Skb,
    loser: CtEntry,
    winner: CtEntry,
    replyTaken: boolean,
    hook: Hook,
  ): HookVerdict {
    if (protocolOf(loser.proto).allowClash) {
      const same = sameTuple(loser.orig, winner.orig);
      const sameNat = (loser.status & IPS_NAT_MASK) === 0 || sameTuple(loser.reply, winner.reply);
      if (same && sameNat) {
        ns.release(loser.id);
        skb.ct = { id: winner.id, dir: 'original', info: winner.status & IPS.SEEN_REPLY ? 'ESTABLISHED' : 'NEW' };
        ns.stat('clash_resolve');
        this.ctx.trace.emit('ct.clash', { ct: ctFacts(winner), resolved: true }, ns.place());
        return ACCEPT;
      }
      if (same && !replyTaken) {
        // Harder: only the answer's tuple goes in, for one second, so that this one answer finds its way back.
        const e: CtEntry = {
          ...loser,
          status: loser.status | IPS.CONFIRMED | IPS.FIXED_TIMEOUT | IPS.NAT_CLASH,
          expiresAtUs: ns.now + 1_000_000,
        };
        ns.insert(e, true);
        ns.stat('clash_resolve');
        this.ctx.trace.emit('ct.clash', { ct: ctFacts(e), resolved: true }, ns.place());
        return ACCEPT;
      }
    }
    ns.stat('drop');
    ns.stat('insert_failed');
    ns.release(loser.id);
    this.ctx.trace.emit('ct.clash', { ct: ctFacts(loser), resolved: false }, ns.place());
    return drop('conntrack-insert-failed', hook);
  }

  /**
   * ctnetlink_create_conntrack: an entry made by a program. Undefined when the table is full (ENOMEM) or a tuple is
   * taken.
   */
  insertFromUser(
    netns: NetnsId,
    e: Omit<CtEntry, 'id' | 'netns' | 'expiresAtUs'> & { readonly timeoutUs: number },
  ): CtEntry | undefined {
    const ns = this.space(netns);
    const max = this.limits(ns.node).max;
    const hash = ns.hash.hash(e.orig, e.proto, e.zone);
    if (max !== 0 && ns.count + 1 > max && !this.gc.earlyDrop(ns, hash)) {
      this.gc.arm(ns);
      return undefined;
    }
    const { timeoutUs: us, ...rest } = e;
    const entry: CtEntry = {
      ...rest,
      id: ns.newId(),
      netns,
      status: e.status | IPS.CONFIRMED,
      expiresAtUs: ns.now + us,
      ...(nfSysctl(this.net, netns, 'nf_conntrack_acct') !== 0 ? { acct: [0, 0, 0, 0] as const } : {}),
    };
    ns.insert(entry);
    ns.stat('insert');
    ns.tell('NEW', entry, IPCT.NEW, true);
    return entry;
  }

  // — NAT —

  /** nf_nat_setup_info: decides a manipulation once per connection. */
  setupNat(skb: Skb, range: NatRange, manip: Manip, how: string): HookVerdict {
    const c = this.conn(skb);
    if (!c) return ACCEPT;
    const ns = this.space(skb.netns);
    if (ns.confirmed(c.entry.id)) return ACCEPT;
    const current = invert(c.entry.reply, c.entry.proto);
    if (!current) return ACCEPT;
    const next = uniqueTuple(ns, current, c.entry, range, manip, this.draws.current);
    let { status, reply } = c.entry;
    if (!sameTuple(next, current)) {
      reply = invert(next, c.entry.proto) ?? reply;
      status |= manip === 'src' ? IPS.SRC_NAT : IPS.DST_NAT;
    }
    status |= manip === 'src' ? IPS.SRC_NAT_DONE : IPS.DST_NAT_DONE;
    const entry = { ...c.entry, reply, status };
    ns.put(entry);
    if (manip === 'src') ns.hash.addSource(entry);
    if (how !== 'null') this.ctx.trace.emit('ct.nat', { ct: ctFacts(entry), manip }, ns.place());
    return ACCEPT;
  }

  /** nf_nat_initialized. */
  private natDone(entry: CtEntry, manip: Manip): boolean {
    return (entry.status & (manip === 'src' ? IPS.SRC_NAT_DONE : IPS.DST_NAT_DONE)) !== 0;
  }

  /**
   * nf_nat_inet_fn: the nat station of a hook. `rules` walks the nat chains; only the first packet of a connection
   * comes to them.
   */
  nat(skb: Skb, hook: Hook, rules: () => HookVerdict, skipped: (reason: string) => void): HookVerdict {
    const manip: Manip = hook === 'postrouting' || hook === 'input' ? 'src' : 'dst';
    const c = this.conn(skb);
    if (!c) {
      skipped(skb.ct ? 'untracked' : 'invalid');
      return ACCEPT;
    }
    if (c.info === 'RELATED' || c.info === 'RELATED_REPLY') {
      if (skb.packet.l4.kind === 'icmp' && skb.packet.l4.inner) {
        skipped('related');
        return this.natInner(skb, c, manip, hook);
      }
    }
    const ns = this.space(skb.netns);
    const isNew = c.info === 'NEW' || c.info === 'RELATED' || c.info === 'RELATED_REPLY';
    if (isNew && !this.natDone(c.entry, manip)) {
      const v = rules();
      if (v.kind !== 'accept') return v;
      const after = this.conn(skb);
      if (after && !this.natDone(after.entry, manip)) this.nullBinding(skb, after.entry, manip);
    } else {
      skipped('established');
      if (
        hook === 'postrouting' &&
        c.entry.masqDev !== undefined &&
        c.dir === 'original' &&
        c.entry.masqDev !== skb.outDev
      ) {
        ns.destroy(c.entry, 'masquerade-device-changed');
        return { kind: 'drop', cause: { reason: 'rule', hook, table: 'nat' } };
      }
    }
    return this.apply(skb, manip);
  }

  /** nf_nat_alloc_null_binding: no rule matched; the tuple must be unique all the same. */
  private nullBinding(skb: Skb, entry: CtEntry, manip: Manip): void {
    const addr = manip === 'src' ? entry.reply.dst : entry.reply.src;
    this.setupNat(skb, { minAddr: addr, maxAddr: addr }, manip, 'null');
    const after = this.conn(skb)?.entry;
    if (after && after.status !== entry.status && (after.status & IPS_NAT_MASK) !== (entry.status & IPS_NAT_MASK)) {
      this.ctx.trace.emit('ct.nat', { ct: ctFacts(after), manip }, this.space(skb.netns).place());
    }
  }

  /** nf_nat_packet: rewrites a packet as its connection says. */
  private apply(skb: Skb, manip: Manip): HookVerdict {
    const c = this.conn(skb);
    if (!c) return ACCEPT;
    let bit: number = manip === 'src' ? IPS.SRC_NAT : IPS.DST_NAT;
    if (c.dir === 'reply') bit ^= IPS_NAT_MASK;
    if ((c.entry.status & bit) === 0) return ACCEPT;
    const target = invert(tupleOf(c.entry, other(c.dir)), c.entry.proto);
    if (!target) return ACCEPT;
    this.rewrite(
      skb,
      manipulate(skb.packet, target, manip),
      c.dir === 'reply' ? 'reverse' : manip === 'src' ? 'snat' : 'dnat',
    );
    return ACCEPT;
  }

  /** nf_nat_icmp_reply_translation: the quoted packet and the outer addresses of an ICMP error. */
  private natInner(skb: Skb, c: SkbConn, manip: Manip, hook: Hook): HookVerdict {
    const l4 = skb.packet.l4;
    if (l4.kind !== 'icmp' || !l4.inner) return ACCEPT;
    if (l4.type === 5 && skb.packet.ip.proto === IPPROTO.icmp) {
      if ((c.entry.status & IPS_NAT_DONE) !== IPS_NAT_DONE || c.entry.status & IPS_NAT_MASK) {
        return { kind: 'drop', cause: { reason: 'rule', hook, table: 'nat' } };
      }
    }
    let bit: number = manip === 'src' ? IPS.SRC_NAT : IPS.DST_NAT;
    if (c.dir === 'reply') bit ^= IPS_NAT_MASK;
    if ((c.entry.status & bit) === 0) return ACCEPT;
    const back = tupleOf(c.entry, other(c.dir));
    const inner = manipulate(l4.inner, back, manip === 'src' ? 'dst' : 'src');
    const target = invert(back, c.entry.proto);
    const ip = { ...skb.packet.ip };
    if (target) {
      if (manip === 'src') ip.src = target.src;
      else ip.dst = target.dst;
    }
    this.rewrite(skb, { ...skb.packet, ip, l4: { ...l4, inner } }, 'icmp');
    return ACCEPT;
  }

  private rewrite(skb: Skb, packet: Packet, how: string): void {
    const before = skb.packet;
    const fields = changedFields(before, packet);
    if (fields.length === 0) return;
    skb.packet = packet;
    this.ctx.trace.emit('pkt.rewrite', { packet, before, how, fields }, this.space(skb.netns).place());
  }
}

/** Fields of a packet that differ, with both values as text. */
export function changedFields(a: Packet, b: Packet): { field: string; before: string; after: string }[] {
  const out: { field: string; before: string; after: string }[] = [];
  const note = (field: string, x: unknown, y: unknown): void => {
    if (x !== y) out.push({ field, before: String(x), after: String(y) });
  };
  note('src', a.ip.src, b.ip.src);
  note('dst', a.ip.dst, b.ip.dst);
  note('ttl', a.ip.ttl, b.ip.ttl);
  note('tos', a.ip.tos, b.ip.tos);
  const x = a.l4;
  const y = b.l4;
  if ((x.kind === 'tcp' || x.kind === 'udp') && (y.kind === 'tcp' || y.kind === 'udp')) {
    note('sport', x.sport, y.sport);
    note('dport', x.dport, y.dport);
  }
  if (x.kind === 'tcp' && y.kind === 'tcp') note('mss', x.options?.mss, y.options?.mss);
  if (x.kind === 'icmp' && y.kind === 'icmp') {
    note('id', x.id, y.id);
    if (x.inner && y.inner) {
      for (const f of changedFields(x.inner, y.inner)) out.push({ ...f, field: `inner.${f.field}` });
    }
  }
  return out;
}
