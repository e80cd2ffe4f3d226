import { ipow } from '../../base/int';
import { formatIpv4, ipFamily, maskIp, parseCidr, parseIpv4 } from '../../base/ip';
import { parsePort, protocolName, protocolNumber } from '../args';
import { XtError } from '../xt';
import { type Component, SET_TYPES, type SetMember, type SetRecord } from './types';

const bad = (message: string): XtError => new XtError(message, 1, 'plain');

/** Most elements that one range may stand for. */
const MAX_RANGE = 65536;

function expandIp(text: string, family: 4 | 6): string[] {
  const dash = /^([^-]+)-([^-]+)$/.exec(text);
  if (family === 4 && dash) {
    const lo = parseIpv4(dash[1] as string);
    const hi = parseIpv4(dash[2] as string);
    if (lo === undefined || hi === undefined || hi < lo || hi - lo >= MAX_RANGE)
      throw bad(`Syntax error: cannot parse ${text}: resolving to IPv4 address failed`);
    return Array.from({ length: hi - lo + 1 }, (_, i) => formatIpv4((lo + i) >>> 0));
  }
  const cidr = family === 4 && text.includes('/') ? parseCidr(text) : undefined;
  if (cidr) {
    const lo = parseIpv4(cidr.base) as number;
    const n = ipow(2, 32 - cidr.prefix);
    if (n > MAX_RANGE) throw bad('Hash is full, cannot add more elements');
    return Array.from({ length: n }, (_, i) => formatIpv4((lo + i) >>> 0));
  }
  if (ipFamily(text) !== family)
    throw bad(`Syntax error: cannot parse ${text}: resolving to IPv${family} address failed`);
  return [text];
}

function expandPort(text: string, plain: boolean): string[] {
  let proto = 'tcp';
  let rest = text;
  const colon = text.indexOf(':');
  if (colon >= 0) {
    proto = text.slice(0, colon).toLowerCase();
    rest = text.slice(colon + 1);
  }
  const num = protocolNumber(proto);
  const [a = '', b] = rest.split('-');
  const one = (t: string): number => {
    try {
      return parsePort(t, num);
    } catch {
      throw bad(`Syntax error: '${t}' is invalid as number`);
    }
  };
  const lo = one(a);
  const hi = b === undefined ? lo : one(b);
  return Array.from({ length: Math.max(0, hi - lo + 1) }, (_, i) =>
    plain ? String(lo + i) : `${protocolName(num)}:${lo + i}`,
  );
}

function expandPart(text: string, c: Component, set: SetRecord): string[] {
  switch (c) {
    case 'ip': {
      const all = expandIp(text, set.family);
      return set.netmask === undefined ? all : [...new Set(all.map((a) => maskIp(a, set.netmask as number)))];
    }
    case 'net': {
      const cidr = parseCidr(text);
      if (!cidr || cidr.family !== set.family) {
        throw bad(`Syntax error: cannot parse ${text}: resolving to IPv${set.family} address failed`);
      }
      if (cidr.prefix === 0) throw bad('The value of the CIDR parameter of the IP address is invalid');
      const full = set.family === 4 ? 32 : 128;
      return [cidr.prefix === full ? cidr.base : `${cidr.base}/${cidr.prefix}`];
    }
    case 'port':
      return expandPort(text, set.type === 'bitmap:port');
    case 'mark':
      return [`0x${Number(text).toString(16).padStart(8, '0')}`];
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
    throw bad(`Syntax error: ${word} element is missing from ${text}.`);
  }
  if (parts.length > comps.length)
    throw bad(`Syntax error: Elem separator in ${text}, but settype ${set.type} supports none.`);
  let out: string[][] = [[]];
  comps.forEach((c, i) => {
    const options = expandPart(parts[i] as string, c, set);
    out = out.flatMap((head) => options.map((o) => [...head, o]));
  });
  return out.map((p) => ({ parts: p }));
}

export const memberKey = (m: { readonly parts: readonly string[] }): string => m.parts.join(',');
