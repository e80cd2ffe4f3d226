import { err, ok, type Result } from '../../base/result';
import { type IcmpMessage, type Packet, type Payload, type Skb, TCP } from '../types';
import { icmpErrno } from './icmp-errno';
import { type Endpoint, pairKey, type SockRecord, type Tcb } from './records';
import type { Sockets } from './sockets';
import { TcpInput } from './tcp-input';
import { RTO_INIT_US, TcpOutput } from './tcp-output';
import { add, after, before, type Conn, conn, resegment } from './tcp-seq';

/** TCP: system calls and ICMP errors; segments in and out live in tcp-input and tcp-output (net/ipv4/tcp*.c). */
export class Tcp {
  readonly out: TcpOutput;
  private readonly input: TcpInput;

  constructor(private readonly socks: Sockets) {
    this.out = new TcpOutput(socks);
    this.input = new TcpInput(socks, this.out, this);
  }

  /** A fresh control block. `passive`: made for an incoming SYN. */
  newTcb(netns: string, passive: boolean): Tcb {
    const isn = this.socks.ctx.prng.stream('tcp-isn');
    const iss = isn.u32();
    const sysctl = (leaf: string): boolean => this.socks.net.sysctls.int(netns, `net.ipv4.${leaf}`) !== 0;
    return {
      iss,
      irs: 0,
      sndUna: iss,
      sndNxt: add(iss, 1),
      writeSeq: add(iss, 1),
      sndWnd: 0,
      rcvNxt: 0,
      rcvWnd: 0,
      mss: 536,
      cwnd: 10,
      wscaleOk: sysctl('tcp_window_scaling'),
      sndWscale: 0,
      tsOk: sysctl('tcp_timestamps'),
      tsOffset: isn.u32(),
      tsRecent: 0,
      sackOk: sysctl('tcp_sack'),
      queue: [],
      rtoUs: RTO_INIT_US,
      retransmits: 0,
      totalRto: 0,
      ipId: isn.below(65536),
      passive,
    };
  }

  /** tcp_v4_connect. EINPROGRESS when the SYN is out. */
  connect(s: SockRecord, to: Endpoint): Result<null> {
    const { net } = this.socks;
    if (s.state === 'SYN_SENT') return err('EALREADY');
    if (s.state !== 'CLOSE' || s.tcp) return err('EISCONN');
    const addr = to.ip === '0.0.0.0' ? { ...to, ip: '127.0.0.1' } : to;
    const oif = s.dev === undefined ? undefined : `${s.netns}:${s.dev}`;
    const route = net.routing.output(s.netns, {
      dst: addr.ip,
      ...(s.boundIp ? { src: s.local.ip } : {}),
      ...(oif === undefined ? {} : { oif }),
    });
    if (!route.ok) return err(route.errno);
    if (route.route.kind === 'broadcast' || route.route.kind === 'multicast') return err('ENETUNREACH');
    const local = { ip: route.src, port: s.local.port };
    if (local.port === 0) {
      const port = this.socks.pickPort(s, local.ip, addr);
      if (port === undefined) return err('EADDRNOTAVAIL');
      local.port = port;
    } else if (!this.mayReuse(s.netns, local, addr)) return err('EADDRNOTAVAIL');
    const c: Conn = { ...s, local, remote: addr, tcp: { ...this.newTcb(s.netns, false) } };
    const mss = this.out.localMss(c);
    c.tcp.mss = mss;
    c.tcp.rcvWnd = Math.floor(65535 / mss) * mss;
    this.out.setState(c, 'SYN_SENT');
    this.out.transmit(c, { seq: c.tcp.iss, flags: TCP.SYN });
    this.out.arm(c, 'rtx', c.tcp.rtoUs);
    return err('EINPROGRESS');
  }

  /**
   * __inet_check_established with tcp_twsk_unique: a bound port may take over the pair of a connection in TIME_WAIT that
   * used timestamps; its socket goes.
   */
  private mayReuse(netns: string, local: Endpoint, remote: Endpoint): boolean {
    for (const id of [...this.socks.map.by('pair', pairKey(netns, 'tcp', local, remote))]) {
      const old = this.socks.map.get(id);
      if (old?.state !== 'TIME_WAIT' || !old.tcp?.tsOk) return false;
      this.socks.remove(id);
    }
    return true;
  }

  send(s: SockRecord, payload: Payload): Result<number> {
    const c = conn(s);
    if (!c || s.state === 'CLOSE' || s.state === 'LISTEN') return err('EPIPE');
    if (s.state === 'SYN_SENT' || s.state === 'SYN_RECV') return err('EAGAIN');
    if (s.state !== 'ESTABLISHED' && s.state !== 'CLOSE_WAIT') return err('EPIPE');
    return payload.len === 0 ? ok(0) : this.out.enqueue(c, payload);
  }

  shutdown(s: SockRecord): Result<null> {
    const c = conn(s);
    if (!c || (s.state !== 'ESTABLISHED' && s.state !== 'CLOSE_WAIT')) return err('ENOTCONN');
    this.fin(c);
    return ok(null);
  }

  private fin(c: Conn): void {
    c.txShut = true;
    this.out.setState(c, c.state === 'CLOSE_WAIT' ? 'LAST_ACK' : 'FIN_WAIT1');
    this.out.enqueueFin(c);
  }

  /** __tcp_close. */
  close(s: SockRecord): void {
    const c = conn(s);
    if (s.state === 'LISTEN') this.closeListener(s);
    if (!c || s.state === 'CLOSE' || s.state === 'LISTEN' || s.state === 'SYN_SENT') {
      if (c) this.out.disarm(c);
      if (s.state !== 'CLOSE') this.socks.setState(s, 'CLOSE');
      this.socks.remove(s.id);
      return;
    }
    const unread = c.rx.length > 0;
    c.orphan = true;
    c.rx = [];
    delete c.pid;
    if ((unread && c.state !== 'TIME_WAIT') || c.linger0) {
      this.out.reset(c);
      this.out.end(c);
      return;
    }
    if (c.state === 'ESTABLISHED' || c.state === 'CLOSE_WAIT') this.fin(c);
    else if (c.state === 'FIN_WAIT2') this.out.arm(c, 'fin-wait2', this.finTimeoutUs(c.netns));
    else this.out.commit(c);
  }

  finTimeoutUs(netns: string): number {
    return this.socks.net.sysctls.int(netns, 'net.ipv4.tcp_fin_timeout') * 1_000_000;
  }

  private closeListener(s: SockRecord): void {
    for (const child of this.socks.map.values()) {
      if (child.listener !== s.id) continue;
      const c = conn(child);
      if (!c) continue;
      c.orphan = true;
      if (c.state !== 'SYN_RECV') this.out.reset(c);
      this.out.end(c);
    }
  }

  deliver(skb: Skb, sock: string | undefined): void {
    this.input.segment(skb, sock);
  }

  /** tcp_v4_err. */
  icmpError(skb: Skb, icmp: IcmpMessage, inner: Packet): void {
    if (inner.l4.kind !== 'tcp') return;
    const local = { ip: inner.ip.src, port: inner.l4.sport };
    const remote = { ip: inner.ip.dst, port: inner.l4.dport };
    const id = this.socks.map.by('pair', pairKey(skb.netns, 'tcp', local, remote))[0];
    const s = id === undefined ? undefined : this.socks.get(id);
    const c = s && conn(s);
    if (!c || c.state === 'TIME_WAIT') return;
    const seq = inner.l4.seq;
    if (before(seq, c.tcp.sndUna) || after(seq, c.tcp.sndNxt)) return;
    this.socks.delivered(skb, c.id);
    if (icmp.type === 3 && icmp.code === 4) {
      this.mtuReduced(c, icmp.mtu ?? 576);
      return;
    }
    const e = icmpErrno(icmp.type, icmp.code);
    if (!e) return;
    if (c.recvErr) {
      const entry = { errno: e.errno, type: icmp.type, code: icmp.code, offender: skb.packet.ip.src, packet: inner };
      c.errors = [...c.errors, entry];
    }
    if (c.state === 'SYN_SENT' || c.state === 'SYN_RECV') {
      this.out.fail(c, e.errno);
      return;
    }
    if (c.recvErr) {
      this.out.commit(c);
      this.socks.report(c.id, e.errno);
      return;
    }
    c.tcp.softError = e.errno;
    this.out.commit(c);
  }

  /** tcp_v4_mtu_reduced: smaller segments from the first unacknowledged byte on. */
  private mtuReduced(c: Conn, mtu: number): void {
    const mss = Math.max(mtu, 552) - 40;
    if (mss >= c.tcp.mss) return;
    c.tcp.mss = mss;
    c.tcp.queue = resegment(c.tcp.queue, mss - (c.tcp.tsOk ? 12 : 0));
    this.out.push(c);
  }
}
