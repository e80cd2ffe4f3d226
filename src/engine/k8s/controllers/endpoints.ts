import { byCodeUnit, canonicalJson } from '../../base/json';
import { getObject, isReady } from '../api/objects';
import type { ApiServer } from '../api/server';
import { timestamp } from '../time';
import type { EndpointAddress, EndpointSubset, Pod, Service, SlicePort } from '../types';
import { endpointPorts, familiesOf, podIp, podsOf, portsKey, shouldBeEndpoint, TRIGGER_TIME } from './endpoints-common';
import type { Controller } from './queue';

const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
/** Addresses of a subset at most; beyond it the object is cut and says so. */
const MAX_ADDRESSES = 1000;
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';

/** pkg/controller/endpoint: the old Endpoints object of each Service with a selector. */
export function endpointsController(api: ApiServer, delayUs: number): Controller {
  return {
    name: 'endpoint-controller',
    delayUs,
    sync(key) {
      const [namespace = '', name = ''] = key.split('/');
      const { world } = api.ctx;
      const svc = getObject(world, 'Service', namespace, name);
      const old = getObject(world, 'Endpoints', namespace, name);
      if (!svc) {
        if (!old || old.metadata.labels?.[MANAGED_BY] !== this.name) return false;
        api.delete('Endpoints', namespace, name, { by: this.name });
        return true;
      }
      if (svc.spec.type === 'ExternalName' || !svc.spec.selector) return false;
      const { subsets, cut } = subsetsOf(api, svc);
      const headless = svc.spec.clusterIP === 'None' ? { 'service.kubernetes.io/headless': '' } : {};
      const labels = { ...svc.metadata.labels, [MANAGED_BY]: this.name, ...headless };
      if (old && canonicalJson([old.subsets ?? [], old.metadata.labels]) === canonicalJson([subsets, labels]))
        return false;
      const annotations = {
        [TRIGGER_TIME]: timestamp(api.ctx.sim.now),
        ...(cut ? { [OVER_CAPACITY]: 'truncated' } : {}),
      };
      const body = {
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: { ...(old?.metadata ?? { name, namespace }), labels, annotations },
        ...(subsets.length > 0 ? { subsets } : {}),
      };
      return (old ? api.update(body, { by: this.name }) : api.create(body, { by: this.name })).ok;
    },
  };
}

/** Pods grouped by the ports that they serve, as RepackSubsets orders them. */
function subsetsOf(api: ApiServer, svc: Service): { subsets: EndpointSubset[]; cut: boolean } {
  const family = familiesOf(svc)[0] ?? 'IPv4';
  const groups = new Map<string, { ports: readonly SlicePort[]; ready: EndpointAddress[]; not: EndpointAddress[] }>();
  for (const pod of podsOf(api.ctx.world, svc)) {
    const ip = podIp(pod, family);
    if (!ip || !shouldBeEndpoint(pod, svc.spec.publishNotReadyAddresses === true)) continue;
    const ports = endpointPorts(svc, pod);
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, ready: [], not: [] };
    const ready = svc.spec.publishNotReadyAddresses || isReady(pod);
    (ready ? group.ready : group.not).push(addressOf(svc, pod, ip));
    groups.set(key, group);
  }
  let cut = false;
  const subsets = [...groups.entries()]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([, g]): EndpointSubset => {
      const byIp = (a: EndpointAddress, b: EndpointAddress): number => byCodeUnit(a.ip, b.ip);
      const ready = g.ready.sort(byIp).slice(0, MAX_ADDRESSES);
      const not = g.not.sort(byIp).slice(0, MAX_ADDRESSES - ready.length);
      cut ||= ready.length < g.ready.length || not.length < g.not.length;
      const ports = [...g.ports].sort((a, b) => byCodeUnit(a.name ?? '', b.name ?? '')).map(portOf);
      return {
        ...(ready.length > 0 ? { addresses: ready } : {}),
        ...(not.length > 0 ? { notReadyAddresses: not } : {}),
        ...(ports.length > 0 ? { ports } : {}),
      };
    });
  return { subsets, cut };
}

const portOf = (p: SlicePort) => ({
  ...(p.name ? { name: p.name } : {}),
  port: p.port ?? 0,
  protocol: p.protocol ?? ('TCP' as const),
  ...(p.appProtocol === undefined ? {} : { appProtocol: p.appProtocol }),
});

function addressOf(svc: Service, pod: Pod, ip: string): EndpointAddress {
  const { namespace = '', name, uid = '' } = pod.metadata;
  const named = pod.spec.hostname && pod.spec.subdomain === svc.metadata.name;
  return {
    ip,
    ...(named ? { hostname: pod.spec.hostname as string } : {}),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}
