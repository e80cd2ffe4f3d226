import type { EndpointHints, Service, SliceEndpoint } from '../types';

/** Hints of trafficDistribution (k8s.io/endpointslice/trafficdist): ready endpoints name their own zone, and node. */
export function withHints(svc: Service, e: SliceEndpoint): SliceEndpoint {
  const { hints: _, ...bare } = e;
  const wish = svc.spec.trafficDistribution;
  if (wish !== 'PreferClose' && wish !== 'PreferSameZone' && wish !== 'PreferSameNode') return bare;
  if (e.conditions?.ready !== true) return bare;
  const hints: EndpointHints = {
    ...(e.zone ? { forZones: [{ name: e.zone }] } : {}),
    ...(e.nodeName && wish === 'PreferSameNode' ? { forNodes: [{ name: e.nodeName }] } : {}),
  };
  return hints.forZones || hints.forNodes ? { ...bare, hints } : bare;
}
