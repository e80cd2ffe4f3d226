import { type IpFamily, ipFamily } from '../base/ip';
import { byCodeUnit } from '../base/json';
import type { EndpointSlice } from '../k8s/index';
import { isWatched } from './serviceports';

/** One endpoint of a Service port (proxy.BaseEndpointInfo). */
export interface EndpointInfo {
  readonly ip: string;
  readonly port: number;
  /** `ip:port`, `[ip]:port` for IPv6: the sort key and the DNAT destination. */
  readonly text: string;
  readonly local: boolean;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly zoneHints: readonly string[];
  readonly nodeHints: readonly string[];
}

const SERVICE_NAME = 'kubernetes.io/service-name';

/** `[v6]:port` or `v4:port`. */
export const joinHostPort = (ip: string, port: number): string =>
  ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;

/** Key of a Service port in the endpoints map: its name and protocol. */
export const portKey = (servicePortName: string, protocol: string): string => `${servicePortName}|${protocol}`;

/**
 * Endpoints of every Service port of a family, sorted by `ip:port` byte by byte. An address that stands in two slices
 * counts once.
 */
export function endpointsMap(
  slices: readonly EndpointSlice[],
  family: IpFamily,
  node: string,
): Map<string, EndpointInfo[]> {
  const sets = new Map<string, Map<string, EndpointInfo>>();
  const type = family === 4 ? 'IPv4' : 'IPv6';
  for (const slice of slices) {
    const service = slice.metadata.labels?.[SERVICE_NAME];
    if (!service || slice.addressType !== type || !isWatched(slice.metadata.labels)) continue;
    const owner = `${slice.metadata.namespace ?? ''}/${service}`;
    for (const port of slice.ports ?? []) {
      if (port.port === undefined) continue;
      const key = portKey(port.name ? `${owner}:${port.name}` : owner, (port.protocol ?? 'TCP').toLowerCase());
      let set = sets.get(key);
      if (!set) {
        set = new Map();
        sets.set(key, set);
      }
      for (const e of slice.endpoints ?? []) {
        const ip = e.addresses[0];
        if (ip === undefined || ipFamily(ip) !== family) continue;
        const text = joinHostPort(ip, port.port);
        const local = e.nodeName === node;
        if (set.has(text) && !local) continue;
        const c = e.conditions;
        set.set(text, {
          ip,
          port: port.port,
          text,
          local,
          ready: c?.ready ?? true,
          serving: c?.serving ?? true,
          terminating: c?.terminating ?? false,
          zoneHints: (e.hints?.forZones ?? []).map((z) => z.name),
          nodeHints: (e.hints?.forNodes ?? []).map((n) => n.name),
        });
      }
    }
  }
  return new Map([...sets].map(([k, set]) => [k, [...set.values()].sort((a, b) => byCodeUnit(a.text, b.text))]));
}
