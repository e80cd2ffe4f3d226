import type { Json } from '../engine/base';
import type { Cluster } from '../engine/cluster';
import { applyObject, kubectlMessage } from '../engine/k8s';
import type { ManifestDocument } from '../scenario/manifest';
import { SessionProblem } from './problem';
import { documents } from './setup';

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
    // The strict decoder names the field in its message only.
    const strict = /(?:unknown|duplicate) field "([^"]+)"/.exec(r.error.message)?.[1];
    const field = r.error.details?.causes?.[0]?.field ?? strict ?? '';
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
