import type { Json } from '../engine/base';
import type { Cluster } from '../engine/cluster';
import type { Pod } from '../engine/k8s';
import type { ManifestDocument } from '../scenario/manifest';
import { lateParts } from './late';
import { SessionProblem } from './problem';

/** The objects of a text. A text that cannot be read gives a SessionProblem with file and line. */
export function documents(yaml: string, file: string): readonly ManifestDocument[] {
  // Lessons that ship with the page carry their objects as JSON: the first picture does not wait for the YAML reader.
  if (yaml.startsWith('[{')) return (JSON.parse(yaml) as Json[]).map(plainDocument);
  const r = lateParts().readManifest(yaml, file);
  if (!r.ok) throw new SessionProblem({ code: 'manifest', ...r.error });
  return r.documents;
}

const plainDocument = (value: Json): ManifestDocument => ({
  value,
  line: 1,
  positionOf: () => ({ line: 1, column: 1 }),
  duplicates: [],
});

/** The manifests that a world starts with: pods whose status names an address get that address from the kubelet. */
export function setupManifests(cluster: Cluster, yaml: string): void {
  for (const doc of documents(yaml, 'cluster.yaml')) {
    const pod = doc.value as unknown as Pod;
    const status = pod.status;
    if (pod.kind === 'Pod' && status?.podIP) {
      cluster.cni?.reserve(pod.metadata.namespace ?? 'default', pod.metadata.name, status.podIP);
    }
    const r = cluster.api.create(doc.value as Json, { by: 'setup' });
    if (!r.ok) {
      const at = doc.positionOf('');
      throw new SessionProblem({
        code: 'manifest.refused',
        message: r.error.message,
        file: 'cluster.yaml',
        line: at.line,
        column: at.column,
      });
    }
    if (status && cluster.spec.controlPlane?.kubelet === false && pod.kind === 'Pod') {
      cluster.api.patch('Pod', pod.metadata.namespace, pod.metadata.name, 'merge', { status } as unknown as Json, {
        by: 'setup',
        subresource: 'status',
      });
    }
  }
}
