import { ipow } from '../../base/int';
import type { Result } from '../../base/result';
import { ok } from '../../base/result';
import { IPPROTO, NO_PAYLOAD, type Packet, type Payload, TCP, type TcpOptions } from '../types';
import type { TcpState } from './records';
import type { Sockets } from './sockets';
import { add, before, type Conn, conn, diff, segments } from './tcp-seq';
import { wheelDelayUs } from './wheel';

/** TCP_TIMEOUT_INIT, TCP_RTO_MIN, TCP_RTO_MAX, TCP_TIMEWAIT_LEN (include/net/tcp.h), us. */
export const RTO_INIT_US = 1_000_000;
export const RTO_MIN_US = 200_000;
const RTO_MAX_US = 120_000_000;
export const TIMEWAIT_US = 60_000_000;
/** TCP_ATO_MIN, TCP_DELACK_MIN: how long an ACK may wait for data to ride on, us. */
const DELACK_US = 40_000;
/** tcp_orphan_retries when the sysctl is 0 and the peer may be alive. */
const ORPHAN_RETRIES = 8;

/** Sending side of TCP: segments, retransmission, timers (net/ipv4/tcp_output.c, tcp_timer.c). */
export class TcpOutput {
  constructor(private readonly socks: Sockets) {
    socks.ctx.sim.on<{ sock: string }>('tcp.timer', ({ sock }, t) => this.fired(sock, t.id));
  }

  get now(): number {
    return this.socks.ctx.sim.now;
  }

  commit(c: Conn): void {
    this.socks.put({ ...c, tcp: { ...c.tcp } });
  }

  setState(c: Conn, state: TcpState): void {
    const before = c.state;
    if (before === state) return;
    c.state = state;
    this.commit(c);
    const { ctx, net } = this.socks;
    ctx.trace.emit('sock.state', { sock: c.id, before, after: state, proto: 'tcp' }, net.place(c.netns));
  }

  /** Builds and sends one segment; returns the errno of the local path. */
  transmit(c: Conn, seg: { seq: number; flags: number; payload?: Payload }): string | undefined {
    const { net } = this.socks;
    const t = c.tcp;
    const isSyn = (seg.flags & TCP.SYN) !== 0;
    const window =
      isSyn || !t.wscaleOk ? Math.min(65535, t.rcvWnd) : Math.ceil(t.rcvWnd / ipow(2, this.wscale(c.netns)));
    const options = this.options(c, isSyn);
    if (t.timerKind === 'delack' && (seg.flags & TCP.ACK) !== 0) this.disarm(c);
    const packet: Packet = {
      id: net.newPacketId(),
      ip: {
        family: 4,
        src: c.local.ip,
        dst: c.remote.ip,
        proto: IPPROTO.tcp,
        ttl: c.ttl ?? net.defaultTtl(c.netns),
        tos: 0,
        id: c.state === 'SYN_RECV' || c.state === 'TIME_WAIT' ? 0 : t.ipId,
        df: true,
      },
      l4: {
        kind: 'tcp',
        sport: c.local.port,
        dport: c.remote.port,
        seq: seg.seq,
        ack: (seg.flags & TCP.ACK) !== 0 ? t.rcvNxt : 0,
        flags: seg.flags,
        window,
        ...(options === undefined ? {} : { options }),
        payload: seg.payload ?? NO_PAYLOAD,
      },
    };
    t.ipId = (t.ipId + 1) % 65536;
    this.commit(c);
    return net.sendPacket(
      c.netns,
      packet,
      { kind: 'socket', sock: c.id, uid: c.uid },
      {
        lineage: this.socks.lineage(this.socks.get(c.id) ?? c, packet),
        anySource: true,
        ...(c.dev === undefined ? {} : { oif: `${c.netns}:${c.dev}` }),
      },
    );
  }

  private options(c: Conn, isSyn: boolean): TcpOptions | undefined {
    const t = c.tcp;
    const ts = t.tsOk ? { tsVal: this.stamp(c), tsEcr: t.tsRecent } : {};
    if (!isSyn) return t.tsOk ? ts : undefined;
    const answer = t.passive;
    return {
      mss: this.localMss(c),
      ...(t.sackOk ? { sackOk: true } : {}),
      ...ts,
      ...(!answer || t.wscaleOk ? { wscale: this.wscale(c.netns) } : {}),
    };
  }

  /** tcp_select_initial_window: the scale that the greatest receive buffer needs. */
  private wscale(netns: string): number {
    const max = Number(this.socks.net.sysctls.get(netns, 'net.ipv4.tcp_rmem')?.split('\t')[2] ?? 0);
    let scale = 0;
    for (let space = max; space >= 65_536 && scale < 14; space = Math.floor(space / 2)) scale++;
    return scale;
  }

  private stamp(c: Conn): number {
    return (c.tcp.tsOffset + Math.floor(this.now / 1000)) >>> 0;
  }

  /** MSS we announce: the route's device MTU less 40 bytes of headers. */
  localMss(c: { netns: string; remote: { ip: string }; local: { ip: string } }): number {
    const { net } = this.socks;
    const route = net.routing.lookup(c.netns, { dst: c.remote.ip });
    const mtu = route.oif === undefined ? 1500 : (net.links.dev(route.oif)?.mtu ?? 1500);
    return Math.min(mtu, 65535) - 40;
  }

  ack(c: Conn): void {
    this.transmit(c, { seq: c.tcp.sndNxt, flags: TCP.ACK });
  }

  /** __tcp_ack_snd_check for a FIN: in an interactive connection the ACK rides on the answer, if one comes soon. */
  ackFin(c: Conn): void {
    if (c.tcp.pingpong && c.tcp.timerKind === undefined) this.arm(c, 'delack', DELACK_US);
    else this.ack(c);
  }

  reset(c: Conn): void {
    this.transmit(c, { seq: c.tcp.sndNxt, flags: TCP.RST | TCP.ACK });
  }

  // — write queue —

  enqueue(c: Conn, payload: Payload): Result<number> {
    const t = c.tcp;
    const mss = t.mss - (t.tsOk ? 12 : 0);
    // tcp_event_data_sent
    if (t.lastRxUs !== undefined && this.now - t.lastRxUs < DELACK_US) t.pingpong = true;
    t.queue = [...t.queue, ...segments(payload, t.writeSeq, mss)];
    t.writeSeq = add(t.writeSeq, payload.len);
    this.push(c);
    return ok(payload.len);
  }

  /** tcp_send_fin: on the last unsent segment when there is one. */
  enqueueFin(c: Conn): void {
    const t = c.tcp;
    const last = t.queue.at(-1);
    const fin =
      last && !last.sent
        ? { ...last, flags: last.flags | TCP.FIN, len: last.len + 1 }
        : { seq: t.writeSeq, len: 1, flags: TCP.FIN | TCP.ACK, payload: NO_PAYLOAD, sent: false };
    t.queue = last && !last.sent ? [...t.queue.slice(0, -1), fin] : [...t.queue, fin];
    t.writeSeq = add(t.writeSeq, 1);
    this.push(c);
  }

  /** tcp_write_xmit: sends what window and congestion window allow. */
  push(c: Conn): void {
    const t = c.tcp;
    for (let i = 0; i < t.queue.length; i++) {
      const q = t.queue[i] as Conn['tcp']['queue'][number];
      if (q.sent) continue;
      const inFlight = diff(q.seq, t.sndUna);
      const fits = inFlight + q.payload.len <= t.sndWnd && i < t.cwnd;
      if (!fits && inFlight > 0) break;
      t.queue = t.queue.map((x, k) => (k === i ? { ...x, sent: true } : x));
      if (before(t.sndNxt, add(q.seq, q.len))) t.sndNxt = add(q.seq, q.len);
      this.transmit(c, { seq: q.seq, flags: q.flags, payload: q.payload });
    }
    if (t.queue.some((q) => q.sent) && t.timerKind !== 'rtx') this.arm(c, 'rtx', t.rtoUs);
    this.commit(c);
  }

  // — timers —

  arm(c: Conn, kind: NonNullable<Conn['tcp']['timerKind']>, delayUs: number): void {
    this.disarm(c);
    const exact = kind === 'time-wait' || kind === 'fin-wait2';
    const delay = exact ? delayUs : wheelDelayUs(this.now, delayUs);
    c.tcp.timer = this.socks.ctx.sim.after(delay, 'tcp.timer', { sock: c.id });
    c.tcp.timerKind = kind;
    this.commit(c);
  }

  disarm(c: Conn): void {
    this.socks.ctx.sim.cancel(c.tcp.timer);
    delete c.tcp.timer;
    delete c.tcp.timerKind;
  }

  private fired(id: string, timer: number): void {
    const s = this.socks.get(id);
    const c = s && conn(s);
    if (!c || c.tcp.timer !== timer) return;
    const kind = c.tcp.timerKind;
    delete c.tcp.timer;
    delete c.tcp.timerKind;
    if (kind === 'time-wait' || kind === 'fin-wait2') this.end(c);
    else if (kind === 'synack') this.synackTimeout(c);
    else if (kind === 'delack') this.ack(c);
    else this.rtxTimeout(c);
  }

  /** reqsk_timer_handler. */
  private synackTimeout(c: Conn): void {
    const max = this.socks.net.sysctls.int(c.netns, 'net.ipv4.tcp_synack_retries');
    if (c.tcp.retransmits >= max) {
      this.end(c);
      return;
    }
    c.tcp.retransmits++;
    c.tcp.rtoUs = Math.min(c.tcp.rtoUs * 2, RTO_MAX_US);
    this.transmit(c, { seq: c.tcp.iss, flags: TCP.SYN | TCP.ACK });
    this.arm(c, 'synack', c.tcp.rtoUs);
  }

  /** tcp_retransmit_timer. */
  private rtxTimeout(c: Conn): void {
    const t = c.tcp;
    const sysctl = (leaf: string): number => this.socks.net.sysctls.int(c.netns, `net.ipv4.${leaf}`);
    const linear = sysctl('tcp_syn_linear_timeouts');
    const syn = c.state === 'SYN_SENT';
    const limit = syn ? sysctl('tcp_syn_retries') + linear : c.orphan ? ORPHAN_RETRIES : sysctl('tcp_retries2');
    t.totalRto++;
    if (t.retransmits >= limit) {
      this.fail(c, t.softError ?? 'ETIMEDOUT');
      return;
    }
    t.retransmits++;
    if (!syn || t.totalRto > linear) t.rtoUs = Math.min(t.rtoUs * 2, RTO_MAX_US);
    if (syn) {
      this.transmit(c, { seq: t.iss, flags: TCP.SYN });
    } else {
      t.cwnd = 1;
      const first = t.queue[0];
      t.queue = t.queue.map((q, i) => ({ ...q, sent: i === 0 }));
      if (first) this.transmit(c, { seq: first.seq, flags: first.flags, payload: first.payload });
    }
    this.arm(c, 'rtx', t.rtoUs);
  }

  /** tcp_write_err / tcp_reset: the connection is gone with an error for its owner. */
  fail(c: Conn, errno: string | undefined): void {
    this.disarm(c);
    c.tcp.queue = [];
    if (c.orphan || c.listener !== undefined) {
      this.end(c);
      return;
    }
    this.setState(c, 'CLOSE');
    if (errno !== undefined) this.socks.put({ ...c, tcp: { ...c.tcp }, error: errno });
    this.socks.activity(c.id);
  }

  /** Removes the socket for good. */
  end(c: Conn): void {
    this.disarm(c);
    this.setState(c, 'CLOSE');
    if (c.orphan || c.listener !== undefined || c.pid === undefined) this.socks.remove(c.id);
  }

  /** tcp_time_wait. */
  timeWait(c: Conn): void {
    c.tcp.queue = [];
    this.arm(c, 'time-wait', TIMEWAIT_US);
    this.setState(c, 'TIME_WAIT');
  }
}
