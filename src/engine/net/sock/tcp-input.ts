import { ipow } from '../../base/int';
import { type Skb, TCP, type TcpSegment } from '../types';
import type { SockRecord } from './records';
import type { Sockets } from './sockets';
import type { Tcp } from './tcp';
import { RTO_INIT_US, RTO_MIN_US, type TcpOutput } from './tcp-output';
import { add, after, before, type Conn, conn, diff, seqLen, slice } from './tcp-seq';

const has = (l4: TcpSegment, flag: number): boolean => (l4.flags & flag) !== 0;

/** Receiving side of TCP (net/ipv4/tcp_ipv4.c, tcp_minisocks.c, tcp_input.c). */
export class TcpInput {
  constructor(
    private readonly socks: Sockets,
    private readonly out: TcpOutput,
    private readonly tcp: Tcp,
  ) {}

  /** tcp_v4_rcv. */
  segment(skb: Skb, id: string | undefined): void {
    const l4 = skb.packet.l4;
    if (l4.kind !== 'tcp') return;
    const s = id === undefined ? undefined : this.socks.get(id);
    if (!s || s.state === 'CLOSE') {
      this.refuse(skb);
      return;
    }
    this.socks.delivered(skb, s.id);
    if (s.state === 'LISTEN') {
      this.listen(skb, l4, s);
      return;
    }
    const c = conn(s);
    if (!c) return;
    switch (c.state) {
      case 'SYN_SENT':
        this.synSent(skb, l4, c);
        return;
      case 'SYN_RECV':
        this.synRecv(skb, l4, c);
        return;
      case 'TIME_WAIT':
        this.timeWait(skb, l4, c);
        return;
      default:
        this.established(skb, l4, c);
    }
  }

  /** No socket: RST, unless the segment is one. */
  private refuse(skb: Skb): void {
    const rst = skb.packet.l4.kind === 'tcp' && has(skb.packet.l4, TCP.RST);
    this.socks.net.drop(skb, { reason: 'no-listener', ...(rst ? {} : { answered: 'tcp-reset' as const }) });
    this.socks.net.icmp.tcpReset(skb);
  }

  private bad(skb: Skb): void {
    this.socks.net.drop(skb, { reason: 'bad-segment' });
  }

  /** tcp_conn_request. */
  private listen(skb: Skb, l4: TcpSegment, s: SockRecord): void {
    if (has(l4, TCP.RST)) {
      this.bad(skb);
      return;
    }
    if (has(l4, TCP.ACK)) {
      this.refuse(skb);
      return;
    }
    if (!has(l4, TCP.SYN) || has(l4, TCP.FIN)) {
      this.bad(skb);
      return;
    }
    if ((s.accept?.length ?? 0) > (s.backlog ?? 0)) {
      this.socks.net.drop(skb, { reason: 'no-memory' });
      return;
    }
    const local = { ip: skb.packet.ip.dst, port: l4.dport };
    const remote = { ip: skb.packet.ip.src, port: l4.sport };
    const base = this.socks.newRecord(s.netns, 'tcp', { uid: s.uid });
    const c: Conn = {
      ...base,
      state: 'SYN_RECV',
      local,
      remote,
      listener: s.id,
      ...(s.ttl === undefined ? {} : { ttl: s.ttl }),
      tcp: { ...this.tcp.newTcb(s.netns, true) },
    };
    this.socks.adoptFlow(c.id, skb.lineage);
    this.takeOptions(c, l4);
    c.tcp.irs = l4.seq;
    c.tcp.rcvNxt = add(l4.seq, 1);
    c.tcp.sndWnd = l4.window;
    const unit = this.out.localMss(c) - (c.tcp.tsOk ? 12 : 0);
    c.tcp.rcvWnd = Math.floor(65535 / unit) * unit;
    this.out.transmit(c, { seq: c.tcp.iss, flags: TCP.SYN | TCP.ACK });
    this.out.arm(c, 'synack', RTO_INIT_US);
  }

  /** Options of a SYN or SYN/ACK: what both sides offer is in force. */
  private takeOptions(c: Conn, l4: TcpSegment): void {
    const o = l4.options;
    const t = c.tcp;
    t.mss = Math.min(o?.mss ?? 536, this.out.localMss(c));
    t.wscaleOk = t.wscaleOk && o?.wscale !== undefined;
    t.sndWscale = t.wscaleOk ? Math.min(o?.wscale ?? 0, 14) : 0;
    t.tsOk = t.tsOk && o?.tsVal !== undefined;
    t.tsRecent = o?.tsVal ?? 0;
    t.sackOk = t.sackOk && o?.sackOk === true;
  }

  /** tcp_rcv_synsent_state_process. */
  private synSent(skb: Skb, l4: TcpSegment, c: Conn): void {
    const t = c.tcp;
    if (has(l4, TCP.ACK) && (!after(l4.ack, t.sndUna) || after(l4.ack, t.sndNxt))) {
      this.refuse(skb);
      return;
    }
    if (has(l4, TCP.RST)) {
      if (has(l4, TCP.ACK)) this.out.fail(c, 'ECONNREFUSED');
      else this.bad(skb);
      return;
    }
    if (!has(l4, TCP.SYN)) {
      this.bad(skb);
      return;
    }
    this.takeOptions(c, l4);
    t.irs = l4.seq;
    t.rcvNxt = add(l4.seq, 1);
    t.sndWnd = l4.window;
    this.out.disarm(c);
    t.retransmits = 0;
    if (!has(l4, TCP.ACK)) {
      // Simultaneous open.
      t.passive = true;
      this.out.setState(c, 'SYN_RECV');
      this.out.transmit(c, { seq: t.iss, flags: TCP.SYN | TCP.ACK });
      this.out.arm(c, 'synack', RTO_INIT_US);
      return;
    }
    t.sndUna = l4.ack;
    t.rtoUs = RTO_MIN_US;
    this.out.setState(c, 'ESTABLISHED');
    this.out.ack(c);
    this.socks.activity(c.id);
  }

  /** tcp_check_req and the third step of the handshake. */
  private synRecv(skb: Skb, l4: TcpSegment, c: Conn): void {
    const t = c.tcp;
    if (has(l4, TCP.SYN) && !has(l4, TCP.ACK) && l4.seq === t.irs) {
      this.out.transmit(c, { seq: t.iss, flags: TCP.SYN | TCP.ACK });
      return;
    }
    const inWindow =
      !before(add(l4.seq, seqLen(l4.flags, l4.payload)), t.rcvNxt) && !after(l4.seq, add(t.rcvNxt, t.rcvWnd));
    if (has(l4, TCP.RST)) {
      if (inWindow) this.out.end(c);
      else this.bad(skb);
      return;
    }
    if (has(l4, TCP.SYN) && has(l4, TCP.ACK) && c.listener === undefined && l4.ack === add(t.iss, 1)) {
      this.open(c, l4);
      return;
    }
    if (!inWindow) {
      this.out.ack(c);
      return;
    }
    if (!has(l4, TCP.ACK)) {
      this.bad(skb);
      return;
    }
    if (l4.ack !== add(t.iss, 1)) {
      this.refuse(skb);
      return;
    }
    const listener = c.listener === undefined ? undefined : this.socks.get(c.listener);
    if (c.listener !== undefined && !listener) {
      this.out.end(c);
      this.refuse(skb);
      return;
    }
    if (listener && (listener.accept?.length ?? 0) > (listener.backlog ?? 0)) {
      this.socks.net.drop(skb, { reason: 'no-memory' });
      return;
    }
    this.open(c, l4);
    if (listener) {
      const now = this.socks.get(listener.id) as SockRecord;
      this.socks.put({ ...now, accept: [...(now.accept ?? []), c.id] });
      this.socks.activity(listener.id);
    }
    if (l4.payload.len > 0 || has(l4, TCP.FIN))
      this.established(skb, l4, conn(this.socks.get(c.id) as SockRecord) as Conn);
  }

  private open(c: Conn, l4: TcpSegment): void {
    const t = c.tcp;
    this.out.disarm(c);
    t.sndUna = l4.ack;
    t.sndWnd = l4.window * ipow(2, t.sndWscale);
    t.retransmits = 0;
    t.rtoUs = RTO_MIN_US;
    if (l4.options?.tsVal !== undefined) t.tsRecent = l4.options.tsVal;
    this.out.setState(c, 'ESTABLISHED');
    this.socks.activity(c.id);
  }

  /** tcp_timewait_state_process. */
  private timeWait(skb: Skb, l4: TcpSegment, c: Conn): void {
    const t = c.tcp;
    const end = add(l4.seq, seqLen(l4.flags, l4.payload));
    if (l4.seq === t.rcvNxt && (end === l4.seq || has(l4, TCP.RST))) {
      if (has(l4, TCP.RST)) this.out.end({ ...c, orphan: true });
      else if (has(l4, TCP.ACK)) this.out.timeWait(c);
      return;
    }
    const newer =
      after(l4.seq, t.rcvNxt) || (l4.options?.tsVal !== undefined && diff(l4.options.tsVal, t.tsRecent) > 0);
    if (has(l4, TCP.SYN) && !has(l4, TCP.RST) && !has(l4, TCP.ACK) && newer) {
      // The old pair makes room for the new connection.
      this.out.end({ ...c, orphan: true });
      this.segment(skb, this.socks.lookup(skb.netns, skb.packet, skb.inDev));
      return;
    }
    if (!has(l4, TCP.RST)) this.out.ack(c);
  }

  /** tcp_validate_incoming, tcp_ack, tcp_data_queue, tcp_rcv_state_process. */
  private established(skb: Skb, l4: TcpSegment, c: Conn): void {
    const t = c.tcp;
    const end = add(l4.seq, seqLen(l4.flags, l4.payload));
    const paws =
      t.tsOk && l4.options?.tsVal !== undefined && diff(l4.options.tsVal, t.tsRecent) < 0 && !has(l4, TCP.RST);
    const inWindow = !before(end, t.rcvNxt) && !after(l4.seq, add(t.rcvNxt, t.rcvWnd));
    if (paws || !inWindow) {
      // A segment from outside the window (a retransmission, or SYN) is told where we are.
      if (!has(l4, TCP.RST)) this.out.ack(c);
      this.bad(skb);
      return;
    }
    if (has(l4, TCP.RST)) {
      if (l4.seq === t.rcvNxt) this.resetByPeer(c);
      else {
        this.out.ack(c);
        this.bad(skb);
      }
      return;
    }
    if (has(l4, TCP.SYN)) {
      // Challenge ACK (RFC 5961): a real peer that started anew answers it with RST.
      this.out.ack(c);
      this.bad(skb);
      return;
    }
    if (!has(l4, TCP.ACK)) {
      this.bad(skb);
      return;
    }
    if (after(l4.ack, t.sndNxt)) {
      this.out.ack(c);
      this.bad(skb);
      return;
    }
    if (l4.options?.tsVal !== undefined && !after(l4.seq, t.rcvNxt)) t.tsRecent = l4.options.tsVal;
    this.acked(c, l4);
    if (c.state === 'TIME_WAIT' || c.state === 'CLOSE') return;
    this.data(skb, l4, c);
  }

  private resetByPeer(c: Conn): void {
    const errno = c.state === 'CLOSE_WAIT' ? 'EPIPE' : 'ECONNRESET';
    if (c.listener !== undefined) {
      const l = this.socks.get(c.listener);
      if (l) this.socks.put({ ...l, accept: (l.accept ?? []).filter((x) => x !== c.id) });
    }
    this.out.fail(c, errno);
  }

  private acked(c: Conn, l4: TcpSegment): void {
    const t = c.tcp;
    if (before(l4.ack, t.sndUna)) return;
    t.sndWnd = l4.window * ipow(2, t.sndWscale);
    const advance = after(l4.ack, t.sndUna);
    if (advance) {
      const left = t.queue.filter((q) => after(add(q.seq, q.len), l4.ack));
      t.cwnd += t.queue.length - left.length;
      t.queue = left;
      t.sndUna = l4.ack;
      t.retransmits = 0;
      t.rtoUs = RTO_MIN_US;
      delete t.softError;
      this.out.disarm(c);
    }
    this.out.push(c);
    if (!advance) return;
    const finAcked = c.txShut && t.queue.length === 0 && t.sndUna === t.writeSeq;
    if (finAcked) this.finAcked(c);
    else this.socks.activity(c.id);
  }

  private finAcked(c: Conn): void {
    switch (c.state) {
      case 'FIN_WAIT1':
        if (c.orphan) this.out.arm(c, 'fin-wait2', this.tcp.finTimeoutUs(c.netns));
        this.out.setState(c, 'FIN_WAIT2');
        return;
      case 'CLOSING':
        this.out.timeWait(c);
        return;
      case 'LAST_ACK':
        this.out.end(c);
        return;
      default:
    }
  }

  private data(skb: Skb, l4: TcpSegment, c: Conn): void {
    const t = c.tcp;
    const fin = has(l4, TCP.FIN);
    if (l4.payload.len === 0 && !fin) return;
    if (after(l4.seq, t.rcvNxt)) {
      // A hole: no out-of-order queue, the peer sends again from here.
      this.out.ack(c);
      this.bad(skb);
      return;
    }
    const skip = diff(t.rcvNxt, l4.seq);
    const fresh = l4.payload.len - skip;
    if (fresh > 0) {
      if (c.orphan && (c.state === 'FIN_WAIT1' || c.state === 'FIN_WAIT2')) {
        // Nobody will read it: TCPAbortOnData.
        this.out.fail(c, undefined);
        this.socks.net.icmp.tcpReset(skb);
        return;
      }
      c.rx = [...c.rx, { payload: slice(l4.payload, skip, fresh) }];
      t.rcvNxt = add(t.rcvNxt, fresh);
      t.lastRxUs = this.out.now;
    }
    if (fin) {
      t.rcvNxt = add(t.rcvNxt, 1);
      c.rxEof = true;
      this.peerClosed(c);
    } else this.out.ack(c);
    if (c.state !== 'TIME_WAIT' || !c.orphan) this.socks.activity(c.id);
  }

  /** tcp_fin. */
  private peerClosed(c: Conn): void {
    switch (c.state) {
      case 'ESTABLISHED':
        this.out.setState(c, 'CLOSE_WAIT');
        this.out.ackFin(c);
        return;
      case 'FIN_WAIT1':
        this.out.setState(c, 'CLOSING');
        this.out.ack(c);
        return;
      case 'FIN_WAIT2':
        this.out.ack(c);
        this.out.timeWait(c);
        return;
      default:
        this.out.ack(c);
    }
  }
}
