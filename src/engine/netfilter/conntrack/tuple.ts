import { IPPROTO, type Packet } from '../../net/types';
import { ip4 } from '../xt';
import type { CtTuple } from './types';

/** ICMP types that have an answer (icmp_invert_tuple's map), both ways; 0 means none. */
const ICMP_REPLY: Readonly<Record<number, number>> = { 8: 0, 0: 8, 13: 14, 14: 13, 15: 16, 16: 15, 17: 18, 18: 17 };
const ICMP6_REPLY: Readonly<Record<number, number>> = { 128: 129, 129: 128, 139: 140, 140: 139 };

const hasPorts = (proto: number): boolean =>
  proto === IPPROTO.tcp || proto === IPPROTO.udp || proto === IPPROTO.sctp || proto === 33 || proto === 136;

export { hasPorts };

/** nf_ct_get_tuple: the tuple of a packet's own direction. */
export function packetTuple(p: Packet): CtTuple {
  const l4 = p.l4;
  if (l4.kind === 'tcp' || l4.kind === 'udp') {
    return { src: p.ip.src, dst: p.ip.dst, sport: l4.sport, dport: l4.dport };
  }
  if (l4.kind === 'icmp') {
    return { src: p.ip.src, dst: p.ip.dst, sport: l4.id ?? 0, dport: l4.type * 256 + l4.code };
  }
  return { src: p.ip.src, dst: p.ip.dst, sport: 0, dport: 0 };
}

/** nf_ct_invert_tuple; undefined where the protocol has no inverse (ICMP types without an answer). */
export function invert(t: CtTuple, proto: number): CtTuple | undefined {
  if (proto === IPPROTO.icmp || proto === IPPROTO.icmpv6) {
    const map = proto === IPPROTO.icmp ? ICMP_REPLY : ICMP6_REPLY;
    const type = map[t.dport >> 8];
    if (type === undefined) return undefined;
    return { src: t.dst, dst: t.src, sport: t.sport, dport: type * 256 + (t.dport & 255) };
  }
  return { src: t.dst, dst: t.src, sport: t.dport, dport: t.sport };
}

export const sameTuple = (a: CtTuple, b: CtTuple): boolean =>
  a.sport === b.sport && a.dport === b.dport && a.src === b.src && a.dst === b.dst;

/** Hash of a tuple, unsigned 32 bits (the kernel's is a keyed siphash; only its spread matters here). */
export function hashTuple(t: CtTuple, proto: number, zone: number): number {
  let h = Math.imul(addrBits(t.src) ^ 0x9e3779b9, 0x85ebca6b);
  h = Math.imul((h ^ (h >>> 15)) + addrBits(t.dst), 0xc2b2ae35);
  h = Math.imul((h ^ (h >>> 13)) + ((t.sport << 16) | t.dport), 0x27d4eb2f);
  h = Math.imul((h ^ (h >>> 16)) + proto + (zone << 8), 0x165667b1);
  h ^= h >>> 15;
  h = Math.imul(h, 0x85ebca6b);
  return (h ^ (h >>> 13)) >>> 0;
}

function addrBits(a: string): number {
  if (a.includes(':')) {
    let h = 0;
    for (let i = 0; i < a.length; i++) h = Math.imul(h ^ a.charCodeAt(i), 0x01000193);
    return h;
  }
  return ip4(a) | 0;
}

/** reciprocal_scale: spreads a 32-bit hash over 0..n-1 without a division's bias to low bits. */
export function scale(hash: number, n: number): number {
  const hi = Math.floor(hash / 0x10000);
  const lo = hash % 0x10000;
  return Math.floor((hi * n + Math.floor((lo * n) / 0x10000)) / 0x10000);
}
