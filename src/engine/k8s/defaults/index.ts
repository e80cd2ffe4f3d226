import type { Container, EndpointSlice, Endpoints, KObject, Namespace, Pod, ReplicaSet, Service } from '../types';
import { defaultService } from './service';

/** Seconds; corev1.DefaultTerminationGracePeriodSeconds. */
const DEFAULT_GRACE = 30;

function defaultContainer(c: Container): Container {
  const raw = c as Container & { readonly imagePullPolicy?: string; readonly terminationMessagePath?: string };
  const tag = (raw.image ?? '').includes('@') ? 'digest' : (/:([^/:]+)$/.exec(raw.image ?? '')?.[1] ?? 'latest');
  return {
    ...raw,
    ...(raw.ports ? { ports: raw.ports.map((p) => ({ ...p, protocol: p.protocol || ('TCP' as const) })) } : {}),
    ...{ imagePullPolicy: raw.imagePullPolicy ?? (tag === 'latest' ? 'Always' : 'IfNotPresent') },
    ...{ resources: (raw as { resources?: object }).resources ?? {} },
    ...{
      terminationMessagePath: raw.terminationMessagePath ?? '/dev/termination-log',
      terminationMessagePolicy: (raw as { terminationMessagePolicy?: string }).terminationMessagePolicy ?? 'File',
    },
  } as Container;
}

/** SetDefaults_PodSpec, the parts that show. */
export function defaultPodSpec(spec: Pod['spec']): Pod['spec'] {
  const raw = spec as Pod['spec'] & { readonly schedulerName?: string; readonly securityContext?: object };
  return {
    ...raw,
    containers: (raw.containers ?? []).map(defaultContainer),
    ...(raw.initContainers ? { initContainers: raw.initContainers.map(defaultContainer) } : {}),
    dnsPolicy: raw.dnsPolicy ?? 'ClusterFirst',
    restartPolicy: raw.restartPolicy ?? 'Always',
    terminationGracePeriodSeconds: raw.terminationGracePeriodSeconds ?? DEFAULT_GRACE,
    ...{ schedulerName: raw.schedulerName ?? 'default-scheduler', securityContext: raw.securityContext ?? {} },
    ...{ enableServiceLinks: (raw as { enableServiceLinks?: boolean }).enableServiceLinks ?? true },
  };
}

function defaultSlice(s: EndpointSlice): EndpointSlice {
  const ports = s.ports?.map((p) => ({ ...p, name: p.name ?? '', protocol: p.protocol ?? ('TCP' as const) }));
  return { ...s, endpoints: s.endpoints ?? null, ports: ports ?? null };
}

function defaultEndpoints(e: Endpoints): Endpoints {
  if (!e.subsets) return e;
  return {
    ...e,
    subsets: e.subsets.map((s) =>
      s.ports ? { ...s, ports: s.ports.map((p) => ({ ...p, protocol: p.protocol ?? ('TCP' as const) })) } : s,
    ),
  };
}

function defaultNamespace(n: Namespace): KObject {
  const labels = { ...n.metadata.labels, 'kubernetes.io/metadata.name': n.metadata.name };
  return {
    ...n,
    metadata: { ...n.metadata, labels },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active', ...n.status },
  } as Namespace;
}

function defaultWorkload(w: ReplicaSet): ReplicaSet {
  const template = w.spec.template && { ...w.spec.template, spec: defaultPodSpec(w.spec.template.spec) };
  return { ...w, spec: { ...w.spec, replicas: w.spec.replicas ?? 1, template } };
}

/** Fills in what the API server fills in when it decodes an object of this kind. */
export function applyDefaults(o: KObject): KObject {
  switch (o.kind) {
    case 'Service':
      return defaultService(o as Service);
    case 'Pod':
      return { ...o, spec: defaultPodSpec((o as Pod).spec) } as Pod;
    case 'EndpointSlice':
      return defaultSlice(o as EndpointSlice);
    case 'Endpoints':
      return defaultEndpoints(o as Endpoints);
    case 'Namespace':
      return defaultNamespace(o as Namespace);
    case 'Deployment':
    case 'ReplicaSet':
      return defaultWorkload(o as ReplicaSet);
    default:
      return o;
  }
}
