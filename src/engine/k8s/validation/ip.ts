import { canonicalIp, ipFamily, maskIp, parseCidr, parseIpv4 } from '../../base/ip';
import { type FieldError, invalidValue } from './field';

const BAD_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const BAD_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** What Go's lenient parser takes: decimal octets with leading zeros. */
const withoutLeadingZeros = (text: string): string => text.replace(/(^|[./])0+(?=[0-9])/g, '$1');

const isMapped = (text: string): boolean => /^::ffff:[0-9.]+$/i.test(text);

/** Messages about an address under strict validation (StrictIPCIDRValidation, on in 1.37). */
export function ipProblems(text: string): string[] {
  if (ipFamily(text) !== undefined) return isMapped(text) ? ['must not be an IPv4-mapped IPv6 address'] : [];
  if (!text.includes(':') && parseIpv4(withoutLeadingZeros(text)) !== undefined) return ['must not have leading 0s'];
  return [BAD_IP];
}

export function validateIp(field: string, text: string): FieldError[] {
  return ipProblems(text).map((m) => invalidValue(field, text, m));
}

export function cidrProblems(text: string): string[] {
  const slash = text.indexOf('/');
  const c = slash < 0 ? undefined : parseCidr(text);
  if (c) {
    const addr = text.slice(0, slash);
    if (isMapped(addr)) return ['must not have an IPv4-mapped IPv6 address'];
    if (canonicalIp(addr) !== c.base) return ['must not have bits set beyond the prefix length'];
    return [];
  }
  if (slash >= 0 && parseCidr(withoutLeadingZeros(text))) return ['must not have leading 0s in IP or prefix length'];
  return [BAD_CIDR];
}

export function validateCidr(field: string, text: string): FieldError[] {
  return cidrProblems(text).map((m) => invalidValue(field, text, m));
}

/** ValidateEndpointIP / ValidateNonSpecialIP: the address must be one that a packet can be sent to. */
export function validateNonSpecialIp(field: string, text: string): FieldError[] {
  const ip = canonicalIp(text);
  if (!ip) return [invalidValue(field, text, 'must be a valid IP address')];
  const out: FieldError[] = [];
  const v4 = parseIpv4(ip);
  const is = (base: string, prefix: number): boolean => maskIp(ip, prefix) === base;
  if (v4 === 0 || ip === '::') out.push(invalidValue(field, text, `may not be unspecified (${ip})`));
  if (v4 === undefined ? ip === '::1' : is('127.0.0.0', 8)) {
    out.push(invalidValue(field, text, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'));
  }
  if (v4 === undefined ? is('fe80::', 10) : is('169.254.0.0', 16)) {
    out.push(invalidValue(field, text, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'));
  }
  if (v4 === undefined ? ip.startsWith('ff') && ip.charAt(3) === '2' : is('224.0.0.0', 24)) {
    out.push(invalidValue(field, text, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'));
  }
  return out;
}
