import type { Wait, Wake } from '../../../workload/process';
import { type DnsMsg, type Message, type RR, replyTo } from '../../message';
import { matchZones } from '../../names';
import { CorefileError } from '../corefile';
import { type CacheOptions, MIN_TTL, parseCache } from '../options/cache';
import {
  copyMsg,
  ERR_ONCE,
  type Handler,
  nextOrFailure,
  OK,
  type Peer,
  type PluginSpec,
  type ProcessEnv,
  qnameOf,
  type Serve,
  type ServeCtx,
  type ServeResult,
  type Writer,
} from '../plugin';
import { answersQuestion, hasSoa, isNoData, matchesQuery, type ResponseType, typify } from '../respond';

/** One stored answer. TTLs are whole seconds counted from `storedUs`. */
interface Item {
  readonly name: string;
  readonly type: string;
  readonly class: string;
  readonly rcode: string;
  readonly ad: boolean;
  readonly ra: boolean;
  readonly answer: readonly RR[];
  readonly authority: readonly RR[];
  readonly additional: readonly RR[];
  readonly origTtl: number;
  readonly storedUs: number;
  readonly answering: boolean;
  hits: number;
  lastUs: number;
  refreshing: boolean;
  retryAfterUs: number;
}

const ttlOf = (i: Item, nowUs: number): number => i.origTtl - Math.trunc((nowUs - i.storedUs) / 1_000_000);

function minimalTtl(m: Message, t: ResponseType, max: number): number {
  if (t !== 'NOERROR' && t !== 'NXDOMAIN' && t !== 'NODATA') return MIN_TTL;
  const all = [...m.answer, ...m.authority, ...m.additional];
  if (all.length === 0) return MIN_TTL;
  return all.reduce((n, r) => Math.min(n, r.ttl), max);
}

const withTtl = (rrs: readonly RR[], ttl: number): RR[] => rrs.map((r) => ({ ...r, ttl }));

/** Keeps answers for some time (plugin/cache): one store for what exists, one for what does not. */
class Cache implements Handler {
  readonly name = 'cache';
  private readonly positive = new Map<string, Item>();
  private readonly negative = new Map<string, Item>();

  constructor(
    private readonly env: ProcessEnv,
    readonly options: CacheOptions,
    private readonly next: Handler | undefined,
  ) {}

  private key(q: Message, edns: boolean): string {
    const question = q.question[0];
    return `${edns ? 1 : 0}${q.cd ? 1 : 0} ${question?.type} ${question?.class} ${qnameOf(q)}`;
  }

  private usable(i: Item | undefined, nowUs: number): i is Item {
    if (!i) return false;
    const ttl = ttlOf(i, nowUs);
    return ttl > 0 || (this.options.staleUpTo > 0 && -ttl < this.options.staleUpTo);
  }

  private find(key: string, nowUs: number): Item | undefined {
    const p = this.positive.get(key);
    if (this.options.preferPositive && this.options.staleUpTo > 0 && p?.answering && this.usable(p, nowUs)) return p;
    const n = this.negative.get(key);
    if (this.usable(n, nowUs)) {
      // A short-lived SERVFAIL does not hide a good answer that is still there.
      if (n.rcode === 'SERVFAIL' && this.usable(p, nowUs)) return p;
      return n;
    }
    return this.usable(p, nowUs) ? p : undefined;
  }

  *serve(ctx: ServeCtx, w: Writer, r: DnsMsg): Serve {
    const rc = copyMsg(r);
    if (matchZones(this.options.zones, qnameOf(rc)) === '')
      return yield* nextOrFailure(this.name, this.next, ctx, w, rc);
    const nowUs = this.env.sys.nowUs;
    const key = this.key(rc, rc.edns?.do ?? false);
    const item = this.find(key, nowUs);
    if (!item) {
      const refresh = copyMsg(rc);
      refresh.ad = true;
      return yield* nextOrFailure(this.name, this.next, ctx, this.writer(w, rc, refresh, key), refresh);
    }
    let at = nowUs;
    const ttl = ttlOf(item, nowUs);
    const stale = ttl <= 0;
    if (stale) {
      if (this.options.verify && this.beginRefresh(item)) {
        const verified = yield* this.verify(ctx, w, rc, key, item);
        if (verified) return verified;
      }
      at += ttl * 1_000_000;
      if (!this.options.verify) this.refreshLater(ctx, rc, key, item, true);
    } else if (this.shouldPrefetch(item, nowUs)) this.refreshLater(ctx, rc, key, item, false);
    if (this.options.keepTtl) at = item.storedUs;
    const out = stale && this.options.staleTtl > 0 ? this.options.staleTtl : ttlOf(item, at);
    w.write(this.reply(item, r, out));
    return OK;
  }

  private reply(i: Item, q: Message, ttl: number): DnsMsg {
    const m = replyTo(q, i.rcode);
    // Old resolvers drop answers without AA, so it is set whatever the source said.
    m.aa = true;
    m.ad = i.ad && (q.ad || (q.edns?.do ?? false));
    m.ra = i.ra;
    m.answer = withTtl(i.answer, ttl);
    m.authority = withTtl(i.authority, ttl);
    m.additional = withTtl(i.additional, ttl);
    return m;
  }

  private shouldPrefetch(i: Item, nowUs: number): boolean {
    const o = this.options;
    if (o.prefetch <= 0) return false;
    i.hits = i.lastUs < nowUs - o.prefetchUs ? 1 : i.hits + 1;
    i.lastUs = nowUs;
    return i.hits >= o.prefetch && ttlOf(i, nowUs) <= Math.ceil((o.percentage / 100) * i.origTtl);
  }

  private beginRefresh(i: Item): boolean {
    if (i.refreshing || this.env.sys.nowUs < i.retryAfterUs) return false;
    i.refreshing = true;
    return true;
  }
  private endRefresh(i: Item, refreshed: boolean): void {
    i.retryAfterUs = refreshed || this.options.recheckUs === 0 ? 0 : this.env.sys.nowUs + this.options.recheckUs;
    i.refreshing = false;
  }

  /** Asks again in the background, over TCP as a writer without a client does. */
  private refreshLater(ctx: ServeCtx, q: DnsMsg, key: string, i: Item, stale: boolean): void {
    if (!this.beginRefresh(i)) return;
    const refresh = copyMsg(q);
    refresh.ad = true;
    const peer: Peer = { ip: '', port: 0, proto: 'tcp' };
    let refreshed = !stale;
    const store = this.writer({ peer, write: () => undefined }, { ...q, ad: true }, refresh, key, true);
    const writer: Writer = {
      peer,
      write: (m) => {
        if (stale && !this.replaces(m, refresh)) return;
        refreshed = true;
        store.write(m);
      },
    };
    this.env.tasks.go(this.background(ctx, writer, refresh, key, i, () => refreshed));
  }

  private *background(
    ctx: ServeCtx,
    writer: Writer,
    refresh: DnsMsg,
    key: string,
    i: Item,
    refreshed: () => boolean,
  ): Generator<Wait, void, Wake> {
    yield { kind: 'sleep', us: 100 };
    yield* nextOrFailure(this.name, this.next, ctx, writer, refresh);
    const now = this.negative.get(key) ?? this.positive.get(key);
    if (refreshed() && now) {
      now.hits = i.hits;
      now.lastUs = this.env.sys.nowUs;
    }
    this.endRefresh(i, refreshed());
  }

  /** RFC 8767 section 4: only a full NOERROR or NXDOMAIN answer takes the place of a stale one. */
  private replaces(m: Message, q: Message): boolean {
    if (m.tc || !matchesQuery(q, m)) return false;
    return (m.rcode === 'NOERROR' || m.rcode === 'NXDOMAIN') && typify(m) !== 'OTHERERROR';
  }

  private *verify(
    ctx: ServeCtx,
    w: Writer,
    q: DnsMsg,
    key: string,
    i: Item,
  ): Generator<Wait, ServeResult | undefined, Wake> {
    const refresh = copyMsg(q);
    refresh.ad = true;
    let refreshed = false;
    const store = this.writer(w, q, refresh, key);
    const writer: Writer = {
      peer: w.peer,
      write: (m) => {
        if (!this.replaces(m, refresh)) return;
        refreshed = true;
        store.write(m);
      },
    };
    const r = yield* nextOrFailure(this.name, this.next, ctx, writer, refresh);
    this.endRefresh(i, refreshed);
    return refreshed ? r : undefined;
  }

  /** A writer that stores what passes and caps its TTLs. */
  private writer(w: Writer, asked: Message, refresh: Message, key: string, prefetch = false): Writer {
    return {
      peer: w.peer,
      write: (m) => {
        const res = copyMsg(m);
        const type = typify(res) === 'NOERROR' && hasSoa(res) && isNoData(res) ? 'NODATA' : typify(res);
        const o = this.options;
        const denial = type === 'NXDOMAIN' || type === 'NODATA';
        const [max, min] = denial ? [o.nttl, o.minNttl] : [o.pttl, o.minPttl];
        const ttl = type === 'SERVERERROR' ? o.failTtl : Math.min(Math.max(minimalTtl(res, type, max), min), max);
        res.answer = withTtl(res.answer, ttl);
        res.authority = withTtl(res.authority, ttl);
        res.additional = withTtl(res.additional, ttl);
        delete res.edns;
        if (ttl > 0 && this.storable(res, type) && matchesQuery(refresh, res))
          this.store(res, key, type, ttl, prefetch);
        if (!asked.ad && !asked.edns?.do) res.ad = false;
        w.write(res);
      },
    };
  }

  private storable(m: Message, t: ResponseType): boolean {
    if (m.tc || t === 'OTHERERROR' || t === 'META' || t === 'UPDATE') return false;
    if (t === 'NXDOMAIN' && !hasSoa(m)) return false;
    return !(t === 'NOERROR' && !hasSoa(m) && isNoData(m));
  }

  private store(m: Message, key: string, t: ResponseType, ttl: number, prefetch: boolean): void {
    const q = m.question[0];
    const denial = t === 'NXDOMAIN' || t === 'NODATA' || t === 'SERVERERROR';
    const except = denial ? this.options.nexcept : this.options.pexcept;
    if (!q || matchZones(except, q.name) !== '') return;
    const item: Item = {
      name: q.name,
      type: q.type,
      class: q.class,
      rcode: m.rcode,
      ad: m.ad,
      ra: m.ra,
      answer: m.answer,
      authority: m.authority,
      additional: m.additional,
      origTtl: ttl,
      storedUs: this.env.sys.nowUs,
      answering: answersQuestion(m),
      hits: 0,
      lastUs: 0,
      refreshing: false,
      retryAfterUs: 0,
    };
    const map = denial ? this.negative : this.positive;
    const cap = denial ? this.options.ncap : this.options.pcap;
    if (!map.has(key) && map.size >= cap) {
      const victim = map.keys().next().value;
      if (victim !== undefined) map.delete(victim);
    }
    map.set(key, item);
    if (!denial && (this.options.preferPositive ? item.answering : prefetch)) this.negative.delete(key);
  }
}

export const cache: PluginSpec = {
  name: 'cache',
  setup(c) {
    let o: CacheOptions | undefined;
    while (c.next()) {
      if (o) throw new CorefileError(ERR_ONCE);
      o = parseCache(c);
    }
    const options = o as CacheOptions;
    c.addPlugin((next) => new Cache(c.env, options, next));
  },
};
