import type { Wait, Wake } from '../../workload/process';
import { recvMsg, sendMsg } from '../io';
import type { DnsMsg, Message } from '../message';
import { readable, sleep, type Task, writable } from '../tasks';
import type { ProcessEnv } from './plugin';

/** One connected socket to an upstream, kept for reuse. */
interface Conn {
  readonly fd: number;
  readonly proto: 'udp' | 'tcp';
  usedUs: number;
  readonly createdUs: number;
}

export interface ProxyOptions {
  readonly ip: string;
  readonly port: number;
  /** Idle time after which a kept connection is closed (us). */
  readonly expireUs: number;
  readonly maxAgeUs: number;
  readonly maxIdle: number;
  readonly readTimeoutUs: number;
  readonly hcIntervalUs: number;
  readonly hcDomain: string;
  readonly hcRecursion: boolean;
  readonly hcTcp: boolean;
}

export type Exchange =
  | { readonly ok: true; readonly msg: DnsMsg }
  | { readonly ok: false; readonly error: string; readonly cachedClosed?: boolean };

/** Go's words for an errno. */
const ERRNO_TEXT: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  ECONNRESET: 'connection reset by peer',
  ETIMEDOUT: 'connection timed out',
  EPERM: 'operation not permitted',
  EINVAL: 'invalid argument',
  EADDRNOTAVAIL: 'cannot assign requested address',
};
export const errnoText = (errno: string): string => ERRNO_TEXT[errno] ?? errno;

/** Dial time that a new transport assumes (us), and the limits of the timeout computed from the average. */
const DIAL = { first: 15_000_000, min: 1_000_000, max: 30_000_000 };
const HC_TIMEOUT_US = 1_000_000;
const PROBE_START_US = 300;

/** One upstream server: connections kept in first-in-first-out order, failure count, health probe (plugin/pkg/proxy). */
export class UpstreamServer {
  fails = 0;
  private conns: Conn[] = [];
  private avgDialUs = DIAL.first;
  private probing = false;
  private stopped = false;

  constructor(
    private readonly env: ProcessEnv,
    readonly options: ProxyOptions,
  ) {}

  get addr(): string {
    const { ip, port } = this.options;
    return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
  }

  down(maxFails: number): boolean {
    return maxFails > 0 && this.fails > maxFails;
  }

  private take(proto: 'udp' | 'tcp'): Conn | undefined {
    const now = this.env.sys.nowUs;
    for (;;) {
      const i = this.conns.findIndex((c) => c.proto === proto);
      if (i < 0) return undefined;
      const [c] = this.conns.splice(i, 1) as [Conn];
      const { expireUs, maxAgeUs } = this.options;
      if (now - c.usedUs <= expireUs && (maxAgeUs === 0 || now - c.createdUs <= maxAgeUs)) return c;
      this.env.sys.close(c.fd);
    }
  }

  private give(c: Conn): void {
    const { maxIdle } = this.options;
    if (maxIdle > 0 && this.conns.filter((o) => o.proto === c.proto).length >= maxIdle) {
      this.env.sys.close(c.fd);
      return;
    }
    c.usedUs = this.env.sys.nowUs;
    this.conns.push(c);
  }

  /** Closes what was idle too long; runs every 10 s. */
  cleanup(): void {
    const now = this.env.sys.nowUs;
    const stale = this.conns.filter((c) => now - c.usedUs >= this.options.expireUs);
    for (const c of stale) this.env.sys.close(c.fd);
    this.conns = this.conns.filter((c) => !stale.includes(c));
  }

  start(): void {
    this.stopped = false;
    this.env.tasks.go(this.manager());
  }
  private *manager(): Task {
    while (!this.stopped || this.conns.length > 0) {
      yield* sleep(10_000_000);
      this.cleanup();
    }
  }
  /** Ends the health probes; queries of the lameduck time still get through. */
  stop(): void {
    this.stopped = true;
  }

  private *dial(proto: 'udp' | 'tcp', timeoutUs: number): Generator<Wait, Conn | { error: string }, Wake> {
    const { sys } = this.env;
    const start = sys.nowUs;
    const fd = sys.socket(proto);
    const fail = (what: string): { error: string } => {
      sys.close(fd);
      return { error: `dial ${proto} ${this.addr}: ${what}` };
    };
    const r = sys.connect(fd, { ip: this.options.ip, port: this.options.port });
    if (!r.ok && r.errno !== 'EINPROGRESS') return fail(`connect: ${errnoText(r.errno)}`);
    if (proto === 'tcp') {
      const inTime = yield* writable(fd, timeoutUs);
      if (!inTime) return fail('i/o timeout');
      const errno = sys.sockError(fd);
      if (errno) return fail(`connect: ${errnoText(errno)}`);
    }
    this.avgDialUs += Math.trunc((sys.nowUs - start - this.avgDialUs) / 4);
    return { fd, proto, usedUs: sys.nowUs, createdUs: sys.nowUs };
  }

  /** The dial timeout: twice the average, between 1 s and 30 s. */
  private dialTimeout(): number {
    if (this.avgDialUs < DIAL.min) return DIAL.min;
    return this.avgDialUs < DIAL.max / 2 ? 2 * this.avgDialUs : DIAL.max;
  }

  /** Sends a query over a kept or a new connection and waits for its answer. */
  *exchange(query: Message, proto: 'udp' | 'tcp'): Generator<Wait, Exchange, Wake> {
    const { sys, prng } = this.env;
    const kept = this.take(proto);
    const conn = kept ?? (yield* this.dial(proto, this.dialTimeout()));
    if ('error' in conn) return { ok: false, error: conn.error };
    const id = prng.below(65536);
    const label = (op: string): string => {
      const from = sys.getsockname(conn.fd);
      return `${op} ${proto} ${from?.ip}:${from?.port}->${this.addr}`;
    };
    const close = (error: string, eof = false): Exchange => {
      sys.close(conn.fd);
      return { ok: false, error, cachedClosed: eof && kept !== undefined };
    };
    const sendError = sendMsg(sys, conn.fd, { ...query, id }, proto);
    if (sendError) return close(`${label('write')}: write: ${errnoText(sendError)}`, sendError === 'EPIPE');
    const deadline = sys.nowUs + this.options.readTimeoutUs;
    for (;;) {
      const left = deadline - sys.nowUs;
      const ready = left > 0 && (yield* readable(conn.fd, left));
      if (!ready) return close(`${label('read')}: i/o timeout`);
      const got = recvMsg(sys, conn.fd);
      if (got.kind === 'error') return close(`${label('read')}: read: ${errnoText(got.errno)}`);
      if (got.kind === 'eof') return close('EOF', true);
      // A stray answer to another query is dropped.
      if (got.kind !== 'msg' || got.msg.id !== id) continue;
      this.give(conn);
      const overflow = proto === 'udp' && got.len > Math.max(512, query.edns?.udp ?? 0);
      const msg = overflow ? { ...got.msg, tc: true, answer: [], authority: [], additional: [] } : got.msg;
      msg.id = query.id;
      // How it was packed is lost with unpacking.
      msg.compress = false;
      return { ok: true, msg };
    }
  }

  /** Starts asking the upstream until it answers, every interval; one probe at a time. */
  healthcheck(): void {
    if (this.probing) return;
    this.probing = true;
    this.env.tasks.go(this.probe());
  }

  private *probe(): Task {
    // The probe is a strand of its own: what started it sends first.
    yield* sleep(PROBE_START_US);
    for (;;) {
      if (yield* this.check()) break;
      this.fails++;
      yield* sleep(this.options.hcIntervalUs);
      if (this.stopped) return;
    }
    this.fails = 0;
    this.probing = false;
  }

  private *check(): Task<boolean> {
    const { sys, prng } = this.env;
    const proto = this.options.hcTcp ? 'tcp' : 'udp';
    const conn = yield* this.dial(proto, HC_TIMEOUT_US);
    if ('error' in conn) return false;
    const id = prng.below(65536);
    const question = [{ name: this.options.hcDomain, type: 'NS', class: 'IN' }];
    const failed = sendMsg(sys, conn.fd, { ...EMPTY, id, rd: this.options.hcRecursion, question }, proto);
    const ready = failed === undefined && (yield* readable(conn.fd, HC_TIMEOUT_US));
    const got = ready ? recvMsg(sys, conn.fd) : undefined;
    sys.close(conn.fd);
    return got?.kind === 'msg';
  }
}

const EMPTY: Message = {
  id: 0,
  qr: false,
  opcode: 'QUERY',
  aa: false,
  tc: false,
  rd: false,
  ra: false,
  z: false,
  ad: false,
  cd: false,
  rcode: 'NOERROR',
  question: [],
  answer: [],
  authority: [],
  additional: [],
  compress: false,
};
