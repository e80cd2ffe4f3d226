import { ipFamily } from '../../base/ip';
import { byCodeUnit, canonicalJson } from '../../base/json';
import type { WorldReader } from '../../base/recordmap';
import { getObject, isReady, listObjects, selectorMatches } from '../api/objects';
import type { Container, IpFamilyName, Pod, Protocol, Service, ServicePort, SliceEndpoint, SlicePort } from '../types';

export const SERVICE_NAME = 'kubernetes.io/service-name';
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
export const HEADLESS = 'service.kubernetes.io/headless';
export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

/** Endpoints of a slice at most (--max-endpoints-per-slice). */
export const MAX_PER_SLICE = 100;

/** Services that a pod's change may concern: those of its namespace whose selector it matches. */
export function servicesOfPod(reader: WorldReader, pod: Pod): string[] {
  const namespace = pod.metadata.namespace ?? '';
  return listObjects(reader, 'Service', namespace)
    .filter((s) => selectorMatches(s.spec.selector, pod.metadata.labels))
    .map((s) => `${namespace}/${s.metadata.name}`);
}

/** Pods behind a Service, by name. */
export const podsOf = (reader: WorldReader, svc: Service): Pod[] =>
  listObjects(reader, 'Pod', svc.metadata.namespace).filter((p) =>
    selectorMatches(svc.spec.selector, p.metadata.labels),
  );

/** ShouldPodBeInEndpoints: it has an address and has not ended; a terminating one counts where asked for. */
export function shouldBeEndpoint(pod: Pod, includeTerminating: boolean): boolean {
  const phase = pod.status?.phase;
  if (phase === 'Failed' || phase === 'Succeeded') return false;
  if (!pod.status?.podIP && !pod.status?.podIPs?.length) return false;
  return includeTerminating || !pod.metadata.deletionTimestamp;
}

function containersWithPorts(pod: Pod): Container[] {
  const sidecars = (pod.spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always');
  return [...pod.spec.containers, ...sidecars];
}

/** FindPort: the number that a Service port's target means on this pod; undefined when a name is not found. */
export function findPort(pod: Pod, port: ServicePort): number | undefined {
  if (typeof port.targetPort === 'number') return port.targetPort;
  for (const c of containersWithPorts(pod)) {
    for (const p of c.ports ?? []) {
      if (p.name === port.targetPort && (p.protocol ?? 'TCP') === port.protocol) return p.containerPort;
    }
  }
  return undefined;
}

/** Ports of a Service as they are on one pod; ports whose name the pod does not have are left out. */
export function endpointPorts(svc: Service, pod: Pod): SlicePort[] {
  return (svc.spec.ports ?? []).flatMap((p): SlicePort[] => {
    const port = findPort(pod, p);
    if (port === undefined) return [];
    const app = p.appProtocol === undefined ? {} : { appProtocol: p.appProtocol };
    return [{ name: p.name ?? '', protocol: p.protocol as Protocol, port, ...app }];
  });
}

/** Ports as a key: equal for equal sets, whatever their order. */
export const portsKey = (ports: readonly SlicePort[] | null): string =>
  (ports ?? [])
    .map((p) => canonicalJson({ ...p, name: p.name ?? '' }))
    .sort(byCodeUnit)
    .join();

/** Address families of a Service. */
export const familiesOf = (svc: Service): readonly IpFamilyName[] => svc.spec.ipFamilies ?? ['IPv4'];

/** The pod's address of a family. */
export function podIp(pod: Pod, family: IpFamilyName): string | undefined {
  const ips = pod.status?.podIPs?.map((p) => p.ip) ?? (pod.status?.podIP ? [pod.status.podIP] : []);
  return ips.find((ip) => ipFamily(ip) === (family === 'IPv6' ? 6 : 4));
}

/** podToEndpoint of the EndpointSlice controller. */
export function podEndpoint(reader: WorldReader, svc: Service, pod: Pod, ip: string): SliceEndpoint {
  const serving = isReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const nodeName = pod.spec.nodeName;
  const node = nodeName ? getObject(reader, 'Node', undefined, nodeName) : undefined;
  const zone = node?.metadata.labels?.['topology.kubernetes.io/zone'];
  const named = pod.spec.hostname && pod.spec.subdomain === svc.metadata.name;
  const { namespace = '', name, uid = '' } = pod.metadata;
  return {
    addresses: [ip],
    conditions: {
      ready: svc.spec.publishNotReadyAddresses === true || (serving && !terminating),
      serving,
      terminating,
    },
    ...(named ? { hostname: pod.spec.hostname as string } : {}),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(nodeName ? { nodeName } : {}),
    ...(zone ? { zone } : {}),
  };
}
