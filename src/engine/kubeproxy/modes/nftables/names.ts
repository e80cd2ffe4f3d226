import type { EndpointInfo } from '../../endpoints';
import type { ServicePortInfo } from '../../serviceports';
import { hashName } from '../iptables/names';

/** Names of nftables objects are cut so that prefix, hash and base stay within this many characters. */
const NAME_MAX = 256;
const LONGEST_PREFIX = 'affinity-'.length;
const HASH_LENGTH = 8;

/** `HASH-base`; an over-long base ends in dots. */
function hashed(base: string): string {
  const limit = NAME_MAX - LONGEST_PREFIX - HASH_LENGTH - 1;
  const cut = base.length > limit ? `${base.slice(0, limit - 3)}...` : base;
  return `${hashName(base, HASH_LENGTH)}-${cut}`;
}

const portBase = (p: ServicePortInfo): string => `${p.service}/${p.protocol}/${p.portName}`;

export interface NftNames {
  readonly service: string;
  readonly local: string;
  readonly external: string;
  readonly firewall: string;
}

export function portChains(p: ServicePortInfo): NftNames {
  const base = hashed(portBase(p));
  return {
    service: `service-${base}`,
    local: `local-${base}`,
    external: `external-${base}`,
    firewall: `firewall-${base}`,
  };
}

/** Chain and set of one endpoint with affinity. */
export function endpointNames(p: ServicePortInfo, e: EndpointInfo): { readonly chain: string; readonly set: string } {
  const raw = `${portBase(p)}__${e.ip}/${e.port}`;
  const base = hashed(e.ip.includes(':') ? raw.replaceAll(':', '.') : raw);
  return { chain: `endpoint-${base}`, set: `affinity-${base}` };
}

const PREFIXES = ['service-', 'local-', 'external-', 'firewall-', 'endpoint-'];

/** Chains that come and go with Services; the base chains share no name with them but service-endpoints-check. */
export const isServiceChain = (name: string): boolean => name.includes('/') && PREFIXES.some((p) => name.startsWith(p));
