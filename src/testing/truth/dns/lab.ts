import type { Json } from '../../../engine/base/json';
import type { PrngStream } from '../../../engine/base/prng';
import type { Message } from '../../../engine/dns/message';
import { messageLen } from '../../../engine/dns/size';
import type { SockAddr, Sys, Wait, Wake } from '../../../engine/workload/process';
import type { Host, Proc, ProcHandle, Seen, Socket, SpawnOptions, Toy } from './labtypes';

export type { Host, ProcHandle, Seen, Toy } from './labtypes';

/** One way over a link between two hosts (us). */
const LINK_US = 20;
const LOOP_US = 5;
/** Payload of a full TCP segment. */
const SEGMENT = 1448;

const isLoopback = (ip: string): boolean => ip.startsWith('127.') || ip === '::1';

/** Hosts, sockets and processes on one clock: just enough of a network to host the DNS programs. */
export class Lab {
  nowUs = 0;
  readonly seen: Seen[] = [];
  private readonly hosts: Host[] = [];
  private heap: { at: number; ord: number; run: () => void }[] = [];
  private ord = 0;
  /** When an answer reached the client in the recording (us); servers take their time. */
  steer: ((reply: Message, from: string, proto: 'udp' | 'tcp') => number | undefined) | undefined;
  /** Time from readiness to the wake-up of a process on a host (us). */
  latency: ((host: Host) => number) | undefined;
  /** Addresses to which packets vanish for now. */
  readonly lost = new Set<string>();

  constructor(readonly prng: PrngStream) {}

  addHost(h: { name: string; ips: readonly string[]; toy?: Toy; mute?: boolean }): Host {
    const host: Host = {
      name: h.name,
      ips: h.ips,
      toy: h.toy,
      mute: h.mute ?? false,
      sockets: new Set(),
      nextPort: 32768,
    };
    this.hosts.push(host);
    return host;
  }

  at(delayUs: number, run: () => void): void {
    this.heap.push({ at: this.nowUs + Math.max(0, Math.round(delayUs)), ord: this.ord++, run });
    // A small heap: binary insertion keeps it sorted from the end.
    let i = this.heap.length - 1;
    const item = this.heap[i] as (typeof this.heap)[number];
    while (i > 0 && before(item, this.heap[i - 1] as typeof item)) {
      this.heap[i] = this.heap[i - 1] as typeof item;
      i--;
    }
    this.heap[i] = item;
  }

  /** Runs events until the time, or until `done`. */
  run(untilUs: number, done: () => boolean = () => false): void {
    while (!done()) {
      const next = this.heap[0];
      if (!next || next.at > untilUs) break;
      this.heap.shift();
      this.nowUs = next.at;
      next.run();
    }
    if (!done() && this.nowUs < untilUs) this.nowUs = untilUs;
  }

  /** The host that has an address, as `near` sees it: loopback is its own. */
  private hostOf(ip: string, near?: Host): Host | undefined {
    if (isLoopback(ip)) return near;
    return this.hosts.find((h) => h.ips.includes(ip));
  }

  spawn(host: Host, program: (sys: Sys) => Generator<Wait, number, Wake>, o: SpawnOptions): ProcHandle {
    const sockets = new Map<number, Socket>();
    let proc: Proc | undefined;
    const sys = this.sys(() => proc as Proc, host, o);
    proc = {
      host,
      gen: program(sys),
      wait: undefined,
      epoch: 0,
      exit: undefined,
      sockets,
      nextFd: 3,
      onExit: o.onExit,
    };
    const p = proc;
    this.at(0, () => this.resume(p, { kind: 'timeout' }));
    return {
      exit: () => p.exit,
      signal: (signal) => {
        if (p.exit !== undefined) return;
        if (signal === 'KILL') this.end(p, 137);
        else this.resume(p, { kind: 'signal', signal });
      },
    };
  }

  private end(p: Proc, code: number): void {
    p.exit = code;
    p.epoch++;
    for (const s of [...p.sockets.values()]) this.close(s);
    p.onExit?.(code);
  }

  private resume(p: Proc, wake: Wake): void {
    if (p.exit !== undefined) return;
    p.wait = undefined;
    const epoch = ++p.epoch;
    const r = p.gen.next(wake);
    if (r.done) {
      this.end(p, r.value);
      return;
    }
    p.wait = r.value;
    const us = r.value.kind === 'sleep' ? r.value.us : r.value.kind === 'poll' ? r.value.timeoutUs : undefined;
    if (us !== undefined)
      this.at(us, () => {
        if (p.epoch === epoch) this.resume(p, { kind: 'timeout' });
      });
    this.poke(p);
  }

  /** Resumes a process whose descriptors have become ready, after what happens now. */
  private poke(p: Proc): void {
    const { epoch } = p;
    if (this.readyFds(p).length === 0) return;
    this.at(this.latency?.(p.host) ?? 0, () => {
      if (p.epoch !== epoch) return;
      const fds = this.readyFds(p);
      if (fds.length > 0) this.resume(p, { kind: 'ready', fds });
    });
  }

  private readyFds(p: Proc): number[] {
    if (p.wait?.kind !== 'poll') return [];
    return p.wait.fds
      .filter(({ fd, events }) => {
        const s = p.sockets.get(fd);
        if (!s) return true;
        const input = s.queue.length > 0 || s.eof || s.error !== undefined || s.backlog.length > 0;
        const output = s.proto === 'udp' || s.connected || s.error !== undefined;
        return (events !== 'out' && input) || (events !== 'in' && output);
      })
      .map((f) => f.fd);
  }

  private note(s: Seen, a: string, b: string): void {
    if (!this.local(a, b)) this.seen.push(s);
  }

  private local(a: string, b: string): boolean {
    if (isLoopback(a) || isLoopback(b)) return true;
    const host = this.hostOf(a);
    return host !== undefined && host === this.hostOf(b);
  }

  private delay(a: string, b: string): number {
    return this.local(a, b) ? LOOP_US : LINK_US;
  }

  private sourceFor(host: Host, dst: string): string {
    if (isLoopback(dst)) return dst.startsWith('127.') ? '127.0.0.1' : '::1';
    const prefix = dst.split('.').slice(0, 2).join('.');
    return host.ips.find((ip) => ip.startsWith(`${prefix}.`)) ?? host.ips.find((ip) => !ip.startsWith('127.')) ?? '';
  }

  private autobind(s: Socket, dst: string): SockAddr {
    const { host } = s.proc;
    const port = s.local?.port || host.nextPort++;
    const ip = s.local && s.local.ip !== '0.0.0.0' ? s.local.ip : this.sourceFor(host, dst);
    s.local = { ip, port };
    return s.local;
  }

  private udpReceiver(host: Host | undefined, dst: SockAddr, src: SockAddr): Socket | undefined {
    let best: Socket | undefined;
    for (const s of host?.sockets ?? []) {
      if (s.proto !== 'udp' || s.local?.port !== dst.port) continue;
      if (s.local.ip !== '0.0.0.0' && s.local.ip !== dst.ip) continue;
      if (s.remote && (s.remote.ip !== src.ip || s.remote.port !== src.port)) continue;
      if (!best || s.remote) best = s;
    }
    return best;
  }

  private sendUdp(from: Socket, src: SockAddr, dst: SockAddr, data: string | { len: number; app?: unknown }): void {
    const msg = typeof data === 'string' ? undefined : (data.app as Message);
    if (this.steered(msg, src, 'udp', () => this.sendUdp(from, src, dst, data))) return;
    const bytes = typeof data === 'string' ? data : '';
    const len = typeof data === 'string' ? data.length : data.len;
    this.note(
      { kind: 'dns', atUs: this.nowUs, proto: 'udp', src, dst, msg, bytes: msg ? undefined : bytes, len },
      src.ip,
      dst.ip,
    );
    if (this.lost.has(dst.ip) || this.lost.has(src.ip)) return;
    const host = this.hostOf(dst.ip, from.proc.host);
    if (host && !host.mute && !(host.toy && dst.port === 53) && !this.udpReceiver(host, dst, src)) {
      // The refusal is back before the process can do anything else.
      this.note({ kind: 'icmp', atUs: this.nowUs, src: dst.ip, dst: src.ip }, src.ip, dst.ip);
      if (from.remote) from.error = 'ECONNREFUSED';
      return;
    }
    this.at(this.delay(src.ip, dst.ip), () => {
      if (!host) return;
      if (host.toy && dst.port === 53) {
        if (msg) this.answerUdp(host.toy, msg, dst, src);
        return;
      }
      const to = this.udpReceiver(host, dst, src);
      if (!to) {
        this.refuse(dst, src);
        return;
      }
      to.spokenTo.set(`${src.ip}:${src.port}`, dst.ip);
      to.queue.push({ msg, bytes, from: src });
      this.poke(to.proc);
    });
  }

  /** Postpones an answer to the time at which it came in the recording. */
  private steered(msg: Message | undefined, src: SockAddr, proto: 'udp' | 'tcp', run: () => void): boolean {
    const at = msg?.qr && src.port === 53 ? this.steer?.(msg, src.ip, proto) : undefined;
    if (at === undefined || at <= this.nowUs) return false;
    this.at(at - this.nowUs, run);
    return true;
  }

  /** A datagram for a port on which nobody is (any more). */
  private refuse(at: SockAddr, sender: SockAddr): void {
    this.note({ kind: 'icmp', atUs: this.nowUs, src: at.ip, dst: sender.ip }, at.ip, sender.ip);
  }

  private answerUdp(toy: Toy, q: Message, src: SockAddr, dst: SockAddr): void {
    const a = toy(q, 'udp');
    if (!a) return;
    const answer = (): void => {
      const len = replyLen(a.reply);
      this.note(
        { kind: 'dns', atUs: this.nowUs, proto: 'udp', src, dst, msg: a.reply, bytes: undefined, len },
        src.ip,
        dst.ip,
      );
      this.at(this.delay(src.ip, dst.ip), () => {
        const to = this.udpReceiver(this.hostOf(dst.ip), dst, src);
        if (!to) {
          this.refuse(dst, src);
          return;
        }
        to.queue.push({ msg: a.reply, bytes: '', from: src });
        this.poke(to.proc);
      });
    };
    if (!this.steered(a.reply, src, 'udp', answer)) this.at(a.delayUs, answer);
  }

  private connectTcp(s: Socket, dst: SockAddr): void {
    const src = this.autobind(s, dst.ip);
    s.remote = dst;
    this.note({ kind: 'syn', atUs: this.nowUs, src, dst }, src.ip, dst.ip);
    if (this.lost.has(dst.ip)) return;
    this.at(this.delay(src.ip, dst.ip), () => {
      const host = this.hostOf(dst.ip, s.proc.host);
      if (!host) return;
      const listener = [...host.sockets].find(
        (l) => l.listening && l.local?.port === dst.port && (l.local.ip === '0.0.0.0' || l.local.ip === dst.ip),
      );
      const toy = host.toy && dst.port === 53 ? host.toy : undefined;
      if (!listener && !toy) {
        if (host.mute) return;
        this.note({ kind: 'rst', atUs: this.nowUs, src: dst, dst: src }, src.ip, dst.ip);
      }
      if (listener) {
        const child = this.makeSocket(listener.proc, 'tcp', -1);
        child.local = dst;
        child.remote = src;
        child.connected = true;
        child.peer = s;
        s.peer = child;
        listener.backlog.push(child);
        this.poke(listener.proc);
      } else if (toy) s.peer = toy;
      this.at(this.delay(src.ip, dst.ip), () => {
        if (s.peer) s.connected = true;
        else s.error = 'ECONNREFUSED';
        this.poke(s.proc);
      });
    });
  }

  private sendTcp(s: Socket, data: string | { len: number; app?: unknown }): void {
    const { local: src, remote: dst, peer } = s;
    if (!src || !dst || !peer) return;
    const msg = typeof data === 'string' ? undefined : (data.app as Message);
    const bytes = typeof data === 'string' ? data : '';
    const len = (typeof data === 'string' ? data.length : data.len) - 2;
    if (dst.port === 53 || src.port === 53)
      this.note({ kind: 'dns', atUs: this.nowUs, proto: 'tcp', src, dst, msg, bytes: undefined, len }, src.ip, dst.ip);
    if (this.lost.has(dst.ip) || this.lost.has(src.ip)) return;
    if (typeof peer === 'function') {
      const a = msg && peer(msg, 'tcp');
      if (!a) return;
      this.at(this.delay(src.ip, dst.ip) + a.delayUs, () => {
        const n = replyLen(a.reply);
        this.note(
          { kind: 'dns', atUs: this.nowUs, proto: 'tcp', src: dst, dst: src, msg: a.reply, bytes: undefined, len: n },
          src.ip,
          dst.ip,
        );
        this.at(this.delay(src.ip, dst.ip), () => this.push(s, a.reply, '', n + 2));
      });
      return;
    }
    this.at(this.delay(src.ip, dst.ip), () => this.push(peer, msg, bytes, len + 2));
  }

  /** A message comes with its first segment; the rest are filler. */
  private push(s: Socket, msg: Message | undefined, bytes: string, len: number): void {
    s.queue.push({ msg, bytes, from: undefined });
    for (let left = msg ? len - SEGMENT : 0; left > 0; left -= SEGMENT)
      s.queue.push({ msg: undefined, bytes: '\0'.repeat(Math.min(left, SEGMENT)), from: undefined });
    this.poke(s.proc);
  }

  private makeSocket(proc: Proc, proto: 'udp' | 'tcp', fd: number): Socket {
    return {
      fd,
      proc,
      proto,
      local: undefined,
      remote: undefined,
      listening: false,
      connected: false,
      peer: undefined,
      eof: false,
      error: undefined,
      queue: [],
      backlog: [],
      spokenTo: new Map(),
    };
  }

  private close(s: Socket): void {
    s.proc.sockets.delete(s.fd);
    s.proc.host.sockets.delete(s);
    const { peer } = s;
    if (s.proto === 'tcp' && s.queue.length > 0 && s.local && s.remote)
      this.note({ kind: 'rst', atUs: this.nowUs, src: s.local, dst: s.remote }, s.local.ip, s.remote.ip);
    if (peer && typeof peer !== 'function' && s.local && s.remote)
      this.at(this.delay(s.local.ip, s.remote.ip), () => {
        peer.eof = true;
        this.poke(peer.proc);
      });
  }

  private sys(proc: () => Proc, host: Host, o: SpawnOptions): Sys {
    const lab = this;
    const of = (fd: number): Socket | undefined => proc().sockets.get(fd);
    const bad = { ok: false, errno: 'EBADF' } as const;
    const ok = { ok: true, value: null } as const;
    const install = (s: Socket): number => {
      const fd = proc().nextFd++;
      s.fd = fd;
      proc().sockets.set(fd, s);
      host.sockets.add(s);
      return fd;
    };
    return {
      get nowUs() {
        return lab.nowUs;
      },
      argv: o.argv,
      env: o.env ?? {},
      // A process starts with the first server of its list, so that a recording of one can be replayed.
      random: (stream, below) => (stream === 'res-rotate' ? 0 : lab.prng.below(below)),
      lookup: () => undefined,
      pid: '1',
      netns: host.name,
      uid: 0,
      stdin: '',
      tty: false,
      ttyErr: false,
      cols: 80,
      writeFile: () => undefined,
      // The lab has names only: nothing in it answers a ping.
      sendIcmp: () => ({ ok: false, errno: 'ENETUNREACH' }),
      recvError: () => undefined,
      getpeername: (fd) => of(fd)?.remote,
      shutdown: () => ok,
      spawn: () => '',
      readFile: o.files,
      write: (fd, text) => o.output(fd, text),
      socket: (proto) => install(lab.makeSocket(proc(), proto === 'tcp' ? 'tcp' : 'udp', -1)),
      bind(fd, addr) {
        const s = of(fd);
        if (!s) return bad;
        s.local = { ip: addr.ip, port: addr.port === 0 ? host.nextPort++ : addr.port };
        return ok;
      },
      listen(fd) {
        const s = of(fd);
        if (s) s.listening = true;
        return s ? ok : bad;
      },
      connect(fd, addr) {
        const s = of(fd);
        if (!s) return bad;
        if (s.proto === 'tcp') {
          lab.connectTcp(s, addr);
          return { ok: false, errno: 'EINPROGRESS' };
        }
        // Pods of the lab have no usable IPv6 address.
        if (addr.ip.includes(':') && !isLoopback(addr.ip)) return { ok: false, errno: 'ENETUNREACH' };
        lab.autobind(s, addr.ip);
        s.remote = addr;
        return ok;
      },
      accept(fd) {
        const child = of(fd)?.backlog.shift();
        if (!child?.remote) return { ok: false, errno: 'EAGAIN' };
        return { ok: true, value: { fd: install(child), peer: child.remote } };
      },
      send(fd, data, to) {
        const s = of(fd);
        if (!s) return bad;
        if (s.error) {
          const errno = s.error;
          s.error = undefined;
          return { ok: false, errno };
        }
        if (s.proto === 'tcp') {
          if (s.eof) return { ok: false, errno: 'EPIPE' };
          lab.sendTcp(s, data);
        } else {
          const dst = to ?? s.remote;
          if (!dst) return { ok: false, errno: 'EDESTADDRREQ' };
          const spoken = s.spokenTo.get(`${dst.ip}:${dst.port}`);
          const src = spoken && s.local ? { ip: spoken, port: s.local.port } : lab.autobind(s, dst.ip);
          if (spoken === undefined && !s.remote && to && s.local) s.local = { ip: '0.0.0.0', port: src.port };
          lab.sendUdp(s, src, dst, data);
        }
        return { ok: true, value: typeof data === 'string' ? data.length : data.len };
      },
      recv(fd) {
        const s = of(fd);
        if (!s) return bad;
        const d = s.queue.shift();
        if (d) {
          const value = { data: d.bytes, len: d.bytes.length };
          const app = d.msg as unknown as Json | undefined;
          return {
            ok: true,
            value: { ...value, ...(app ? { app } : {}), ...(d.from ? { from: d.from } : {}) },
          };
        }
        if (s.error) {
          const errno = s.error;
          s.error = undefined;
          return { ok: false, errno };
        }
        return s.eof ? { ok: true, value: { data: '', len: 0 } } : { ok: false, errno: 'EAGAIN' };
      },
      sockError(fd) {
        const s = of(fd);
        const e = s?.error;
        if (s) s.error = undefined;
        return e;
      },
      getsockname: (fd) => of(fd)?.local,
      setsockopt: () => undefined,
      close(fd) {
        const s = of(fd);
        if (s) lab.close(s);
      },
    };
  }
}

function before(a: { at: number; ord: number }, b: { at: number; ord: number }): boolean {
  return a.at < b.at || (a.at === b.at && a.ord < b.ord);
}

const replyLen = (m: Message): number => messageLen(m);
