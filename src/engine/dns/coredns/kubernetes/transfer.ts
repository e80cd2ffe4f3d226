import { byCodeUnit } from '../../../base/json';
import type { RR } from '../../message';
import { joinLabels } from '../../names';
import { addressRR, cnameRR, hostType, nsRR, srvRR, srvWeight } from './backend';
import { endpointHostname, type KubeLookup } from './lookup';
import type { Service } from './source';

/** All records of a zone for AXFR, SOA first and last (plugin/kubernetes/xfr.go). */
export function transferRecords(k: KubeLookup, zone: string): RR[] {
  const { ttl } = k.options;
  const soa = k.soa(zone);
  const out: RR[] = [soa];
  const addrs = k.nsAddresses(zone);
  for (const n of new Set(addrs.map((a) => a.name))) out.push(nsRR(zone, ttl, n));
  out.push(...addrs);
  const services = [...k.index.services()].sort((a, b) => byCodeUnit(a.name, b.name));
  for (const svc of services) {
    const { namespaces } = k.options;
    if ((namespaces.size > 0 && !namespaces.has(svc.namespace)) || !k.index.hasNamespace(svc.namespace)) continue;
    out.push(...serviceRecords(k, svc, zone, ttl));
  }
  out.push(soa);
  return out;
}

function serviceRecords(k: KubeLookup, svc: Service, zone: string, ttl: number): RR[] {
  const base = joinLabels(svc.name, svc.namespace, 'svc', zone);
  const out: RR[] = [];
  const address = (name: string, ip: string): void => {
    const what = hostType({ host: ip, port: 0, ttl, key: name });
    if (what === 'A' || what === 'AAAA') out.push(addressRR(name, ttl, ip, what));
  };
  const labels = (p: { name: string; protocol: string }): string =>
    `_${p.name.toLowerCase()}._${p.protocol.toLowerCase()}.${base}`;
  if (svc.type === 'ExternalName') {
    const f = { host: svc.externalName, port: 0, ttl, key: base };
    if (hostType(f) === 'CNAME') out.push(cnameRR(base, f));
    return out;
  }
  if (!svc.headless && svc.clusterIPs[0]) {
    for (const ip of svc.clusterIPs) address(base, ip);
    for (const p of svc.ports) {
      out.push(srvRR(base, ttl, 100, p.port, base));
      if (p.name !== '') out.push(srvRR(labels(p), ttl, 100, p.port, base));
    }
    return out;
  }
  for (const ep of k.index.endpoints(`${svc.name}.${svc.namespace}`)) {
    const weight = srvWeight(ep.addresses.length);
    for (const a of ep.addresses) {
      address(base, a.ip);
      const host = `${endpointHostname(a, k.options.endpointPodNames)}.${base}`;
      address(host, a.ip);
      for (const p of ep.ports) if (p.name !== '') out.push(srvRR(labels(p), ttl, weight, p.port, host));
    }
  }
  return out;
}
