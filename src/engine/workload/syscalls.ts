import type { Result } from '../base/result';
import { devId, type Payload } from '../net';
import type { IcmpRequest, LookupStep, Program, QueuedError, Received, SockAddr, Sys, SysResult } from './process';
import type { Processes, SpawnOptions } from './processes';

/** The system calls of one process over the socket layer. */
export class SysCalls implements Sys {
  private readonly fds = new Map<number, string>();
  private nextFd = 3;

  constructor(
    private readonly procs: Processes,
    readonly pid: string,
    readonly netns: string,
    readonly argv: readonly string[],
    private readonly opts: SpawnOptions,
  ) {}

  get nowUs(): number {
    return this.procs.net.ctx.sim.now;
  }
  get env(): Readonly<Record<string, string>> {
    return this.opts.env ?? {};
  }
  get uid(): number {
    return this.opts.uid ?? 0;
  }
  get stdin(): string | undefined {
    return this.opts.stdin;
  }
  get tty(): boolean {
    return this.opts.tty ?? false;
  }
  get ttyErr(): boolean {
    return this.opts.ttyErr ?? false;
  }
  get cols(): number {
    return this.opts.cols ?? 80;
  }
  private get socks(): Processes['net']['sockets'] {
    return this.procs.net.sockets;
  }

  readFile(path: string): string | undefined {
    const f = this.opts.files;
    const own = typeof f === 'function' ? f(path) : f && Object.hasOwn(f, path) ? f[path] : undefined;
    return own ?? this.sysfs(path);
  }
  /** The attributes of network devices that programs look at. */
  private sysfs(path: string): string | undefined {
    const [, name, attr] = /^\/sys\/class\/net\/([^/]+)\/(ifindex|mtu|address)$/.exec(path) ?? [];
    const dev = name === undefined ? undefined : this.procs.net.links.dev(devId(this.netns, name));
    if (!dev) return undefined;
    return `${attr === 'ifindex' ? dev.ifindex : attr === 'mtu' ? dev.mtu : dev.mac}\n`;
  }
  writeFile(path: string, text: string): void {
    this.procs.writeFile(this.pid, path, text);
  }
  write(fd: 1 | 2, text: string): void {
    this.procs.write(this.pid, fd, text);
  }

  private sock(fd: number): string | undefined {
    return this.fds.get(fd);
  }
  /** Runs a call on a descriptor; EBADF when it is closed. */
  private on<T>(fd: number, call: (sock: string) => Result<T>): SysResult<T> {
    const sock = this.fds.get(fd);
    if (sock === undefined) return { ok: false, errno: 'EBADF' };
    const r = call(sock);
    return r.ok ? r : { ok: false, errno: r.error };
  }
  private install(sock: string): number {
    const fd = this.nextFd++;
    this.fds.set(fd, sock);
    this.socks.setFd(sock, fd);
    return fd;
  }

  socket(proto: 'tcp' | 'udp' | 'icmp' | 'raw'): number {
    return this.install(this.socks.socket(this.netns, proto, { pid: this.pid, uid: this.uid }));
  }
  bind(fd: number, addr: SockAddr): SysResult<null> {
    return this.on(fd, (s) => this.socks.bind(s, addr));
  }
  listen(fd: number, backlog = 128): SysResult<null> {
    return this.on(fd, (s) => this.socks.listen(s, backlog));
  }
  connect(fd: number, addr: SockAddr): SysResult<null> {
    return this.on(fd, (s) => this.socks.connect(s, addr));
  }
  accept(fd: number): SysResult<{ fd: number; peer: SockAddr }> {
    const r = this.on(fd, (s) => this.socks.accept(s));
    return r.ok ? { ok: true, value: { fd: this.install(r.value.id), peer: r.value.peer } } : r;
  }

  send(fd: number, data: string | Payload, to?: SockAddr): SysResult<number> {
    const payload: Payload = typeof data === 'string' ? { len: data.length, text: data } : data;
    return this.on(fd, (s) => this.socks.send(s, payload, to));
  }
  recv(fd: number): SysResult<Received> {
    const r = this.on(fd, (s) => this.socks.recv(s));
    if (!r.ok) return r;
    const { payload, from, ttl, packet } = r.value;
    return {
      ok: true,
      value: {
        data: payload.text ?? (payload.app === undefined ? '\0'.repeat(payload.len) : ''),
        len: payload.len,
        ...(payload.app === undefined ? {} : { app: payload.app }),
        ...(from === undefined ? {} : { from }),
        ...(ttl === undefined ? {} : { ttl }),
        ...(packet === undefined ? {} : { packet }),
      },
    };
  }
  sendIcmp(fd: number, to: string, msg: IcmpRequest): SysResult<null> {
    const { type, code, id, seq, len, ttl, df, tos } = msg;
    const opts = {
      ...(ttl === undefined ? {} : { ttl }),
      ...(df === undefined ? {} : { df }),
      ...(tos === undefined ? {} : { tos }),
    };
    const r = this.on(fd, (s) => this.socks.ping.send(s, to, { type, code, id, seq, len }, opts));
    return r.ok ? { ok: true, value: null } : r;
  }
  recvError(fd: number): QueuedError | undefined {
    const sock = this.sock(fd);
    const e = sock === undefined ? undefined : this.socks.recvError(sock);
    return e && { errno: e.errno, type: e.type, code: e.code, offender: e.offender };
  }
  random(stream: string, below: number): number {
    return this.procs.net.ctx.prng.stream(stream).below(below);
  }
  lookup(step: LookupStep): void {
    const { net } = this.procs;
    const where = net.place(this.netns);
    if (step.kind === 'lookup') net.ctx.trace.emit('dns.lookup', step.facts, where);
    else if (step.kind === 'query') net.ctx.trace.emit('dns.query', step.facts, where);
    else net.ctx.trace.emit('dns.answer', step.facts, where);
  }
  sockError(fd: number): string | undefined {
    const sock = this.sock(fd);
    return sock === undefined ? undefined : this.socks.takeError(sock);
  }
  getsockname(fd: number): SockAddr | undefined {
    const sock = this.sock(fd);
    return sock === undefined ? undefined : this.socks.get(sock)?.local;
  }
  getpeername(fd: number): SockAddr | undefined {
    const sock = this.sock(fd);
    return sock === undefined ? undefined : this.socks.get(sock)?.remote;
  }
  setsockopt(fd: number, name: Parameters<Sys['setsockopt']>[1], value: string | number): void {
    const sock = this.sock(fd);
    if (sock !== undefined) this.socks.setOption(sock, name, value);
  }
  shutdown(fd: number): SysResult<null> {
    return this.on(fd, (s) => this.socks.shutdown(s));
  }
  close(fd: number): void {
    const sock = this.fds.get(fd);
    this.fds.delete(fd);
    if (sock !== undefined) this.socks.close(sock);
  }
  spawn(program: Program, argv: readonly string[]): string {
    const { files, env, uid } = this.opts;
    return this.procs.spawn(this.netns, program, argv, {
      ...(files === undefined ? {} : { files }),
      ...(env === undefined ? {} : { env }),
      ...(uid === undefined ? {} : { uid }),
    });
  }

  // — the scheduler's side —

  isReady(fd: number, events: 'in' | 'out' | 'inout'): boolean {
    const sock = this.fds.get(fd);
    if (sock === undefined) return true;
    const r = this.socks.ready(sock);
    return (events !== 'out' && r.in) || (events !== 'in' && r.out);
  }
  closeAll(): void {
    for (const fd of [...this.fds.keys()].sort((a, b) => a - b)) this.close(fd);
  }
}
