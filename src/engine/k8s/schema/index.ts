import { endpointSliceKind, endpointsKind } from './endpoints';
import { configMapKind, namespaceKind, nodeKind } from './misc';
import { podKind } from './pod';
import type { KindDef } from './schema';
import { serviceKind } from './service';
import { deploymentKind, replicaSetKind } from './workloads';

export * from './schema';

/** Every kind that the API server serves; a new one is one file and one line here. */
export const KINDS: readonly KindDef[] = [
  configMapKind,
  endpointsKind,
  namespaceKind,
  nodeKind,
  podKind,
  serviceKind,
  deploymentKind,
  replicaSetKind,
  endpointSliceKind,
];

const byKind = new Map(KINDS.map((k) => [k.kind, k]));

/** The kind by its name, `Service`. */
export const kindDef = (kind: string): KindDef | undefined => byKind.get(kind);

/** The kind by apiVersion and name, as a manifest gives them. */
export function kindOf(apiVersion: string, kind: string): KindDef | undefined {
  const def = byKind.get(kind);
  return def && def.apiVersion === apiVersion ? def : undefined;
}

/** The kind that a kubectl resource word means: `svc`, `services`, `service`, `endpointslices.discovery.k8s.io`. */
export function kindByWord(word: string): KindDef | undefined {
  return KINDS.find((k) => {
    const slash = k.apiVersion.indexOf('/');
    const group = slash < 0 ? '' : `.${k.apiVersion.slice(0, slash)}`;
    return (
      word === k.resource ||
      word === k.singular ||
      k.shortNames.includes(word) ||
      (group !== '' && (word === k.resource + group || word === k.singular + group))
    );
  });
}
