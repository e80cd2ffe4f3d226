import { type Cidr, cidrContains, formatIpv4, formatIpv6, ipBits } from '../../base/ip';
import type { PrngStream } from '../../base/prng';

/** The static band holds at most this many addresses (KEP-3070), at least 16. */
const MAX_BAND = 256n;
const MIN_BAND = 16n;
/** Addresses that the allocator ever hands out of one range (a /108 for IPv6 in the older allocator, ample here). */
const MAX_SIZE = 1n << 20n;

/** First and number of usable addresses of a Service range: neither the network's own nor, for IPv4, the broadcast. */
function usable(range: Cidr): { first: bigint; size: bigint } {
  const base = ipBits(range.base) ?? 0n;
  const bits = BigInt((range.family === 4 ? 32 : 128) - range.prefix);
  const total = 1n << bits;
  const size = total - (range.family === 4 ? 2n : 1n);
  return { first: base + 1n, size: size < MAX_SIZE ? size : MAX_SIZE };
}

/** KEP-3070: offset of the dynamic band, min(max(16, size/16), 256). */
export function bandOffset(size: bigint): bigint {
  if (size < MIN_BAND) return 0n;
  const step = size / 16n;
  return step < MIN_BAND ? MIN_BAND : step > MAX_BAND ? MAX_BAND : step;
}

function text(bits: bigint, family: 4 | 6): string {
  if (family === 4) return formatIpv4(Number(bits));
  const groups: number[] = [];
  for (let i = 7; i >= 0; i--) groups.push(Number((bits >> BigInt(16 * i)) & 0xffffn));
  return formatIpv6(groups);
}

/** Why a requested address cannot be had, in the allocator's words; undefined when it can. */
export function refuseIp(range: Cidr, ip: string, taken: (ip: string) => boolean): string | undefined {
  const { first, size } = usable(range);
  const bits = ipBits(ip);
  if (!cidrContains(range, ip) || bits === undefined || bits < first || bits >= first + size) {
    return 'the provided network does not match the current range';
  }
  return taken(ip) ? 'provided IP is already allocated' : undefined;
}

/** A free address: a random place of the dynamic band, then onwards; the static band only when that is full. */
export function allocateIp(range: Cidr, stream: PrngStream, taken: (ip: string) => boolean): string | undefined {
  const { first, size } = usable(range);
  const offset = bandOffset(size);
  const scan = (from: bigint, count: bigint): string | undefined => {
    if (count <= 0n) return undefined;
    const start = BigInt(stream.below(Number(count)));
    for (let i = 0n; i < count; i++) {
      const ip = text(first + from + ((start + i) % count), range.family);
      if (!taken(ip)) return ip;
    }
    return undefined;
  };
  return scan(offset, size - offset) ?? scan(0n, offset);
}
