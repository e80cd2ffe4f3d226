import { formatIpv4, formatIpv6, type IpFamily, maskBits4, parseIpv4, parseIpv6 } from '../base/ip';
import { paramProblem } from './xt';

/** /etc/protocols, the part that rules meet (Debian 12). */
const PROTOCOLS: readonly (readonly [string, number])[] = [
  ['tcp', 6],
  ['udp', 17],
  ['udplite', 136],
  ['icmp', 1],
  ['ipv6-icmp', 58],
  ['icmpv6', 58],
  ['esp', 50],
  ['ah', 51],
  ['sctp', 132],
  ['mh', 135],
  ['ipv6-mh', 135],
  ['dccp', 33],
  ['gre', 47],
  ['igmp', 2],
  ['ipencap', 4],
  ['ipip', 94],
  ['ospf', 89],
  ['vrrp', 112],
  ['pim', 103],
  ['l2tp', 115],
  ['all', 0],
];

export function protocolNumber(text: string): number {
  const lower = text.toLowerCase();
  if (/^[0-9]+$/.test(lower)) {
    const n = Number(lower);
    if (n <= 255) return n;
  }
  const found = PROTOCOLS.find(([name]) => name === lower);
  if (!found) throw paramProblem(`unknown protocol "${lower}" specified`);
  return found[1];
}

export function protocolName(num: number, numeric = false): string {
  if (numeric) return String(num);
  if (num === 58) return 'ipv6-icmp';
  return PROTOCOLS.find(([, n]) => n === num)?.[0] ?? String(num);
}

/** /etc/services, the part that nodes meet: name, port, protocols. */
const SERVICES: readonly (readonly [string, number, string])[] = [
  ['echo', 7, 'tu'],
  ['discard', 9, 'tu'],
  ['daytime', 13, 'tu'],
  ['ftp-data', 20, 't'],
  ['ftp', 21, 't'],
  ['ssh', 22, 't'],
  ['telnet', 23, 't'],
  ['smtp', 25, 't'],
  ['time', 37, 'tu'],
  ['domain', 53, 'tu'],
  ['bootps', 67, 'u'],
  ['bootpc', 68, 'u'],
  ['tftp', 69, 'u'],
  ['http', 80, 't'],
  ['kerberos', 88, 'tu'],
  ['pop3', 110, 't'],
  ['sunrpc', 111, 'tu'],
  ['ntp', 123, 'u'],
  ['imap2', 143, 't'],
  ['snmp', 161, 'tu'],
  ['snmp-trap', 162, 'tu'],
  ['bgp', 179, 't'],
  ['ldap', 389, 'tu'],
  ['https', 443, 'tu'],
  ['microsoft-ds', 445, 'tu'],
  ['syslog', 514, 'u'],
  ['submission', 587, 't'],
  ['ldaps', 636, 'tu'],
  ['domain-s', 853, 'tu'],
  ['imaps', 993, 't'],
  ['pop3s', 995, 't'],
  ['socks', 1080, 't'],
  ['openvpn', 1194, 'tu'],
  ['ms-sql-s', 1433, 't'],
  ['radius', 1812, 'tu'],
  ['nfs', 2049, 'tu'],
  ['mysql', 3306, 't'],
  ['rsync', 873, 't'],
  ['svn', 3690, 't'],
  ['sip', 5060, 'tu'],
  ['sip-tls', 5061, 'tu'],
  ['mdns', 5353, 'u'],
  ['postgresql', 5432, 't'],
  ['amqp', 5672, 'tus'],
  ['x11', 6000, 't'],
  ['redis', 6379, 't'],
  ['http-alt', 8080, 'tu'],
  ['puppet', 8140, 't'],
  ['zabbix-agent', 10050, 't'],
  ['zabbix-trapper', 10051, 't'],
  ['amanda', 10080, 't'],
];
const PROTO_LETTER: Readonly<Record<number, string>> = { 6: 't', 17: 'u', 132: 's' };

export function serviceName(port: number, proto: number): string | undefined {
  const letter = PROTO_LETTER[proto];
  return SERVICES.find(([, p, protos]) => p === port && (letter === undefined || protos.includes(letter)))?.[0];
}

export const portText = (port: number, proto: number, numeric: boolean): string =>
  (numeric ? undefined : serviceName(port, proto)) ?? String(port);

/** xtables_parse_port: a number 0..65535 or a service name. */
export function parsePort(text: string, proto: number | undefined): number {
  if (/^(0x[0-9a-fA-F]+|[0-9]+)$/.test(text)) {
    const n = Number(text);
    if (n <= 65535) return n;
    throw paramProblem(`invalid port/service \`${text}' specified`);
  }
  const letter = proto === undefined ? undefined : PROTO_LETTER[proto];
  const found = SERVICES.find(([name, , protos]) => name === text && (letter === undefined || protos.includes(letter)));
  if (!found) throw paramProblem(`invalid port/service \`${text}' specified`);
  return found[1];
}

/** `a:b`, `a:`, `:b` or one port. */
export function parsePortRange(text: string, proto: number | undefined): [number, number] {
  const colon = text.indexOf(':');
  if (colon < 0) {
    const p = parsePort(text, proto);
    return [p, p];
  }
  const lo = colon === 0 ? 0 : parsePort(text.slice(0, colon), proto);
  const hi = colon === text.length - 1 ? 65535 : parsePort(text.slice(colon + 1), proto);
  if (lo > hi) throw paramProblem('invalid portrange (min > max)');
  return [lo, hi];
}

/** xtables_strtoui: decimal, 0x hex or 0 octal, within bounds; undefined otherwise. */
export function parseUint(text: string, min: number, max: number): number | undefined {
  let n: number;
  if (/^0[xX][0-9a-fA-F]+$/.test(text)) n = Number.parseInt(text.slice(2), 16);
  else if (/^0[0-7]+$/.test(text)) n = Number.parseInt(text, 8);
  else if (/^[0-9]+$/.test(text)) n = Number(text);
  else return undefined;
  return n >= min && n <= max ? n : undefined;
}

export const hex = (n: number): string => `0x${(n >>> 0).toString(16)}`;

/** -s/-d value: address with prefix, dotted mask or none. `hosts` resolves names. */
export function parseAddrMask(
  text: string,
  family: IpFamily,
  hosts?: (name: string) => string | undefined,
): { addr: string; mask: string } {
  const slash = text.lastIndexOf('/');
  const head = slash < 0 ? text : text.slice(0, slash);
  const tail = slash < 0 ? undefined : text.slice(slash + 1);
  const bad = (): never => {
    throw paramProblem(`host/network \`${head}' not found`);
  };
  if (family === 4) {
    // Short forms such as `10` or `10.1/16` fill with zeros, as inet_aton-like xtables_numeric_to_ipaddr users see it.
    const resolved = parseIpv4(head) ?? (/[a-zA-Z]/.test(head) ? parseIpv4(hosts?.(head) ?? '') : undefined);
    const bits = resolved ?? bad();
    let mask = 0xffffffff;
    if (tail !== undefined) {
      const dotted = parseIpv4(tail);
      const n = /^[0-9]+$/.test(tail) ? Number(tail) : Number.NaN;
      if (dotted !== undefined) mask = dotted;
      else if (n >= 0 && n <= 32) mask = maskBits4(n);
      else throw paramProblem(`invalid mask \`${tail}' specified`);
    }
    return { addr: formatIpv4((bits & mask) >>> 0), mask: formatIpv4(mask >>> 0) };
  }
  const groups = parseIpv6(head) ?? bad();
  let mask = new Array<number>(8).fill(0xffff);
  if (tail !== undefined) {
    const n = /^[0-9]+$/.test(tail) ? Number(tail) : Number.NaN;
    const long = parseIpv6(tail);
    if (long) mask = long;
    else if (n >= 0 && n <= 128) {
      mask = mask.map((_, i) => (0xffff << (16 - Math.max(0, Math.min(16, n - i * 16)))) & 0xffff);
    } else throw paramProblem(`invalid mask \`${tail}' specified`);
  }
  return { addr: formatIpv6(groups.map((g, i) => g & (mask[i] as number))), mask: formatIpv6(mask) };
}

/** Prefix length of a mask, or undefined when its bits are not contiguous. */
export function prefixOf(mask: string): number | undefined {
  const v4 = parseIpv4(mask);
  if (v4 !== undefined) {
    for (let n = 0; n <= 32; n++) if (maskBits4(n) === v4) return n;
    return undefined;
  }
  const bits = (parseIpv6(mask) ?? []).map((g) => g.toString(2).padStart(16, '0')).join('');
  return /^1*0*$/.test(bits) ? bits.lastIndexOf('1') + 1 : undefined;
}

/** `addr/prefix` as -S prints it: always with the mask. */
export function saveAddr(addr: string, mask: string): string {
  const prefix = prefixOf(mask);
  return prefix === undefined ? `${addr}/${mask}` : `${addr}/${prefix}`;
}

/** As -L -n prints it: full length without mask. */
export function listAddr(addr: string, mask: string): string {
  const prefix = prefixOf(mask);
  const full = mask.includes(':') ? 128 : 32;
  return prefix === full ? addr : prefix === undefined ? `${addr}/${mask}` : `${addr}/${prefix}`;
}

/** xtables_save_string: quoted where it holds anything but plain characters. */
export function saveString(text: string): string {
  if (/^[A-Za-z0-9_-]+$/.test(text)) return text;
  return `"${text.replace(/[\\"']/g, (c) => `\\${c}`)}"`;
}
