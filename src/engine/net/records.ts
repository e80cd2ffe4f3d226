import type { IpAddr } from '../base/ip';
import { defineMap } from '../base/recordmap';
import type { DevId, Mac, NetDevice, NetNamespace, NetnsId, Route } from './types';

/** One FIB entry of the main table. Key: `netns|dst/prefix|metric|dev`. Local entries are derived from addresses. */
export interface RouteRecord {
  readonly netns: NetnsId;
  readonly table: 'main' | 'local';
  readonly dst: IpAddr;
  readonly prefix: number;
  readonly kind: Route['kind'];
  readonly dev?: DevId;
  readonly via?: IpAddr;
  readonly metric: number;
  readonly prefsrc?: IpAddr;
  readonly scope: 'global' | 'link' | 'host';
  readonly proto: 'kernel' | 'boot' | 'static';
  readonly onlink?: boolean;
  /** Order of insertion: equal prefixes and metrics are tried in this order. */
  readonly ord: number;
}

/** Neighbour entry. Key: `dev|ip`. */
export interface NeighRecord {
  readonly dev: DevId;
  readonly netns: NetnsId;
  readonly ip: IpAddr;
  readonly mac?: Mac;
  readonly state: 'PERMANENT' | 'REACHABLE' | 'STALE' | 'DELAY' | 'INCOMPLETE' | 'FAILED';
  readonly updatedAtUs: number;
}

/** Forwarding database of a bridge. Key: `bridge|mac`. */
export interface FdbRecord {
  readonly bridge: DevId;
  readonly mac: Mac;
  readonly port: DevId;
}

/** A sysctl that differs from its default. Key: `netns|key`. */
export interface SysctlRecord {
  readonly netns: NetnsId;
  readonly key: string;
  readonly value: string;
}

/** One line of a machine's kernel log. Key: 8-digit sequence number. */
export interface KlogRecord {
  readonly node: string;
  readonly atUs: number;
  readonly line: string;
}

/** struct ratelimit_state of a machine's net_ratelimit. */
export interface RatelimitRecord {
  readonly beginUs: number;
  readonly printed: number;
  readonly missed: number;
}

export const NETNS = defineMap<NetNamespace>('net.netns', { node: (n) => n.node });
export const DEVS = defineMap<NetDevice>('net.dev', {
  netns: (d) => d.netns,
  peer: (d) => d.peer,
  master: (d) => d.master,
  ip: (d) => d.addrs.map((a) => a.ip),
});
export const ROUTES = defineMap<RouteRecord>('net.route', { netns: (r) => r.netns, dev: (r) => r.dev });
export const NEIGHS = defineMap<NeighRecord>('net.neigh', { dev: (n) => n.dev, netns: (n) => n.netns });
export const FDB = defineMap<FdbRecord>('net.fdb', { bridge: (f) => f.bridge, port: (f) => f.port });
export const SYSCTLS = defineMap<SysctlRecord>('net.sysctl', { netns: (s) => s.netns });
export const KLOG = defineMap<KlogRecord>('net.klog', { node: (k) => k.node });
export const RATELIMIT = defineMap<RatelimitRecord>('net.ratelimit');

export const devId = (netns: NetnsId, name: string): DevId => `${netns}:${name}`;
/** Interface name of a device id. */
export const devName = (id: DevId): string => id.slice(id.lastIndexOf(':') + 1);
