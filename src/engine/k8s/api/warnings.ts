import type { KObject, Service } from '../types';

/** The Warning headers of any request for a kind, reads and refused writes included. */
export const requestWarnings = (kind: string): string[] =>
  kind === 'Endpoints' ? ['v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'] : [];

/** The Warning headers that the server sends with a write of this object, in its order. */
export function warningsFor(o: KObject): string[] {
  if (o.kind === 'Endpoints') return requestWarnings(o.kind);
  if (o.kind !== 'Service') return [];
  const spec = (o as Service).spec;
  const out: string[] = [];
  if (spec.type !== 'ExternalName' && spec.externalName) {
    out.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  if (spec.clusterIP === 'None') {
    if (spec.sessionAffinity === 'ClientIP') {
      out.push('spec.SessionAffinity is ignored for headless services');
    }
    if (spec.loadBalancerIP) out.push('spec.loadBalancerIP is ignored for headless services');
    if (spec.externalIPs?.length) out.push('spec.externalIPs is ignored for headless services');
  }
  if (spec.trafficDistribution === 'PreferClose') {
    out.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  if (spec.externalIPs?.length && spec.clusterIP !== 'None') {
    out.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  }
  return out;
}
