import type { Json } from '../base/json';
import type { WorldReader } from '../base/recordmap';
import { getObject } from './api/objects';
import type { Pod, StringMap } from './types';

/** Seconds that a pod stays on a node that is gone (DefaultTolerationSeconds). */
const TOLERATION_SECONDS = 300;
const TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

interface Toleration {
  readonly key?: string;
  readonly effect?: string;
}
type AdmittedSpec = Pod['spec'] & {
  readonly priority?: number;
  readonly preemptionPolicy?: string;
  readonly tolerations?: readonly (Toleration & { readonly [key: string]: Json | undefined })[];
};

/** What the default admission plugins add to a pod: Priority, DefaultTolerationSeconds, PodTopologyLabels. */
export function admitPod(pod: Pod, reader: WorldReader): Pod {
  const spec = pod.spec as AdmittedSpec;
  const have = spec.tolerations ?? [];
  const missing = TAINTS.filter((key) => !have.some((t) => t.key === key || t.key === undefined || t.key === '')).map(
    (key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: TOLERATION_SECONDS }),
  );
  const admitted = {
    ...spec,
    priority: spec.priority ?? 0,
    preemptionPolicy: spec.preemptionPolicy ?? 'PreemptLowerPriority',
    tolerations: [...have, ...missing],
  };
  return withTopology({ ...pod, spec: admitted }, spec.nodeName, reader);
}

/** A pod that is on a node carries the node's zone and region. */
export function withTopology(pod: Pod, nodeName: string | undefined, reader: WorldReader): Pod {
  const node = nodeName ? getObject(reader, 'Node', undefined, nodeName) : undefined;
  const labels: Record<string, string> = {};
  for (const key of ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region']) {
    const value = (node?.metadata.labels as StringMap | undefined)?.[key];
    if (value !== undefined) labels[key] = value;
  }
  if (Object.keys(labels).length === 0) return pod;
  return { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...labels } } };
}
