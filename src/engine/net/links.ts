import { assert } from '../base/assert';
import { hash32 } from '../base/hash';
import { cidrContains, type IpAddr, ipFamily, maskIp, parseCidr } from '../base/ip';
import type { RecordMap } from '../base/recordmap';
import { err, ok, type Result } from '../base/result';
import type { Ctx } from '../trace/context';
import { routeKey } from './fib';
import {
  DEVS,
  devId,
  devName,
  FDB,
  type FdbRecord,
  NEIGHS,
  NETNS,
  type NeighRecord,
  ROUTES,
  type RouteRecord,
} from './records';
import type { Sysctls } from './sysctl';
import type { DevId, Mac, NetDevice, NetNamespace, NetnsId, Route } from './types';

export interface DeviceSpec {
  readonly name: string;
  readonly kind: NetDevice['kind'];
  readonly peer?: DevId;
  readonly master?: DevId;
  readonly hairpin?: boolean;
  readonly mac?: Mac;
  /** Bytes; default 1500, lo 65536. */
  readonly mtu?: number;
  /** Default true. */
  readonly up?: boolean;
  readonly ifindex?: number;
  /** `addr/len` texts. */
  readonly addrs?: readonly string[];
}

export interface RouteSpec {
  /** `default`, `addr/len` or a bare address. */
  readonly dst: string;
  readonly via?: IpAddr;
  /** Interface name. */
  readonly dev?: string;
  readonly kind?: Route['kind'];
  readonly metric?: number;
  readonly src?: IpAddr;
  readonly onlink?: boolean;
  readonly scope?: RouteRecord['scope'];
  readonly proto?: RouteRecord['proto'];
}

/** Namespaces, devices, addresses, routes and static neighbours: what `ip` configures. Errors are errno names. */
export class Links {
  readonly netns: RecordMap<NetNamespace>;
  readonly devs: RecordMap<NetDevice>;
  readonly routes: RecordMap<RouteRecord>;
  readonly neighs: RecordMap<NeighRecord>;
  readonly fdb: RecordMap<FdbRecord>;
  private nextOrd = 1;

  constructor(
    private readonly ctx: Ctx,
    private readonly sysctls: Sysctls,
  ) {
    const w = ctx.world;
    this.netns = w.map(NETNS);
    this.devs = w.map(DEVS);
    this.routes = w.map(ROUTES);
    this.neighs = w.map(NEIGHS);
    this.fdb = w.map(FDB);
  }

  addNamespace(ns: Omit<NetNamespace, 'inode'> & { readonly inode?: number }, opts: { loUp?: boolean } = {}): void {
    assert(!this.netns.has(ns.id), `namespace ${ns.id} exists`);
    // Inodes of /proc: the initial namespace has the fixed one, children count up from the first free.
    this.netns.set(ns.id, { ...ns, inode: ns.inode ?? (ns.init ? 4026531840 : 4026532200 + this.netns.size) });
    this.sysctls.addNamespace(ns.id);
    this.addDevice(ns.id, {
      name: 'lo',
      kind: 'lo',
      up: opts.loUp ?? true,
      ...(opts.loUp === false ? {} : { addrs: ['127.0.0.1/8'] }),
    });
  }

  removeNamespace(id: NetnsId): void {
    for (const k of [...this.devs.by('netns', id)]) this.removeDevice(k);
    this.netns.delete(id);
  }

  dev(id: DevId): NetDevice | undefined {
    return this.devs.get(id);
  }

  /** Devices of a namespace in order of ifindex. */
  devices(netns: NetnsId): readonly NetDevice[] {
    return this.devs
      .by('netns', netns)
      .map((k) => this.devs.get(k) as NetDevice)
      .sort((a, b) => a.ifindex - b.ifindex);
  }

  addDevice(netns: NetnsId, spec: DeviceSpec): DevId {
    const id = devId(netns, spec.name);
    assert(this.netns.has(netns), `no namespace ${netns}`);
    assert(!this.devs.has(id), `device ${id} exists`);
    const last = this.devices(netns).at(-1)?.ifindex ?? 0;
    this.devs.set(id, {
      id,
      netns,
      name: spec.name,
      ifindex: spec.ifindex ?? last + 1,
      kind: spec.kind,
      ...(spec.peer === undefined ? {} : { peer: spec.peer }),
      ...(spec.master === undefined ? {} : { master: spec.master }),
      ...(spec.hairpin === undefined ? {} : { hairpin: spec.hairpin }),
      addrs: [],
      mac: spec.mac ?? (spec.kind === 'lo' ? '00:00:00:00:00:00' : macOf(id)),
      mtu: spec.mtu ?? (spec.kind === 'lo' ? 65536 : 1500),
      up: spec.up ?? true,
    });
    this.sysctls.initDevice(netns, spec.name);
    for (const a of spec.addrs ?? []) {
      const cut = a.indexOf('/');
      this.addAddress(id, cut < 0 ? a : a.slice(0, cut), cut < 0 ? 32 : Number(a.slice(cut + 1)));
    }
    return id;
  }

  /** Both ends of a veth pair at once. */
  addVeth(
    a: { netns: NetnsId } & Omit<DeviceSpec, 'kind' | 'peer'>,
    b: { netns: NetnsId } & Omit<DeviceSpec, 'kind' | 'peer'>,
  ): void {
    this.addDevice(a.netns, { ...a, kind: 'veth', peer: devId(b.netns, b.name) });
    this.addDevice(b.netns, { ...b, kind: 'veth', peer: devId(a.netns, a.name) });
  }

  /** Deletes a device; deleting one end of a veth pair takes the other with it. */
  removeDevice(id: DevId): void {
    const d = this.devs.get(id);
    if (!d) return;
    this.dropRoutes(id, true);
    for (const k of [...this.neighs.by('dev', id)]) this.neighs.delete(k);
    for (const k of [...this.fdb.by('port', id), ...this.fdb.by('bridge', id)]) this.fdb.delete(k);
    for (const port of [...this.devs.by('master', id)]) this.devs.update(port, ({ master: _, ...rest }) => rest);
    this.sysctls.forgetDevice(d.netns, d.name);
    this.devs.delete(id);
    if (d.kind === 'veth' && d.peer !== undefined) this.removeDevice(d.peer);
  }

  private dropRoutes(id: DevId, all: boolean): void {
    for (const k of [...this.routes.by('dev', id)])
      if (all || this.routes.get(k)?.proto !== undefined) this.routes.delete(k);
  }

  /** `ip link set DEV up|down`: routes of a device that goes down are gone, coming up brings only the connected ones back. */
  setLink(id: DevId, up: boolean): void {
    const d = this.devs.get(id);
    assert(d, `no device ${id}`);
    if (d.up === up) return;
    this.devs.set(id, { ...d, up });
    if (up) for (const a of d.addrs) this.connect(id, a.ip, a.prefix);
    else {
      this.dropRoutes(id, true);
      for (const k of [...this.neighs.by('dev', id)])
        if (this.neighs.get(k)?.state !== 'PERMANENT') this.neighs.delete(k);
      for (const k of [...this.fdb.by('port', id)]) this.fdb.delete(k);
    }
    this.ctx.trace.emitAlways('link.set', { dev: id, up }, { netns: d.netns, dev: id });
  }

  /** Link changes besides up and down: bridge membership, hairpin flag, MTU. */
  changeDevice(id: DevId, change: Partial<Pick<NetDevice, 'master' | 'hairpin' | 'mtu' | 'mac'>>): void {
    this.devs.update(id, (d) => ({ ...d, ...change }));
  }

  addAddress(id: DevId, ip: IpAddr, prefix: number, scope?: 'global' | 'link' | 'host'): Result<null> {
    const d = this.devs.get(id);
    if (!d) return err('ENODEV');
    if (d.addrs.some((a) => a.ip === ip && a.prefix === prefix)) return err('EEXIST');
    const host = scope ?? (d.kind === 'lo' ? 'host' : undefined);
    this.devs.set(id, { ...d, addrs: [...d.addrs, { ip, prefix, ...(host === undefined ? {} : { scope: host }) }] });
    if (d.up) this.connect(id, ip, prefix);
    return ok(null);
  }

  delAddress(id: DevId, ip: IpAddr, prefix?: number): Result<null> {
    const d = this.devs.get(id);
    if (!d) return err('ENODEV');
    const gone = d.addrs.find((a) => a.ip === ip && (prefix === undefined || a.prefix === prefix));
    if (!gone) return err('EADDRNOTAVAIL');
    // __inet_del_ifa: secondaries of the same network go with their primary (promote_secondaries is 0).
    const net = parseCidr(`${gone.ip}/${gone.prefix}`);
    const primary = d.addrs.find((a) => a.prefix === gone.prefix && net && cidrContains(net, a.ip)) === gone;
    const keep = d.addrs.filter(
      (a) => a !== gone && !(primary && a.prefix === gone.prefix && net !== undefined && cidrContains(net, a.ip)),
    );
    this.devs.set(id, { ...d, addrs: keep });
    for (const k of [...this.routes.by('netns', d.netns)]) {
      const r = this.routes.get(k) as RouteRecord;
      const still = this.devs.by('ip', r.prefsrc ?? '').some((x) => this.devs.get(x)?.netns === d.netns);
      if (r.prefsrc !== undefined && !still) this.routes.delete(k);
    }
    return ok(null);
  }

  /** The connected route of an address (fib_add_ifaddr); none for /32 and for a second address of the same network. */
  private connect(id: DevId, ip: IpAddr, prefix: number): void {
    const d = this.devs.get(id) as NetDevice;
    const full = ipFamily(ip) === 4 ? 32 : 128;
    if (d.kind === 'lo' || prefix === full) return;
    const r: RouteRecord = {
      netns: d.netns,
      table: 'main',
      dst: maskIp(ip, prefix),
      prefix,
      kind: 'unicast',
      dev: id,
      metric: full === 32 ? 0 : 256,
      ...(full === 32 ? { prefsrc: ip } : {}),
      scope: 'link',
      proto: 'kernel',
      ord: this.nextOrd++,
    };
    if (!this.routes.has(routeKey(r))) this.routes.set(routeKey(r), r);
  }

  /** `ip route add|replace` in the main table (fib_table_insert, fib_check_nh). */
  addRoute(netns: NetnsId, spec: RouteSpec, replace = false): Result<null> {
    const cidr = parseCidr(spec.dst === 'default' ? '0.0.0.0/0' : spec.dst);
    if (!cidr) return err('EINVAL');
    const kind = spec.kind ?? 'unicast';
    let dev = spec.dev === undefined ? undefined : devId(netns, spec.dev);
    if (dev !== undefined && !this.devs.has(dev)) return err('ENODEV');
    if (dev !== undefined && !(this.devs.get(dev) as NetDevice).up) return err('ENETDOWN');
    if (kind === 'unicast') {
      if (spec.via !== undefined && !spec.onlink) {
        const gw = this.gatewayDev(netns, spec.via);
        if (gw === undefined || (dev !== undefined && gw !== dev)) {
          const direct = dev !== undefined && this.onLink(dev, spec.via);
          if (!direct) return err('ENETUNREACH');
        }
        dev ??= gw;
      }
      if (dev === undefined) return err('ENODEV');
    }
    const metric = spec.metric ?? 0;
    const same = this.routes.by('netns', netns).filter((k) => {
      const r = this.routes.get(k) as RouteRecord;
      return r.dst === cidr.base && r.prefix === cidr.prefix && r.metric === metric;
    });
    if (same.length > 0 && !replace) return err('EEXIST');
    const first = same[0];
    if (first !== undefined) this.routes.delete(first);
    const r: RouteRecord = {
      netns,
      table: 'main',
      dst: cidr.base,
      prefix: cidr.prefix,
      kind,
      ...(dev === undefined || kind !== 'unicast' ? {} : { dev }),
      ...(spec.via === undefined ? {} : { via: spec.via }),
      metric,
      ...(spec.src === undefined ? {} : { prefsrc: spec.src }),
      scope: spec.scope ?? (kind === 'unicast' && spec.via === undefined ? 'link' : 'global'),
      proto: spec.proto ?? 'boot',
      ...(spec.onlink ? { onlink: true } : {}),
      ord: this.nextOrd++,
    };
    this.routes.set(routeKey(r), r);
    return ok(null);
  }

  private onLink(dev: DevId, ip: IpAddr): boolean {
    for (const k of this.routes.by('dev', dev)) {
      const r = this.routes.get(k) as RouteRecord;
      if (r.via === undefined && cidrContains({ base: r.dst, prefix: r.prefix, family: ipFamily(ip) ?? 4 }, ip))
        return true;
    }
    return false;
  }

  /** The device of the link-scope route that holds a gateway's address (fib_check_nh_v4_gw). */
  private gatewayDev(netns: NetnsId, gw: IpAddr): DevId | undefined {
    let best: RouteRecord | undefined;
    for (const k of this.routes.by('netns', netns)) {
      const r = this.routes.get(k) as RouteRecord;
      if (r.via !== undefined || r.dev === undefined || r.kind !== 'unicast') continue;
      if (!cidrContains({ base: r.dst, prefix: r.prefix, family: ipFamily(gw) ?? 4 }, gw)) continue;
      if (!best || r.prefix > best.prefix) best = r;
    }
    return best?.dev;
  }

  delRoute(netns: NetnsId, spec: Pick<RouteSpec, 'dst' | 'via' | 'dev' | 'metric' | 'kind'>): Result<null> {
    const cidr = parseCidr(spec.dst === 'default' ? '0.0.0.0/0' : spec.dst);
    if (!cidr) return err('EINVAL');
    const dev = spec.dev === undefined ? undefined : devId(netns, spec.dev);
    const match = this.routes
      .by('netns', netns)
      .map((k) => this.routes.get(k) as RouteRecord)
      .filter(
        (r) =>
          r.dst === cidr.base &&
          r.prefix === cidr.prefix &&
          (spec.via === undefined || r.via === spec.via) &&
          (dev === undefined || r.dev === dev) &&
          (spec.kind === undefined || r.kind === spec.kind) &&
          (spec.metric === undefined || r.metric === spec.metric),
      )
      .sort((a, b) => a.metric - b.metric || a.ord - b.ord)[0];
    if (!match) return err('ESRCH');
    this.routes.delete(routeKey(match));
    return ok(null);
  }

  /** `ip neigh replace IP lladdr MAC dev DEV nud permanent`. */
  setNeigh(dev: DevId, ip: IpAddr, mac: Mac | undefined, state: NeighRecord['state'] = 'PERMANENT'): void {
    const netns = devNetns(this.devs.get(dev), dev);
    this.neighs.set(`${dev}|${ip}`, {
      dev,
      netns,
      ip,
      ...(mac === undefined ? {} : { mac }),
      state,
      updatedAtUs: this.ctx.sim.now,
    });
  }

  delNeigh(dev: DevId, ip: IpAddr): boolean {
    const key = `${dev}|${ip}`;
    const had = this.neighs.has(key);
    this.neighs.delete(key);
    return had;
  }

  /** Interface names of a namespace. */
  names(netns: NetnsId): readonly string[] {
    return this.devs.by('netns', netns).map(devName);
  }
}

function devNetns(d: NetDevice | undefined, id: DevId): NetnsId {
  assert(d, `no device ${id}`);
  return d.netns;
}

/** A stable, locally administered unicast address. */
function macOf(id: DevId): Mac {
  const a = hash32(id, 0x51ed);
  const b = hash32(id, 0x7f4a);
  const byte = (n: number): string => (n & 255).toString(16).padStart(2, '0');
  return ['02', byte(a >>> 16), byte(a >>> 8), byte(a), byte(b >>> 8), byte(b)].join(':');
}
