import { ipFamily } from '../../../base/ip';
import type { Wait, Wake } from '../../../workload/process';
import type { DnsMsg } from '../../message';
import { isRcodeName, replyTo } from '../../message';
import { isDomainName, isSubDomain } from '../../names';
import { instant } from '../../tasks';
import { CorefileError } from '../corefile';
import { atoi, durationText, parseDuration } from '../duration';
import { normalHosts, splitTransport } from '../normalize';
import {
  type Controller,
  type Handler,
  logLine,
  nextOrFailure,
  OK,
  type PluginSpec,
  type ProcessEnv,
  qnameOf,
  type Serve,
  type ServeCtx,
  type Writer,
} from '../plugin';
import { resolvConfServers } from '../resolvconf';
import { matchesQuery } from '../respond';
import { type Exchange, UpstreamServer } from '../upstream';

/** Longest time that one query is tried over all upstreams (us). */
const DEADLINE_US = 5_000_000;
const MAX_TO = 15;

interface Options {
  from: string;
  except: string[];
  maxFails: number;
  maxConnectAttempts: number | undefined;
  hcIntervalUs: number;
  hcRecursion: boolean;
  hcDomain: string;
  forceTcp: boolean;
  preferUdp: boolean;
  expireUs: number;
  maxAgeUs: number;
  maxIdle: number;
  readTimeoutUs: number;
  policy: 'random' | 'round_robin' | 'sequential';
  maxConcurrent: number;
  next: string[];
  nextOnNodata: boolean;
  failfast: boolean;
  failover: string[];
}

/** Passes queries on to other servers (plugin/forward). */
class Forward implements Handler {
  readonly name = 'forward';
  private concurrent = 0;
  private robin = 0;

  constructor(
    private readonly env: ProcessEnv,
    readonly options: Options,
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

function defaults(): Options {
  return {
    from: '.',
    except: [],
    maxFails: 2,
    maxConnectAttempts: undefined,
    hcIntervalUs: 500_000,
    hcRecursion: true,
    hcDomain: '.',
    forceTcp: false,
    preferUdp: false,
    expireUs: 10_000_000,
    maxAgeUs: 0,
    maxIdle: 0,
    readTimeoutUs: 2_000_000,
    policy: 'random',
    maxConcurrent: 0,
    next: [],
    nextOnNodata: false,
    failfast: false,
    failover: [],
  };
}

function parseStanza(c: Controller): { options: Options; to: string[] } {
  const o = defaults();
  if (!c.nextArg()) throw c.argErr();
  const from = c.val();
  const zones = normalHosts(from);
  if (zones.length === 0) throw new CorefileError(`unable to normalize '${from}'`);
  o.from = zones[0] as string;
  if (zones.length > 1)
    logLine(
      c.env,
      'WARNING',
      'forward',
      `Unsupported CIDR notation: '${from}' expands to multiple zones. Using only '${o.from}'.`,
    );
  const to = c.remainingArgs();
  if (to.length === 0) throw c.argErr();
  while (c.nextBlock()) parseOption(c, o);
  if (o.maxAgeUs > 0 && o.maxAgeUs < o.expireUs)
    throw new CorefileError(
      `max_age (${durationText(o.maxAgeUs)}) must not be less than expire (${durationText(o.expireUs)})`,
    );
  return { options: o, to };
}

function duration(c: Controller): number {
  if (!c.nextArg()) throw c.argErr();
  const us = parseDuration(c.val());
  if (us === undefined) throw new CorefileError(`time: invalid duration ${JSON.stringify(c.val())}`);
  return us;
}
function count(c: Controller): number {
  if (!c.nextArg()) throw c.argErr();
  const n = atoi(c.val());
  if (typeof n === 'string') throw new CorefileError(n);
  return n;
}
function unsigned(c: Controller): number {
  if (!c.nextArg()) throw c.argErr();
  if (!/^[0-9]+$/.test(c.val()))
    throw new CorefileError(`strconv.ParseUint: parsing ${JSON.stringify(c.val())}: invalid syntax`);
  return Number(c.val());
}
function flag(c: Controller): void {
  if (c.nextArg()) throw c.argErr();
}
function rcodes(c: Controller): string[] {
  const args = c.remainingArgs();
  if (args.length === 0) throw c.argErr();
  return args.map((a) => {
    if (!isRcodeName(a.toUpperCase())) throw new CorefileError(`${a} is not a valid rcode`);
    return a.toUpperCase();
  });
}

function parseOption(c: Controller, o: Options): void {
  const name = c.val();
  switch (name) {
    case 'except': {
      const args = c.remainingArgs();
      if (args.length === 0) throw c.argErr();
      o.except.push(...args.flatMap(normalHosts));
      return;
    }
    case 'max_fails':
      o.maxFails = unsigned(c);
      return;
    case 'max_connect_attempts':
      o.maxConnectAttempts = unsigned(c);
      return;
    case 'health_check': {
      const us = duration(c);
      if (us < 0) throw new CorefileError(`health_check can't be negative: ${us * 1000}`);
      o.hcIntervalUs = us;
      o.hcDomain = '.';
      while (c.nextArg()) {
        if (c.val() === 'no_rec') o.hcRecursion = false;
        else if (c.val() === 'domain') {
          if (!c.nextArg()) throw c.argErr();
          if (!isDomainName(c.val())) throw new CorefileError(`health_check: invalid domain name ${c.val()}`);
          o.hcDomain = normalHosts(c.val())[0] ?? '.';
        } else throw new CorefileError(`health_check: unknown option ${c.val()}`);
      }
      return;
    }
    case 'force_tcp':
      flag(c);
      o.forceTcp = true;
      return;
    case 'prefer_udp':
      flag(c);
      o.preferUdp = true;
      return;
    case 'tls': {
      if (c.remainingArgs().length > 3) throw c.argErr();
      return;
    }
    case 'tls_servername':
    case 'doh_method':
    case 'source_address':
      if (!c.nextArg()) throw c.argErr();
      return;
    case 'resolver':
      if (c.remainingArgs().length === 0) throw c.argErr();
      return;
    case 'expire': {
      o.expireUs = duration(c);
      if (o.expireUs < 0) throw new CorefileError(`expire can't be negative: ${durationText(o.expireUs)}`);
      return;
    }
    case 'max_age': {
      o.maxAgeUs = duration(c);
      if (o.maxAgeUs < 0) throw new CorefileError(`max_age can't be negative: ${durationText(o.maxAgeUs)}`);
      return;
    }
    case 'max_idle_conns': {
      o.maxIdle = count(c);
      if (o.maxIdle < 0) throw new CorefileError(`max_idle_conns can't be negative: ${o.maxIdle}`);
      return;
    }
    case 'read_timeout': {
      o.readTimeoutUs = duration(c);
      if (o.readTimeoutUs <= 0)
        throw new CorefileError(`read_timeout must be positive: ${durationText(o.readTimeoutUs)}`);
      return;
    }
    case 'policy': {
      if (!c.nextArg()) throw c.argErr();
      const p = c.val();
      if (p !== 'random' && p !== 'round_robin' && p !== 'sequential') throw c.err(`unknown policy '${p}'`);
      o.policy = p;
      return;
    }
    case 'max_concurrent': {
      o.maxConcurrent = count(c);
      if (o.maxConcurrent < 0) throw new CorefileError(`max_concurrent can't be negative: ${o.maxConcurrent}`);
      return;
    }
    case 'next':
      o.next.push(...rcodes(c));
      return;
    case 'next_on_nodata':
      flag(c);
      o.nextOnNodata = true;
      return;
    case 'failfast_all_unhealthy_upstreams':
      if (c.remainingArgs().length > 0) throw c.argErr();
      o.failfast = true;
      return;
    case 'failover': {
      const codes = rcodes(c);
      if (codes.includes('NOERROR')) throw new CorefileError('NoError cannot be used in failover');
      o.failover.push(...codes);
      return;
    }
    default:
      throw c.err(`unknown property '${name}'`);
  }
}

/** Addresses of the TO arguments: addresses with or without port, or files in the form of resolv.conf. */
function upstreams(c: Controller, to: readonly string[]): { ip: string; port: number }[] {
  const out: { ip: string; port: number }[] = [];
  const add = (ip: string, port: number): void => {
    if (!out.some((o) => o.ip === ip && o.port === port)) out.push({ ip, port });
  };
  for (const arg of to) {
    const { transport, host } = splitTransport(arg);
    if (transport !== 'dns' && transport !== 'tls' && transport !== 'https')
      throw new CorefileError(`'${transport}' is not supported as a destination protocol in forward: ${arg}`);
    if (host === '') throw new CorefileError(`invalid address: ${JSON.stringify(arg)}`);
    const m = /^(?:\[([^\]]+)\]|([^:]+)):([0-9]+)$/.exec(host);
    const bare = host.replace(/^\[|\]$/g, '');
    if (ipFamily(bare) !== undefined) add(bare, transport === 'tls' ? 853 : 53);
    else if (m && ipFamily((m[1] ?? m[2]) as string) !== undefined) add((m[1] ?? m[2]) as string, Number(m[3]));
    else {
      const text = c.env.sys.readFile(host);
      if (text === undefined)
        throw new CorefileError(
          `not an IP address or file ${JSON.stringify(host)}: failed to open file ${JSON.stringify(host)}: ` +
            JSON.stringify(`open ${host}: no such file or directory`),
        );
      for (const s of resolvConfServers(text)) add(s, 53);
    }
  }
  if (out.length === 0) throw new CorefileError('no valid upstream addresses found');
  return out;
}

export const forward: PluginSpec = {
  name: 'forward',
  setup(c) {
    const stanzas: { options: Options; proxies: UpstreamServer[] }[] = [];
    while (c.next()) {
      const { options: o, to } = parseStanza(c);
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
