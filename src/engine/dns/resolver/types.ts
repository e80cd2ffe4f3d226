import type { Os } from '../os';

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

/** Whether there is a route and a source address towards a destination: what connecting a datagram socket tells. */
function reachable(sys: Os, a: Addr): boolean {
  const fd = sys.socket('udp');
  const r = sys.connect(fd, { ip: a.ip, port: 9 });
  sys.close(fd);
  return r.ok;
}

/** RFC 6724 with what matters to a pod: usable first, loopback of IPv6 before IPv4, IPv6 before IPv4, else as they came. */
export function sortAddrs(addrs: readonly Addr[], sys: Os): Addr[] {
  if (addrs.every((a) => a.family === addrs[0]?.family)) return [...addrs];
  const rank = (a: Addr): number => {
    if (!reachable(sys, a)) return 2 + (a.family === 4 ? 0 : 1);
    return a.family === 6 ? 0 : 1;
  };
  return addrs
    .map((a, i) => ({ a, i, r: rank(a) }))
    .sort((x, y) => x.r - y.r || x.i - y.i)
    .map((x) => x.a);
}
