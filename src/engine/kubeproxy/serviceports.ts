import { type Cidr, canonicalIp, cidrContains, type IpFamily, ipFamily, parseCidr } from '../base/ip';
import type { Service } from '../k8s/index';

export type L4 = 'tcp' | 'udp' | 'sctp';

/** One port of a Service as one address family's proxier sees it (proxy.BaseServicePortInfo). */
export interface ServicePortInfo {
  /** `namespace/name`, or `namespace/name:port` for a named port. */
  readonly name: string;
  /** `namespace/name`. */
  readonly service: string;
  readonly namespace: string;
  readonly portName: string;
  readonly protocol: L4;
  readonly clusterIp: string;
  readonly port: number;
  readonly nodePort: number;
  /** Seconds of ClientIP affinity; undefined: none. */
  readonly affinitySeconds: number | undefined;
  readonly externalIps: readonly string[];
  /** Load-balancer addresses that this node captures (ipMode VIP). */
  readonly lbVips: readonly string[];
  readonly sourceRanges: readonly Cidr[];
  readonly healthCheckNodePort: number;
  readonly internalLocal: boolean;
  readonly externalLocal: boolean;
}

/** Can traffic from outside reach it (on this family). */
export const externallyReachable = (p: ServicePortInfo): boolean =>
  p.nodePort !== 0 || p.lbVips.length > 0 || p.externalIps.length > 0;

export const usesClusterEndpoints = (p: ServicePortInfo): boolean => !p.internalLocal || externallyReachable(p);

export const usesLocalEndpoints = (p: ServicePortInfo): boolean =>
  p.internalLocal || (p.externalLocal && externallyReachable(p));

const PROXY_NAME = 'service.kubernetes.io/service-proxy-name';
const HEADLESS = 'service.kubernetes.io/headless';

/** Whether kube-proxy watches the object at all: its informers select by these labels. */
export function isWatched(labels: { readonly [key: string]: string } | undefined): boolean {
  return labels?.[PROXY_NAME] === undefined && labels?.[HEADLESS] === undefined;
}

/** Ports of a Service for a family; none for headless and ExternalName Services and for families it does not have. */
export function servicePorts(svc: Service, family: IpFamily): ServicePortInfo[] {
  const spec = svc.spec;
  if (!isWatched(svc.metadata.labels)) return [];
  if (!spec.clusterIP || spec.clusterIP === 'None' || spec.type === 'ExternalName') return [];
  const ofFamily = (ip: string): boolean => ipFamily(ip) === family;
  const clusterIp = (spec.clusterIPs ?? [spec.clusterIP]).find(ofFamily);
  if (clusterIp === undefined) return [];
  const namespace = svc.metadata.namespace ?? '';
  const service = `${namespace}/${svc.metadata.name}`;
  const ingress = spec.type === 'LoadBalancer' ? (svc.status?.loadBalancer?.ingress ?? []) : [];
  const lbVips = ingress.flatMap((i) =>
    i.ip && i.ipMode !== 'Proxy' && ofFamily(i.ip) ? (canonicalIp(i.ip) ?? []) : [],
  );
  const ranges = (spec.loadBalancerSourceRanges ?? []).flatMap((r) => parseCidr(r.trim()) ?? []);
  const health = spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
  const affinity = spec.sessionAffinity === 'ClientIP';
  return (spec.ports ?? []).map((p) => ({
    name: p.name ? `${service}:${p.name}` : service,
    service,
    namespace,
    portName: p.name ?? '',
    protocol: p.protocol.toLowerCase() as L4,
    clusterIp,
    port: p.port,
    nodePort: p.nodePort ?? 0,
    affinitySeconds: affinity ? (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10800) : undefined,
    externalIps: (spec.externalIPs ?? []).filter(ofFamily).flatMap((ip) => canonicalIp(ip) ?? []),
    lbVips,
    sourceRanges: ranges.filter((c) => c.family === family),
    healthCheckNodePort: health ? (spec.healthCheckNodePort ?? 0) : 0,
    internalLocal: spec.internalTrafficPolicy === 'Local',
    externalLocal: spec.externalTrafficPolicy === 'Local',
  }));
}

/** Whether one of the source ranges holds the node's own address. */
export const allowsNode = (p: ServicePortInfo, nodeIp: string | undefined): boolean =>
  nodeIp !== undefined && p.sourceRanges.some((c) => cidrContains(c, nodeIp));
