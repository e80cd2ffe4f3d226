import type { Cidr } from '../../base/ip';
import { ipFamily } from '../../base/ip';
import type { PrngStream } from '../../base/prng';
import type { WorldReader } from '../../base/recordmap';
import { err, ok, type Result } from '../../base/result';
import { listObjects } from '../api/objects';
import { type ApiStatus, internalError, invalid } from '../api/status';
import { serviceKind } from '../schema/service';
import type { IpFamilyName, Service, ServicePort, ServiceSpec } from '../types';
import { familyName, validateClusterIps } from '../validation/clusterips';
import { type FieldError, forbiddenField, invalidValue } from '../validation/field';
import { isHeadless } from '../validation/service';
import { allocateIp, refuseIp } from './clusterip';
import { allocatePort, refusePort } from './nodeport';

export interface AllocatorEnv {
  readonly reader: WorldReader;
  /** Service ranges, the cluster's primary family first. */
  readonly ranges: readonly Cidr[];
  readonly ipStream: PrngStream;
  readonly portStream: PrngStream;
}

type Draft = { -readonly [K in keyof ServiceSpec]: ServiceSpec[K] };

const needsClusterIp = (s: ServiceSpec): boolean =>
  s.type === 'ClusterIP' || s.type === 'NodePort' || s.type === 'LoadBalancer';
const needsNodePort = (s: ServiceSpec): boolean =>
  s.type === 'NodePort' || (s.type === 'LoadBalancer' && s.allocateLoadBalancerNodePorts !== false);
/** Whether the port fields may hold node ports at all. */
const mayHaveNodePort = (s: ServiceSpec): boolean => s.type === 'NodePort' || s.type === 'LoadBalancer';
export const needsHealthCheckPort = (s: ServiceSpec): boolean =>
  s.type === 'LoadBalancer' && s.externalTrafficPolicy === 'Local';
const needsExternalPolicy = (s: ServiceSpec): boolean =>
  mayHaveNodePort(s) || (s.type === 'ClusterIP' && (s.externalIPs?.length ?? 0) > 0);
const same = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean =>
  (a ?? []).join() === (b ?? []).join();

/**
 * What the Service storage does around a write (pkg/registry/core/service/storage): values that a client left out come
 * from the old object, families and policy are inferred, addresses and ports are allocated. All of it happens before
 * validation, so its errors hide those of validation.
 */
export function allocateService(svc: Service, old: Service | undefined, env: AllocatorEnv): Result<Service, ApiStatus> {
  const spec: Draft = { ...svc.spec };
  if (old) patchAllocated(spec, old.spec);
  normalizeClusterIps(spec, old?.spec);
  const refuse = (errors: readonly FieldError[]): Result<never, ApiStatus> =>
    err(invalid(serviceKind, svc.metadata.name, errors));

  const families = initFamilies(spec, old?.spec, env);
  if (families.length > 0) return refuse(families);
  const ips = allocateIps(spec, old?.spec, svc, env);
  if (ips.length > 0) return refuse(ips);
  const ports = allocatePorts(spec, old?.spec, svc, env);
  if (ports.length > 0) return refuse(ports);
  const health = allocateHealthPort(spec, old?.spec, svc, env);
  if (health) return 'kind' in health ? err(health) : refuse([health]);
  if (old) dropTypeDependent(spec, old.spec);
  return ok({ ...svc, spec });
}

function patchAllocated(spec: Draft, old: ServiceSpec): void {
  if (needsClusterIp(old) && needsClusterIp(spec)) {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP;
    if (!spec.clusterIPs?.length && spec.clusterIP === old.clusterIP && old.clusterIPs)
      spec.clusterIPs = old.clusterIPs;
  }
  if (mayHaveNodePort(old) && mayHaveNodePort(spec)) {
    const had = new Set((old.ports ?? []).flatMap((p) => p.nodePort ?? []));
    const used = new Set((spec.ports ?? []).flatMap((p) => (p.nodePort && had.has(p.nodePort) ? p.nodePort : [])));
    spec.ports = spec.ports?.map((p) => {
      const before = old.ports?.find((o) => (o.name ?? '') === (p.name ?? ''))?.nodePort;
      return !p.nodePort && before && !used.has(before) ? { ...p, nodePort: before } : p;
    });
  }
  if (needsHealthCheckPort(old) && needsHealthCheckPort(spec) && !spec.healthCheckNodePort && old.healthCheckNodePort) {
    spec.healthCheckNodePort = old.healthCheckNodePort;
  }
}

/** Keeps clusterIP and clusterIPs[0] in step when a client changed only one of them. */
function normalizeClusterIps(spec: Draft, old: ServiceSpec | undefined): void {
  if (!old) {
    if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
    return;
  }
  const [first = '', ...rest] = spec.clusterIPs ?? [];
  if ((spec.clusterIP ?? '') !== (old.clusterIP ?? '')) {
    if (same(spec.clusterIPs, old.clusterIPs)) {
      if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP, ...rest];
      else delete spec.clusterIPs;
    }
  } else if (!same(spec.clusterIPs, old.clusterIPs) && first !== spec.clusterIP) {
    if (first === '') delete spec.clusterIP;
    else spec.clusterIP = first;
  }
}

function initFamilies(spec: Draft, old: ServiceSpec | undefined, env: AllocatorEnv): FieldError[] {
  if (spec.type === 'ExternalName') return [];
  const errors = validateClusterIps(spec);
  if (errors.length > 0) return errors;
  const have = env.ranges.map((r): IpFamilyName => (r.family === 6 ? 'IPv6' : 'IPv4'));
  const primary = have[0] ?? 'IPv4';
  if (old && spec.ipFamilyPolicy === 'SingleStack' && (old.clusterIPs?.length ?? 0) > 1) {
    // Downgrade: the second family goes, unless the user kept touching it.
    if (same(spec.clusterIPs, old.clusterIPs)) spec.clusterIPs = spec.clusterIPs?.slice(0, 1);
    if (same(spec.ipFamilies, old.ipFamilies)) spec.ipFamilies = spec.ipFamilies?.slice(0, 1);
  }
  const families: IpFamilyName[] = [...(spec.ipFamilies ?? [])];
  const ips = spec.clusterIPs ?? [];
  ips.forEach((ip, i) => {
    if (ip === 'None' || i < families.length) return;
    const f = familyName(ip);
    if (have.includes(f)) families.push(f);
    else errors.push(invalidValue(`spec.clusterIPs[${i}]`, ips, `${f} is not configured on this cluster`));
  });
  if (errors.length > 0) return errors;
  if (isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0) {
    // Headless without selector: the endpoints are the user's, so every family is allowed.
    if (families.length === 0) families.push(primary);
    spec.ipFamilyPolicy ??= 'RequireDualStack';
    if (families.length < 2 && spec.ipFamilyPolicy !== 'SingleStack') {
      families.push(families[0] === 'IPv4' ? 'IPv6' : 'IPv4');
    }
    spec.ipFamilies = families;
    return [];
  }
  if (!spec.ipFamilyPolicy) {
    if (families.length > 1 || ips.length > 1) {
      const why = 'must be RequireDualStack or PreferDualStack when multiple `ipFamilies` are specified';
      return [invalidValue('spec.ipFamilyPolicy', null, why)];
    }
    spec.ipFamilyPolicy = 'SingleStack';
  }
  families.forEach((f, i) => {
    if (!have.includes(f)) errors.push(invalidValue(`spec.ipFamilies[${i}]`, f, 'not configured on this cluster'));
  });
  if (errors.length > 0) return errors;
  if (families.length === 0) families.push(primary);
  if (spec.ipFamilyPolicy !== 'SingleStack') {
    if (families.length === 1) {
      const other = have.find((f) => f !== families[0]);
      if (other) families.push(other);
    }
    if (families.length < 2 && spec.ipFamilyPolicy === 'RequireDualStack') {
      const why = 'this cluster is not configured for dual-stack services';
      return [invalidValue('spec.ipFamilyPolicy', spec.ipFamilyPolicy, why)];
    }
  }
  spec.ipFamilies = families;
  return [];
}

/** Whether two services are one and the same. */
const isSelf = (a: Service, b: Service): boolean =>
  a.metadata.name === b.metadata.name && a.metadata.namespace === b.metadata.namespace;

function allocateIps(spec: Draft, old: ServiceSpec | undefined, svc: Service, env: AllocatorEnv): FieldError[] {
  if (!needsClusterIp(spec) || isHeadless(spec)) return [];
  const others = listObjects(env.reader, 'Service').filter((s) => !isSelf(s, svc));
  const taken = new Set(others.flatMap((s) => s.spec.clusterIPs ?? []));
  const mine: string[] = [...(spec.clusterIPs ?? [])];
  const families = spec.ipFamilies ?? [];
  // A Service that keeps its addresses allocates only what a new family needs.
  const kept = old && needsClusterIp(old) ? (old.clusterIPs ?? []).length : 0;
  for (let i = kept; i < families.length; i++) {
    const range = env.ranges.find((r) => (r.family === 6 ? 'IPv6' : 'IPv4') === families[i]);
    if (!range) continue;
    const want = mine[i];
    const fail = (detail: string): FieldError[] => [invalidValue('spec.clusterIPs', mine.length ? mine : [''], detail)];
    if (want !== undefined && ipFamily(want)) {
      const why = refuseIp(range, want, (ip) => taken.has(ip));
      if (why) return fail(`failed to allocate IP ${want}: ${why}`);
    } else {
      const ip = allocateIp(range, env.ipStream, (a) => taken.has(a));
      if (!ip) return fail('failed to allocate IP: range is full');
      if (svc.metadata.name === '') {
        // The allocator's IPAddress object names its owner, and that name is missing.
        return fail(
          `failed to allocate IP: IPAddress.networking.k8s.io "${ip}" is invalid: spec.parentRef.name: Required value`,
        );
      }
      mine[i] = ip;
    }
  }
  spec.clusterIPs = mine;
  if (mine[0] !== undefined) spec.clusterIP = mine[0];
  return [];
}

function allocatePorts(spec: Draft, old: ServiceSpec | undefined, svc: Service, env: AllocatorEnv): FieldError[] {
  if (!mayHaveNodePort(spec)) return [];
  // The allocator knows ports, not protocols: one number per Service may serve both TCP and UDP.
  const taken = new Set<number>();
  for (const s of listObjects(env.reader, 'Service')) {
    if (isSelf(s, svc)) continue;
    for (const p of s.spec.ports ?? []) if (p.nodePort) taken.add(p.nodePort);
    if (s.spec.healthCheckNodePort) taken.add(s.spec.healthCheckNodePort);
  }
  const mine = new Set((old?.ports ?? []).flatMap((p) => p.nodePort ?? []));
  const given = new Map<number, Set<string>>();
  const ports = spec.ports ?? [];
  const out: ServicePort[] = [];
  for (let i = 0; i < ports.length; i++) {
    const p = ports[i] as ServicePort;
    if (p.nodePort) {
      const protocols = given.get(p.nodePort);
      const twice = protocols?.has(p.protocol) ?? false;
      if (twice || !(protocols || mine.has(p.nodePort))) {
        const why = refusePort(p.nodePort, (n) => taken.has(n) || twice);
        if (why) return [invalidValue(`spec.ports[${i}].nodePort`, p.nodePort, why)];
      }
      given.set(p.nodePort, (protocols ?? new Set()).add(p.protocol));
      out.push(p);
      continue;
    }
    if (!needsNodePort(spec)) {
      out.push(p);
      continue;
    }
    // A port of the same number with another protocol shares its node port.
    const twin = out.find((o) => o.port === p.port && o.protocol !== p.protocol && o.nodePort);
    const reserved = new Set(ports.flatMap((o) => o.nodePort ?? []));
    const port = twin?.nodePort ?? allocatePort(env.portStream, (n) => taken.has(n) || given.has(n) || reserved.has(n));
    if (port === undefined)
      return [invalidValue(`spec.ports[${i}].nodePort`, 0, 'failed to allocate a nodePort: range is full')];
    given.set(port, (given.get(port) ?? new Set()).add(p.protocol));
    out.push({ ...p, nodePort: port });
  }
  if (spec.ports) spec.ports = out;
  return [];
}

function allocateHealthPort(
  spec: Draft,
  old: ServiceSpec | undefined,
  svc: Service,
  env: AllocatorEnv,
): FieldError | ApiStatus | undefined {
  if (!needsHealthCheckPort(spec)) return undefined;
  if (old && needsHealthCheckPort(old)) {
    if (spec.healthCheckNodePort === old.healthCheckNodePort) return undefined;
    return forbiddenField('spec.healthCheckNodePort', 'field is immutable');
  }
  const taken = new Set<number>((spec.ports ?? []).flatMap((p) => p.nodePort ?? []));
  for (const s of listObjects(env.reader, 'Service')) {
    if (isSelf(s, svc)) continue;
    for (const p of s.spec.ports ?? []) if (p.nodePort) taken.add(p.nodePort);
    if (s.spec.healthCheckNodePort) taken.add(s.spec.healthCheckNodePort);
  }
  const want = spec.healthCheckNodePort;
  if (want) {
    const why = refusePort(want, (n) => taken.has(n));
    return why ? internalError(`failed to allocate requested HealthCheck NodePort ${want}: ${why}`) : undefined;
  }
  const port = allocatePort(env.portStream, (n) => taken.has(n));
  if (port === undefined) return internalError('failed to allocate a HealthCheck NodePort: range is full');
  spec.healthCheckNodePort = port;
  return undefined;
}

/** dropTypeDependentFields: what the new type has no use for goes, if the user did not touch it. */
function dropTypeDependent(spec: Draft, old: ServiceSpec): void {
  if (needsClusterIp(old) && !needsClusterIp(spec) && same(spec.clusterIPs, old.clusterIPs)) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
    if (same(spec.ipFamilies, old.ipFamilies)) delete spec.ipFamilies;
    if (spec.ipFamilyPolicy === old.ipFamilyPolicy) delete spec.ipFamilyPolicy;
    if (spec.internalTrafficPolicy === old.internalTrafficPolicy) delete spec.internalTrafficPolicy;
  }
  if (mayHaveNodePort(old) && !mayHaveNodePort(spec)) {
    const ports = (s: ServiceSpec): string => (s.ports ?? []).map((p) => p.nodePort ?? 0).join();
    if (ports(spec) === ports(old)) {
      spec.ports = spec.ports?.map(({ nodePort: _, ...p }) => p);
    }
  }
  if (needsHealthCheckPort(old) && !needsHealthCheckPort(spec)) {
    if (spec.healthCheckNodePort === old.healthCheckNodePort) delete spec.healthCheckNodePort;
  }
  if (old.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    if (spec.allocateLoadBalancerNodePorts === old.allocateLoadBalancerNodePorts) {
      delete spec.allocateLoadBalancerNodePorts;
    }
    if (spec.loadBalancerClass === old.loadBalancerClass) delete spec.loadBalancerClass;
  }
  if (needsExternalPolicy(old) && !needsExternalPolicy(spec)) {
    if (spec.externalTrafficPolicy === old.externalTrafficPolicy) delete spec.externalTrafficPolicy;
  }
}
