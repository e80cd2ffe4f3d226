import type { Json } from '../../base/json';
import type { Service, ServicePort, ServiceSpec } from '../types';
import { validateClusterIps } from './clusterips';
import { duplicate, type FieldError, forbiddenField, invalidValue, required, unsupported } from './field';
import { validateCidr, validateIp, validateNonSpecialIp } from './ip';
import { validateLabels, validateMeta } from './meta';
import { isDns1123Label, isDns1123Subdomain, isPortName, isPortNum, isQualifiedName } from './text';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
/** Seconds of a day: the longest affinity. */
const MAX_AFFINITY = 86400;
const KUBELET_PORT = 10250;

export const isHeadless = (spec: ServiceSpec): boolean =>
  spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === 'None';

/** Whether traffic from outside the cluster can reach it (ExternallyAccessible). */
export const externallyAccessible = (spec: ServiceSpec): boolean =>
  spec.type === 'NodePort' ||
  spec.type === 'LoadBalancer' ||
  (spec.type === 'ClusterIP' && (spec.externalIPs?.length ?? 0) > 0);

/** pkg/apis/core/validation.ValidateService, in its order. */
export function validateService(svc: Service): FieldError[] {
  const spec = svc.spec;
  return [
    ...validateMeta(svc.metadata, true, isDns1123Label),
    ...validateTypeFields(spec),
    ...validatePorts(spec),
    ...(spec.selector ? validateLabels(spec.selector, 'spec.selector') : []),
    ...validateAffinity(spec),
    ...validateExternalIps(spec),
    ...(spec.type && !TYPES.includes(spec.type) ? [unsupported('spec.type', spec.type, TYPES)] : []),
    ...validateNodePorts(spec),
    ...validateLoadBalancer(spec),
    ...validatePolicies(spec),
    ...validateClusterIps(spec),
  ];
}

/** ValidateServiceUpdate's own checks; ValidateService of the new object follows them. */
export function validateServiceUpdate(svc: Service, old: Service): FieldError[] {
  const out: FieldError[] = [];
  const before = old.spec.clusterIPs ?? [];
  const after = svc.spec.clusterIPs ?? [];
  if (old.spec.type !== 'ExternalName' && svc.spec.type !== 'ExternalName' && before.length > 0) {
    if (after.length === 0) {
      out.push(invalidValue('spec.clusterIPs[0]', [], 'primary clusterIP can not be unset'));
    } else if (after[0] !== before[0]) {
      out.push(invalidValue('spec.clusterIPs[0]', after, 'may not change once set'));
    }
    if (before.length > 1 && after.length > 1 && after[1] !== before[1]) {
      out.push(invalidValue('spec.clusterIPs[1]', after, 'may not change once set'));
    }
  }
  if (
    old.spec.type === 'LoadBalancer' &&
    svc.spec.type === 'LoadBalancer' &&
    old.spec.loadBalancerClass !== svc.spec.loadBalancerClass
  ) {
    out.push(invalidValue('spec.loadBalancerClass', svc.spec.loadBalancerClass ?? null, 'may not change once set'));
  }
  return out;
}

function validateTypeFields(spec: ServiceSpec): FieldError[] {
  const out: FieldError[] = [];
  const ports = spec.ports ?? [];
  if (ports.length === 0 && !isHeadless(spec) && spec.type !== 'ExternalName') out.push(required('spec.ports'));
  if (spec.type === 'LoadBalancer') {
    ports.forEach((p, i) => {
      if (p.port === KUBELET_PORT) {
        const why = `may not expose port ${KUBELET_PORT} externally since it is used by kubelet`;
        out.push(invalidValue(`spec.ports[${i}]`, p.port, why));
      }
    });
  }
  if ((spec.type === 'LoadBalancer' || spec.type === 'NodePort') && isHeadless(spec)) {
    out.push(invalidValue('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${spec.type} services`));
  }
  if (spec.type === 'ExternalName') out.push(...validateExternalName(spec));
  return out;
}

function validateExternalName(spec: ServiceSpec): FieldError[] {
  const out: FieldError[] = [];
  const why = 'may not be set for ExternalName services';
  if (spec.clusterIPs?.length) out.push(forbiddenField('spec.clusterIPs', why));
  if (spec.ipFamilies?.length) out.push(forbiddenField('spec.ipFamilies', why));
  if (spec.ipFamilyPolicy) out.push(forbiddenField('spec.ipFamilyPolicy', why));
  // A trailing dot says that the name is fully qualified.
  const cname = (spec.externalName ?? '').replace(/\.$/, '');
  if (cname === '') out.push(required('spec.externalName'));
  else out.push(...isDns1123Subdomain(cname).map((m) => invalidValue('spec.externalName', cname, m)));
  return out;
}

function validatePorts(spec: ServiceSpec): FieldError[] {
  const ports = spec.ports ?? [];
  const names = new Set<string>();
  return ports.flatMap((p, i) => validatePort(p, ports.length > 1, names, `spec.ports[${i}]`));
}

function validatePort(p: ServicePort, needsName: boolean, names: Set<string>, path: string): FieldError[] {
  const out: FieldError[] = [];
  const name = p.name ?? '';
  if (name === '') {
    if (needsName) out.push(required(`${path}.name`));
  } else {
    out.push(...isDns1123Label(name).map((m) => invalidValue(`${path}.name`, name, m)));
    if (names.has(name)) out.push(duplicate(`${path}.name`, name));
    names.add(name);
  }
  out.push(...isPortNum(p.port).map((m) => invalidValue(`${path}.port`, p.port, m)));
  if (!PROTOCOLS.includes(p.protocol)) out.push(unsupported(`${path}.protocol`, p.protocol, PROTOCOLS));
  const target = p.targetPort;
  const problems = typeof target === 'number' ? isPortNum(target) : isPortName(target);
  out.push(...problems.map((m) => invalidValue(`${path}.targetPort`, target, m)));
  const app = p.appProtocol;
  if (app !== undefined) out.push(...isQualifiedName(app).map((m) => invalidValue(`${path}.appProtocol`, app, m)));
  return out;
}

function validateAffinity(spec: ServiceSpec): FieldError[] {
  const affinity = spec.sessionAffinity ?? '';
  if (affinity === '') return [required('spec.sessionAffinity')];
  if (affinity !== 'ClientIP' && affinity !== 'None') {
    return [unsupported('spec.sessionAffinity', affinity, ['ClientIP', 'None'])];
  }
  const path = 'spec.sessionAffinityConfig';
  if (affinity === 'None') {
    if (!spec.sessionAffinityConfig) return [];
    return [forbiddenField(path, 'must not be set when session affinity is None')];
  }
  const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (seconds === undefined) {
    return [required(path, 'when session affinity type is ClientIP')];
  }
  if (seconds > 0 && seconds <= MAX_AFFINITY) return [];
  const why = `must be greater than 0 and less than ${MAX_AFFINITY}`;
  return [invalidValue(`${path}.clientIP.timeoutSeconds`, seconds, why)];
}

function validateExternalIps(spec: ServiceSpec): FieldError[] {
  return (spec.externalIPs ?? []).flatMap((ip, i) => {
    const field = `spec.externalIPs[${i}]`;
    const bad = validateIp(field, ip);
    return bad.length > 0 ? bad : validateNonSpecialIp(field, ip);
  });
}

function validateNodePorts(spec: ServiceSpec): FieldError[] {
  const out: FieldError[] = [];
  const ports = spec.ports ?? [];
  if (spec.type === 'ClusterIP') {
    ports.forEach((p, i) => {
      if (p.nodePort) {
        out.push(forbiddenField(`spec.ports[${i}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
      }
    });
  }
  const nodePorts = new Set<string>();
  ports.forEach((p, i) => {
    if (!p.nodePort) return;
    const key = `${p.protocol}/${p.nodePort}`;
    if (nodePorts.has(key)) out.push(duplicate(`spec.ports[${i}].nodePort`, p.nodePort));
    nodePorts.add(key);
  });
  const seen = new Set<string>();
  ports.forEach((p, i) => {
    const key = `${p.protocol}/${p.port}`;
    if (seen.has(key)) out.push(duplicate(`spec.ports[${i}]`, duplicateKey(p)));
    seen.add(key);
  });
  return out;
}

/** The server prints its internal ServicePort with only protocol and port filled in. */
const duplicateKey = (p: ServicePort): Json => ({
  Name: '',
  Protocol: p.protocol,
  AppProtocol: null,
  Port: p.port,
  TargetPort: 0,
  NodePort: 0,
});

function validateLoadBalancer(spec: ServiceSpec): FieldError[] {
  const out: FieldError[] = [];
  const only = "may only be used when `type` is 'LoadBalancer'";
  const ranges = spec.loadBalancerSourceRanges ?? [];
  // The capital L is the server's own.
  const path = 'spec.LoadBalancerSourceRanges';
  if (ranges.length > 0 && spec.type !== 'LoadBalancer') out.push(forbiddenField(path, only));
  ranges.forEach((r, i) => {
    out.push(...validateCidr(`${path}[${i}]`, r.trim()));
  });
  if (spec.allocateLoadBalancerNodePorts !== undefined && spec.type !== 'LoadBalancer') {
    out.push(forbiddenField('spec.allocateLoadBalancerNodePorts', only));
  }
  const cls = spec.loadBalancerClass;
  if (cls !== undefined) {
    if (spec.type !== 'LoadBalancer') out.push(forbiddenField('spec.loadBalancerClass', only));
    else out.push(...isQualifiedName(cls).map((m) => invalidValue('spec.loadBalancerClass', cls, m)));
  }
  return out;
}

function validatePolicies(spec: ServiceSpec): FieldError[] {
  const out: FieldError[] = [];
  const etp = spec.externalTrafficPolicy;
  if (!externallyAccessible(spec)) {
    if (etp) {
      const why = 'may only be set for externally-accessible services';
      out.push(invalidValue('spec.externalTrafficPolicy', etp, why));
    }
  } else if (!etp) out.push(required('spec.externalTrafficPolicy'));
  else if (etp !== 'Cluster' && etp !== 'Local') {
    out.push(unsupported('spec.externalTrafficPolicy', etp, ['Cluster', 'Local']));
  }
  if (spec.healthCheckNodePort && !(spec.type === 'LoadBalancer' && etp === 'Local')) {
    const why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    out.push(invalidValue('spec.healthCheckNodePort', spec.healthCheckNodePort, why));
  }
  const itp = spec.internalTrafficPolicy;
  if (itp === undefined) {
    if (TYPES.includes(spec.type) && spec.type !== 'ExternalName') out.push(required('spec.internalTrafficPolicy'));
  } else if (itp !== 'Cluster' && itp !== 'Local') {
    out.push(unsupported('spec.internalTrafficPolicy', itp, ['Cluster', 'Local']));
  }
  const distribution = spec.trafficDistribution;
  const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
  if (distribution !== undefined && !distributions.includes(distribution)) {
    out.push(unsupported('spec.trafficDistribution', distribution, distributions));
  }
  return out;
}
