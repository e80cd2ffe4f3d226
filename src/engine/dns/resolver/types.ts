import { parseIpv6 } from '../../base/ip';

/** One address that a stub resolver found. */
export interface Addr {
  readonly family: 4 | 6;
  readonly ip: string;
}

export type Family = 'unspec' | 'inet' | 'inet6';

/** getaddrinfo's result: addresses in the order in which a program gets them, or the EAI_ code. */
export type GaiResult =
  | { readonly ok: true; readonly addrs: readonly Addr[]; readonly canon: string }
  | { readonly ok: false; readonly code: number };

/** netdb.h */
export const EAI = { NONAME: -2, AGAIN: -3, FAIL: -4, NODATA: -5, SYSTEM: -11 } as const;

/** Ways in which the addresses of a host can be reached, for sorting (RFC 6724 rule 1). */
export interface SortEnv {
  /** True when there is a route (and a source address) towards the destination. */
  reachable(a: Addr): boolean;
}

/** RFC 6724 with what matters to a pod: usable first, loopback of IPv6 before IPv4, IPv6 before IPv4, else as they came. */
export function sortAddrs(addrs: readonly Addr[], env: SortEnv): Addr[] {
  const rank = (a: Addr): number => {
    if (!env.reachable(a)) return 2 + (a.family === 4 ? 0 : 1);
    return a.family === 6 ? 0 : 1;
  };
  return addrs
    .map((a, i) => ({ a, i, r: rank(a) }))
    .sort((x, y) => x.r - y.r || x.i - y.i)
    .map((x) => x.a);
}

/** IPv6 loopback in any spelling. */
export function isLoopback6(ip: string): boolean {
  const g = parseIpv6(ip);
  return g?.every((x, i) => x === (i === 7 ? 1 : 0)) ?? false;
}
