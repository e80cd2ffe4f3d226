import { labelsOf, trimZone } from '../../names';

/** A query name taken apart (Kubernetes DNS specification 1.1.0). */
export interface RecordRequest {
  port: string;
  protocol: string;
  endpoint: string;
  /** Topology zone of a zone-scoped name; '' for all other names. */
  zone: string;
  /** `prefer`: all endpoints when the zone has none. */
  zonePrefer: boolean;
  service: string;
  namespace: string;
  /** `svc`, `pod` or '' at the zone's apex. */
  kind: string;
}

/**
 * Takes a lower-case query name apart; undefined for names that cannot be valid.
 *
 *     _port._protocol.service.namespace.svc.zone    endpoint.service.namespace.svc.zone
 *     service.namespace.svc.zone                    ip-with-dashes.namespace.pod.zone
 */
export function parseRequest(name: string, zone: string, zonal: boolean): RecordRequest | undefined {
  const r: RecordRequest = {
    port: '',
    protocol: '',
    endpoint: '',
    zone: '',
    zonePrefer: false,
    service: '',
    namespace: '',
    kind: '',
  };
  const base = trimZone(name, zone) ?? '';
  if (base === '' || base === 'svc' || base === 'pod') return r;
  const labels = labelsOf(`${base}.`);
  r.kind = labels.pop() ?? '';
  if (r.kind !== 'pod' && r.kind !== 'svc') return undefined;
  r.namespace = labels.pop() ?? '';
  r.service = labels.pop() ?? '';
  const last = labels[labels.length - 1] ?? '';
  const before = labels[labels.length - 2] ?? '';
  switch (labels.length) {
    case 0:
      return r;
    case 1:
      r.endpoint = last;
      return r;
    case 2:
      r.protocol = bare(last);
      r.port = bare(before);
      return r;
    default:
      if (!zonal || last !== '_zone' || r.kind !== 'svc' || (before !== 'pin' && before !== 'prefer')) return undefined;
      r.zonePrefer = before === 'prefer';
      r.zone = labels.slice(0, -2).join('.');
      return r;
  }
}

const bare = (label: string): string => (label.startsWith('_') ? label.slice(1) : label);
