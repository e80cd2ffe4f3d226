import { condition, typeMeta } from './meta';
import { any, bool, int32, intstr, type KindDef, list, map, obj, str } from './schema';

const port = obj('ServicePort', {
  name: str,
  protocol: str,
  appProtocol: str,
  port: int32,
  targetPort: intstr,
  nodePort: int32,
});

const spec = obj('ServiceSpec', {
  ports: list(port, 'port'),
  selector: map(str),
  clusterIP: str,
  clusterIPs: list(str),
  type: str,
  externalIPs: list(str),
  sessionAffinity: str,
  loadBalancerIP: str,
  loadBalancerSourceRanges: list(str),
  externalName: str,
  externalTrafficPolicy: str,
  healthCheckNodePort: int32,
  publishNotReadyAddresses: bool,
  sessionAffinityConfig: obj('SessionAffinityConfig', {
    clientIP: obj('ClientIPConfig', { timeoutSeconds: int32 }),
  }),
  ipFamilies: list(str),
  ipFamilyPolicy: str,
  allocateLoadBalancerNodePorts: bool,
  loadBalancerClass: str,
  internalTrafficPolicy: str,
  trafficDistribution: str,
});

const status = obj('ServiceStatus', {
  loadBalancer: obj('LoadBalancerStatus', {
    ingress: list(obj('LoadBalancerIngress', { ip: str, hostname: str, ipMode: str, ports: list(any) })),
  }),
  conditions: list(condition('Condition'), 'type'),
});

export const serviceKind: KindDef = {
  kind: 'Service',
  apiVersion: 'v1',
  resource: 'services',
  singular: 'service',
  shortNames: ['svc'],
  namespaced: true,
  schema: obj('Service', { ...typeMeta, spec, status }),
  generation: false,
  statusSubresource: true,
};
