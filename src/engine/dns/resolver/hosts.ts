import { canonicalIp, ipFamily } from '../../base/ip';
import type { Addr, Family } from './types';

export interface HostsAnswer {
  readonly addrs: readonly Addr[];
  /** First name of the first line that matched. */
  readonly canon: string;
  /** The other names of that line. */
  readonly aliases: readonly string[];
}

/** Addresses of a name in /etc/hosts; letter case counts only for musl. */
export function lookupHosts(
  text: string,
  name: string,
  family: Family,
  caseSensitive: boolean,
): HostsAnswer | undefined {
  const want = caseSensitive ? name : name.toLowerCase();
  const addrs: Addr[] = [];
  let canon = '';
  let aliases: string[] = [];
  for (const raw of text.split('\n')) {
    const words = raw.replace(/#.*/, '').trim().split(/\s+/);
    const ip = canonicalIp(words[0] ?? '');
    if (ip === undefined) continue;
    if (!words.slice(1).some((w) => (caseSensitive ? w : w.toLowerCase()) === want)) continue;
    const f = ipFamily(ip) as 4 | 6;
    if ((family === 'inet' && f === 6) || (family === 'inet6' && f === 4)) continue;
    if (canon === '') {
      canon = words[1] ?? name;
      aliases = words.slice(2);
    }
    if (!addrs.some((a) => a.ip === ip)) addrs.push({ family: f, ip });
  }
  return addrs.length === 0 ? undefined : { addrs, canon, aliases };
}

/** Names of an address in /etc/hosts. */
export function hostsNames(text: string, ip: string): string[] {
  for (const raw of text.split('\n')) {
    const words = raw.replace(/#.*/, '').trim().split(/\s+/);
    if (words.length > 1 && canonicalIp(words[0] ?? '') === ip) return words.slice(1);
  }
  return [];
}
