import type { Wait, Wake } from '../../../workload/process';
import type { DnsMsg } from '../../message';
import { replyTo } from '../../message';
import { isSubDomain } from '../../names';
import { instant } from '../../tasks';
import { CorefileError } from '../corefile';
import { type ForwardOptions, parseForward, upstreams } from '../options/forward';
import {
  type Handler,
  nextOrFailure,
  OK,
  type PluginSpec,
  type ProcessEnv,
  qnameOf,
  type Serve,
  type ServeCtx,
  type Writer,
} from '../plugin';
import { matchesQuery } from '../respond';
import { type Exchange, UpstreamServer } from '../upstream';

/** Longest time that one query is tried over all upstreams (us). */
const DEADLINE_US = 5_000_000;
const MAX_TO = 15;

/** Passes queries on to other servers (plugin/forward). */
class Forward implements Handler {
  readonly name = 'forward';
  private concurrent = 0;
  private robin = 0;

  constructor(
    private readonly env: ProcessEnv,
    readonly options: ForwardOptions,
    readonly proxies: readonly UpstreamServer[],
    private readonly next: () => Handler | undefined,
  ) {}

  private matches(name: string): boolean {
    const { from, except } = this.options;
    if (!isSubDomain(from, name)) return false;
    return name === from || !except.some((z) => isSubDomain(z, name));
  }

  private list(): UpstreamServer[] {
    const p = [...this.proxies];
    switch (this.options.policy) {
      case 'sequential':
        return p;
      case 'round_robin': {
        this.robin = (this.robin + 1) % p.length;
        const i = this.robin;
        return [p[i] as UpstreamServer, ...p.slice(0, i), ...p.slice(i + 1)];
      }
      case 'random':
        return this.shuffled(p);
    }
  }
  private shuffled(p: UpstreamServer[]): UpstreamServer[] {
    for (let i = p.length - 1; i > 0; i--) {
      const j = this.env.prng.below(i + 1);
      [p[i], p[j]] = [p[j] as UpstreamServer, p[i] as UpstreamServer];
    }
    return p;
  }

  *serve(ctx: ServeCtx, w: Writer, r: DnsMsg): Serve {
    if (!this.matches(qnameOf(r))) return yield* nextOrFailure(this.name, this.next(), ctx, w, r);
    const { maxConcurrent } = this.options;
    if (maxConcurrent === 0) return yield* this.ask(ctx, w, r);
    this.concurrent++;
    try {
      if (this.concurrent > maxConcurrent)
        return { rcode: 'REFUSED', err: `concurrent queries exceeded maximum ${maxConcurrent}` };
      return yield* this.ask(ctx, w, r);
    } finally {
      this.concurrent--;
    }
  }

  private *ask(ctx: ServeCtx, w: Writer, r: DnsMsg): Serve {
    const o = this.options;
    const list = this.list();
    const deadline = this.env.sys.nowUs + DEADLINE_US;
    const maxAttempts = o.maxConnectAttempts ?? 2 * list.length;
    let attempts = 0;
    let fails = 0;
    let failovers = 0;
    let error: string | undefined;
    let i = 0;
    while (this.env.sys.nowUs < deadline && (maxAttempts === 0 || attempts < maxAttempts)) {
      if (i >= list.length) {
        i = 0;
        fails = 0;
      }
      let proxy = list[i++] as UpstreamServer;
      if (proxy.down(o.maxFails)) {
        fails++;
        if (fails < this.proxies.length) continue;
        if (o.failfast) break;
        // All are down: the health check itself may be broken, so any of them is tried.
        proxy = this.shuffled([...this.proxies])[0] as UpstreamServer;
      }
      const got: Exchange = yield* this.connect(proxy, w, r);
      error = got.ok ? undefined : got.error;
      if (!got.ok) {
        if (o.maxFails !== 0) proxy.healthcheck();
        if (maxAttempts > 0 && ++attempts >= maxAttempts) break;
        if (fails < this.proxies.length) continue;
        break;
      }
      const ret = got.msg;
      if (!matchesQuery(r, ret)) {
        w.write(replyTo(r, 'FORMERR'));
        return OK;
      }
      if (o.failover.includes(ret.rcode) && ++failovers < this.proxies.length) continue;
      const next = this.next();
      if (next instanceof Forward) {
        const empty = o.nextOnNodata && ret.rcode === 'NOERROR' && ret.answer.length === 0;
        if (o.next.includes(ret.rcode) || empty) return yield* nextOrFailure(this.name, next, ctx, w, r);
      }
      w.write(ret);
      return OK;
    }
    return { rcode: 'SERVFAIL', err: error ?? 'no healthy proxies' };
  }

  private *connect(proxy: UpstreamServer, w: Writer, r: DnsMsg): Generator<Wait, Exchange, Wake> {
    const { forceTcp, preferUdp } = this.options;
    let proto: 'udp' | 'tcp' = forceTcp ? 'tcp' : preferUdp ? 'udp' : w.peer.proto;
    for (;;) {
      const got = yield* proxy.exchange(r, proto);
      // A kept TCP connection that the other side closed meanwhile costs nothing: another one is taken.
      if (!got.ok && got.cachedClosed) continue;
      if (got.ok && got.msg.tc && preferUdp && proto === 'udp') {
        proto = 'tcp';
        continue;
      }
      return got;
    }
  }
}

export const forward: PluginSpec = {
  name: 'forward',
  setup(c) {
    const stanzas: { options: ForwardOptions; proxies: UpstreamServer[] }[] = [];
    while (c.next()) {
      const { options: o, to } = parseForward(c);
      const addrs = upstreams(c, to);
      if (addrs.length > MAX_TO) throw new CorefileError(`more than ${MAX_TO} TOs configured: ${addrs.length}`);
      const proxies = addrs.map(
        (a) =>
          new UpstreamServer(c.env, {
            ...a,
            expireUs: o.expireUs,
            maxAgeUs: o.maxAgeUs,
            maxIdle: o.maxIdle,
            readTimeoutUs: o.readTimeoutUs,
            hcIntervalUs: o.hcIntervalUs,
            hcDomain: o.hcDomain,
            hcRecursion: o.hcRecursion,
            hcTcp: o.forceTcp,
          }),
      );
      stanzas.push({ options: o, proxies });
    }
    const handlers: Forward[] = [];
    stanzas.forEach((s, i) => {
      let after: Handler | undefined;
      const handler = new Forward(c.env, s.options, s.proxies, () =>
        i === stanzas.length - 1 ? after : handlers[i + 1],
      );
      handlers.push(handler);
      c.addPlugin((next) => {
        after = next;
        return handler;
      });
      c.hooks.startup.push(() =>
        instant(() => {
          for (const p of s.proxies) p.start();
          return undefined;
        }),
      );
      c.hooks.shutdown.push(() => {
        for (const p of s.proxies) p.stop();
      });
    });
  },
};
