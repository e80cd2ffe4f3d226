import { assert } from '../base/assert';
import type { Ctx } from '../trace/context';
import { K8S_OBJECTS, keyOf } from './api/objects';
import { ApiServer } from './api/server';
import { endpointsController } from './controllers/endpoints';
import { SERVICE_NAME, servicesOfPod } from './controllers/endpoints-common';
import { endpointSliceController } from './controllers/endpointslice';
import { garbageCollector, namespaceController } from './controllers/garbage';
import { Kubelet, type KubeletDoor, schedulerController } from './controllers/kubelet';
import { mirroringController } from './controllers/mirroring';
import { WorkQueue } from './controllers/queue';
import { deploymentController, replicaSetController } from './controllers/workloads';
import type { KObject, Pod } from './types';

export interface NodeSpec {
  readonly name: string;
  /** InternalIP addresses, primary family first. */
  readonly ips: readonly string[];
  readonly podCidrs: readonly string[];
  readonly zone?: string;
  readonly kernel?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface ControlPlaneOptions {
  readonly nodes: readonly NodeSpec[];
  readonly serviceCidrs: readonly string[];
  /** Where the API server answers: the endpoint of default/kubernetes. */
  readonly apiServer: { readonly ip: string; readonly port: number };
  /** Version that nodes report, e.g. `v1.37.2`. */
  readonly version?: string;
  /** The kubelet stand-in's world; absent: no kubelet and no scheduler (statuses come from whoever writes them). */
  readonly kubelet?: KubeletDoor;
  /** Whether the garbage collector runs; default true. */
  readonly garbageCollection?: boolean;
}

/** From a write to the controller manager's notice of it, us. */
const NOTICE_US = 5_000;
/** Interval at which the API server looks after default/kubernetes, us. */
const RECREATE_US = 10_000_000;
/** From the notice to the work on it, us. */
const SYNC_US = 10_000;

export interface ControlPlane {
  readonly api: ApiServer;
  readonly queue: WorkQueue;
}

/** The API server with its first objects, the controllers, and (where asked for) scheduler and kubelet. */
export function createControlPlane(ctx: Ctx, options: ControlPlaneOptions): ControlPlane {
  const api = new ApiServer(ctx, { serviceCidrs: options.serviceCidrs });
  const queue = new WorkQueue(ctx);
  const gc = options.garbageCollection ?? true;
  queue.register(endpointSliceController(api, SYNC_US));
  queue.register(mirroringController(api, SYNC_US));
  queue.register(endpointsController(api, SYNC_US));
  queue.register(deploymentController(api, SYNC_US));
  queue.register(replicaSetController(api, SYNC_US));
  queue.register(namespaceController(api, SYNC_US));
  queue.register(garbageCollector(api, SYNC_US));
  queue.register(schedulerController(api, SYNC_US));
  api.watch({
    name: 'kube-controller-manager',
    kinds: ['Service', 'Pod', 'Node', 'Endpoints', 'EndpointSlice', 'Deployment', 'ReplicaSet', 'Namespace'],
    delayUs: NOTICE_US,
    onEvent: ({ type, object }) => {
      route(ctx, queue, object, options.kubelet !== undefined);
      if (type === 'DELETED' && object.kind === 'Service' && keyOf(object) === 'Service/default/kubernetes') {
        ctx.sim.after(RECREATE_US, 'k8s.kubernetes-service');
      }
      if (type === 'DELETED' && gc) queue.add('garbage-collector', keyOf(object));
    },
  });
  ctx.sim.on('k8s.kubernetes-service', () => {
    api.create(kubernetesService(api, options), { by: 'kube-apiserver' });
  });
  if (options.kubelet) new Kubelet(ctx, api, options.kubelet);
  bootstrap(api, options);
  return { api, queue };
}

/** Which keys a change concerns. */
function route(ctx: Ctx, queue: WorkQueue, o: KObject, scheduling: boolean): void {
  const { namespace = '', name } = o.metadata;
  const own = `${namespace}/${name}`;
  const both = (key: string): void => {
    queue.add('endpointslice-controller', key);
    queue.add('endpoint-controller', key);
  };
  switch (o.kind) {
    case 'Service':
      both(own);
      queue.add('endpointslicemirroring-controller', own);
      return;
    case 'Pod': {
      // Labels may have changed: Services that already list the pod look again, too.
      const keys = new Set(servicesOfPod(ctx.world, o as Pod));
      for (const key of servicesListing(ctx, namespace, name)) keys.add(key);
      for (const key of [...keys].sort()) both(key);
      for (const r of o.metadata.ownerReferences ?? []) {
        if (r.kind === 'ReplicaSet') queue.add('replicaset-controller', `${namespace}/${r.name}`);
      }
      if (scheduling && !(o as Pod).spec.nodeName) queue.add('scheduler', own);
      return;
    }
    case 'Endpoints':
      queue.add('endpointslicemirroring-controller', own);
      return;
    case 'EndpointSlice': {
      const svc = o.metadata.labels?.[SERVICE_NAME];
      if (svc) queue.add('endpointslice-controller', `${namespace}/${svc}`);
      return;
    }
    case 'Deployment':
      queue.add('deployment-controller', own);
      return;
    case 'ReplicaSet':
      queue.add('replicaset-controller', own);
      for (const r of o.metadata.ownerReferences ?? []) {
        if (r.kind === 'Deployment') queue.add('deployment-controller', `${namespace}/${r.name}`);
      }
      return;
    case 'Namespace':
      queue.add('namespace-controller', name);
      return;
    default:
  }
}

/** Services of a namespace one of whose slices names the pod. */
function servicesListing(ctx: Ctx, namespace: string, pod: string): string[] {
  const map = ctx.world.map(K8S_OBJECTS);
  return map.by('place', `EndpointSlice/${namespace}`).flatMap((k) => {
    const slice = map.get(k) as { endpoints?: { targetRef?: { name?: string } }[] } & KObject;
    const svc = slice.metadata.labels?.[SERVICE_NAME];
    return svc && slice.endpoints?.some((e) => e.targetRef?.name === pod) ? [`${namespace}/${svc}`] : [];
  });
}

/** Objects that exist before anybody asks: namespaces, nodes, default/kubernetes. */
function bootstrap(api: ApiServer, options: ControlPlaneOptions): void {
  const put = (o: object): void => {
    const made = api.create(o, { by: 'kube-apiserver' });
    assert(made.ok, made.ok ? '' : made.error.message);
  };
  for (const name of ['default', 'kube-node-lease', 'kube-public', 'kube-system']) {
    put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  for (const n of options.nodes) put(nodeObject(n, options.version ?? 'v1.37.2'));
  put(kubernetesService(api, options));
  const { ip, port } = options.apiServer;
  put({
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' },
    },
    subsets: [{ addresses: [{ ip }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
  });
  put({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { [SERVICE_NAME]: 'kubernetes' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports: [{ name: 'https', protocol: 'TCP', port }],
  });
}

/** default/kubernetes as the API server keeps it (pkg/controlplane/controller/kubernetesservice). */
function kubernetesService(api: ApiServer, options: ControlPlaneOptions): object {
  const labels = { component: 'apiserver', provider: 'kubernetes' };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default', labels },
    spec: {
      ...firstAddress(api),
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: options.apiServer.port }],
      sessionAffinity: 'None',
      type: 'ClusterIP',
    },
  };
}

/** default/kubernetes takes the first address of the first range. */
function firstAddress(api: ApiServer): { clusterIP: string } {
  const base = api.ranges[0]?.base ?? '10.96.0.0';
  const last = base.lastIndexOf('.');
  return { clusterIP: `${base.slice(0, last)}.${Number(base.slice(last + 1)) + 1}` };
}

function nodeObject(n: NodeSpec, version: string): object {
  const [podCIDR = ''] = n.podCidrs;
  const condition = (type: string, status: string, reason: string, message: string): object => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: '2026-01-01T00:00:00Z',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  });
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: n.name,
      labels: {
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': n.name,
        'kubernetes.io/os': 'linux',
        ...(n.zone === undefined ? {} : { 'topology.kubernetes.io/zone': n.zone }),
        ...n.labels,
      },
    },
    spec: { podCIDR, podCIDRs: n.podCidrs },
    status: {
      addresses: [...n.ips.map((address) => ({ type: 'InternalIP', address })), { type: 'Hostname', address: n.name }],
      conditions: [
        condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
        condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
        condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
        condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
      ],
      nodeInfo: {
        architecture: 'amd64',
        containerRuntimeVersion: 'containerd://2.1.5',
        kernelVersion: n.kernel ?? '6.1.0-32-amd64',
        kubeletVersion: version,
        operatingSystem: 'linux',
        osImage: 'Debian GNU/Linux 12 (bookworm)',
      },
    },
  };
}
