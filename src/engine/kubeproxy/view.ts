import type { IpFamily } from '../base/ip';
import { canonicalJson } from '../base/json';
import type { ReadMap } from '../base/recordmap';
import type { EndpointSlice, KObject, Service } from '../k8s/index';
import { type EndpointInfo, endpointsMap, portKey } from './endpoints';
import { type ServicePortInfo, servicePorts } from './serviceports';
import { type Categorized, categorize } from './topology';

/** One Service port with the endpoints that this node may use: what every mode compiles. */
export interface PortView {
  readonly port: ServicePortInfo;
  readonly endpoints: readonly EndpointInfo[];
  readonly use: Categorized;
}

export interface FamilyView {
  readonly family: IpFamily;
  /** By name and protocol. The real order is that of a Go map: any. */
  readonly ports: readonly PortView[];
  readonly numEndpoints: number;
}

/** What a proxier of one family knows, from a node's cached objects. */
export function familyView(
  cache: ReadMap<KObject>,
  keys: readonly string[],
  family: IpFamily,
  node: string,
  zone: string | undefined,
): FamilyView {
  const objects = keys.map((k) => cache.get(k) as KObject);
  const slices = objects.filter((o): o is EndpointSlice => o.kind === 'EndpointSlice');
  const endpoints = endpointsMap(slices, family, node);
  const ports = objects
    .filter((o): o is Service => o.kind === 'Service')
    .flatMap((s) => servicePorts(s, family))
    .map((port): PortView => {
      const list = endpoints.get(portKey(port.name, port.protocol)) ?? [];
      return { port, endpoints: list, use: categorize(list, port, node, zone) };
    });
  let numEndpoints = 0;
  for (const list of endpoints.values()) numEndpoints += list.length;
  return { family, ports, numEndpoints };
}

/** Whether a change of an object can change rules: status and metadata beyond labels cannot. */
export function matters(before: KObject, after: KObject): boolean {
  const part = (o: KObject): string => {
    const rec = o as KObject & {
      spec?: unknown;
      status?: { loadBalancer?: unknown };
      endpoints?: unknown;
      ports?: unknown;
    };
    return canonicalJson([o.metadata.labels, rec.spec, rec.status?.loadBalancer, rec.endpoints, rec.ports]);
  };
  return part(before) !== part(after);
}
