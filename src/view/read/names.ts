import type { NameOf } from '../derive/narrate';
import { useReads } from './index';
import type { Reads } from './rows';

/** Who holds an address at the cursor: a pod, a node, a machine. */
export function namesOf(reads: Reads): NameOf {
  const names = new Map<string, string>();
  for (const n of reads.machines()) if (n.ip !== undefined) names.set(n.ip, n.name);
  for (const n of reads.nodes()) if (n.ip !== undefined) names.set(n.ip, n.name);
  for (const p of reads.pods()) if (p.ip !== undefined) names.set(p.ip, p.name);
  return (ip) => names.get(ip);
}

/** As namesOf, and a Service by its cluster address: what the caller dialled. */
export function dialledNames(reads: Reads): NameOf {
  const names = namesOf(reads);
  const services = new Map<string, string>();
  for (const s of reads.services()) if (s.clusterIP !== undefined) services.set(s.clusterIP, s.name);
  return (ip) => services.get(ip) ?? names(ip);
}

export function useNameOf(): NameOf {
  return namesOf(useReads());
}
