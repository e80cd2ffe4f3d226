import type { IpFamily } from '../base/ip';
import type { NetfilterDoor } from '../netfilter';
import { joinHostPort } from './endpoints';
import type { FamilyView } from './view';

const UDP = 17;

/**
 * Deletes UDP entries that are translated to what no longer serves, and entries made before the Service existed
 * (pkg/proxy/conntrack CleanStaleEntries). Services without a serving endpoint are left alone. Returns how many went.
 */
export function cleanStale(door: NetfilterDoor, netns: string, family: IpFamily, view: FamilyView): number {
  const byAddress = new Map<string, ReadonlySet<string>>();
  const byNodePort = new Map<number, ReadonlySet<string>>();
  for (const { port, endpoints } of view.ports) {
    if (port.protocol !== 'udp') continue;
    const serving = new Set(endpoints.filter((e) => e.serving).map((e) => e.ip));
    if (serving.size === 0) continue;
    for (const ip of [port.clusterIp, ...port.lbVips, ...port.externalIps])
      byAddress.set(joinHostPort(ip, port.port), serving);
    if (port.nodePort !== 0) byNodePort.set(port.nodePort, serving);
  }
  if (byAddress.size === 0 && byNodePort.size === 0) return 0;
  const v6 = family === 6;
  return door.deleteConntrack(netns, (e) => {
    if (e.proto !== UDP || e.orig.dst.includes(':') !== v6) return false;
    const atAddress = byAddress.get(joinHostPort(e.orig.dst, e.orig.dport));
    if (atAddress && !atAddress.has(e.reply.src)) return true;
    const atNodePort = byNodePort.get(e.orig.dport);
    return atNodePort !== undefined && !atNodePort.has(e.reply.src);
  });
}
