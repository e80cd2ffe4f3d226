import { ipFamily } from '../../base/ip';
import { fqdn } from '../names';

/** Nameservers of a resolv.conf as miekg/dns reads it (ClientConfigFromReader). */
export function resolvConfServers(text: string): string[] {
  const out: string[] = [];
  for (const line of text.split('\n')) {
    const f = line.trim().split(/\s+/);
    if (f[0] === 'nameserver' && f[1] !== undefined) out.push(f[1]);
  }
  return out.filter((s) => ipFamily(s.replace(/%.*$/, '')) !== undefined);
}

/** Search domains of a resolv.conf, normalized. */
export function resolvConfSearch(text: string): string[] {
  let search: string[] = [];
  for (const line of text.split('\n')) {
    const f = line.trim().split(/\s+/);
    if (f[0] === 'search') search = f.slice(1);
    if (f[0] === 'domain' && f[1] !== undefined) search = [f[1]];
  }
  return search.map((s) => fqdn(s).toLowerCase());
}
