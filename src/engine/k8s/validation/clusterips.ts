import { ipFamily } from '../../base/ip';
import type { IpFamilyName, ServiceSpec } from '../types';
import { duplicate, type FieldError, invalidValue, unsupported } from './field';
import { ipProblems } from './ip';

export const familyName = (ip: string): IpFamilyName => (ipFamily(ip) === 6 ? 'IPv6' : 'IPv4');

/** ValidateServiceClusterIPsRelatedFields: clusterIP(s), ipFamilies and ipFamilyPolicy against each other. */
export function validateClusterIps(spec: ServiceSpec): FieldError[] {
  if (spec.type === 'ExternalName') return [];
  const out: FieldError[] = [];
  const ips = spec.clusterIPs ?? [];
  if (ips.length > 0 && !spec.clusterIP) {
    out.push(invalidValue('spec.clusterIPs', ips, 'must be empty when `clusterIP` is not specified'));
  } else if (ips.length > 0 && ips[0] !== spec.clusterIP) {
    out.push(invalidValue('spec.clusterIPs', ips, 'first value must match `clusterIP`'));
  }
  const families = spec.ipFamilies ?? [];
  families.forEach((f, i) => {
    if (f !== 'IPv4' && f !== 'IPv6') out.push(unsupported(`spec.ipFamilies[${i}]`, f, ['IPv4', 'IPv6']));
    else if (families.indexOf(f) < i) out.push(duplicate(`spec.ipFamilies[${i}]`, f));
  });
  const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
  if (spec.ipFamilyPolicy !== undefined && !policies.includes(spec.ipFamilyPolicy)) {
    out.push(unsupported('spec.ipFamilyPolicy', spec.ipFamilyPolicy, policies));
  }
  if (ips.length > 2) out.push(invalidValue('spec.clusterIPs', ips, 'may only hold up to 2 values'));
  let bad = false;
  ips.forEach((ip, i) => {
    const field = `spec.clusterIPs[${i}]`;
    if (ip === 'None') {
      if (i === 0 && ips.length === 1) return;
      bad = true;
      out.push(invalidValue(field, ip, "'None' must be the first and only value"));
      return;
    }
    const problems = ipProblems(ip);
    bad ||= problems.length > 0;
    out.push(...problems.map((m) => invalidValue(field, ip, m)));
  });
  // Wrong addresses would skew the messages that follow.
  if (bad || ips[0] === 'None') return out;
  if (ips.length > 1 && new Set(ips.map(familyName)).size < ips.length) {
    out.push(invalidValue('spec.clusterIPs', ips, 'may specify no more than one IP for each IP family'));
  }
  ips.forEach((ip, i) => {
    const want = families[i];
    if (want !== undefined && familyName(ip) !== want) {
      const why = `expected an ${want} value as indicated by \`ipFamilies[${i}]\``;
      out.push(invalidValue(`spec.clusterIPs[${i}]`, ip, why));
    }
  });
  return out;
}
