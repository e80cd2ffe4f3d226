import { ipow } from '../../base/int';
import { canonicalIp, formatIpv4, ipFamily } from '../../base/ip';
import type { Addr, Family } from './types';

/** inet_aton's forms: one to four parts, decimal, octal (0..) or hex (0x..); the last part fills the rest. */
export function inetAton(text: string): string | undefined {
  const parts = text.split('.');
  if (parts.length > 4) return undefined;
  const nums = parts.map((p) =>
    /^0[xX][0-9a-fA-F]+$/.test(p)
      ? Number.parseInt(p, 16)
      : /^0[0-7]+$/.test(p)
        ? Number.parseInt(p, 8)
        : /^(0|[1-9][0-9]*)$/.test(p)
          ? Number(p)
          : Number.NaN,
  );
  if (nums.some((n) => Number.isNaN(n))) return undefined;
  const last = nums.pop() as number;
  if (nums.some((n) => n > 255) || last >= ipow(256, 4 - nums.length)) return undefined;
  let value = last;
  nums.forEach((n, i) => {
    value += n * ipow(256, 3 - i);
  });
  return formatIpv4(value);
}

/** An address literal as libc takes it; `none` when the family does not fit, undefined when it is a name. */
export function literal(name: string, family: Family): Addr | 'none' | undefined {
  const v4 = inetAton(name);
  if (v4 !== undefined) return family === 'inet6' ? 'none' : { family: 4, ip: v4 };
  if (ipFamily(name) === 6) {
    const ip = canonicalIp(name) as string;
    return family === 'inet' ? 'none' : { family: 6, ip };
  }
  return undefined;
}
