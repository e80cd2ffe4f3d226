import { err, ok, type Result } from '../../base/result';
import { devId } from '../records';
import { type IcmpMessage, IPPROTO, type Packet, type Payload, packetLen, type Skb } from '../types';
import { icmpErrno } from './icmp-errno';
import { type Endpoint, pairKey, portKey, type SockRecord } from './records';
import type { Sockets } from './sockets';

/** UDP (net/ipv4/udp.c). */
export class Udp {
  constructor(private readonly socks: Sockets) {}

  /** udp_sendmsg. */
  send(s0: SockRecord, payload: Payload, to?: Endpoint): Result<number> {
    const { net } = this.socks;
    let s = s0;
    const peer = to ?? s.remote;
    if (!peer) return err('EDESTADDRREQ');
    if (peer.port === 0) return err('EINVAL');
    const oif = s.dev === undefined ? undefined : devId(s.netns, s.dev);
    const bound = s.boundIp || s.remote !== undefined;
    const out = net.routing.output(s.netns, {
      dst: peer.ip,
      ...(bound ? { src: s.local.ip } : {}),
      ...(oif === undefined ? {} : { oif }),
    });
    if (!out.ok) return err(out.errno);
    if (s.local.port === 0) {
      const port = this.socks.pickPort(s, s.local.ip, undefined);
      if (port === undefined) return err('EAGAIN');
      s = { ...s, local: { ...s.local, port } };
      this.socks.put(s);
    }
    if (payload.len > 65507) return err('EMSGSIZE');
    const made: Packet = {
      id: net.newPacketId(),
      ip: {
        family: 4,
        src: out.src,
        dst: peer.ip,
        proto: IPPROTO.udp,
        ttl: s.ttl ?? net.defaultTtl(s.netns),
        tos: 0,
        id: net.nextIpId(),
        df: true,
      },
      l4: { kind: 'udp', sport: s.local.port, dport: peer.port, payload },
    };
    // IP_PMTUDISC_WANT: what does not fit is fragmented instead of refused.
    const p: Packet = { ...made, ip: { ...made.ip, df: packetLen(made) <= net.mtuOf(out.route) } };
    const errno = net.sendPacket(
      s.netns,
      p,
      { kind: 'socket', sock: s.id, uid: s.uid },
      { lineage: this.socks.lineage(s, p, peer), route: out.route },
    );
    return errno === undefined ? ok(payload.len) : err(errno);
  }

  /** udp_rcv. */
  deliver(skb: Skb, sock: string | undefined): void {
    const p = skb.packet;
    if (p.l4.kind !== 'udp') return;
    const s = sock === undefined ? undefined : this.socks.get(sock);
    if (!s) {
      this.socks.net.drop(skb, { reason: 'no-listener', answered: 'icmp' });
      skb.ct = undefined; // nf_reset_ct has come before: the error finds its connection by the quoted packet
      this.socks.net.icmp.sendError(skb, 3, 3, {});
      return;
    }
    const from = { ip: p.ip.src, port: p.l4.sport };
    this.socks.adoptFlow(s.id, skb.lineage, from);
    this.socks.put({ ...s, rx: [...s.rx, { payload: p.l4.payload, from, ttl: p.ip.ttl }] });
    this.socks.delivered(skb, s.id);
    this.socks.activity(s.id);
  }

  /** __udp4_lib_err: an ICMP error that quotes one of our datagrams. */
  error(skb: Skb, icmp: IcmpMessage, inner: Packet): void {
    if (inner.l4.kind !== 'udp') return;
    const local = { ip: inner.ip.src, port: inner.l4.sport };
    const remote = { ip: inner.ip.dst, port: inner.l4.dport };
    const { map } = this.socks;
    const id =
      map.by('pair', pairKey(skb.netns, 'udp', local, remote))[0] ??
      map.by('port', portKey(skb.netns, 'udp', local.port)).find((k) => {
        const s = map.get(k) as SockRecord;
        return s.remote === undefined && (s.local.ip === '0.0.0.0' || s.local.ip === local.ip);
      });
    const s = id === undefined ? undefined : map.get(id);
    const e = icmpErrno(icmp.type, icmp.code);
    if (!s || !e) return;
    this.socks.delivered(skb, s.id);
    if (s.recvErr) {
      const entry = { errno: e.errno, type: icmp.type, code: icmp.code, offender: skb.packet.ip.src, packet: inner };
      this.socks.put({ ...s, errors: [...s.errors, entry] });
    } else if (!e.fatal || s.remote === undefined) return;
    this.socks.report(s.id, e.errno);
  }
}
