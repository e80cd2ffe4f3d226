import { canonicalJson } from '../../base/json';
import type { Container, Pod } from '../types';
import { duplicate, type FieldError, forbiddenField, invalidValue, required, unsupported } from './field';
import { validateIp } from './ip';
import { validateLabels, validateMeta } from './meta';
import { isDns1123Label, isDns1123Subdomain, isDns1123SubdomainWithUnderscore, isPortName, isPortNum } from './text';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const RESTART_POLICIES = ['Always', 'Never', 'OnFailure'];
const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARS = 2048;

interface DnsConfig {
  readonly nameservers?: readonly string[];
  readonly searches?: readonly string[];
  readonly options?: readonly { readonly name?: string; readonly value?: string }[];
}

export function validatePod(pod: Pod): FieldError[] {
  return [...validateMeta(pod.metadata, true, isDns1123Subdomain), ...validatePodSpec(pod.spec, 'spec')];
}

/** The parts of ValidatePodSpec that the model reads. */
export function validatePodSpec(spec: Pod['spec'], path: string): FieldError[] {
  const out: FieldError[] = [];
  const containers = spec.containers ?? [];
  if (containers.length === 0) out.push(required(`${path}.containers`));
  out.push(...validateContainers(containers, `${path}.containers`));
  out.push(...validateContainers(spec.initContainers ?? [], `${path}.initContainers`));
  const restart = spec.restartPolicy;
  if (restart !== undefined && !RESTART_POLICIES.includes(restart)) {
    out.push(unsupported(`${path}.restartPolicy`, restart, RESTART_POLICIES));
  }
  const grace = spec.terminationGracePeriodSeconds;
  if (grace !== undefined && grace < 0) {
    out.push(invalidValue(`${path}.terminationGracePeriodSeconds`, grace, 'must be greater than or equal to 0'));
  }
  out.push(...validateDns(spec, path));
  if (spec.nodeName) {
    const node = spec.nodeName;
    out.push(...isDns1123Subdomain(node).map((m) => invalidValue(`${path}.nodeName`, node, m)));
  }
  out.push(...validateLabels(spec.nodeSelector, `${path}.nodeSelector`));
  for (const field of ['hostname', 'subdomain'] as const) {
    const value = spec[field];
    if (value) out.push(...isDns1123Label(value).map((m) => invalidValue(`${path}.${field}`, value, m)));
  }
  return out;
}

function validateContainers(containers: readonly Container[], path: string): FieldError[] {
  const names = new Set<string>();
  return containers.flatMap((c, i) => {
    const at = `${path}[${i}]`;
    const out: FieldError[] = [];
    const name = c.name ?? '';
    if (name === '') out.push(required(`${at}.name`));
    else out.push(...isDns1123Label(name).map((m) => invalidValue(`${at}.name`, name, m)));
    if (names.has(name)) out.push(duplicate(`${at}.name`, name));
    names.add(name);
    if (!c.image) out.push(required(`${at}.image`));
    out.push(...validateContainerPorts(c, `${at}.ports`));
    return out;
  });
}

function validateContainerPorts(c: Container, path: string): FieldError[] {
  const names = new Set<string>();
  return (c.ports ?? []).flatMap((p, i) => {
    const at = `${path}[${i}]`;
    const out: FieldError[] = [];
    const name = p.name ?? '';
    if (name !== '') {
      const problems = isPortName(name);
      out.push(...problems.map((m) => invalidValue(`${at}.name`, name, m)));
      if (problems.length === 0) {
        if (names.has(name)) out.push(duplicate(`${at}.name`, name));
        names.add(name);
      }
    }
    if (!p.containerPort) out.push(required(`${at}.containerPort`));
    else out.push(...isPortNum(p.containerPort).map((m) => invalidValue(`${at}.containerPort`, p.containerPort, m)));
    const host = p.hostPort;
    if (host) out.push(...isPortNum(host).map((m) => invalidValue(`${at}.hostPort`, host, m)));
    const proto = p.protocol ?? 'TCP';
    if (!PROTOCOLS.includes(proto)) out.push(unsupported(`${at}.protocol`, proto, PROTOCOLS));
    return out;
  });
}

function validateDns(spec: Pod['spec'], path: string): FieldError[] {
  const out: FieldError[] = [];
  const policy = spec.dnsPolicy;
  if (policy !== undefined && !DNS_POLICIES.includes(policy)) {
    out.push(unsupported(`${path}.dnsPolicy`, policy, DNS_POLICIES));
  }
  const config = (spec as { dnsConfig?: DnsConfig }).dnsConfig;
  const at = `${path}.dnsConfig`;
  const servers = config?.nameservers ?? [];
  if (policy === 'None') {
    if (!config) return [...out, required(at, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if (servers.length === 0) {
      out.push(required(`${at}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None'));
    }
  }
  if (servers.length > MAX_NAMESERVERS) {
    out.push(invalidValue(`${at}.nameservers`, servers, `must not have more than ${MAX_NAMESERVERS} nameservers`));
  }
  servers.forEach((ip, i) => {
    out.push(...validateIp(`${at}.nameservers[${i}]`, ip));
  });
  const searches = config?.searches ?? [];
  if (searches.length > MAX_SEARCHES) {
    out.push(invalidValue(`${at}.searches`, searches, `must not have more than ${MAX_SEARCHES} search paths`));
  }
  if (searches.join(' ').length > MAX_SEARCH_CHARS) {
    const why = `must not have more than ${MAX_SEARCH_CHARS} characters (including spaces) in the search list`;
    out.push(invalidValue(`${at}.searches`, searches, why));
  }
  searches.forEach((s, i) => {
    if (s === '.') return;
    const name = s.replace(/\.$/, '');
    const field = `${at}.searches[${i}]`;
    out.push(...isDns1123SubdomainWithUnderscore(name).map((m) => invalidValue(field, name, m)));
  });
  (config?.options ?? []).forEach((o, i) => {
    if (!o.name) out.push(required(`${at}.options[${i}]`, 'must not be empty'));
  });
  return out;
}

const UPDATABLE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** Most of a pod's spec is fixed; the real message also carries a diff of the server's internal type, ours does not. */
export function validatePodUpdate(pod: Pod, old: Pod): FieldError[] {
  const fixed = (p: Pod): string =>
    canonicalJson({
      ...p.spec,
      tolerations: null,
      activeDeadlineSeconds: null,
      containers: p.spec.containers.map((c) => ({ ...c, image: '' })),
      initContainers: (p.spec.initContainers ?? []).map((c) => ({ ...c, image: '' })),
    });
  return fixed(pod) === fixed(old) ? [] : [forbiddenField('spec', UPDATABLE)];
}
