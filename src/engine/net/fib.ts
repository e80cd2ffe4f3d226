import { ipow } from '../base/int';
import { type IpAddr, ipFamily, maskIp, parseIpv4 } from '../base/ip';
import type { RecordMap, World } from '../base/recordmap';
import { DEVS, ROUTES, type RouteRecord } from './records';
import type { DevId, NetDevice, NetnsId } from './types';

/** Routes of one table by prefix length, longest first. */
interface Trie {
  readonly lengths: readonly number[];
  readonly byPrefix: ReadonlyMap<string, readonly RouteRecord[]>;
}
interface Tables {
  readonly version: string;
  readonly local: Trie;
  readonly main: Trie;
}

export const routeKey = (r: RouteRecord): string => `${r.netns}|${r.dst}/${r.prefix}|${r.metric}|${r.dev ?? ''}`;

/** fib_add_ifaddr's part in the local table: the address, its broadcast address, and the loopback network. */
export function localRoutes(devs: readonly NetDevice[], netns: NetnsId): RouteRecord[] {
  const out: RouteRecord[] = [];
  for (const d of [...devs].sort((a, b) => a.ifindex - b.ifindex)) {
    for (const a of d.addrs) {
      const fam4 = ipFamily(a.ip) === 4;
      const add = (kind: RouteRecord['kind'], dst: IpAddr, prefix: number): void => {
        out.push({
          netns,
          table: 'local',
          dst,
          prefix,
          kind,
          dev: d.id,
          metric: 0,
          prefsrc: a.ip,
          scope: kind === 'broadcast' ? 'link' : 'host',
          proto: 'kernel',
          ord: out.length,
        });
      };
      add('local', a.ip, fam4 ? 32 : 128);
      if (!fam4 || !d.up) continue;
      if (d.kind === 'lo' && a.prefix < 32) add('local', maskIp(a.ip, a.prefix), a.prefix);
      if (a.prefix < 31) add('broadcast', broadcastOf(a.ip, a.prefix), 32);
    }
  }
  return out;
}

function broadcastOf(ip: IpAddr, prefix: number): IpAddr {
  const base = parseIpv4(maskIp(ip, prefix)) ?? 0;
  const bits = base + ipow(2, 32 - prefix) - 1;
  return `${(bits >>> 24) & 255}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}`;
}

/** Forwarding tables: local first, then main (net/ipv4/fib_trie.c, fib_frontend.c). */
export class Fib {
  private readonly routes: RecordMap<RouteRecord>;
  private readonly devs: RecordMap<NetDevice>;
  private readonly cache = new Map<NetnsId, Tables>();

  constructor(world: World) {
    this.routes = world.map(ROUTES);
    this.devs = world.map(DEVS);
  }

  private tables(netns: NetnsId): Tables {
    const version = `${this.routes.version}/${this.devs.version}`;
    const have = this.cache.get(netns);
    if (have?.version === version) return have;
    const devs = this.devs.by('netns', netns).map((k) => this.devs.get(k) as NetDevice);
    const main = this.routes.by('netns', netns).map((k) => this.routes.get(k) as RouteRecord);
    const made = { version, local: trie(localRoutes(devs, netns)), main: trie(main) };
    this.cache.set(netns, made);
    return made;
  }

  /** fib_lookup: the most specific entry, or undefined. `oif` restricts to one device. */
  lookup(netns: NetnsId, dst: IpAddr, oif?: DevId): RouteRecord | undefined {
    const t = this.tables(netns);
    return search(t.local, dst, oif) ?? search(t.main, dst, oif);
  }

  lookupLocal(netns: NetnsId, dst: IpAddr, oif?: DevId): RouteRecord | undefined {
    return search(this.tables(netns).local, dst, oif);
  }
}

function trie(list: readonly RouteRecord[]): Trie {
  const byPrefix = new Map<string, RouteRecord[]>();
  const lengths = new Set<number>();
  for (const r of [...list].sort((a, b) => a.metric - b.metric || a.ord - b.ord)) {
    lengths.add(r.prefix);
    const key = `${r.dst}/${r.prefix}`;
    const at = byPrefix.get(key);
    if (at) at.push(r);
    else byPrefix.set(key, [r]);
  }
  return { lengths: [...lengths].sort((a, b) => b - a), byPrefix };
}

function search(t: Trie, dst: IpAddr, oif: DevId | undefined): RouteRecord | undefined {
  const family = ipFamily(dst);
  for (const len of t.lengths) {
    if (family === 4 && len > 32) continue;
    const list = t.byPrefix.get(`${maskIp(dst, len)}/${len}`);
    if (!list) continue;
    for (const r of list) if (oif === undefined || r.dev === undefined || r.dev === oif) return r;
  }
  return undefined;
}
