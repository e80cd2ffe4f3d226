/**
 * IPv4 and IPv6 addresses as canonical text, parsed by the strict rules of Go's net/netip (no leading zeros, no short
 * forms): lenient parsers accept `010.0.0.1` and would let a wrong manifest through.
 */
export type IpAddr = string;
export type IpFamily = 4 | 6;

/** Dotted quad → unsigned 32-bit integer (host order), or undefined when it is not one. */
export function parseIpv4(text: string): number | undefined {
  let value = 0;
  let parts = 0;
  let i = 0;
  while (i <= text.length) {
    const start = i;
    let octet = 0;
    while (i < text.length && text.charCodeAt(i) >= 48 && text.charCodeAt(i) <= 57) {
      octet = octet * 10 + text.charCodeAt(i) - 48;
      if (octet > 255) return undefined;
      i++;
    }
    const len = i - start;
    if (len === 0 || (len > 1 && text.charCodeAt(start) === 48)) return undefined;
    value = value * 256 + octet;
    parts++;
    if (parts === 4) return i === text.length ? value : undefined;
    if (text.charCodeAt(i) !== 46) return undefined;
    i++;
  }
  return undefined;
}

/** Unsigned 32-bit integer → dotted quad. */
export function formatIpv4(bits: number): IpAddr {
  return `${bits >>> 24}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}`;
}

/** IPv6 text → eight 16-bit groups, or undefined. Zones are refused: no object of the model has one. */
export function parseIpv6(text: string): number[] | undefined {
  let head = text;
  let tail: number[] = [];
  const dot = text.indexOf('.');
  if (dot >= 0) {
    const colon = text.lastIndexOf(':');
    if (colon < 0) return undefined;
    const v4 = parseIpv4(text.slice(colon + 1));
    if (v4 === undefined) return undefined;
    tail = [Math.floor(v4 / 65536), v4 % 65536];
    // "::ffff:1.2.3.4" keeps its "::"; "::1.2.3.4" loses one colon with the cut and gets it back.
    head = text.slice(0, colon);
    if (head.endsWith(':')) head += ':';
    if (head === '') return undefined;
  }
  const halves = head.split('::');
  if (halves.length > 2) return undefined;
  const groups = (s: string): number[] | undefined => {
    if (s === '') return [];
    const out: number[] = [];
    for (const g of s.split(':')) {
      if (!/^[0-9a-fA-F]{1,4}$/.test(g)) return undefined;
      out.push(Number.parseInt(g, 16));
    }
    return out;
  };
  const left = groups(halves[0] as string);
  const right = halves.length === 2 ? groups(halves[1] as string) : [];
  if (!left || !right) return undefined;
  const n = left.length + right.length + tail.length;
  if (halves.length === 1) return n === 8 ? [...left, ...tail] : undefined;
  if (n > 7) return undefined;
  return [...left, ...new Array<number>(8 - n).fill(0), ...right, ...tail];
}

/** Eight groups → canonical text (RFC 5952). */
export function formatIpv6(groups: readonly number[]): IpAddr {
  let best = -1;
  let bestLen = 1;
  for (let i = 0; i < 8; ) {
    let j = i;
    while (j < 8 && groups[j] === 0) j++;
    if (j - i > bestLen) {
      best = i;
      bestLen = j - i;
    }
    i = j === i ? i + 1 : j;
  }
  if (best === 0 && bestLen === 5 && groups[5] === 0xffff) {
    return `::ffff:${formatIpv4(((groups[6] as number) * 65536 + (groups[7] as number)) >>> 0)}`;
  }
  const hex = (part: readonly number[]): string => part.map((g) => g.toString(16)).join(':');
  return best < 0 ? hex(groups) : `${hex(groups.slice(0, best))}::${hex(groups.slice(best + bestLen))}`;
}

export function ipFamily(text: string): IpFamily | undefined {
  if (parseIpv4(text) !== undefined) return 4;
  return parseIpv6(text) ? 6 : undefined;
}

/** Canonical form of an address, or undefined when it is none. */
export function canonicalIp(text: string): IpAddr | undefined {
  const v4 = parseIpv4(text);
  if (v4 !== undefined) return formatIpv4(v4);
  const v6 = parseIpv6(text);
  return v6 && formatIpv6(v6);
}

/** The address as a bigint of 32 or 128 bits; asserts nothing: undefined for text that is no address. */
export function ipBits(text: string): bigint | undefined {
  const v4 = parseIpv4(text);
  if (v4 !== undefined) return BigInt(v4);
  const v6 = parseIpv6(text);
  return v6?.reduce((acc, g) => acc * 65536n + BigInt(g), 0n);
}

/** A network in canonical form: host bits are zero in `base`. */
export interface Cidr {
  readonly base: IpAddr;
  readonly prefix: number;
  readonly family: IpFamily;
}

/** `addr/len` or a bare address (full length); undefined when malformed. Host bits are masked away. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  const addr = slash < 0 ? text : text.slice(0, slash);
  const family = ipFamily(addr);
  if (!family) return undefined;
  const max = family === 4 ? 32 : 128;
  let prefix = max;
  if (slash >= 0) {
    const p = text.slice(slash + 1);
    if (!/^(0|[1-9][0-9]{0,2})$/.test(p)) return undefined;
    prefix = Number(p);
    if (prefix > max) return undefined;
  }
  return { base: maskIp(addr, prefix), prefix, family };
}

export const formatCidr = (c: Cidr): string => `${c.base}/${c.prefix}`;

/** IPv4 netmask bits of a prefix length, unsigned. */
export const maskBits4 = (prefix: number): number => (prefix === 0 ? 0 : (0xffffffff << (32 - prefix)) >>> 0);

/** The address with its host bits cleared. `text` must be an address. */
export function maskIp(text: IpAddr, prefix: number): IpAddr {
  const v4 = parseIpv4(text);
  if (v4 !== undefined) return formatIpv4((v4 & maskBits4(prefix)) >>> 0);
  const v6 = parseIpv6(text) ?? [0, 0, 0, 0, 0, 0, 0, 0];
  return formatIpv6(
    v6.map((g, i) => {
      const keep = Math.max(0, Math.min(16, prefix - i * 16));
      return g & (0xffff << (16 - keep)) & 0xffff;
    }),
  );
}

/** Whether the network holds the address; false across families. */
export function cidrContains(c: Cidr, addr: IpAddr): boolean {
  if (c.family === 4) {
    const a = parseIpv4(addr);
    const b = parseIpv4(c.base);
    if (a === undefined || b === undefined) return false;
    const m = maskBits4(c.prefix);
    return (a & m) >>> 0 === (b & m) >>> 0;
  }
  return ipFamily(addr) === 6 && maskIp(addr, c.prefix) === c.base;
}
