import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** First `length` characters of base32(sha256(text)); length at most 50. */
export function hashName(text: string, length: number): string {
  const bytes = sha256(utf8ToBytes(text));
  let out = '';
  let bits = 0;
  let held = 0;
  for (const b of bytes) {
    held = (held << 8) | b;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      out += BASE32.charAt((held >>> bits) & 31);
      held &= (1 << bits) - 1;
      if (out.length === length) return out;
    }
  }
  return out;
}

/** KUBE-SVC-, KUBE-SVL-, KUBE-EXT-, KUBE-FW-: the four chains of a Service port share one hash. */
export interface ServiceChains {
  readonly cluster: string;
  readonly local: string;
  readonly external: string;
  readonly firewall: string;
}

export function serviceChains(servicePortName: string, protocol: string): ServiceChains {
  const hash = hashName(servicePortName + protocol, 16);
  return {
    cluster: `KUBE-SVC-${hash}`,
    local: `KUBE-SVL-${hash}`,
    external: `KUBE-EXT-${hash}`,
    firewall: `KUBE-FW-${hash}`,
  };
}

/** `endpoint`: `ip:port`. */
export const endpointChain = (servicePortName: string, protocol: string, endpoint: string): string =>
  `KUBE-SEP-${hashName(servicePortName + protocol + endpoint, 16)}`;

const PREFIXES = ['KUBE-SVC-', 'KUBE-SVL-', 'KUBE-EXT-', 'KUBE-FW-', 'KUBE-SEP-'];

/** Chains that kube-proxy makes and removes with Services. */
export const isServiceChain = (name: string): boolean => PREFIXES.some((p) => name.startsWith(p));
