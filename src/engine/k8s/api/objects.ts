import { defineMap, type ReadMap, type WorldReader } from '../../base/recordmap';
import type { EndpointSlice, Endpoints, KObject, Namespace, Node, ObjectMeta, Pod, Service, StringMap } from '../types';

/** Every stored API object, keyed `Kind/namespace/name` (`Kind//name` for cluster-scoped kinds). */
export const K8S_OBJECTS = defineMap<KObject>('k8s.objects', {
  kind: (o) => o.kind,
  place: (o) => `${o.kind}/${o.metadata.namespace ?? ''}`,
  slicesOf: (o) => {
    const owner = o.kind === 'EndpointSlice' ? o.metadata.labels?.['kubernetes.io/service-name'] : undefined;
    return owner === undefined ? undefined : `${o.metadata.namespace ?? ''}/${owner}`;
  },
  podsOn: (o) => (o.kind === 'Pod' ? (o as Pod).spec.nodeName : undefined),
});

/** Counters of the store: the revision of the last write. */
export const K8S_META = defineMap<{ readonly revision: number }>('k8s.meta');

export const objectKey = (kind: string, namespace: string | undefined, name: string): string =>
  `${kind}/${namespace ?? ''}/${name}`;

export const keyOf = (o: KObject): string => objectKey(o.kind, o.metadata.namespace, o.metadata.name);

/** Maps kind names to their types, so that `getObject(reader, 'Service', ...)` is a Service. */
export interface KindTypes {
  Service: Service;
  Pod: Pod;
  Node: Node;
  Namespace: Namespace;
  EndpointSlice: EndpointSlice;
  Endpoints: Endpoints;
}

type ObjectOf<K extends string> = K extends keyof KindTypes ? KindTypes[K] : KObject;

const objects = (reader: WorldReader): ReadMap<KObject> => reader.map(K8S_OBJECTS);

/** One stored object as of the reader's cursor. */
export function getObject<K extends string>(
  reader: WorldReader,
  kind: K,
  namespace: string | undefined,
  name: string,
): ObjectOf<K> | undefined {
  return objects(reader).get(objectKey(kind, namespace, name)) as ObjectOf<K> | undefined;
}

/** Objects of a kind, by namespace and name in code-unit order; all namespaces when none is given. */
export function listObjects<K extends string>(reader: WorldReader, kind: K, namespace?: string): ObjectOf<K>[] {
  const map = objects(reader);
  const keys = namespace === undefined ? map.by('kind', kind) : map.by('place', `${kind}/${namespace}`);
  return keys.map((k) => map.get(k) as ObjectOf<K>);
}

/** EndpointSlices that belong to a Service. */
export function slicesOf(reader: WorldReader, namespace: string, service: string): EndpointSlice[] {
  const map = objects(reader);
  return map.by('slicesOf', `${namespace}/${service}`).map((k) => map.get(k) as EndpointSlice);
}

/** Whether labels satisfy an equality selector; an empty selector matches nothing here (Service semantics). */
export function selectorMatches(selector: StringMap | undefined, labels: StringMap | undefined): boolean {
  const keys = Object.keys(selector ?? {});
  return keys.length > 0 && keys.every((k) => labels?.[k] === selector?.[k]);
}

export function isReady(pod: Pod): boolean {
  return pod.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false;
}

export const withMeta = <T extends KObject>(o: T, meta: Partial<ObjectMeta>): T => ({
  ...o,
  metadata: { ...o.metadata, ...meta },
});
