import { ipow } from '../base/int';
import { defineMap, type RecordMap } from '../base/recordmap';
import type { Ctx } from '../trace/context';
import type { Net } from './net';
import { type Hook, type IcmpMessage, IPPROTO, NO_PAYLOAD, type Packet, type Skb, type SkbCt, TCP } from './types';

/** What a stack remembers of an address it sends errors to (struct inet_peer). */
interface PeerRecord {
  /** Token bucket of inet_peer, us of credit. */
  readonly tokensUs: number;
  readonly lastUs: number;
  /** Redirects sent since the last silence. */
  readonly redirects: number;
}
export const ICMP_PEERS = defineMap<PeerRecord>('net.icmp.peer');

/** ip_rt_redirect_load, _number, _silence (net/ipv4/route.c), us. */
const REDIRECT_LOAD_US = 20_000;
const REDIRECT_NUMBER = 9;
const REDIRECT_SILENCE_US = REDIRECT_LOAD_US * 1024;
/** XRLIM_BURST_FACTOR (net/ipv4/icmp.c). */
const BURST = 6;
const ERROR_TYPES = [3, 4, 5, 11, 12];
export const isIcmpError = (p: Packet): boolean => p.l4.kind === 'icmp' && ERROR_TYPES.includes(p.l4.type);

/** nf_conntrack_attach: an error or reset about a tracked packet belongs to the same entry, as RELATED. */
export function attached(ct: SkbCt | undefined): SkbCt | undefined {
  if (!ct || ct.info === 'UNTRACKED') return undefined;
  return ct.dir === 'original'
    ? { id: ct.id, dir: 'reply', info: 'RELATED_REPLY' }
    : { id: ct.id, dir: 'original', info: 'RELATED' };
}

/** ICMP made by the kernel (net/ipv4/icmp.c) and TCP resets of REJECT (net/ipv4/netfilter/nf_reject_ipv4.c). */
export class Icmp {
  private readonly peers: RecordMap<PeerRecord>;

  constructor(
    ctx: Ctx,
    private readonly net: Net,
  ) {
    this.now = () => ctx.sim.now;
    this.peers = ctx.world.map(ICMP_PEERS);
  }
  private readonly now: () => number;

  /** icmp_send. */
  sendError(skb: Skb, type: number, code: number, opts: { mtu?: number; hook?: Hook; gateway?: string }): void {
    const p = skb.packet;
    if (p.ip.family !== 4) return;
    const route = this.routeOf(skb);
    if (!route || route.kind === 'broadcast' || route.kind === 'multicast') return;
    if (skb.pktType !== 'host' && skb.pktType !== 'outgoing' && skb.pktType !== 'loopback') return;
    if (isIcmpError(p)) return;
    const local = route.kind === 'local';
    const src = local ? p.ip.dst : undefined;
    const out = this.net.routing.output(skb.netns, {
      dst: p.ip.src,
      anySource: true,
      ...(src === undefined ? {} : { src }),
    });
    if (!out.ok) return;
    const oif = this.net.links.dev(out.route.oif ?? '');
    if (oif?.kind !== 'lo' && !this.allowed(skb.netns, p.ip.src, type)) return;
    const l4: IcmpMessage = {
      kind: 'icmp',
      type,
      code,
      ...(opts.mtu === undefined ? {} : { mtu: opts.mtu }),
      ...(opts.gateway === undefined ? {} : { gateway: opts.gateway }),
      inner: p,
      payload: NO_PAYLOAD,
    };
    this.kernelSend(
      skb,
      {
        id: this.net.newPacketId(),
        ip: {
          family: 4,
          src: src ?? out.src,
          dst: p.ip.src,
          proto: IPPROTO.icmp,
          ttl: this.net.defaultTtl(skb.netns),
          tos: (p.ip.tos & 0x1e) | 0xc0,
          id: this.net.nextIpId(),
          df: false,
        },
        l4,
      },
      { ct: attached(skb.ct) },
    );
  }

  /** A packet answered before routing (REJECT in PREROUTING) gets its route now (nf_reject_fill_skb_dst). */
  private routeOf(skb: Skb): Skb['route'] {
    if (skb.route) return skb.route;
    const d = this.net.routing.input(skb.netns, skb.packet, skb.inDev as string);
    return d.kind === 'drop' ? undefined : d.route;
  }

  /** inet_peer_xrlim_allow by net.ipv4.icmp_ratelimit (ms) for the types in icmp_ratemask. */
  private allowed(netns: string, peer: string, type: number): boolean {
    const mask = this.net.sysctls.int(netns, 'net.ipv4.icmp_ratemask');
    const limitUs = this.net.sysctls.int(netns, 'net.ipv4.icmp_ratelimit') * 1000;
    if (limitUs === 0 || type > 18 || ((mask >> type) & 1) === 0) return true;
    const was = this.peer(netns, peer);
    let tokensUs = Math.min(was.tokensUs + this.now() - was.lastUs, BURST * limitUs);
    const pass = tokensUs >= limitUs;
    if (pass) tokensUs -= limitUs;
    this.peers.set(`${netns}|${peer}`, { ...was, tokensUs, lastUs: this.now() });
    return pass;
  }

  private peer(netns: string, ip: string): PeerRecord {
    return this.peers.get(`${netns}|${ip}`) ?? { tokensUs: 0, lastUs: this.now() - 60_000_000, redirects: 0 };
  }

  /**
   * ip_rt_send_redirect: host redirect to the better gateway, ever more seldom, nine times in all. It moves the clock of
   * the peer's error budget without filling it, so many redirects starve other errors.
   */
  sendRedirect(skb: Skb): void {
    const key = `${skb.netns}|${skb.packet.ip.src}`;
    let p = this.peer(skb.netns, skb.packet.ip.src);
    const now = this.now();
    if (now > p.lastUs + REDIRECT_SILENCE_US) p = { ...p, tokensUs: 0, redirects: 0 };
    if (p.redirects >= REDIRECT_NUMBER) {
      this.peers.set(key, { ...p, lastUs: now });
      return;
    }
    if (p.redirects > 0 && now <= p.lastUs + REDIRECT_LOAD_US * ipow(2, p.redirects)) return;
    this.peers.set(key, { ...p, lastUs: now, redirects: p.redirects + 1 });
    this.sendError(skb, 5, 1, { gateway: skb.route?.via ?? skb.packet.ip.dst });
  }

  /** icmp_echo. */
  echo(skb: Skb): void {
    const p = skb.packet;
    if (p.l4.kind !== 'icmp') return;
    if (this.net.sysctls.int(skb.netns, 'net.ipv4.icmp_echo_ignore_all') !== 0) return;
    if (skb.route?.kind === 'broadcast' || skb.route?.kind === 'multicast') return;
    this.kernelSend(skb, {
      id: this.net.newPacketId(),
      ip: {
        family: 4,
        src: p.ip.dst,
        dst: p.ip.src,
        proto: IPPROTO.icmp,
        ttl: this.net.defaultTtl(skb.netns),
        tos: p.ip.tos,
        id: this.net.nextIpId(),
        df: false,
      },
      l4: { ...p.l4, type: 0, code: 0 },
    });
  }

  /** nf_send_reset. */
  sendReset(skb: Skb): void {
    const rst = resetFor(skb.packet);
    if (!rst) return;
    const route = this.routeOf(skb);
    if (!route || route.kind === 'broadcast' || route.kind === 'multicast') return;
    this.kernelSend(skb, this.resetPacket(skb, rst, 0), { ct: attached(skb.ct) });
  }

  /** tcp_v4_send_reset for a segment without a socket. */
  tcpReset(skb: Skb): void {
    const rst = resetFor(skb.packet);
    if (!rst || skb.route?.kind !== 'local') return;
    this.kernelSend(skb, this.resetPacket(skb, rst, skb.packet.ip.tos));
  }

  private resetPacket(skb: Skb, rst: { seq: number; ack: number; flags: number }, tos: number): Packet {
    const p = skb.packet;
    const l4 = p.l4 as Packet['l4'] & { kind: 'tcp' };
    return {
      id: this.net.newPacketId(),
      ip: {
        family: p.ip.family,
        src: p.ip.dst,
        dst: p.ip.src,
        proto: IPPROTO.tcp,
        ttl: this.net.defaultTtl(skb.netns),
        tos,
        id: 0,
        df: true,
      },
      l4: { kind: 'tcp', sport: l4.dport, dport: l4.sport, ...rst, window: 0, payload: NO_PAYLOAD },
    };
  }

  private kernelSend(about: Skb, packet: Packet, opts: { ct?: SkbCt | undefined } = {}): void {
    const lineage = this.net.flows.answer(about.lineage, packet);
    this.net.sendPacket(
      about.netns,
      packet,
      { kind: 'kernel' },
      { lineage, anySource: true, ...(opts.ct ? { ct: opts.ct } : {}) },
    );
  }
}

/** Sequence and flags of the RST that answers a segment; none for a RST. */
export function resetFor(p: Packet): { seq: number; ack: number; flags: number } | undefined {
  if (p.l4.kind !== 'tcp' || (p.l4.flags & TCP.RST) !== 0) return undefined;
  const t = p.l4;
  if ((t.flags & TCP.ACK) !== 0) return { seq: t.ack, ack: 0, flags: TCP.RST };
  const len = t.payload.len + ((t.flags & TCP.SYN) !== 0 ? 1 : 0) + ((t.flags & TCP.FIN) !== 0 ? 1 : 0);
  return { seq: 0, ack: (t.seq + len) >>> 0, flags: TCP.RST | TCP.ACK };
}
