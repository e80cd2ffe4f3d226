import { cidrContains, type IpAddr, ipFamily, parseIpv4 } from '../base/ip';
import type { RecordMap } from '../base/recordmap';
import { type Fib, routeKey } from './fib';
import type { Links } from './links';
import { devId, devName, type RouteRecord } from './records';
import type { Sysctls } from './sysctl';
import type { DevId, DropReason, NetDevice, NetnsId, Packet, Route } from './types';

/** What ip_route_input decided about a received packet. */
export type InputDecision =
  | { readonly kind: 'local'; readonly route: Route }
  | { readonly kind: 'forward'; readonly route: Route; readonly redirect: boolean }
  /** Silent end before any further hook. */
  | { readonly kind: 'drop'; readonly reason: DropReason }
  /** ip_error: an ICMP unreachable with this code goes back. */
  | { readonly kind: 'error'; readonly code: number; readonly route: Route; readonly reason: DropReason };

export type OutputDecision =
  | { readonly ok: true; readonly route: Route; readonly src: IpAddr }
  | { readonly ok: false; readonly errno: string; readonly route: Route };

const isLoopback = (ip: IpAddr): boolean => ip.startsWith('127.');
const isZeronet = (ip: IpAddr): boolean => ip.startsWith('0.');
export const isMulticast = (ip: IpAddr): boolean => {
  const v = parseIpv4(ip);
  return v === undefined ? ip.startsWith('ff') : v >>> 28 === 14;
};
const isLimitedBroadcast = (ip: IpAddr): boolean => ip === '255.255.255.255';

/** Errno of route types that lead nowhere (fib_props, net/ipv4/fib_semantics.c). */
const KIND_ERRNO: Readonly<Partial<Record<Route['kind'], string>>> = {
  blackhole: 'EINVAL',
  unreachable: 'EHOSTUNREACH',
  prohibit: 'EACCES',
};
const NO_ROUTE: Route = Object.freeze({ kind: 'unreachable', errno: 'ENETUNREACH' });

/** Routing decisions over the FIB (net/ipv4/route.c). */
export class Routing {
  constructor(
    private readonly fib: Fib,
    private readonly links: Links,
    private readonly sysctls: Sysctls,
  ) {}

  private get devs(): RecordMap<NetDevice> {
    return this.links.devs;
  }

  private toRoute(r: RouteRecord, dst: IpAddr): Route {
    const errno = KIND_ERRNO[r.kind];
    const key = r.table === 'local' ? `${r.netns}|local|${r.dst}/${r.prefix}` : routeKey(r);
    return {
      kind: r.kind,
      ...(r.dev === undefined ? {} : { oif: r.kind === 'local' ? devId(r.netns, 'lo') : r.dev }),
      ...(r.via === undefined ? {} : { via: r.via }),
      ...prefsrc(this.prefsrc(r, dst)),
      routeKey: key,
      ...(errno === undefined ? {} : { errno }),
    };
  }

  /** fib_result_prefsrc. */
  private prefsrc(r: RouteRecord, dst: IpAddr): IpAddr | undefined {
    if (r.prefsrc !== undefined) return r.prefsrc;
    return r.dev === undefined ? undefined : this.selectAddr(r.netns, r.dev, r.via ?? dst);
  }

  /** Lookup without side effects, as `ip route get` and `fib` matches see it. */
  lookup(netns: NetnsId, key: { dst: IpAddr; src?: IpAddr; oif?: DevId; iif?: DevId; mark?: number }): Route {
    if (isMulticast(key.dst) && ipFamily(key.dst) === 4) {
      const r = this.fib.lookup(netns, key.dst, key.oif);
      return { ...(r ? this.toRoute(r, key.dst) : { oif: key.oif ?? devId(netns, 'lo') }), kind: 'multicast' };
    }
    if (isLimitedBroadcast(key.dst)) {
      const oif = key.oif ?? this.links.devices(netns).find((d) => d.up && d.kind !== 'lo')?.id;
      return oif === undefined ? NO_ROUTE : { kind: 'broadcast', oif };
    }
    const r = this.fib.lookup(netns, key.dst, key.oif);
    return r ? this.toRoute(r, key.dst) : NO_ROUTE;
  }

  /** inet_select_addr(dev, dst, RT_SCOPE_UNIVERSE): an address of `dev`, preferring one of `dst`'s network, else of any device. */
  selectAddr(netns: NetnsId, dev: DevId | undefined, dst: IpAddr): IpAddr | undefined {
    const family = ipFamily(dst) ?? 4;
    const usable = (d: NetDevice | undefined): readonly NetDevice['addrs'][number][] =>
      (d?.addrs ?? []).filter((a) => (a.scope ?? 'global') === 'global' && ipFamily(a.ip) === family);
    const own = dev === undefined ? [] : usable(this.devs.get(dev));
    const near = own.find((a) => cidrContains({ base: maskedBase(a.ip, a.prefix), prefix: a.prefix, family }, dst));
    if (near) return near.ip;
    if (own[0]) return own[0].ip;
    for (const d of this.links.devices(netns)) {
      const a = usable(d)[0];
      if (a) return a.ip;
    }
    return undefined;
  }

  primaryAddress(dev: DevId): IpAddr | undefined {
    return this.devs.get(dev)?.addrs[0]?.ip;
  }

  /** inet_dev_addr_type: by the local table only. */
  addrType(netns: NetnsId, addr: IpAddr, dev?: DevId): string {
    if (isLimitedBroadcast(addr) || isZeronet(addr)) return 'BROADCAST';
    if (isMulticast(addr)) return 'MULTICAST';
    const r = this.fib.lookupLocal(netns, addr);
    if (!r) return 'UNICAST';
    return dev === undefined || r.dev === dev ? r.kind.toUpperCase() : 'UNICAST';
  }

  isLocalAddress(netns: NetnsId, addr: IpAddr): boolean {
    return this.fib.lookupLocal(netns, addr)?.kind === 'local';
  }

  /** ip_route_input_slow. */
  input(netns: NetnsId, packet: Packet, iif: DevId): InputDecision {
    const { src, dst } = packet.ip;
    const dev = devName(iif);
    if (packet.ip.family === 6) return this.input6(netns, dst, dev);
    if (isMulticast(src) || isLimitedBroadcast(src)) return { kind: 'drop', reason: 'martian-source' };
    if (isLimitedBroadcast(dst) || (isZeronet(src) && isZeronet(dst))) {
      return { kind: 'local', route: { kind: 'broadcast', oif: iif } };
    }
    if (isZeronet(src)) return { kind: 'drop', reason: 'martian-source' };
    if (isZeronet(dst)) return { kind: 'drop', reason: 'martian-destination' };
    const localnet = (): boolean => this.sysctls.orConf(netns, dev, 'route_localnet');
    if (isLoopback(dst)) {
      if (!localnet()) return { kind: 'drop', reason: 'martian-destination' };
    } else if (isLoopback(src) && !localnet()) return { kind: 'drop', reason: 'martian-source' };

    const forwarding = this.forwards(netns, dev);
    const r = this.fib.lookup(netns, dst);
    if (!r || KIND_ERRNO[r.kind] !== undefined) {
      const route = r ? this.toRoute(r, dst) : NO_ROUTE;
      return noRoute(route, forwarding);
    }
    if (r.kind === 'broadcast' || r.kind === 'multicast') {
      return { kind: 'local', route: this.toRoute(r, dst) };
    }
    if (r.kind === 'local') {
      const bad = this.validateSource(netns, src, iif, undefined).drop;
      return bad ? { kind: 'drop', reason: bad } : { kind: 'local', route: this.toRoute(r, dst) };
    }
    if (!forwarding) return noRoute({ ...NO_ROUTE, errno: 'EHOSTUNREACH' }, false);
    const source = this.validateSource(netns, src, iif, r.dev);
    if (source.drop) return { kind: 'drop', reason: source.drop };
    const redirect =
      source.onLink && r.dev === iif && this.sysctls.orConf(netns, dev, 'send_redirects') && packet.ip.family === 4;
    return { kind: 'forward', route: this.toRoute(r, dst), redirect };
  }

  private input6(netns: NetnsId, dst: IpAddr, dev: string): InputDecision {
    const r = this.fib.lookup(netns, dst);
    if (!r) return noRoute(NO_ROUTE, this.forwards(netns, dev));
    if (r.kind === 'local') return { kind: 'local', route: this.toRoute(r, dst) };
    if (!this.forwards(netns, dev)) return noRoute(NO_ROUTE, false);
    return { kind: 'forward', route: this.toRoute(r, dst), redirect: false };
  }

  private forwards(netns: NetnsId, dev: string): boolean {
    return this.sysctls.int(netns, `net.ipv4.conf.${dev}.forwarding`) !== 0;
  }

  /** fib_validate_source: rp_filter, own addresses as sources; `onLink` is the direct-neighbour hint for redirects. */
  private validateSource(
    netns: NetnsId,
    src: IpAddr,
    iif: DevId,
    oif: DevId | undefined,
  ): { drop?: DropReason; onLink: boolean } {
    const dev = devName(iif);
    const rpf = this.sysctls.maxConf(netns, dev, 'rp_filter');
    const acceptLocal = this.sysctls.orConf(netns, dev, 'accept_local');
    const wantsRedirect = iif === oif && this.sysctls.orConf(netns, dev, 'send_redirects');
    if (rpf === 0 && !wantsRedirect) {
      if (!acceptLocal && this.isOwn(netns, src)) return { drop: 'martian-source', onLink: false };
      return { onLink: false };
    }
    const r = this.fib.lookup(netns, src);
    if (!r || KIND_ERRNO[r.kind] !== undefined)
      return rpf === 0 ? { onLink: false } : { drop: 'rp-filter', onLink: false };
    if (r.kind !== 'unicast' && !(r.kind === 'local' && acceptLocal)) return { drop: 'martian-source', onLink: false };
    if (r.dev === iif) return { onLink: r.via === undefined };
    if (rpf === 1) return { drop: 'rp-filter', onLink: false };
    return { onLink: false };
  }

  /** inet_lookup_ifaddr: exactly an address of this namespace. */
  private isOwn(netns: NetnsId, ip: IpAddr): boolean {
    return this.devs.by('ip', ip).some((k) => this.devs.get(k)?.netns === netns);
  }

  /** ip_route_output_key. `anySource`: FLOWI_FLAG_ANYSRC (raw sockets with their own header, re-routing). */
  output(
    netns: NetnsId,
    key: { dst: IpAddr; src?: IpAddr; oif?: DevId; mark?: number; anySource?: boolean },
  ): OutputDecision {
    const none = (errno: string, route: Route = { ...NO_ROUTE, errno }): OutputDecision => ({
      ok: false,
      errno,
      route,
    });
    if (key.src !== undefined && ipFamily(key.src) === 4) {
      if (isMulticast(key.src) || isLimitedBroadcast(key.src) || isZeronet(key.src)) return none('EINVAL');
      if (!key.anySource && !this.isLocalAddress(netns, key.src)) return none('EINVAL');
    }
    const route = this.lookup(netns, key);
    if (route.errno !== undefined) return none(route.errno, route);
    if (route.kind === 'local') {
      const src = key.src ?? route.prefsrc ?? key.dst;
      return { ok: true, route, src };
    }
    const out = route.oif === undefined ? undefined : this.devs.get(route.oif);
    if (!out) return none('ENETUNREACH');
    const src = key.src ?? route.prefsrc ?? this.selectAddr(netns, route.oif, key.dst);
    if (src === undefined) return none(ipFamily(key.dst) === 4 ? 'ENETUNREACH' : 'EADDRNOTAVAIL');
    // __mkroute_output: loopback sources must not leave by a real device.
    if (isLoopback(src) && out.kind !== 'lo' && !this.sysctls.orConf(netns, out.name, 'route_localnet')) {
      return none('EINVAL');
    }
    return { ok: true, route, src };
  }
}

const maskedBase = (ip: IpAddr, prefix: number): IpAddr => {
  const v = parseIpv4(ip);
  if (v === undefined) return ip;
  const m = prefix === 0 ? 0 : (0xffffffff << (32 - prefix)) >>> 0;
  const b = (v & m) >>> 0;
  return `${b >>> 24}.${(b >>> 16) & 255}.${(b >>> 8) & 255}.${b & 255}`;
};

const prefsrc = (ip: IpAddr | undefined): { prefsrc?: IpAddr } => (ip === undefined ? {} : { prefsrc: ip });

/** ip_error: codes of the ICMP unreachable by errno; silence without forwarding and for blackholes. */
function noRoute(route: Route, forwarding: boolean): InputDecision {
  if (!forwarding) {
    return { kind: 'drop', reason: 'forwarding-disabled' };
  }
  switch (route.errno) {
    case 'EHOSTUNREACH':
      return { kind: 'error', code: 1, route, reason: 'no-route' };
    case 'ENETUNREACH':
      return { kind: 'error', code: 0, route, reason: 'no-route' };
    case 'EACCES':
      return { kind: 'error', code: 13, route, reason: 'prohibit' };
    default:
      return { kind: 'drop', reason: 'blackhole' };
  }
}
