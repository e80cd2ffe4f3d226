import { ipBits, ipFamily, parseIpv4, parseIpv6 } from '../../base/ip';
import { fqdn, isDomainName } from '../names';
import { CorefileError } from './corefile';

/** Default ports by transport (plugin/pkg/transport). */
export const TRANSPORT_PORTS: Readonly<Record<string, number>> = {
  dns: 53,
  tls: 853,
  quic: 853,
  grpc: 443,
  https: 443,
  https3: 443,
};

/** `tls://host` → transport and the rest; plain text is dns. */
export function splitTransport(s: string): { transport: string; host: string } {
  const m = /^([a-z0-9]+):\/\/(.*)$/.exec(s);
  return m && TRANSPORT_PORTS[m[1] as string] !== undefined
    ? { transport: m[1] as string, host: m[2] as string }
    : { transport: 'dns', host: s };
}

/** Zone names and port of a server block's address; networks become reverse zones (plugin.SplitHostPort). */
export function splitHostPort(text: string): { hosts: string[]; port: string } {
  let s = text;
  let port = '';
  const colon = s.lastIndexOf(':');
  if (s !== '' && colon === s.length - 1)
    throw new CorefileError(`expecting data after last colon: ${JSON.stringify(s)}`);
  if (colon !== -1 && /^[0-9]+$/.test(s.slice(colon + 1))) {
    port = String(Number(s.slice(colon + 1)));
    s = s.slice(0, colon);
  }
  if (s.length > 255) throw new CorefileError(`specified zone is too long: ${s.length} > 255`);
  if (!isDomainName(s)) throw new CorefileError(`zone is not a valid domain name: ${s}`);
  return { hosts: reverseZones(s) ?? [s], port };
}

/** Reverse zones that cover a network: whole octets or nibbles, several when the mask is in between. */
function reverseZones(cidr: string): string[] | undefined {
  const m = /^([^/]+)\/([0-9]+)$/.exec(cidr);
  if (!m) return undefined;
  const family = ipFamily(m[1] as string);
  const bits = Number(m[2]);
  if (!family || bits > (family === 4 ? 32 : 128)) return undefined;
  const width = family === 4 ? 8 : 4;
  const total = family === 4 ? 32 : 128;
  const upTo = Math.min(total, Math.ceil(Math.max(bits, 1) / width) * width);
  const base = ((ipBits(m[1] as string) as bigint) >> BigInt(total - bits)) << BigInt(total - bits);
  const out: string[] = [];
  for (let i = 0n; i < 1n << BigInt(upTo - bits); i++) {
    const addr = base + (i << BigInt(total - upTo));
    out.push(bits === 0 ? (family === 4 ? 'in-addr.arpa.' : 'ip6.arpa.') : zoneOf(addr, family, upTo / width));
    if (bits === 0) break;
  }
  return out;
}

function zoneOf(addr: bigint, family: 4 | 6, labels: number): string {
  if (family === 4) {
    const octets = [24n, 16n, 8n, 0n].map((s) => Number((addr >> s) & 255n));
    return `${octets.slice(0, labels).reverse().join('.')}.in-addr.arpa.`;
  }
  const hex = addr.toString(16).padStart(32, '0');
  return `${[...hex.slice(0, labels)].reverse().join('.')}.ip6.arpa.`;
}

/** Lower-case, fully qualified. */
export const normalName = (name: string): string => fqdn(name).toLowerCase();

/** Normal zone names of one argument; none when it is no name. */
export function normalHosts(arg: string): string[] {
  try {
    return splitHostPort(splitTransport(arg).host).hosts.map(normalName);
  } catch (e) {
    if (e instanceof CorefileError) return [];
    throw e;
  }
}

/** Zones a plugin serves: its arguments, else the server block's own (OriginsFromArgsOrServerBlock). */
export function origins(args: readonly string[], blockKeys: readonly string[]): string[] {
  if (args.length > 0) return args.flatMap(normalHosts);
  return blockKeys.map((k) => normalHosts(k)[0] ?? k);
}

/** `fallthrough [zones]`: true when the query's name lies in one of them. */
export function fallZones(args: readonly string[]): string[] {
  return args.length === 0 ? ['.'] : args.flatMap(normalHosts);
}

/** An address out of a reverse name, or '' (dnsutil.ExtractAddressFromReverse). */
export function addressFromReverse(name: string): string {
  if (name.endsWith('.in-addr.arpa.')) {
    const ip = name.slice(0, -'.in-addr.arpa.'.length).split('.').reverse().join('.');
    return parseIpv4(ip) === undefined ? '' : ip;
  }
  if (!name.endsWith('.ip6.arpa.')) return '';
  const nibbles = name.slice(0, -'.ip6.arpa.'.length).split('.').reverse();
  const groups: string[] = [];
  for (let i = 0; i + 4 <= nibbles.length; i += 4) groups.push(nibbles.slice(i, i + 4).join(''));
  const v6 = parseIpv6(groups.join(':'));
  return v6 ? compactIpv6(v6) : '';
}

/** Go's net.IP.String of an IPv6 address: RFC 5952, mapped addresses as IPv4. */
export function compactIpv6(groups: readonly number[]): string {
  let best = -1;
  let len = 1;
  for (let i = 0; i < 8; ) {
    let j = i;
    while (j < 8 && groups[j] === 0) j++;
    if (j - i > len) {
      best = i;
      len = j - i;
    }
    i = j === i ? i + 1 : j;
  }
  const hex = (p: readonly number[]): string => p.map((g) => g.toString(16)).join(':');
  return best < 0 ? hex(groups) : `${hex(groups.slice(0, best))}::${hex(groups.slice(best + len))}`;
}

export const isReverse = (name: string): boolean => name.endsWith('.in-addr.arpa.') || name.endsWith('.ip6.arpa.');
