import { type Blocking, wait } from '../blocking';
import { strerror } from '../errno';
import type { Program, Sys } from '../process';
import { gaiStrerror, resolve, reverse } from '../resolve';
import { TRACEROUTE_USAGE } from './traceroute-text';

interface Options {
  numeric: boolean;
  queries: number;
  maxTtl: number;
  firstTtl: number;
  waitUs: number;
  simultaneous: number;
  mode: 'udp' | 'icmp' | 'tcp';
  port: number | undefined;
  size: number;
}

interface Probe {
  readonly ttl: number;
  readonly fd: number;
  readonly sentUs: number;
  done: boolean;
  from: string | undefined;
  rttUs: number;
  mark: string;
  /** The target answered, or somebody said that it cannot be reached. */
  final: boolean;
}

/** Annotations after the time, by ICMP unreachable code. */
const MARKS: Readonly<Record<number, string>> = {
  0: '!N',
  1: '!H',
  2: '!P',
  4: '!F',
  5: '!S',
  9: '!X',
  10: '!X',
  13: '!X',
};

/** traceroute(8) 2.1.2: UDP, ICMP echo or TCP SYN probes with growing TTL, 16 at a time. */
export const traceroute: Program = function* (sys) {
  const o: Options = {
    numeric: false,
    queries: 3,
    maxTtl: 30,
    firstTtl: 1,
    waitUs: 5_000_000,
    simultaneous: 16,
    mode: 'udp',
    port: undefined,
    size: 60,
  };
  const rest = parse(sys, o);
  if (typeof rest === 'number') return rest;
  const host = rest[0];
  if (host === undefined) {
    sys.write(2, TRACEROUTE_USAGE);
    return 0;
  }
  const found = yield* resolve(sys, host);
  if (!found.ok) {
    const why = found.error === 'deadline' ? '' : gaiStrerror[found.error];
    sys.write(
      2,
      `${host}: ${why}\nCannot handle "host" cmdline arg \`${host}' on position 1 (argc ${sys.argv.length - 1})\n`,
    );
    return 2;
  }
  const ip = found.addrs[0] as string;
  sys.write(1, `traceroute to ${host} (${ip}), ${o.maxTtl} hops max, ${o.size} byte packets\n`);
  return yield* new Trace(sys, o, ip).run();
};

const WITH_VALUE = 'fgimNpqstwzlM';

function parse(sys: Sys, o: Options): string[] | number {
  const rest: string[] = [];
  const args = sys.argv.slice(1);
  for (let i = 0; i < args.length; i++) {
    const a = args[i] as string;
    if (a === '--version' || a === '-V') {
      sys.write(
        2,
        'Modern traceroute for Linux, version 2.1.2\nCopyright (c) 2016  Dmitry Butskoy,   License: GPL v2 or any later\n',
      );
      return 0;
    }
    if (a === '--help') {
      sys.write(2, TRACEROUTE_USAGE);
      return 0;
    }
    if (!a.startsWith('-')) {
      rest.push(a);
      continue;
    }
    for (let k = 1; k < a.length; k++) {
      const letter = a[k] as string;
      if (!WITH_VALUE.includes(letter)) {
        if (letter === 'n') o.numeric = true;
        else if (letter === 'I') o.mode = 'icmp';
        else if (letter === 'T') o.mode = 'tcp';
        continue;
      }
      const value = k + 1 < a.length ? a.slice(k + 1) : (args[++i] ?? '');
      const n = Number(value);
      if (letter === 'q') o.queries = n;
      else if (letter === 'm') o.maxTtl = n;
      else if (letter === 'f') o.firstTtl = n;
      else if (letter === 'N') o.simultaneous = n;
      else if (letter === 'p') o.port = n;
      else if (letter === 'w') o.waitUs = Math.floor(Number(value.split(',')[0]) * 1_000_000);
      break;
    }
  }
  return rest;
}

class Trace {
  private readonly probes: Probe[] = [];
  private printed = 0;
  private nextPort: number;

  constructor(
    private readonly sys: Sys,
    private readonly o: Options,
    private readonly ip: string,
  ) {
    this.nextPort = o.port ?? 33434;
  }

  *run(): Blocking<number> {
    const { o, sys } = this;
    const total = (o.maxTtl - o.firstTtl + 1) * o.queries;
    for (;;) {
      while (this.probes.length < total && this.open().length < o.simultaneous && !this.lastKnown()) {
        const why = this.send(o.firstTtl + Math.floor(this.probes.length / o.queries));
        if (why !== undefined) {
          sys.write(2, `send: ${strerror(why)}\n`);
          return 1;
        }
      }
      if (yield* this.print()) return 0;
      const waiting = this.open();
      if (waiting.length === 0) continue;
      const first = Math.min(...waiting.map((p) => p.sentUs + o.waitUs));
      const fds = [...new Set(waiting.map((p) => p.fd))].map((fd) => ({
        fd,
        events: o.mode === 'tcp' ? ('inout' as const) : ('in' as const),
      }));
      const wake = yield* wait({ kind: 'poll', fds, timeoutUs: Math.max(0, first - sys.nowUs) });
      if (wake.kind === 'ready') for (const fd of wake.fds) this.collect(fd);
      for (const p of this.open()) if (p.sentUs + o.waitUs <= sys.nowUs) this.finish(p);
    }
  }

  private open(): Probe[] {
    return this.probes.filter((p) => !p.done);
  }

  /** Whether a hop that ends the way is already known: nothing beyond it is probed. */
  private lastKnown(): boolean {
    const hop = this.probes.find((p) => p.final)?.ttl;
    return hop !== undefined && this.probes.filter((p) => p.ttl === hop).length >= this.o.queries;
  }

  private send(ttl: number): string | undefined {
    const { sys, o } = this;
    const fd = sys.socket(o.mode === 'icmp' ? 'icmp' : o.mode);
    sys.setsockopt(fd, 'IP_TTL', ttl);
    sys.setsockopt(fd, 'IP_RECVERR', 1);
    const probe: Probe = { ttl, fd, sentUs: sys.nowUs, done: false, from: undefined, rttUs: 0, mark: '', final: false };
    if (o.mode === 'tcp') {
      const c = sys.connect(fd, { ip: this.ip, port: o.port ?? 80 });
      if (!c.ok && c.errno !== 'EINPROGRESS') return c.errno;
    } else if (o.mode === 'udp') {
      const c = sys.connect(fd, { ip: this.ip, port: this.nextPort++ });
      if (!c.ok) return c.errno;
      // A send may hear of the error that an earlier probe met; that one is in its own socket.
      sys.send(fd, '\0'.repeat(o.size - 28));
    } else {
      const c = sys.connect(fd, { ip: this.ip, port: 0 });
      if (!c.ok) return c.errno;
      const id = sys.getsockname(fd)?.port ?? 0;
      sys.sendIcmp(fd, this.ip, { type: 8, code: 0, id, seq: this.probes.length + 1, len: o.size - 28, ttl });
    }
    this.probes.push(probe);
    return undefined;
  }

  private collect(fd: number): void {
    const { sys } = this;
    const p = this.probes.find((x) => x.fd === fd && !x.done);
    if (!p) return;
    const e = sys.recvError(fd);
    if (e) {
      p.from = e.offender;
      p.rttUs = sys.nowUs - p.sentUs;
      if (e.type === 3) {
        p.final = true;
        const reached = this.o.mode === 'udp' && e.code === 3;
        if (!reached) p.mark = MARKS[e.code] ?? `!${e.code}`;
      }
      this.finish(p);
      return;
    }
    const errno = sys.sockError(fd);
    const answered = this.o.mode === 'tcp' ? errno === undefined || errno === 'ECONNREFUSED' : sys.recv(fd).ok;
    if (!answered) return;
    p.from = this.ip;
    p.rttUs = sys.nowUs - p.sentUs;
    p.final = true;
    this.finish(p);
  }

  private finish(p: Probe): void {
    p.done = true;
    if (this.o.mode === 'tcp') this.sys.setsockopt(p.fd, 'SO_LINGER0', 1);
    this.sys.close(p.fd);
  }

  /** Prints what is complete in order; true at the end of the way. */
  private *print(): Blocking<boolean> {
    const { sys, o } = this;
    while (this.printed < this.probes.length && (this.probes[this.printed] as Probe).done) {
      const p = this.probes[this.printed] as Probe;
      const nth = this.printed % o.queries;
      const before = nth === 0 ? undefined : this.probes[this.printed - 1];
      if (nth === 0) sys.write(1, `${String(p.ttl).padStart(2)} `);
      if (p.from === undefined) sys.write(1, ' *');
      else {
        const known =
          this.probes.slice(this.printed - nth, this.printed).some((q) => q.from === p.from) && before?.from === p.from;
        const shown = known ? '' : ` ${yield* this.name(p.from)}`;
        const time = `${Math.floor(p.rttUs / 1000)}.${String(p.rttUs % 1000).padStart(3, '0')} ms`;
        sys.write(1, `${shown}  ${time}${p.mark === '' ? '' : ` ${p.mark}`}`);
      }
      this.printed++;
      if (this.printed % o.queries !== 0) continue;
      sys.write(1, '\n');
      const hop = this.probes.slice(this.printed - o.queries, this.printed);
      if (hop.some((q) => q.final) || p.ttl >= o.maxTtl) return true;
    }
    return false;
  }

  private *name(ip: string): Blocking<string> {
    if (this.o.numeric) return ip;
    return `${(yield* reverse(this.sys, ip)) ?? ip} (${ip})`;
  }
}
