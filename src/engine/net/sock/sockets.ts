import { assert } from '../../base/assert';
import type { IpAddr } from '../../base/ip';
import type { PrngStream } from '../../base/prng';
import type { RecordMap } from '../../base/recordmap';
import { err, ok, type Result } from '../../base/result';
import type { Ctx } from '../../trace/context';
import type { Net } from '../net';
import { devId } from '../records';
import { type Lineage, type NetnsId, NO_PAYLOAD, type Packet, type Payload, type Skb } from '../types';
import { Ping } from './ping';
import { bindConflict, ephemeralPort } from './ports';
import {
  type Endpoint,
  pairKey,
  portKey,
  type RxItem,
  SOCKS,
  type SockError,
  type SockFlow,
  type SockProto,
  type SockRecord,
  type TcpState,
} from './records';
import { Tcp } from './tcp';
import { Udp } from './udp';

const ANY = '0.0.0.0';

export interface SocketOwner {
  readonly pid?: string;
  readonly uid: number;
}

export type SocketOption = 'SO_REUSEADDR' | 'SO_BINDTODEVICE' | 'IP_TTL' | 'SO_LINGER0' | 'IP_RECVERR';

const peerKey = (peer: Endpoint | undefined): string => (peer === undefined ? '' : `${peer.ip}:${peer.port}`);

/** The socket layer: system calls on one side, delivered packets on the other. Errors are errno names. */
export class Sockets {
  readonly map: RecordMap<SockRecord>;
  readonly tcp: Tcp;
  readonly udp: Udp;
  readonly ping: Ping;
  private readonly ports: PrngStream;
  private nextId = 1;
  /** By socket and, for sockets that talk with many, by peer. */
  private readonly flows = new Map<string, Map<string, SockFlow>>();
  private readonly watchers: ((sock: string) => void)[] = [];

  constructor(
    readonly ctx: Ctx,
    readonly net: Net,
  ) {
    this.map = ctx.world.map(SOCKS);
    this.ports = ctx.prng.stream('ephemeral-port');
    this.tcp = new Tcp(this);
    this.udp = new Udp(this);
    this.ping = new Ping(this);
  }

  /** Told whenever something happened that may make a socket ready. */
  onActivity(fn: (sock: string) => void): void {
    this.watchers.push(fn);
  }
  activity(id: string): void {
    for (const fn of this.watchers) fn(id);
  }

  get(id: string): SockRecord | undefined {
    return this.map.get(id);
  }
  put(s: SockRecord): void {
    this.map.set(s.id, s);
  }

  setState(s: SockRecord, state: TcpState): SockRecord {
    if (s.state === state) return s;
    const next = { ...s, state };
    this.put(next);
    this.ctx.trace.emit(
      'sock.state',
      { sock: s.id, before: s.state, after: state, proto: s.proto },
      this.net.place(s.netns),
    );
    return next;
  }

  remove(id: string): void {
    this.map.delete(id);
    this.flows.delete(id);
  }

  newRecord(netns: NetnsId, proto: SockProto, owner: SocketOwner): SockRecord {
    const n = this.nextId++;
    return {
      id: `s${n}`,
      netns,
      proto,
      state: 'CLOSE',
      local: { ip: ANY, port: 0 },
      boundIp: false,
      boundPort: false,
      reuse: false,
      uid: owner.uid,
      ...(owner.pid === undefined ? {} : { pid: owner.pid }),
      inode: 20000 + n,
      orphan: false,
      rx: [],
      rxEof: false,
      txShut: false,
      errors: [],
    };
  }

  // — flows of the trace —

  /** The flow that packets of `s` towards `peer` belong to; made on first use under the current span. */
  flowOf(s: SockRecord, p: Packet, peer?: Endpoint): SockFlow {
    const own = this.flowsOf(s.id);
    const key = peerKey(peer);
    let f = own.get(key);
    if (!f) {
      f = { flow: this.net.flows.open(p), dir: 'original', level: this.net.flows.level };
      own.set(key, f);
    }
    return f;
  }
  /** A socket (or its traffic with one peer) that answers packets of `to`. */
  adoptFlow(id: string, to: Lineage | undefined, peer?: Endpoint): void {
    if (!to) return;
    const own = this.flowsOf(id);
    const key = peerKey(peer);
    const known = own.get(key);
    if (known && (peer === undefined || known.flow === to.flow)) return;
    own.set(key, { flow: to.flow, dir: to.dir === 'original' ? 'reply' : 'original', level: to.level });
  }
  private flowsOf(id: string): Map<string, SockFlow> {
    let own = this.flows.get(id);
    if (!own) {
      own = new Map();
      this.flows.set(id, own);
    }
    return own;
  }
  lineage(s: SockRecord, p: Packet, peer?: Endpoint): Lineage {
    const f = this.flowOf(s, p, peer);
    return this.net.flows.packet(f.flow, f.dir, p, f.level);
  }

  processOf(sock: string): string | undefined {
    return this.map.get(sock)?.pid;
  }

  /** Notes the descriptor by which its process knows a socket (ss -p). */
  setFd(id: string, fd: number): void {
    const s = this.map.get(id);
    if (s) this.put({ ...s, fd });
  }

  // — system calls —

  socket(netns: NetnsId, proto: SockProto, owner: SocketOwner): string {
    const s = this.newRecord(netns, proto, owner);
    this.put(s);
    return s.id;
  }

  private need(id: string): SockRecord {
    const s = this.map.get(id);
    assert(s, `no socket ${id}`);
    return s;
  }

  bind(id: string, addr: Endpoint): Result<null> {
    const s = this.need(id);
    if (s.boundPort || s.state !== 'CLOSE') return err('EINVAL');
    if (addr.ip !== ANY && s.proto !== 'raw' && !this.mayBind(s.netns, addr.ip)) return err('EADDRNOTAVAIL');
    const low = this.net.sysctls.int(s.netns, 'net.ipv4.ip_unprivileged_port_start');
    if (addr.port > 0 && addr.port < low && s.uid !== 0 && (s.proto === 'tcp' || s.proto === 'udp'))
      return err('EACCES');
    let port = addr.port;
    if (s.proto === 'tcp' || s.proto === 'udp') {
      if (port === 0) {
        const got = this.pickPort(s, addr.ip, undefined);
        if (got === undefined) return err('EADDRINUSE');
        port = got;
      } else if (bindConflict(this.map, s, addr)) return err('EADDRINUSE');
    }
    this.put({ ...s, local: { ip: addr.ip, port }, boundIp: addr.ip !== ANY, boundPort: true });
    return ok(null);
  }

  private mayBind(netns: NetnsId, ip: IpAddr): boolean {
    if (this.net.sysctls.int(netns, 'net.ipv4.ip_nonlocal_bind') !== 0) return true;
    return ['LOCAL', 'BROADCAST', 'MULTICAST'].includes(this.net.routing.addrType(netns, ip));
  }

  pickPort(s: SockRecord, local: IpAddr, remote: Endpoint | undefined): number | undefined {
    const range = this.net.sysctls.get(s.netns, 'net.ipv4.ip_local_port_range') ?? '32768\t60999';
    const [low, high] = range.split('\t').map(Number) as [number, number];
    return ephemeralPort(this.map, this.ports, [low, high], s, local, remote);
  }

  listen(id: string, backlog: number): Result<null> {
    const s = this.need(id);
    if (s.proto !== 'tcp') return err('EOPNOTSUPP');
    if (s.state !== 'CLOSE' && s.state !== 'LISTEN') return err('EINVAL');
    const max = this.net.sysctls.int(s.netns, 'net.core.somaxconn');
    let local = s.local;
    if (local.port === 0) {
      const port = this.pickPort(s, local.ip, undefined);
      if (port === undefined) return err('EADDRINUSE');
      local = { ...local, port };
    } else {
      const taken = this.map
        .by('port', portKey(s.netns, 'tcp', local.port))
        .some((k) => k !== id && this.map.get(k)?.state === 'LISTEN' && this.map.get(k)?.local.ip === local.ip);
      if (taken) return err('EADDRINUSE');
    }
    const next = { ...s, local, backlog: Math.min(Math.max(backlog, 0), max), accept: s.accept ?? [] };
    this.put(next);
    this.setState(next, 'LISTEN');
    return ok(null);
  }

  connect(id: string, addr: Endpoint): Result<null> {
    const s = this.need(id);
    if (s.proto === 'tcp') return this.tcp.connect(s, addr);
    const oif = s.dev === undefined ? undefined : devId(s.netns, s.dev);
    const out = this.net.routing.output(s.netns, {
      dst: addr.ip,
      ...(s.boundIp ? { src: s.local.ip } : {}),
      ...(oif === undefined ? {} : { oif }),
    });
    if (!out.ok) return err(out.errno);
    let local: Endpoint = { ip: out.src, port: s.local.port };
    if (s.proto === 'udp' && local.port === 0) {
      const port = this.pickPort(s, local.ip, undefined);
      if (port === undefined) return err('EAGAIN');
      local = { ...local, port };
    }
    if (s.proto === 'icmp' && local.port === 0) local = { ...local, port: this.ping.newIdent(s.netns) };
    const next = { ...s, local, remote: addr };
    this.put(next);
    this.setState(next, 'ESTABLISHED');
    return ok(null);
  }

  accept(id: string): Result<{ id: string; peer: Endpoint }> {
    const s = this.need(id);
    if (s.state !== 'LISTEN') return err('EINVAL');
    const first = s.accept?.[0];
    if (first === undefined) return err('EAGAIN');
    this.put({ ...s, accept: (s.accept ?? []).slice(1) });
    const child = this.need(first);
    const { listener: _, ...rest } = child;
    this.put({ ...rest, ...(s.pid === undefined ? {} : { pid: s.pid }) });
    return ok({ id: first, peer: child.remote as Endpoint });
  }

  send(id: string, payload: Payload, to?: Endpoint): Result<number> {
    const s = this.need(id);
    if (s.error !== undefined) return err(this.takeError(id) as string);
    if (s.txShut) return err('EPIPE');
    switch (s.proto) {
      case 'tcp':
        return this.tcp.send(s, payload);
      case 'udp':
        return this.udp.send(s, payload, to);
      case 'icmp':
      case 'raw':
        return err('EINVAL');
    }
  }

  /** One datagram, or everything that a stream has received. End of stream: an empty payload. */
  recv(id: string): Result<RxItem> {
    const s = this.need(id);
    const first = s.rx[0];
    if (first) {
      if (s.proto !== 'tcp') {
        this.put({ ...s, rx: s.rx.slice(1) });
        return ok(first);
      }
      this.put({ ...s, rx: [] });
      return ok({ payload: joined(s.rx) });
    }
    if (s.error !== undefined) return err(this.takeError(id) as string);
    if (s.rxEof || (s.proto === 'tcp' && (s.state === 'CLOSE' || s.state === 'TIME_WAIT'))) {
      return s.proto === 'tcp' && s.state === 'CLOSE' && !s.rxEof ? err('ENOTCONN') : ok({ payload: NO_PAYLOAD });
    }
    if (s.proto === 'tcp' && s.state === 'LISTEN') return err('ENOTCONN');
    return err('EAGAIN');
  }

  /** Oldest entry of the error queue (MSG_ERRQUEUE). */
  recvError(id: string): SockError | undefined {
    const s = this.need(id);
    const first = s.errors[0];
    if (first) this.put({ ...s, errors: s.errors.slice(1) });
    return first;
  }

  /** SO_ERROR: reads and clears. */
  takeError(id: string): string | undefined {
    const s = this.need(id);
    if (s.error === undefined) return undefined;
    const { error, ...rest } = s;
    this.put(rest);
    return error;
  }

  setOption(id: string, name: SocketOption, value: string | number): void {
    const s = this.need(id);
    switch (name) {
      case 'SO_REUSEADDR':
        this.put({ ...s, reuse: Number(value) !== 0 });
        return;
      case 'SO_BINDTODEVICE':
        this.put({ ...s, dev: String(value) });
        return;
      case 'IP_TTL':
        this.put({ ...s, ttl: Number(value) });
        return;
      case 'SO_LINGER0':
        this.put({ ...s, linger0: Number(value) !== 0 });
        return;
      case 'IP_RECVERR':
        this.put({ ...s, recvErr: Number(value) !== 0 });
        return;
    }
  }

  shutdown(id: string): Result<null> {
    const s = this.need(id);
    if (s.proto !== 'tcp') return s.remote === undefined ? err('ENOTCONN') : ok(null);
    return this.tcp.shutdown(s);
  }

  close(id: string): void {
    const s = this.map.get(id);
    if (!s) return;
    if (s.proto === 'tcp') this.tcp.close(s);
    else this.remove(id);
  }

  /** poll(2): which of in, out are ready now. */
  ready(id: string): { in: boolean; out: boolean } {
    const s = this.map.get(id);
    if (!s) return { in: true, out: true };
    const error = s.error !== undefined || s.errors.length > 0;
    if (s.proto !== 'tcp') return { in: s.rx.length > 0 || error, out: true };
    const hup = s.state === 'CLOSE' && s.tcp !== undefined;
    return {
      in: error || hup || s.rx.length > 0 || s.rxEof || (s.accept?.length ?? 0) > 0,
      out: error || hup || s.state === 'ESTABLISHED' || s.state === 'CLOSE_WAIT' || s.txShut,
    };
  }

  // — packets in —

  /** The socket that a packet arriving in a namespace belongs to (inet_lookup): connected first, then bound. */
  lookup(netns: NetnsId, p: Packet, iif?: string): string | undefined {
    const l4 = p.l4;
    if (l4.kind !== 'tcp' && l4.kind !== 'udp') return undefined;
    const local = { ip: p.ip.dst, port: l4.dport };
    const remote = { ip: p.ip.src, port: l4.sport };
    const pair = this.map.by('pair', pairKey(netns, l4.kind, local, remote))[0];
    if (pair !== undefined) return pair;
    let wild: string | undefined;
    for (const id of this.map.by('port', portKey(netns, l4.kind, l4.dport))) {
      const s = this.map.get(id) as SockRecord;
      if (s.remote !== undefined || (l4.kind === 'tcp' && s.state !== 'LISTEN')) continue;
      if (s.dev !== undefined && iif !== undefined && devId(netns, s.dev) !== iif) continue;
      if (s.local.ip === local.ip) return id;
      if (s.local.ip === ANY) wild ??= id;
    }
    return wild;
  }

  /** ip_local_deliver_finish: raw sockets get copies, then the protocol's handler. */
  deliver(skb: Skb): void {
    const l4 = skb.packet.l4;
    if (l4.kind === 'icmp') this.ping.deliver(skb);
    else if (l4.kind === 'tcp') this.tcp.deliver(skb, this.lookup(skb.netns, skb.packet, skb.inDev));
    else if (l4.kind === 'udp') this.udp.deliver(skb, this.lookup(skb.netns, skb.packet, skb.inDev));
    else {
      this.net.drop(skb, { reason: 'no-listener', answered: 'icmp' });
      this.net.icmp.sendError(skb, 3, 2, {});
    }
  }

  delivered(skb: Skb, sock: string): void {
    const proc = this.processOf(sock);
    this.ctx.trace.emit(
      'pkt.deliver',
      { packet: skb.packet, sock, ...(proc === undefined ? {} : { proc }) },
      this.net.place(skb.netns),
    );
  }

  /** A fatal or queued error for a socket. */
  report(id: string, errno: string): void {
    const s = this.map.get(id);
    if (!s) return;
    this.put({ ...s, error: errno });
    this.activity(id);
  }
}

/** All waiting pieces of a stream as one. Structured messages keep their value when they come alone. */
function joined(items: readonly RxItem[]): Payload {
  const only = items[0];
  if (items.length === 1 && only) return only.payload;
  let len = 0;
  let text = '';
  for (const { payload } of items) {
    len += payload.len;
    text += payload.text ?? '\0'.repeat(payload.len);
  }
  return { len, text };
}
