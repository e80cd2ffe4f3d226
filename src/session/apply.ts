import type { Json } from '../engine/base';
import type { Cluster } from '../engine/cluster';
import { applyObject, kubectlMessage, type Pod } from '../engine/k8s';
import type { ManifestDocument } from '../scenario/manifest';
import { lateParts } from './late';
import { SessionProblem } from './problem';

function documents(yaml: string, file: string): readonly ManifestDocument[] {
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

/**
 * `kubectl apply -f` of the editor's text. All documents are tried dry first: one that is refused leaves the world as it
 * was and is told with file, line and field. Returns kubectl's lines.
 */
export function applyManifest(cluster: Cluster, yaml: string, file = 'manifest.yaml'): string {
  const docs = documents(yaml, file);
  if (docs.length === 0) {
    throw new SessionProblem({
      code: 'manifest.empty',
      message: 'the text holds no object',
      file,
      line: 1,
      expected: 'a Kubernetes object',
    });
  }
  const made = new Set(docs.map((d) => newNamespace(d.value)));
  // What lives in a namespace of the same text cannot be tried before that is there.
  for (const d of docs) if (!made.has(namespaceOf(d.value))) applyOne(cluster, d, file, true);
  return docs.map((d) => applyOne(cluster, d, file, false)).join('');
}

function applyOne(cluster: Cluster, doc: ManifestDocument, file: string, dryRun: boolean): string {
  const r = applyObject(cluster.api, doc.value, { by: 'kubectl', dryRun, fieldValidation: 'Strict' });
  if (!r.ok) {
    const field = r.error.details?.causes?.[0]?.field ?? '';
    const at = doc.positionOf(field);
    throw new SessionProblem({
      code: 'manifest.refused',
      message: kubectlMessage(r.error),
      file,
      line: at.line,
      column: at.column,
      field,
    });
  }
  const { object, what } = r.value;
  const slash = object.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : `.${object.apiVersion.slice(0, slash)}`;
  return `${object.kind.toLowerCase()}${group}/${object.metadata.name} ${what}\n`;
}

type Meta = { kind?: unknown; metadata?: { name?: unknown; namespace?: unknown } };
const newNamespace = (v: Json): unknown => ((v as Meta).kind === 'Namespace' ? (v as Meta).metadata?.name : undefined);
const namespaceOf = (v: Json): unknown => (v as Meta | null)?.metadata?.namespace ?? 'default';

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
