import { ipFamily, parseIpv6 } from '../../../base/ip';
import type { RR } from '../../message';
import { fqdn } from '../../names';

/** What the backend found for a name; a host is an address or another name (etcd/msg.Service). */
export interface Found {
  readonly host: string;
  /** -1: no port declared. */
  readonly port: number;
  readonly ttl: number;
  /** Name under which it was found, without the final dot. */
  readonly key: string;
  readonly text?: string;
}

export type HostType = 'A' | 'AAAA' | 'CNAME' | 'TXT';

export function hostType(f: Found): HostType {
  const family = ipFamily(f.host);
  if (family === undefined) return f.text ? 'TXT' : 'CNAME';
  if (family === 4) return 'A';
  const g = parseIpv6(f.host) as number[];
  return g[5] === 0xffff && g.slice(0, 5).every((x) => x === 0) ? 'A' : 'AAAA';
}

export const addressRR = (name: string, ttl: number, ip: string, type: 'A' | 'AAAA'): RR => ({
  name,
  ttl,
  class: 'IN',
  type,
  rdata: ip,
});
export const cnameRR = (name: string, f: Found): RR => ({
  name,
  ttl: f.ttl,
  class: 'IN',
  type: 'CNAME',
  rdata: fqdn(f.host),
});
export const srvRR = (name: string, ttl: number, weight: number, port: number, target: string): RR => ({
  name,
  ttl,
  class: 'IN',
  type: 'SRV',
  rdata: `0 ${weight} ${port & 0xffff} ${fqdn(target)}`,
});
export const ptrRR = (name: string, ttl: number, target: string): RR => ({
  name,
  ttl,
  class: 'IN',
  type: 'PTR',
  rdata: fqdn(target),
});
export const txtRR = (name: string, ttl: number, text: string): RR => ({
  name,
  ttl,
  class: 'IN',
  type: 'TXT',
  rdata: JSON.stringify(text),
});
export const nsRR = (name: string, ttl: number, target: string): RR => ({
  name,
  ttl,
  class: 'IN',
  type: 'NS',
  rdata: fqdn(target),
});

/** Share of each of `n` equal services in per cent (RFC 2782 weight as plugin.SRV computes it), at least 1. */
export function srvWeight(n: number): number {
  return Math.max(1, Math.floor((100 / (n * 100)) * 100));
}
