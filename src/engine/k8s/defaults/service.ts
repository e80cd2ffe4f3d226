import type { LoadBalancerIngress, Service, ServicePort, ServiceSpec } from '../types';
import { externallyAccessible } from '../validation/service';

/** Seconds; core.DefaultClientIPServiceAffinitySeconds. */
const DEFAULT_AFFINITY_SECONDS = 10800;

type Draft = { -readonly [K in keyof ServiceSpec]: ServiceSpec[K] };

function defaultPort(p: ServicePort): ServicePort {
  const raw = p as Partial<ServicePort>;
  const port = raw.port ?? 0;
  const target = raw.targetPort;
  const { name, appProtocol, nodePort } = raw;
  return {
    ...(name ? { name } : {}),
    protocol: raw.protocol || 'TCP',
    ...(appProtocol === undefined ? {} : { appProtocol }),
    port,
    // An int 0 or an empty name both mean "not given".
    targetPort: target === undefined || target === 0 || target === '' ? port : target,
    ...(nodePort ? { nodePort } : {}),
  };
}

/** SetDefaults_Service (pkg/apis/core/v1/defaults.go). */
export function defaultService(svc: Service): Service {
  const spec: Draft = { ...svc.spec };
  spec.type ||= 'ClusterIP';
  spec.sessionAffinity ||= 'None';
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  else if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: DEFAULT_AFFINITY_SECONDS } };
  }
  if (spec.ports) spec.ports = spec.ports.map(defaultPort);
  if (externallyAccessible(spec) && !spec.externalTrafficPolicy) spec.externalTrafficPolicy = 'Cluster';
  if (!spec.externalTrafficPolicy) delete spec.externalTrafficPolicy;
  const inCluster = spec.type === 'ClusterIP' || spec.type === 'NodePort' || spec.type === 'LoadBalancer';
  if (inCluster) spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
  if (!spec.publishNotReadyAddresses) delete spec.publishNotReadyAddresses;
  if (!spec.healthCheckNodePort) delete spec.healthCheckNodePort;
  for (const key of ['clusterIP', 'externalName', 'loadBalancerIP'] as const) if (!spec[key]) delete spec[key];
  for (const key of ['clusterIPs', 'externalIPs', 'loadBalancerSourceRanges', 'ipFamilies', 'ports'] as const) {
    if (spec[key]?.length === 0) delete spec[key];
  }
  if (spec.selector && Object.keys(spec.selector).length === 0) delete spec.selector;
  return { ...svc, spec, status: defaultStatus(svc) };
}

function defaultStatus(svc: Service): NonNullable<Service['status']> {
  const lb = svc.status?.loadBalancer ?? {};
  const ingress = lb.ingress?.map(
    (i): LoadBalancerIngress => (i.ip && i.ipMode === undefined ? { ...i, ipMode: 'VIP' } : i),
  );
  return { ...svc.status, loadBalancer: { ...lb, ...(ingress?.length ? { ingress } : {}) } };
}
