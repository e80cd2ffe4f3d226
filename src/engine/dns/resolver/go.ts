import { canonicalIp, ipFamily } from '../../base/ip';
import type { SockAddr } from '../../workload/process';
import { recvMsg, sendMsg } from '../io';
import { matchesQuery } from '../match';
import type { Edns, Message } from '../message';
import { newQuery } from '../message';
import type { Os } from '../os';
import { readable, sleep, type Task, Tasks } from '../tasks';
import { type GoConf, goCandidates, goConf, isDomainName } from './goconf';
import { lookupHosts } from './hosts';
import { tellAnswer, tellLookup, tellQuery } from './notice';
import { connectTcp, readMessage } from './stream';
import { type Addr, type Family, sortAddrs } from './types';

/** net.DNSError. */
export interface GoError {
  readonly err: string;
  readonly name: string;
  /** `IP:53`, or nothing. */
  readonly server: string;
  readonly notFound: boolean;
  readonly timeout: boolean;
  readonly temporary: boolean;
}

export type GoResult =
  | { readonly ok: true; readonly addrs: readonly Addr[] }
  | { readonly ok: false; readonly error: GoError };

/** DNSError.Error(). */
export const goErrorText = (e: GoError): string =>
  `lookup ${e.name}${e.server === '' ? '' : ` on ${e.server}`}: ${e.err}`;

type Exchange =
  | { readonly ok: true; readonly msg: Message }
  | { readonly ok: false; readonly err: string; readonly timeout: boolean; readonly temporary: boolean };
type NameResult = { readonly msg: Message } | { readonly error: GoError };

/** Size that Go's resolver offers (https://dnsflagday.net/2020). */
const EDNS: Edns = { udp: 1232, do: false, version: 0, options: [] };
/** Time until a second thread of a Go program runs (us). */
const THREAD_US = 80;
const NO_HOST = { notFound: true, timeout: false, temporary: false } as const;
const noHost = (name: string, server = ''): GoError => ({ err: 'no such host', name, server, ...NO_HOST });
const hostPort = (ip: string): string => (ipFamily(ip) === 6 ? `[${ip}]:53` : `${ip}:53`);

/** Go's own resolver (net/dnsclient_unix.go): one socket per query, A and AAAA at the same time. */
export class GoResolver {
  private conf: GoConf | undefined;
  private offset = 0;

  constructor(private readonly sys: Os) {}

  private config(): GoConf {
    this.conf ??= goConf(this.sys.readFile('/etc/resolv.conf') ?? '');
    return this.conf;
  }

  /** Resolver.LookupIP with `hosts: files dns`. */
  *lookupIp(name: string, family: Family = 'unspec'): Task<GoResult> {
    const literal = canonicalIp(name);
    if (name === '') return { ok: false, error: noHost(name) };
    if (literal !== undefined) return { ok: true, addrs: [{ family: ipFamily(literal) as 4 | 6, ip: literal }] };
    // Names with an inner dot are taken as absolute on both sides.
    const key = /\../.test(name) ? name.replace(/\.$/, '') : name;
    const hosts = lookupHosts(this.sys.readFile('/etc/hosts') ?? '', key, family, false);
    if (hosts) return { ok: true, addrs: sortAddrs(hosts.addrs, this.sys) };
    if (!isDomainName(name)) return { ok: false, error: noHost(name) };
    const conf = this.config();
    const candidates = goCandidates(name, conf);
    tellLookup(this.sys, name, candidates);
    const types = family === 'inet' ? ['A'] : family === 'inet6' ? ['AAAA'] : ['A', 'AAAA'];
    let last: GoError | undefined;
    for (const candidate of candidates) {
      const addrs: Addr[] = [];
      for (const r of yield* this.askTypes(candidate, types)) {
        if ('error' in r) {
          // The error of the name as it was given is preferred.
          if (!last || candidate === `${name}.`) last = r.error;
          continue;
        }
        for (const rr of r.msg.answer) {
          if (rr.type === 'A' || rr.type === 'AAAA') addrs.push({ family: rr.type === 'A' ? 4 : 6, ip: rr.rdata });
        }
      }
      if (addrs.length > 0) return { ok: true, addrs: sortAddrs(addrs, this.sys) };
    }
    return { ok: false, error: { ...(last ?? noHost(name)), name } };
  }

  /** Results in the order in which they came in. */
  private *askTypes(name: string, types: readonly string[]): Task<NameResult[]> {
    const results: NameResult[] = [];
    if (this.config().singleRequest) {
      for (const t of types) results.push(yield* this.tryOneName(name, t));
      return results;
    }
    const tasks = new Tasks(this.sys);
    const one = function* (this: GoResolver, type: string, afterUs: number): Task {
      if (afterUs > 0) yield* sleep(afterUs);
      results.push(yield* this.tryOneName(name, type));
    };
    // The goroutine that was started last runs first; the others wait for another thread to wake up.
    let afterUs = 0;
    for (const t of [...types].reverse()) {
      tasks.go(one.call(this, t, afterUs));
      afterUs += THREAD_US;
    }
    yield* tasks.run();
    return results;
  }

  /** tryOneName: every server, `attempts` times, until one answers. */
  *tryOneName(name: string, type: string): Task<NameResult> {
    const { servers, attempts, rotate, timeout } = this.config();
    const offset = rotate ? this.offset++ : 0;
    let last: GoError = noHost(name);
    for (let i = 0; i < attempts; i++) {
      for (let j = 0; j < servers.length; j++) {
        const server = servers[(offset + j) % servers.length] as string;
        const at = hostPort(server);
        const r = yield* this.exchange(server, name, type, timeout * 1_000_000);
        if (!r.ok) {
          last = { err: r.err, name, server: at, notFound: false, timeout: r.timeout, temporary: r.temporary };
          continue;
        }
        const { msg } = r;
        const misbehaving = problem(msg);
        if (misbehaving === 'no such host') return { error: noHost(name, at) };
        if (misbehaving !== undefined) {
          const temporary = msg.rcode === 'SERVFAIL';
          last = { err: misbehaving, name, server: at, notFound: false, timeout: false, temporary };
          continue;
        }
        if (!msg.answer.some((a) => a.type === type)) return { error: noHost(name, at) };
        return { msg };
      }
    }
    return { error: last };
  }

  /** One question to one server over UDP, and over TCP when the answer was cut. */
  private *exchange(server: string, name: string, type: string, timeoutUs: number): Task<Exchange> {
    const q = newQuery(this.sys.random('dns-id', 65536), name, type);
    q.edns = EDNS;
    q.ad = this.config().trustAd;
    for (const proto of this.config().useTcp ? (['tcp'] as const) : (['udp', 'tcp'] as const)) {
      tellQuery(this.sys, q, server);
      const r = yield* proto === 'udp' ? this.udp(server, q, timeoutUs) : this.tcp(server, q, timeoutUs);
      if (!r.ok) return r;
      tellAnswer(this.sys, r.msg);
      if (!r.msg.tc || proto === 'tcp') return r;
    }
    return { ok: false, err: 'no answer from DNS server', timeout: false, temporary: false };
  }

  private *udp(server: string, q: Message, timeoutUs: number): Task<Exchange> {
    const { sys } = this;
    const deadline = sys.nowUs + timeoutUs;
    const fd = sys.socket('udp');
    const connected = sys.connect(fd, { ip: server, port: 53 });
    if (!connected.ok) {
      sys.close(fd);
      return opError(`dial udp ${hostPort(server)}: connect: ${errorText(connected.errno)}`);
    }
    const local = sys.getsockname(fd);
    const where = (op: string): string => `${op} udp ${joinPort(local)}->${hostPort(server)}: `;
    const fail = (err: string, timeout = false): Exchange => {
      sys.close(fd);
      return opError(err, timeout);
    };
    const errno = sendMsg(sys, fd, q, 'udp');
    if (errno !== undefined) return fail(`${where('write')}write: ${errorText(errno)}`);
    for (;;) {
      const r = recvMsg(sys, fd);
      if (r.kind === 'error') return fail(`${where('read')}read: ${errorText(r.errno)}`);
      if (r.kind === 'msg' && r.msg.qr && r.msg.id === q.id && matchesQuery(q, r.msg)) {
        sys.close(fd);
        return { ok: true, msg: r.msg };
      }
      if (r.kind === 'none' && !(yield* readable(fd, Math.max(0, deadline - sys.nowUs))))
        return fail(`${where('read')}i/o timeout`, true);
    }
  }

  private *tcp(server: string, q: Message, timeoutUs: number): Task<Exchange> {
    const { sys } = this;
    const deadline = sys.nowUs + timeoutUs;
    const fd = sys.socket('tcp');
    const fail = (err: string, timeout = false): Exchange => {
      sys.close(fd);
      return opError(err, timeout);
    };
    const errno = yield* connectTcp(sys, fd, server, timeoutUs);
    if (errno === 'ETIMEDOUT') return fail(`dial tcp ${hostPort(server)}: i/o timeout`, true);
    if (errno !== undefined) return fail(`dial tcp ${hostPort(server)}: connect: ${errorText(errno)}`);
    const local = sys.getsockname(fd);
    const where = `read tcp ${joinPort(local)}->${hostPort(server)}: `;
    const sent = sendMsg(sys, fd, q, 'tcp');
    if (sent !== undefined) return fail(`${where.replace('read', 'write')}write: ${errorText(sent)}`);
    const r = yield* readMessage(sys, fd, 65537, deadline);
    if ('errno' in r) {
      if (r.errno === 'ETIMEDOUT') return fail(`${where}i/o timeout`, true);
      if (r.errno === 'EOF') {
        sys.close(fd);
        return { ok: false, err: 'EOF', timeout: false, temporary: false };
      }
      return fail(`${where}read: ${errorText(r.errno)}`);
    }
    sys.close(fd);
    if (!r.msg.qr || r.msg.id !== q.id || !matchesQuery(q, r.msg))
      return { ok: false, err: 'invalid DNS response', timeout: false, temporary: false };
    return { ok: true, msg: r.msg };
  }
}

/** net.JoinHostPort. */
const joinPort = (a: SockAddr | undefined): string =>
  a?.ip.includes(':') ? `[${a.ip}]:${a.port}` : `${a?.ip}:${a?.port}`;

/** A net.OpError: tryOneName calls it temporary. */
const opError = (err: string, timeout = false): Exchange => ({ ok: false, err, timeout, temporary: true });

/** checkHeader. */
function problem(m: Message): string | undefined {
  if (m.rcode === 'NXDOMAIN') return 'no such host';
  const additional = m.additional.length > 0 || m.edns !== undefined;
  if (m.rcode === 'NOERROR') return m.aa || m.ra || m.answer.length > 0 || additional ? undefined : 'lame referral';
  return 'server misbehaving';
}

function errorText(errno: string): string {
  switch (errno) {
    case 'ECONNREFUSED':
      return 'connection refused';
    case 'ECONNRESET':
      return 'connection reset by peer';
    case 'EHOSTUNREACH':
      return 'no route to host';
    case 'ENETUNREACH':
      return 'network is unreachable';
    case 'EPERM':
      return 'operation not permitted';
    default:
      return errno;
  }
}
