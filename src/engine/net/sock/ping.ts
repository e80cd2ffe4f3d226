import { err, ok, type Result } from '../../base/result';
import { isIcmpError } from '../icmp';
import { devId } from '../records';
import { type IcmpMessage, IPPROTO, type NetnsId, type Packet, packetLen, type Skb } from '../types';
import { icmpErrno } from './icmp-errno';
import { type Endpoint, portKey, type SockRecord } from './records';
import type { Sockets } from './sockets';

/** ICMP towards sockets: ping sockets, raw ICMP sockets, and errors about other sockets' packets (net/ipv4/ping.c, raw.c, icmp.c). */
export class Ping {
  constructor(private readonly socks: Sockets) {}

  /** A free echo identifier for a ping socket. */
  newIdent(netns: NetnsId): number {
    const stream = this.socks.ctx.prng.stream('icmp-id');
    let id = stream.between(1, 65535);
    while (this.socks.map.by('port', portKey(netns, 'icmp', id)).length > 0) id = (id % 65535) + 1;
    return id;
  }

  /** Sends an echo request (or any ICMP message) from a ping or raw socket. */
  send(
    id: string,
    to: string,
    msg: { type: number; code: number; id: number; seq: number; len: number },
    opts: { ttl?: number; df?: boolean; tos?: number; src?: string } = {},
  ): Result<Packet> {
    const { net } = this.socks;
    const s = this.socks.get(id) as SockRecord;
    if (s.error !== undefined) return err(this.socks.takeError(id) as string);
    const oif = s.dev === undefined ? undefined : devId(s.netns, s.dev);
    const src = opts.src ?? (s.boundIp || s.remote !== undefined ? s.local.ip : undefined);
    const out = net.routing.output(s.netns, {
      dst: to,
      ...(src === undefined ? {} : { src }),
      ...(oif === undefined ? {} : { oif }),
    });
    if (!out.ok) return err(out.errno);
    const made: Packet = {
      id: net.newPacketId(),
      ip: {
        family: 4,
        src: out.src,
        dst: to,
        proto: IPPROTO.icmp,
        ttl: opts.ttl ?? s.ttl ?? net.defaultTtl(s.netns),
        tos: opts.tos ?? 0,
        id: net.nextIpId(),
        df: true,
      },
      l4: { kind: 'icmp', type: msg.type, code: msg.code, id: msg.id, seq: msg.seq, payload: { len: msg.len } },
    };
    // IP_PMTUDISC_WANT: what does not fit is fragmented instead of refused.
    const df = opts.df ?? packetLen(made) <= net.mtuOf(out.route);
    const p: Packet = { ...made, ip: { ...made.ip, df } };
    const peer: Endpoint = { ip: to, port: msg.id };
    const errno = net.sendPacket(
      s.netns,
      p,
      { kind: 'socket', sock: s.id, uid: s.uid },
      { lineage: this.socks.lineage(s, p, peer), route: out.route },
    );
    return errno === undefined ? ok(p) : err(errno);
  }

  /** icmp_rcv. */
  deliver(skb: Skb): void {
    const p = skb.packet;
    if (p.l4.kind !== 'icmp') return;
    let taken = false;
    for (const k of this.socks.map.by('port', portKey(skb.netns, 'raw', 0))) {
      const s = this.socks.get(k) as SockRecord;
      if (s.remote !== undefined && s.remote.ip !== p.ip.src) continue;
      if (s.boundIp && s.local.ip !== p.ip.dst) continue;
      // Echo requests are the kernel's own business; a ping program filters them out (ICMP_FILTER).
      if (p.l4.type === 8) continue;
      this.queue(skb, s);
      taken = true;
    }
    if (p.l4.type === 8) {
      this.socks.net.icmp.echo(skb);
      return;
    }
    if (isIcmpError(p)) {
      this.error(skb, p.l4);
      return;
    }
    if (p.l4.type === 0 && p.l4.id !== undefined) {
      for (const k of this.socks.map.by('port', portKey(skb.netns, 'icmp', p.l4.id))) {
        this.queue(skb, this.socks.get(k) as SockRecord);
        taken = true;
      }
    }
    if (!taken) this.socks.net.drop(skb, { reason: 'no-listener' });
  }

  private queue(skb: Skb, s: SockRecord): void {
    const p = skb.packet;
    if (p.l4.kind !== 'icmp') return;
    this.socks.put({
      ...s,
      rx: [...s.rx, { payload: p.l4.payload, from: { ip: p.ip.src, port: 0 }, ttl: p.ip.ttl, packet: p }],
    });
    this.socks.delivered(skb, s.id);
    this.socks.activity(s.id);
  }

  /** icmp_unreach and kin: to the protocol whose packet is quoted. */
  private error(skb: Skb, icmp: IcmpMessage): void {
    const inner = icmp.inner;
    if (!inner) return;
    if (inner.l4.kind === 'tcp') this.socks.tcp.icmpError(skb, icmp, inner);
    else if (inner.l4.kind === 'udp') this.socks.udp.error(skb, icmp, inner);
    else if (inner.l4.kind === 'icmp' && inner.l4.id !== undefined) {
      const e = icmpErrno(icmp.type, icmp.code);
      for (const k of this.socks.map.by('port', portKey(skb.netns, 'icmp', inner.l4.id))) {
        const s = this.socks.get(k) as SockRecord;
        if (!e) continue;
        const entry = { errno: e.errno, type: icmp.type, code: icmp.code, offender: skb.packet.ip.src, packet: inner };
        if (s.recvErr) this.socks.put({ ...s, errors: [...s.errors, entry] });
        if (s.recvErr || e.fatal) this.socks.report(k, e.errno);
      }
    }
  }
}
