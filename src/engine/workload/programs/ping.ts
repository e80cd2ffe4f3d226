import { strerror } from '../errno';
import type { Program, Received, Sys, Wait, Wake } from '../process';
import { gaiStrerror, resolve, reverse } from '../resolve';
import { type PingOptions, pingArgs } from './ping-args';
import { icmpWords, loss, rttLine, tripTime } from './ping-text';

/** Linger when nothing has answered, us (MAXWAIT). */
const MAXWAIT_US = 10_000_000;
const BUILD = 'libcap: yes, IDN: yes, NLS: no, error.h: yes, getrandom(): yes, __fpending(): yes';

/** ping(8) of iputils over a raw ICMP socket, as Debian 12 and 13 package it. */
export const ping: Program = (sys) => run(sys, '20221126');
export const ping13: Program = (sys) => run(sys, '20240905');

function* run(sys: Sys, release: string): Generator<Wait, number, Wake> {
  const parsed = pingArgs(sys.argv.slice(1));
  if (!parsed.ok) {
    sys.write(2, parsed.message);
    return parsed.exit;
  }
  const o = parsed.options;
  if (o.version) {
    sys.write(1, `ping from iputils ${release}\n${BUILD}\n`);
    return 0;
  }
  const found = yield* resolve(sys, o.target);
  if (!found.ok) {
    const why = found.error === 'deadline' ? '' : gaiStrerror[found.error];
    sys.write(2, `ping: ${o.target}: ${why}\n`);
    return 2;
  }
  const ip = found.addrs[0] as string;
  return yield* new Session(sys, o, found.canonical, ip, found.canonical === ip).run();
}

class Session {
  private sent = 0;
  private received = 0;
  private errors = 0;
  private duplicates = 0;
  private pipe = 0;
  private readonly rtts: number[] = [];
  private readonly sentAt = new Map<number, number>();
  private readonly answered = new Set<number>();
  private startUs = 0;
  private currentUs = 0;
  private readonly fd: number;
  private readonly id: number;
  private names = new Map<string, string>();

  constructor(
    private readonly sys: Sys,
    private readonly o: PingOptions,
    private readonly host: string,
    private readonly ip: string,
    private readonly numeric: boolean,
  ) {
    this.fd = sys.socket('raw');
    this.id = Number(sys.pid) & 0xffff;
  }

  *run(): Generator<Wait, number, Wake> {
    const { sys, o } = this;
    const probe = this.probe();
    if (probe !== undefined) {
      sys.write(2, probe);
      return 2;
    }
    const from = o.device === undefined ? '' : ` from ${o.source ?? ''} ${o.device}:`;
    const bytes = `${o.size}(${o.size + 28}) bytes of data.`;
    sys.write(1, `PING ${this.host} (${this.ip})${from} ${bytes}\n`);
    this.startUs = sys.nowUs;
    this.currentUs = sys.nowUs;
    let next = sys.nowUs;
    const deadline = o.deadlineUs === undefined ? undefined : sys.nowUs + o.deadlineUs;
    let exitAt: number | undefined;
    for (;;) {
      if (o.count !== undefined && this.received + this.errors >= o.count) break;
      if (deadline !== undefined && sys.nowUs >= deadline) break;
      const mayMore = o.count === undefined || this.sent < o.count;
      if (mayMore && sys.nowUs >= next) {
        this.send();
        next = sys.nowUs + o.intervalUs;
        if (o.count !== undefined && this.sent >= o.count) exitAt = sys.nowUs + this.linger();
        continue;
      }
      const until = Math.min(mayMore ? next : (exitAt as number), deadline ?? Number.MAX_SAFE_INTEGER);
      if (!mayMore && sys.nowUs >= (exitAt as number)) break;
      const wake = yield {
        kind: 'poll',
        fds: [{ fd: this.fd, events: 'in' }],
        timeoutUs: Math.max(0, until - sys.nowUs),
      };
      if (wake.kind === 'signal') break;
      if (wake.kind === 'ready') yield* this.read();
    }
    return this.finish();
  }

  /** The UDP connect by which ping finds its source address and learns at once that there is no route. */
  private probe(): string | undefined {
    const { sys, o } = this;
    const fd = sys.socket('udp');
    if (o.device !== undefined) {
      if (/^[\d.]+$/.test(o.device)) {
        const b = sys.bind(fd, { ip: o.device, port: 0 });
        if (!b.ok) return `ping: bind: ${strerror(b.errno)}\n`;
        sys.bind(this.fd, { ip: o.device, port: 0 });
      } else {
        if (sys.readFile(`/sys/class/net/${o.device}/ifindex`) === undefined) {
          return `ping: SO_BINDTODEVICE ${o.device}: ${strerror('ENODEV')}\n`;
        }
        sys.setsockopt(fd, 'SO_BINDTODEVICE', o.device);
        sys.setsockopt(this.fd, 'SO_BINDTODEVICE', o.device);
      }
    }
    const c = sys.connect(fd, { ip: this.ip, port: 1025 });
    o.source = sys.getsockname(fd)?.ip;
    sys.close(fd);
    if (c.ok) return undefined;
    if (c.errno === 'EACCES') {
      return 'ping: Do you want to ping broadcast? Then -b. If not, check your local firewall rules\n';
    }
    return `ping: connect: ${strerror(c.errno)}\n`;
  }

  private linger(): number {
    const { o } = this;
    if (this.received > 0) return Math.max(2 * Math.max(...this.rtts), o.intervalUs);
    return o.lingerUs ?? MAXWAIT_US;
  }

  private send(): void {
    const { sys, o } = this;
    const seq = (this.sent + 1) & 0xffff;
    const r = sys.sendIcmp(this.fd, this.ip, {
      type: 8,
      code: 0,
      id: this.id,
      seq,
      len: o.size,
      ...(o.ttl === undefined ? {} : { ttl: o.ttl }),
      ...(o.df === undefined ? {} : { df: o.df }),
    });
    this.sent++;
    this.currentUs = sys.nowUs;
    this.sentAt.set(seq, sys.nowUs);
    if (r.ok) return;
    if (r.errno === 'EMSGSIZE') {
      if (!o.quiet) sys.write(2, `ping: local error: message too long, mtu=${this.mtu()}\n`);
      this.errors++;
    } else sys.write(2, `ping: sendmsg: ${strerror(r.errno)}\n`);
  }

  private mtu(): string {
    return (this.sys.readFile('/sys/class/net/eth0/mtu') ?? '1500').trim();
  }

  /** Everything that waits in the socket. */
  private *read(): Generator<Wait, void, Wake> {
    for (;;) {
      const r = this.sys.recv(this.fd);
      if (!r.ok) return;
      yield* this.message(r.value);
      if (this.o.count !== undefined && this.received + this.errors >= this.o.count) return;
    }
  }

  private *message(m: Received): Generator<Wait, void, Wake> {
    const p = m.packet;
    if (p?.l4.kind !== 'icmp') return;
    const l4 = p.l4;
    if (l4.type === 0) {
      if (l4.id !== this.id || l4.seq === undefined) return;
      yield* this.reply(l4.seq, p.ip.src, p.ip.ttl, l4.payload.len + 8);
      return;
    }
    const inner = l4.inner?.l4;
    if (inner?.kind !== 'icmp' || inner.type !== 8 || inner.id !== this.id || inner.seq === undefined) return;
    const from = yield* this.name(p.ip.src);
    const redirect = l4.type === 5;
    if (!redirect) {
      this.acknowledge(inner.seq);
      this.errors++;
    }
    if (this.o.quiet) return;
    this.sys.write(1, `From ${from}${redirect ? ':' : ''} icmp_seq=${inner.seq} ${icmpWords(l4)}\n`);
  }

  private *reply(seq: number, src: string, ttl: number, bytes: number): Generator<Wait, void, Wake> {
    const { sys } = this;
    const at = this.sentAt.get(seq);
    const trip = at === undefined ? 0 : sys.nowUs - at;
    this.currentUs = sys.nowUs;
    const dup = this.answered.has(seq);
    if (dup) this.duplicates++;
    else {
      this.answered.add(seq);
      this.received++;
      this.rtts.push(trip);
      this.acknowledge(seq);
    }
    if (this.o.quiet) return;
    const from = yield* this.name(src);
    const mark = dup ? ' (DUP!)' : '';
    sys.write(1, `${bytes} bytes from ${from}: icmp_seq=${seq} ttl=${ttl} time=${tripTime(trip)} ms${mark}\n`);
  }

  private acknowledge(seq: number): void {
    const behind = (this.sent - seq) & 0xffff;
    if (behind <= 0x7fff && behind + 1 > this.pipe) this.pipe = behind + 1;
  }

  /** pr_addr: name and address, unless the target was typed as a number. */
  private *name(ip: string): Generator<Wait, string, Wake> {
    if (this.numeric || this.o.numeric) return ip;
    let name = this.names.get(ip);
    if (name === undefined) {
      name = (yield* reverse(this.sys, ip)) ?? ip;
      this.names.set(ip, name);
    }
    return name === ip ? ip : `${name} (${ip})`;
  }

  private finish(): number {
    const { sys } = this;
    const extra =
      (this.duplicates > 0 ? `, +${this.duplicates} duplicates` : '') +
      (this.errors > 0 ? `, +${this.errors} errors` : '');
    const ms = Math.floor((this.currentUs - this.startUs) / 1000);
    const counts = `${this.sent} packets transmitted, ${this.received} received${extra}`;
    sys.write(
      1,
      `\n--- ${this.host} ping statistics ---\n${counts}, ${loss(this.sent, this.received)}% packet loss, time ${ms}ms\n`,
    );
    const rtt = this.received > 0 ? rttLine(this.rtts) : '';
    const pipe = this.pipe > 1 ? `${rtt === '' ? '' : ', '}pipe ${this.pipe}` : '';
    sys.write(1, `${rtt}${pipe}\n`);
    sys.close(this.fd);
    const short = this.o.deadlineUs !== undefined && this.o.count !== undefined && this.received < this.o.count;
    return this.received === 0 || short ? 1 : 0;
  }
}
