import { canonicalJson } from '../../base/json';
import { getObject, slicesOf } from '../api/objects';
import type { ApiServer } from '../api/server';
import { timestamp } from '../time';
import type { EndpointSlice, IpFamilyName, Service, SliceEndpoint, SlicePort, StringMap } from '../types';
import {
  endpointPorts,
  familiesOf,
  HEADLESS,
  MANAGED_BY,
  MAX_PER_SLICE,
  podEndpoint,
  podIp,
  podsOf,
  portsKey,
  SERVICE_NAME,
  shouldBeEndpoint,
  TRIGGER_TIME,
} from './endpoints-common';
import { withHints } from './hints';
import type { Controller } from './queue';

export const CONTROLLER_NAME = 'endpointslice-controller.k8s.io';

/** A slice in the making: an existing one (kept, changed or emptied) or a new one. */
interface Draft {
  readonly existing: EndpointSlice | undefined;
  readonly family: IpFamilyName;
  readonly ports: readonly SlicePort[] | null;
  endpoints: SliceEndpoint[];
}

/** k8s.io/endpointslice: keeps the slices of each Service with a selector in step with its pods. */
export function endpointSliceController(api: ApiServer, delayUs: number): Controller {
  return {
    name: 'endpointslice-controller',
    delayUs,
    sync(key) {
      const [namespace = '', name = ''] = key.split('/');
      const svc = getObject(api.ctx.world, 'Service', namespace, name);
      // Slices of a deleted Service are the garbage collector's; ExternalName and selectorless ones the user's.
      if (!svc || svc.spec.type === 'ExternalName' || !svc.spec.selector) return false;
      return reconcile(api, svc);
    },
  };
}

function reconcile(api: ApiServer, svc: Service): boolean {
  const { namespace = '', name } = svc.metadata;
  const mine = slicesOf(api.ctx.world, namespace, name).filter(
    (s) => s.metadata.labels?.[MANAGED_BY] === CONTROLLER_NAME,
  );
  const families = familiesOf(svc);
  let wrote = false;
  for (const family of families) {
    const existing = mine.filter((s) => s.addressType === family);
    wrote = finalize(api, svc, plan(api, svc, family, existing), existing) || wrote;
  }
  for (const s of mine) {
    if (families.includes(s.addressType as IpFamilyName)) continue;
    api.delete('EndpointSlice', namespace, s.metadata.name, { by: 'endpointslice-controller' });
    wrote = true;
  }
  return wrote;
}

/** The slices that should be, family by family: one group for each set of resolved ports. */
function plan(api: ApiServer, svc: Service, family: IpFamilyName, existing: readonly EndpointSlice[]): Draft[] {
  const groups = new Map<string, { ports: readonly SlicePort[]; endpoints: SliceEndpoint[] }>();
  for (const pod of podsOf(api.ctx.world, svc)) {
    if (!shouldBeEndpoint(pod, true)) continue;
    const ip = podIp(pod, family);
    if (!ip) continue;
    const ports = endpointPorts(svc, pod);
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    group.endpoints.push(withHints(svc, podEndpoint(api.ctx.world, svc, pod, ip)));
    groups.set(key, group);
  }
  const drafts = [...groups.values()].flatMap((g) => {
    const key = portsKey(g.ports);
    return packGroup(
      family,
      g.ports,
      g.endpoints,
      existing.filter((s) => s.ports !== null && portsKey(s.ports) === key),
    );
  });
  // A Service without endpoints still has one slice, without endpoints and ports.
  if (drafts.length > 0) return drafts;
  const placeholder = existing.find((s) => !s.endpoints?.length && !s.ports?.length);
  return [{ existing: placeholder, family, ports: null, endpoints: [] }];
}

const identity = (e: SliceEndpoint): string => canonicalJson([e.addresses, e.targetRef?.uid ?? '', e.nodeName ?? '']);

/** reconcileByPortMapping: endpoints stay in their slice; new ones fill slices that change anyway, then a slice with room for all, then new slices. */
function packGroup(
  family: IpFamilyName,
  ports: readonly SlicePort[],
  desired: readonly SliceEndpoint[],
  existing: readonly EndpointSlice[],
): Draft[] {
  const left = new Map(desired.map((e) => [identity(e), e]));
  const touched: Draft[] = [];
  const untouched: Draft[] = [];
  for (const s of existing) {
    const draft: Draft = { existing: s, family, ports, endpoints: [] };
    let changed = false;
    for (const e of s.endpoints ?? []) {
      const want = left.get(identity(e));
      if (!want) changed = true;
      else {
        changed ||= canonicalJson(want) !== canonicalJson(e);
        draft.endpoints.push(want);
        left.delete(identity(e));
      }
    }
    (changed ? touched : untouched).push(draft);
  }
  const rest = [...left.values()];
  touched.sort((a, b) => b.endpoints.length - a.endpoints.length);
  for (const d of touched) while (rest.length > 0 && d.endpoints.length < MAX_PER_SLICE) d.endpoints.push(take(rest));
  const created: Draft[] = [];
  while (rest.length > 0) {
    const room = (d: Draft): number => MAX_PER_SLICE - d.endpoints.length;
    const fits = untouched.filter((d) => d.endpoints.length > 0 && room(d) >= rest.length);
    fits.sort((a, b) => room(a) - room(b));
    let target = rest.length < MAX_PER_SLICE ? fits[0] : undefined;
    if (!target) {
      target = { existing: undefined, family, ports, endpoints: [] };
      created.push(target);
    }
    while (rest.length > 0 && target.endpoints.length < MAX_PER_SLICE) target.endpoints.push(take(rest));
  }
  return [...touched, ...untouched, ...created].filter((d) => d.endpoints.length > 0);
}

const take = (list: SliceEndpoint[]): SliceEndpoint => list.shift() as SliceEndpoint;

const RESERVED = [MANAGED_BY, SERVICE_NAME, HEADLESS];

/** Labels of a slice: the Service's own, its name and who manages it. */
function sliceLabels(svc: Service): StringMap {
  const own = Object.entries(svc.metadata.labels ?? {}).filter(([k]) => !RESERVED.includes(k));
  return {
    ...Object.fromEntries(own),
    [MANAGED_BY]: CONTROLLER_NAME,
    [SERVICE_NAME]: svc.metadata.name,
    ...(svc.spec.clusterIP === 'None' ? { [HEADLESS]: '' } : {}),
  };
}

/** Writes what differs. New slices take over the names of slices that would go (recycleSlices). */
function finalize(api: ApiServer, svc: Service, drafts: readonly Draft[], existing: readonly EndpointSlice[]): boolean {
  const by = 'endpointslice-controller';
  const labels = sliceLabels(svc);
  const kept = new Set(drafts.flatMap((d) => d.existing?.metadata.name ?? []));
  const surplus = existing.filter((s) => !kept.has(s.metadata.name));
  const { namespace = '' } = svc.metadata;
  let wrote = false;
  for (const d of drafts) {
    const slot = d.existing ?? surplus.shift();
    const content = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice' as const,
      addressType: d.family,
      endpoints: d.endpoints.length === 0 ? null : d.endpoints,
      ports: d.ports,
    };
    if (!slot) {
      const made = api.create(
        {
          ...content,
          metadata: {
            generateName: `${svc.metadata.name}-`,
            namespace,
            labels,
            annotations: { [TRIGGER_TIME]: timestamp(api.ctx.sim.now) },
            ownerReferences: [owner(svc)],
          },
        },
        { by },
      );
      wrote ||= made.ok;
      continue;
    }
    const same =
      canonicalJson([slot.endpoints, slot.ports]) === canonicalJson([content.endpoints, content.ports]) &&
      canonicalJson(slot.metadata.labels) === canonicalJson(labels);
    if (same) continue;
    const annotations = { ...slot.metadata.annotations, [TRIGGER_TIME]: timestamp(api.ctx.sim.now) };
    const metadata = { ...slot.metadata, labels, annotations };
    wrote = api.update({ ...content, metadata }, { by }).ok || wrote;
  }
  for (const s of surplus) {
    api.delete('EndpointSlice', namespace, s.metadata.name, { by });
    wrote = true;
  }
  return wrote;
}

const owner = (svc: Service) => ({
  apiVersion: 'v1',
  kind: 'Service',
  name: svc.metadata.name,
  uid: svc.metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
});
