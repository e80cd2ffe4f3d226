import { defineMap } from '../../../base/recordmap';
import type { L4 } from '../../serviceports';

export interface VirtualServer {
  readonly protocol: L4;
  readonly ip: string;
  readonly port: number;
  readonly scheduler: string;
  /** Scheduler flags as ipvsadm names them: `mh-port`. */
  readonly flags: readonly string[];
  /** Seconds; undefined: not persistent. */
  readonly persistentS: number | undefined;
  readonly destinations: readonly { readonly ip: string; readonly port: number; readonly weight: number }[];
}

/** What kube-proxy keeps in a node's IPVS: virtual servers, addresses of kube-ipvs0, timeouts in seconds. */
export interface IpvsState {
  readonly node: string;
  readonly servers: readonly VirtualServer[];
  readonly addresses: readonly string[];
  readonly timeouts: { readonly tcp: number; readonly tcpFin: number; readonly udp: number };
}

/** IPVS of nodes, by node and family: `node-1/4`. */
export const IPVS = defineMap<IpvsState>('kubeproxy.ipvs', { node: (s) => s.node });

/** ip_vs: timeouts of a fresh kernel, seconds. */
export const DEFAULT_TIMEOUTS = { tcp: 900, tcpFin: 120, udp: 300 } as const;
