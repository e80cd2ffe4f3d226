import { hash32 } from '../../base/hash';
import { formatIpv4, formatIpv6, parseIpv4, parseIpv6 } from '../../base/ip';
import { IPPROTO, type L4, type Packet } from '../../net/types';
import { type Draws, ip4 } from '../xt';
import type { Manip, NatRange } from './api';
import type { CtNamespace } from './namespace';
import { hasPorts, invert, sameTuple, scale } from './tuple';
import { type CtEntry, type CtTuple, IPS } from './types';

/** NF_NAT_MAX_ATTEMPTS and NF_NAT_HARDER_THRESH (nf_nat_core.c). */
const MAX_ATTEMPTS = 128;
const HARDER_THRESH = 32;

const compareAddr = (a: string, b: string): number => {
  const x = parseIpv4(a);
  const y = parseIpv4(b);
  if (x !== undefined && y !== undefined) return x - y;
  const l = parseIpv6(a) ?? [];
  const r = parseIpv6(b) ?? [];
  for (let i = 0; i < 8; i++) {
    const d = (l[i] ?? 0) - (r[i] ?? 0);
    if (d !== 0) return d;
  }
  return 0;
};

const isIcmp = (proto: number): boolean => proto === IPPROTO.icmp || proto === IPPROTO.icmpv6;

/** l4proto_in_range. */
function portInRange(t: CtTuple, proto: number, manip: Manip, min: number, max: number): boolean {
  if (isIcmp(proto)) return t.sport >= min && t.sport <= max;
  if (!hasPorts(proto)) return true;
  const port = manip === 'src' ? t.sport : t.dport;
  return port >= min && port <= max;
}

function inRange(t: CtTuple, proto: number, r: NatRange): boolean {
  if (r.minAddr !== undefined && r.maxAddr !== undefined) {
    if (compareAddr(t.src, r.minAddr) < 0 || compareAddr(t.src, r.maxAddr) > 0) return false;
  }
  if (r.minPort === undefined || r.maxPort === undefined) return true;
  return portInRange(t, proto, 'src', r.minPort, r.maxPort);
}

/** nf_nat_used_tuple: whether somebody else's answers would come with the inverse of this tuple. */
function used(ns: CtNamespace, t: CtTuple, e: CtEntry): boolean {
  const reply = invert(t, e.proto);
  if (!reply) return false;
  const found = ns.find(reply, e.proto, e.zone);
  if (found === undefined || found.entry.id === e.id) return false;
  // The same flow twice (two packets of it on their way at once): clash resolution will deal with it.
  if (sameTuple(found.entry.orig, e.orig)) return false;
  ns.stat('found');
  return true;
}

/** nf_nat_used_tuple_harder: the last tries for a TCP port may throw out a closed connection with older numbers. */
function usedHarder(ns: CtNamespace, t: CtTuple, e: CtEntry, attemptsLeft: number): boolean {
  if (attemptsLeft > HARDER_THRESH || e.proto !== IPPROTO.tcp || e.tcp?.state !== 1) return used(ns, t, e);
  const reply = invert(t, e.proto);
  const found = reply && ns.find(reply, e.proto, e.zone);
  if (!found || found.entry.id === e.id) return false;
  const o = found.entry;
  if (found.node.dir === 'original') return true;
  if (o.status & (IPS.FIXED_TIMEOUT | IPS.DYING) || !(o.status & IPS.SRC_NAT)) return true;
  const state = o.tcp?.state ?? 0;
  if (state !== 7 && state !== 8) return true;
  const advanced = (((e.tcp?.seen[0].end ?? 0) - (o.tcp?.seen[0].end ?? 0)) | 0) > 0;
  if (!advanced) return true;
  ns.destroy(o, 'nat-reuse');
  return false;
}

/** find_appropriate_src: a mapping that this source already has. */
function currentSource(ns: CtNamespace, orig: CtTuple, e: CtEntry, r: NatRange): CtTuple | undefined {
  for (const id of ns.hash.sameSource(orig, e.proto, e.zone)) {
    const o = ns.get(id);
    if (!o || o.id === e.id) continue;
    const mapped = invert(o.reply, o.proto);
    if (!mapped) continue;
    const t = isIcmp(e.proto)
      ? { ...mapped, dst: orig.dst, dport: orig.dport }
      : { src: mapped.src, sport: mapped.sport, dst: orig.dst, dport: orig.dport };
    if (inRange(t, e.proto, r)) return t;
  }
  return undefined;
}

/** find_best_ips_proto: an address of the range by a hash of source (and destination, unless persistent). */
function pickAddress(t: CtTuple, e: CtEntry, r: NatRange, manip: Manip): CtTuple {
  if (r.minAddr === undefined || r.maxAddr === undefined) return t;
  let addr = r.minAddr;
  if (r.minAddr !== r.maxAddr) {
    const j = hash32(t.src, r.persistent ? 0 : hash32(t.dst) ^ e.zone);
    if (e.family === 4) {
      const lo = ip4(r.minAddr);
      addr = formatIpv4((lo + scale(j, ip4(r.maxAddr) - lo + 1)) >>> 0);
    } else {
      const lo = parseIpv6(r.minAddr) ?? [];
      const hi = parseIpv6(r.maxAddr) ?? [];
      // Only the last 16 bits vary in the ranges that rules use; wider ranges keep the first groups of the minimum.
      const span = Math.max(0, (hi[7] ?? 0) - (lo[7] ?? 0));
      addr = formatIpv6([...lo.slice(0, 7), (lo[7] ?? 0) + scale(j, span + 1)]);
    }
  }
  return manip === 'src' ? { ...t, src: addr } : { ...t, dst: addr };
}

/** nf_nat_l4proto_unique_tuple. */
function uniquePort(ns: CtNamespace, t: CtTuple, e: CtEntry, r: NatRange, manip: Manip, draws: Draws): CtTuple {
  const key: 'sport' | 'dport' = isIcmp(e.proto) || manip === 'src' ? 'sport' : 'dport';
  const given = r.minPort !== undefined && r.maxPort !== undefined;
  let min: number;
  let size: number;
  if (isIcmp(e.proto)) {
    min = r.minPort ?? 0;
    size = given ? (r.maxPort as number) - min + 1 : 65536;
  } else if (!hasPorts(e.proto)) {
    return t;
  } else if (!given) {
    if (manip === 'dst') return t;
    const port = t[key];
    [min, size] = port < 512 ? [1, 511] : port < 1024 ? [600, 424] : [1024, 64512];
  } else {
    min = Math.min(r.minPort as number, r.maxPort as number);
    size = Math.max(r.minPort as number, r.maxPort as number) - min + 1;
  }
  let off: number;
  if (r.basePort !== undefined) off = (t[key] - r.basePort) & 0xffff;
  else if (r.random || r.randomFully || manip === 'src') off = draws.u16();
  else off = 0;

  let out = t;
  for (let attempts = Math.min(size, MAX_ATTEMPTS); ; attempts = attempts >> 1) {
    for (let i = 0; i < attempts; i++, off = (off + 1) & 0xffff) {
      out = { ...t, [key]: min + (off % size) };
      if (!usedHarder(ns, out, e, attempts - i)) return out;
    }
    if (attempts >= size || attempts < 16) return out; // the last one tried; confirming it will fail
    off = draws.u16();
  }
}

/** get_unique_tuple (nf_nat_core.c). */
export function uniqueTuple(
  ns: CtNamespace,
  orig: CtTuple,
  e: CtEntry,
  r: NatRange,
  manip: Manip,
  draws: Draws,
): CtTuple {
  const random = r.random || r.randomFully;
  if (manip === 'src' && !random) {
    if (inRange(orig, e.proto, r)) {
      if (!used(ns, orig, e)) return orig;
    } else {
      const t = currentSource(ns, orig, e, r);
      if (t && !used(ns, t, e)) return t;
    }
  }
  const t = pickAddress(orig, e, r, manip);
  if (!random) {
    if (r.minPort !== undefined && r.maxPort !== undefined) {
      if (
        r.basePort === undefined &&
        portInRange(t, e.proto, manip, r.minPort, r.maxPort) &&
        (r.minPort === r.maxPort || !used(ns, t, e))
      ) {
        return t;
      }
    } else if (!used(ns, t, e)) return t;
  }
  return uniquePort(ns, t, e, r, manip, draws);
}

/** nf_nat_manip_pkt: source or destination of a packet set from a tuple. */
export function manipulate(p: Packet, t: CtTuple, manip: Manip): Packet {
  const ip = manip === 'src' ? { ...p.ip, src: t.src } : { ...p.ip, dst: t.dst };
  return { ...p, ip, l4: manipulateL4(p.l4, t, manip) };
}

function manipulateL4(l4: L4, t: CtTuple, manip: Manip): L4 {
  if (l4.kind === 'tcp' || l4.kind === 'udp') {
    return manip === 'src' ? { ...l4, sport: t.sport } : { ...l4, dport: t.dport };
  }
  // Only queries carry an id that NAT may change.
  if (l4.kind === 'icmp' && l4.id !== undefined && l4.inner === undefined) return { ...l4, id: t.sport };
  return l4;
}
