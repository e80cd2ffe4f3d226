import { ipFamily } from '../../base/ip';
import { canonicalJson } from '../../base/json';
import { LAST_APPLIED } from '../api/apply';
import { getObject, slicesOf } from '../api/objects';
import type { ApiServer } from '../api/server';
import type { EndpointAddress, Endpoints, IpFamilyName, SliceEndpoint, SlicePort, StringMap } from '../types';
import { MANAGED_BY, portsKey, SERVICE_NAME, TRIGGER_TIME } from './endpoints-common';
import type { Controller } from './queue';

const CONTROLLER_NAME = 'endpointslicemirroring-controller.k8s.io';
const SKIP_MIRROR = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
/** Addresses of a subset that are mirrored at most. */
const MAX_PER_SUBSET = 1000;

/** pkg/controller/endpointslicemirroring: slices for hand-written Endpoints of Services without selector. */
export function mirroringController(api: ApiServer, delayUs: number): Controller {
  return {
    name: 'endpointslicemirroring-controller',
    delayUs,
    sync(key) {
      const [namespace = '', name = ''] = key.split('/');
      const endpoints = getObject(api.ctx.world, 'Endpoints', namespace, name);
      const svc = getObject(api.ctx.world, 'Service', namespace, name);
      const mine = slicesOf(api.ctx.world, namespace, name).filter(
        (s) => s.metadata.labels?.[MANAGED_BY] === CONTROLLER_NAME,
      );
      if (!endpoints || !svc || svc.spec.selector || !shouldMirror(endpoints)) {
        for (const s of mine) api.delete('EndpointSlice', namespace, s.metadata.name, { by: this.name });
        return mine.length > 0;
      }
      return reconcile(api, endpoints, mine);
    },
  };
}

function shouldMirror(e: Endpoints): boolean {
  if (e.metadata.labels?.[SKIP_MIRROR] === 'true') return false;
  return e.metadata.annotations?.[LEADER] === undefined;
}

interface Group {
  readonly family: IpFamilyName;
  readonly ports: readonly SlicePort[];
  readonly endpoints: SliceEndpoint[];
}

function groupsOf(e: Endpoints): Group[] {
  const groups = new Map<string, Group>();
  for (const subset of e.subsets ?? []) {
    const ports = (subset.ports ?? []).map(
      (p): SlicePort => ({
        name: p.name ?? '',
        protocol: p.protocol ?? 'TCP',
        port: p.port,
        ...(p.appProtocol === undefined ? {} : { appProtocol: p.appProtocol }),
      }),
    );
    const addresses = [
      ...(subset.addresses ?? []).map((a) => ({ a, ready: true })),
      ...(subset.notReadyAddresses ?? []).map((a) => ({ a, ready: false })),
    ].slice(0, MAX_PER_SUBSET);
    for (const { a, ready } of addresses) {
      const family: IpFamilyName = ipFamily(a.ip) === 6 ? 'IPv6' : 'IPv4';
      const key = `${family}|${portsKey(ports)}`;
      const group = groups.get(key) ?? { family, ports, endpoints: [] };
      group.endpoints.push(endpointOf(a, ready));
      groups.set(key, group);
    }
  }
  return [...groups.values()];
}

const endpointOf = (a: EndpointAddress, ready: boolean): SliceEndpoint => ({
  addresses: [a.ip],
  conditions: { ready },
  ...(a.hostname ? { hostname: a.hostname } : {}),
  ...(a.targetRef ? { targetRef: a.targetRef } : {}),
  ...(a.nodeName === undefined ? {} : { nodeName: a.nodeName }),
});

function reconcile(api: ApiServer, e: Endpoints, existing: ReturnType<typeof slicesOf>): boolean {
  const by = 'endpointslicemirroring-controller';
  const { namespace = '', name } = e.metadata;
  const labels: StringMap = { ...e.metadata.labels, [SERVICE_NAME]: name, [MANAGED_BY]: CONTROLLER_NAME };
  const annotations = Object.fromEntries(
    Object.entries(e.metadata.annotations ?? {}).filter(([k]) => k !== TRIGGER_TIME && k !== LAST_APPLIED),
  );
  const spare = [...existing];
  let wrote = false;
  for (const g of groupsOf(e)) {
    const key = portsKey(g.ports);
    const at = spare.findIndex((s) => s.addressType === g.family && portsKey(s.ports) === key);
    const slot = at >= 0 ? spare.splice(at, 1)[0] : undefined;
    const content = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      addressType: g.family,
      endpoints: g.endpoints,
      ports: g.ports,
    };
    if (slot) {
      if (canonicalJson([slot.endpoints, slot.metadata.labels]) === canonicalJson([g.endpoints, labels])) continue;
      wrote = api.update({ ...content, metadata: { ...slot.metadata, labels, annotations } }, { by }).ok || wrote;
      continue;
    }
    const owner = { apiVersion: 'v1', kind: 'Endpoints', name, uid: e.metadata.uid ?? '' };
    const metadata = {
      generateName: `${name}-`,
      namespace,
      labels,
      annotations,
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    };
    wrote = api.create({ ...content, metadata }, { by }).ok || wrote;
  }
  for (const s of spare) {
    api.delete('EndpointSlice', namespace, s.metadata.name, { by });
    wrote = true;
  }
  return wrote;
}
