import { ipow } from '../../base/int';
import { canonicalIp, formatIpv4, ipFamily, maskIp, parseCidr, parseIpv4 } from '../../base/ip';
import { parsePort, protocolName, protocolNumber } from '../args';
import { icmpTypeOf } from './icmp';
import { type Component, SET_TYPES, type SetMember, type SetRecord } from './types';
import { number, refused, syntax } from './words';

/** Most elements that one range may stand for. */
const MAX_RANGE = 65_536;

const unresolved = (text: string, family: 4 | 6): Error =>
  syntax(`cannot parse ${text}: resolving to IPv${family} address failed`);

/** An address of the set's family, spelled as the kernel spells it. */
function address(text: string, family: 4 | 6): string {
  if (ipFamily(text) !== family) throw unresolved(text, family);
  return family === 4 ? text : (canonicalIp(text) ?? text);
}

/** `IP/CIDR` with its prefix checked; undefined without a slash. */
function cidrOf(text: string, family: 4 | 6): { base: string; prefix: number } | undefined {
  const [ip = '', length] = text.split('/');
  if (length === undefined) return undefined;
  const prefix = number(length, 0, family === 4 ? 32 : 128);
  const base = maskIp(address(ip, family), prefix);
  return { base, prefix };
}

/** Both ends of `FROM-TO`; a dash also splits a host name, which is then no address. */
function rangeOf(text: string, family: 4 | 6): [number, number] | undefined {
  const [from = '', to] = text.split('-');
  if (to === undefined || family === 6) return undefined;
  const [a, b] = [parseIpv4(address(from, 4)) as number, parseIpv4(address(to, 4)) as number];
  return a <= b ? [a, b] : [b, a];
}

function expandIp(text: string, family: 4 | 6): string[] {
  const cidr = cidrOf(text, family);
  if (cidr && family === 4) {
    const low = parseIpv4(cidr.base) as number;
    const n = ipow(2, 32 - cidr.prefix);
    if (n > MAX_RANGE) throw refused('Hash is full, cannot add more elements');
    return Array.from({ length: n }, (_, i) => formatIpv4((low + i) >>> 0));
  }
  const range = rangeOf(text, family);
  if (range) {
    const [low, high] = range;
    if (high - low >= MAX_RANGE) throw refused('Hash is full, cannot add more elements');
    return Array.from({ length: high - low + 1 }, (_, i) => formatIpv4((low + i) >>> 0));
  }
  return [address(text, family)];
}

/** Networks that make up `IP[/CIDR]` or `FROM-TO` (hash_net_range_to_cidr). */
function expandNet(text: string, family: 4 | 6): string[] {
  const full = family === 4 ? 32 : 128;
  const spell = (base: string, prefix: number): string => (prefix === full ? base : `${base}/${prefix}`);
  const range = text.includes('/') ? undefined : rangeOf(text, family);
  if (!range) {
    const { base, prefix } = cidrOf(text, family) ?? { base: address(text, family), prefix: full };
    if (prefix === 0) throw refused('The value of the CIDR parameter of the IP address is invalid');
    return [spell(base, prefix)];
  }
  const out: string[] = [];
  let [at, last] = range;
  while (at <= last) {
    let prefix = 32;
    while (prefix > 1 && at % ipow(2, 33 - prefix) === 0 && at + ipow(2, 33 - prefix) - 1 <= last) prefix--;
    out.push(spell(formatIpv4(at), prefix));
    at += ipow(2, 32 - prefix);
  }
  return out;
}

/** A port by number or name; `proto` is the protocol's name for the complaint. */
export function portNumber(text: string, proto: string): number {
  try {
    return parsePort(text, protocolNumber(proto));
  } catch {
    const why = /^\d+$/.test(text) ? `'${text}' is out of range 0-65535` : `'${text}' is invalid as number`;
    throw syntax(`${why}\nSyntax error: '${proto}' is invalid as number\ncannot parse '${text}' as a ${proto} port`);
  }
}

function protoOf(text: string): number {
  try {
    return protocolNumber(text);
  } catch {
    throw syntax(`cannot parse '${text}' as a protocol`);
  }
}

function expandPort(text: string, plain: boolean): string[] {
  const colon = text.indexOf(':');
  const proto = colon < 0 ? 'tcp' : text.slice(0, colon).toLowerCase();
  const rest = text.slice(colon + 1);
  const num = protoOf(proto);
  if (num === 1 || num === 58) {
    const named = icmpTypeOf(rest, num);
    const [, type, code] = /^(\d+)\/(\d+)$/.exec(rest) ?? [];
    const value = named ?? (type === undefined ? undefined : Number(type) * 256 + Number(code));
    if (value === undefined) throw syntax(`cannot parse '${rest}' as an ICMP${num === 58 ? 'v6' : ''} type/code`);
    return [`${protocolName(num)}:${value}`];
  }
  if (num !== 6 && num !== 17 && num !== 132 && num !== 136) return [`${protocolName(num)}:${number(rest, 0, 0)}`];
  const [a = '', b] = rest.split('-');
  const low = portNumber(a, protocolName(num));
  const high = b === undefined ? low : portNumber(b, protocolName(num));
  const [from, to] = low <= high ? [low, high] : [high, low];
  return Array.from({ length: to - from + 1 }, (_, i) =>
    plain ? String(from + i) : `${protocolName(num)}:${from + i}`,
  );
}

function expandPart(text: string, c: Component, set: SetRecord): string[] {
  switch (c) {
    case 'ip': {
      const all = expandIp(text, set.family);
      return set.netmask === undefined ? all : [...new Set(all.map((a) => maskIp(a, set.netmask as number)))];
    }
    case 'net':
      return expandNet(text, set.family);
    case 'port':
      return expandPort(text, set.type === 'bitmap:port');
    case 'mark':
      return [`0x${number(text, 0, 4_294_967_295).toString(16).padStart(8, '0')}`];
    case 'mac':
      return [text.toUpperCase()];
    default:
      return [text];
  }
}

/** All members that one element's text stands for (ranges and networks expand). */
export function parseElement(text: string, set: SetRecord): SetMember[] {
  const comps = SET_TYPES[set.type] ?? [];
  const parts = text.split(',');
  if (parts.length < comps.length) {
    const word = ['', 'Second', 'Third'][parts.length] ?? 'Next';
    throw syntax(`${word} element is missing from ${text}.`);
  }
  if (parts.length > comps.length) {
    const [found, allowed] =
      comps.length === 1
        ? ['Elem separator', 'none']
        : comps.length === 2
          ? ['Two elem separators', 'one']
          : ['Three elem separators', 'two'];
    throw syntax(`${found} in ${text}, but settype ${set.type} supports ${allowed}.`);
  }
  let out: string[][] = [[]];
  comps.forEach((c, i) => {
    const options = expandPart(parts[i] as string, c, set);
    out = out.flatMap((head) => options.map((o) => [...head, o]));
  });
  if (set.range) for (const [only = ''] of out) checkRange(set, only);
  return out.map((p) => ({ parts: p }));
}

function checkRange(set: SetRecord, element: string): void {
  const place = (text: string): number => (set.type === 'bitmap:port' ? Number(text) : (parseIpv4(text) ?? -1));
  const [low, high] = (set.range as readonly [string, string]).map(place) as [number, number];
  const at = place(element);
  if (at < low || at > high) throw refused('Element is out of the range of the set');
}

/** Whether a set holds what `test` asks for: networks by what they contain, when a single address is asked. */
export function holds(set: SetRecord, asked: SetMember, nowUs: number): boolean {
  const comps = SET_TYPES[set.type] ?? [];
  return set.members.some((m) => {
    if (m.expiresAtUs !== undefined && m.expiresAtUs <= nowUs) return false;
    const all = m.parts.every((p, i) => {
      const q = asked.parts[i] as string;
      if (p === q || comps[i] !== 'net' || q.includes('/')) return p === q;
      const cidr = parseCidr(p);
      return cidr !== undefined && maskIp(q, cidr.prefix) === cidr.base;
    });
    return all && m.nomatch !== true;
  });
}

export const memberKey = (m: { readonly parts: readonly string[] }): string => m.parts.join(',');
