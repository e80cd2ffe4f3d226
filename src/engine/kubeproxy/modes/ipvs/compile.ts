import { formatCidr } from '../../../base/ip';
import type { EndpointInfo } from '../../endpoints';
import type { SyncEnv } from '../../mode';
import { allowsNode, type ServicePortInfo } from '../../serviceports';
import type { PortView } from '../../view';
import type { VirtualServer } from './model';
import { SETS, type SetName } from './sets';

export interface Compiled {
  readonly servers: VirtualServer[];
  readonly addresses: string[];
  /** Members of each set, in the order in which they were found. */
  readonly sets: Record<SetName, string[]>;
}

/** Everything that a node's Services need in IPVS and in the sets. */
export function compileIpvs(env: SyncEnv): Compiled {
  const sets = Object.fromEntries(Object.keys(SETS).map((k) => [k, []])) as unknown as Record<SetName, string[]>;
  const out: Compiled = { servers: [], addresses: [], sets };
  for (const view of env.view.ports) port(env, view, out);
  return out;
}

function add(list: string[], entry: string): void {
  if (!list.includes(entry)) list.push(entry);
}

function port(env: SyncEnv, view: PortView, out: Compiled): void {
  const { port: svc, endpoints, use } = view;
  const { sets } = out;
  const proto = svc.protocol;
  for (const e of endpoints) {
    // Hairpin: also endpoints that are not ready.
    if (e.local) add(sets.loopBack, `${e.ip},${proto}:${e.port},${e.ip}`);
  }
  const entry = (ip: string): string => `${ip},${proto}:${svc.port}`;
  /** Local: the node's own endpoints where it has some, else those of the cluster (which then answer nobody outside). */
  const pick = (local: boolean): readonly EndpointInfo[] => (local && use.local.length > 0 ? use.local : use.cluster);
  const bind = (ip: string, local: boolean): void => {
    add(sets.ipvsIps, ip);
    add(out.addresses, ip);
    out.servers.push(server(env, svc, ip, svc.port, pick(local)));
  };

  add(sets.clusterIp, entry(svc.clusterIp));
  bind(svc.clusterIp, svc.internalLocal);
  for (const ip of svc.externalIps) {
    add(svc.externalLocal ? sets.externalIpLocal : sets.externalIp, entry(ip));
    bind(ip, svc.externalLocal);
  }
  for (const ip of svc.lbVips) {
    add(sets.lb, entry(ip));
    if (svc.externalLocal) add(sets.lbLocal, entry(ip));
    if (svc.sourceRanges.length > 0) {
      add(sets.lbFw, entry(ip));
      for (const c of svc.sourceRanges) add(sets.lbSourceCidr, `${entry(ip)},${formatCidr(c)}`);
      // The node's own traffic to the address has the address as its source.
      if (allowsNode(svc, env.nodeIp)) add(sets.lbSourceIp, `${entry(ip)},${ip}`);
    }
    bind(ip, svc.externalLocal);
  }
  if (svc.nodePort !== 0) nodePort(env, svc, pick(svc.externalLocal), out);
  if (svc.healthCheckNodePort !== 0) add(sets.healthCheck, String(svc.healthCheckNodePort));
}

function nodePort(env: SyncEnv, svc: ServicePortInfo, endpoints: readonly EndpointInfo[], out: Compiled): void {
  const { sets } = out;
  const own = env.nodePorts.ips.filter(
    (ip) =>
      ip.includes(':') === (env.family === 6) && ip !== '::1' && !ip.startsWith('127.') && !ip.startsWith('fe80:'),
  );
  const mine = own.filter((ip) => !out.addresses.includes(ip));
  const number = String(svc.nodePort);
  if (svc.protocol === 'sctp') {
    for (const ip of mine) {
      add(sets.nodePortSctp, `${ip},sctp:${number}`);
      if (svc.externalLocal) add(sets.nodePortLocalSctp, `${ip},sctp:${number}`);
    }
  } else {
    const tcp = svc.protocol === 'tcp';
    add(tcp ? sets.nodePortTcp : sets.nodePortUdp, number);
    if (svc.externalLocal) add(tcp ? sets.nodePortLocalTcp : sets.nodePortLocalUdp, number);
  }
  for (const ip of mine) out.servers.push(server(env, svc, ip, svc.nodePort, endpoints));
}

const server = (
  env: SyncEnv,
  svc: ServicePortInfo,
  ip: string,
  number: number,
  endpoints: readonly EndpointInfo[],
): VirtualServer => {
  const scheduler = env.config.ipvsScheduler || 'rr';
  return {
    protocol: svc.protocol,
    ip,
    port: number,
    scheduler,
    flags: scheduler === 'mh' ? ['mh-port'] : [],
    persistentS: svc.affinitySeconds,
    destinations: endpoints.map((e) => ({ ip: e.ip, port: e.port, weight: 1 })),
  };
};
