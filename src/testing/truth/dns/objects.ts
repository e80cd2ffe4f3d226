import { parseAllDocuments } from 'yaml';
import { byCodeUnit } from '../../../engine/base/json';
import type {
  KubeEndpointSlice,
  KubeNamespace,
  KubePod,
  KubeService,
  KubeSource,
} from '../../../engine/dns/coredns/kubernetes/source';
import type { TruthFiles } from '../types';

interface Doc {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}
interface PodStatus {
  readonly namespace: string;
  readonly pod: string;
  readonly phase: string;
  readonly podIP: string | null;
}

const docs = (files: TruthFiles, path: string): unknown[] =>
  parseAllDocuments(files.read(path) ?? '').map((d) => d.toJS() as unknown);

const isDoc = (d: unknown): d is Doc => typeof d === 'object' && d !== null && 'kind' in d;

/** What the API server held while the recording was made. */
export function recordedObjects(files: TruthFiles): KubeSource {
  const all = files
    .list('objects')
    .filter((f) => /^\d\d-.*\.yaml$/.test(f))
    .flatMap((f) => docs(files, `objects/${f}`))
    .filter(isDoc);
  const status = docs(files, 'objects/pod-status.yaml').flat() as PodStatus[];
  const byName = (a: Doc, b: Doc): number =>
    byCodeUnit(`${a.metadata.namespace}/${a.metadata.name}`, `${b.metadata.namespace}/${b.metadata.name}`);
  const pods: KubePod[] = status.map((s) => ({
    metadata: { name: s.pod, namespace: s.namespace },
    status: { phase: s.phase, ...(s.podIP && s.podIP !== 'None' ? { podIP: s.podIP } : {}) },
  }));
  const namespaces: KubeNamespace[] = [
    ...['default', 'kube-node-lease', 'kube-public', 'kube-system'].map((name) => ({ metadata: { name } })),
    ...all.filter((d) => d.kind === 'Namespace').map((d) => ({ metadata: { name: d.metadata.name } })),
  ];
  const services = docs(files, 'objects/services-live.yaml').filter(isDoc).sort(byName) as unknown as KubeService[];
  const slices = docs(files, 'objects/endpointslices.yaml')
    .filter(isDoc)
    .sort(byName) as unknown as KubeEndpointSlice[];
  return {
    version: () => 1,
    reachable: () => true,
    services: () => services,
    endpointSlices: () => slices,
    pods: () => pods,
    namespaces: () => namespaces,
    modified: () => 1_796_074_000,
  };
}
