import { ipFamily } from '../../../base/ip';
import type { Wait, Wake } from '../../../workload/process';
import type { DnsMsg, RR } from '../../message';
import { fqdn, isSubDomain, joinLabels, labelsOf, trimZone } from '../../names';
import { addressFromReverse, isReverse } from '../normalize';
import { qnameOf, qtypeOf, type ServeCtx, soaRecord, type Writer, withQuestion } from '../plugin';
import { addressRR, cnameRR, type Found, hostType, nsRR, ptrRR, srvRR, srvWeight, txtRR } from './backend';
import { parseRequest, type RecordRequest } from './request';
import type { EndpointAddress, Endpoints, KubeIndex } from './source';

export interface KubeOptions {
  readonly zones: readonly string[];
  readonly namespaces: ReadonlySet<string>;
  readonly pods: 'disabled' | 'insecure' | 'verified';
  readonly endpointPodNames: boolean;
  readonly ignoreEmptyService: boolean;
  readonly zonal: boolean;
  readonly ttl: number;
  /** First zone that is no reverse zone. */
  readonly primaryZone: string;
}

/** `undefined`: the name does not exist (NXDOMAIN, or the next plugin where fallthrough says so). */
export type Lookup = readonly Found[] | undefined;

export interface Records {
  readonly records: readonly RR[];
  readonly extra: readonly RR[];
  readonly truncated: boolean;
}
const NONE: Records = Object.freeze({ records: [], extra: [], truncated: false });

/** CNAME chain length after which plugin.A gives up. */
const MAX_CHAIN = 10;

/** Label under which an endpoint is found: its hostname, its pod's name (option) or its address with dashes. */
export function endpointHostname(a: EndpointAddress, podNames: boolean): string {
  if (a.hostname !== '') return a.hostname;
  if (podNames && a.targetName !== '') return a.targetName;
  if (a.ip.includes('.')) return a.ip.replaceAll('.', '-');
  const dashed = a.ip.replaceAll(':', '-');
  return dashed.endsWith('-') ? `${dashed}0` : dashed;
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
const fits = (port: string, bPort: string, proto: string, bProto: string): boolean =>
  (port === '' || same(port, bPort)) && (proto === '' || same(proto, bProto));

/** Answers queries from the indexes of the API's objects (plugin/kubernetes and plugin/backend_lookup.go). */
export class KubeLookup {
  constructor(
    readonly index: KubeIndex,
    readonly options: KubeOptions,
    private readonly localIps: () => readonly string[],
  ) {}

  private exposed(namespace: string): boolean {
    const { namespaces } = this.options;
    return (namespaces.size === 0 || namespaces.has(namespace)) && this.index.hasNamespace(namespace);
  }

  soa(zone: string): RR {
    return soaRecord(zone, this.index.modified, this.options.ttl);
  }

  /** All that exists under a name, whatever the type (Kubernetes.Records). */
  private find(name: string, zone: string): Lookup {
    const r = parseRequest(name, zone, this.options.zonal);
    if (!r) return undefined;
    if (r.kind === '') return [];
    if (isReverse(name) || !this.exposed(r.namespace)) return undefined;
    if (r.service === '') return this.options.pods === 'disabled' && r.kind === 'pod' ? undefined : [];
    return r.kind === 'pod' ? this.findPods(r, zone) : this.findServices(r, zone);
  }

  private findPods(r: RecordRequest, zone: string): Lookup {
    const { pods, ttl } = this.options;
    if (pods === 'disabled') return undefined;
    const v4 = r.service.split('-').length === 4 && !r.service.includes('--');
    const ip = r.service.replaceAll('-', v4 ? '.' : ':');
    const found: Found = { host: ip, port: 0, ttl, key: joinLabels(r.service, r.namespace, 'pod', zone) };
    if (pods === 'insecure') return ipFamily(ip) === undefined ? undefined : [found];
    const known = this.index.podsByIp(ip).filter((p) => same(p.namespace, r.namespace));
    return known.length === 0 ? undefined : known.map(() => found);
  }

  private findServices(r: RecordRequest, zone: string): Lookup {
    const { ttl, ignoreEmptyService, endpointPodNames } = this.options;
    let found: Found[] | undefined;
    for (const svc of this.index.service(r.service, r.namespace)) {
      const base = joinLabels(svc.name, svc.namespace, 'svc', zone);
      const eps = (): readonly Endpoints[] => this.index.endpoints(`${svc.name}.${svc.namespace}`);
      const external = svc.type === 'ExternalName';
      if (ignoreEmptyService && !external && !svc.headless && eps().every((e) => e.addresses.length === 0)) continue;
      if (r.zone !== '' && !svc.headless) continue;
      if (external) {
        if (r.endpoint !== '' || r.port !== '' || r.protocol !== '') continue;
        const f: Found = { host: svc.externalName, port: 0, ttl, key: base };
        if (hostType(f) === 'CNAME') found = [...(found ?? []), f];
        continue;
      }
      if (svc.headless || r.endpoint !== '') {
        if (r.zone !== '') found ??= [];
        const add = (topoZone: string): number => {
          let added = 0;
          for (const ep of eps()) {
            for (const a of ep.addresses) {
              if (topoZone !== '' && a.zone !== topoZone) continue;
              const host = endpointHostname(a, endpointPodNames);
              if (r.endpoint !== '' && !same(r.endpoint, host)) continue;
              for (const p of ep.ports) {
                if (!fits(r.port, p.name, r.protocol, p.protocol)) continue;
                found ??= [];
                found.push({
                  host: a.ip,
                  port: p.port,
                  ttl,
                  key: joinLabels(host, svc.name, svc.namespace, 'svc', zone),
                });
                added++;
              }
            }
          }
          return added;
        };
        if (add(r.zone) === 0 && r.zonePrefer) add('');
        continue;
      }
      for (const p of svc.ports) {
        if (!fits(r.port, p.name, r.protocol, p.protocol)) continue;
        found ??= [];
        for (const ip of svc.clusterIPs) found.push({ host: ip, port: p.port, ttl, key: base });
      }
    }
    return found;
  }

  /** Services(): what exists for a name, as far as the asked type can use it. */
  private services(q: DnsMsg, zone: string): Lookup {
    const name = qnameOf(q);
    const type = qtypeOf(q);
    if (type === 'TXT') return this.textServices(name, q, zone);
    if (name.startsWith('ns.dns.') && name.indexOf(zone) === 'ns.dns.'.length) {
      return this.nsAddresses(zone)
        .filter((a) => a.type === type)
        .map((a) => ({ host: a.rdata, port: 0, ttl: this.options.ttl, key: q.question[0]?.name ?? '.' }));
    }
    const found = this.find(name, zone);
    return type === 'SRV' ? found?.filter((f) => hostType(f) !== 'CNAME') : found;
  }

  private textServices(name: string, q: DnsMsg, zone: string): Lookup {
    const labels = labelsOf(`${trimZone(name, zone) ?? ''}.`);
    if (labels.length === 1 && labels[0] === 'dns-version')
      return [{ host: '', port: 0, ttl: 28800, key: q.question[0]?.name ?? '.', text: '1.1.0' }];
    const found = this.find(name, zone);
    if (found && found.length > 0) return [];
    if (found && this.options.zonal && parseRequest(name, zone, true)?.zone) return [];
    return undefined;
  }

  /** A or AAAA records, following names through this server (plugin.A, plugin.AAAA). */
  *addresses(
    ctx: ServeCtx,
    w: Writer,
    q: DnsMsg,
    zone: string,
    type: 'A' | 'AAAA' | 'TXT',
    previous: readonly RR[] = [],
  ): Generator<Wait, Records | undefined, Wake> {
    const services = this.services(q, zone);
    if (!services) return undefined;
    const qname = q.question[0]?.name ?? '.';
    const seen = new Set<string>();
    const records: RR[] = [];
    let truncated = false;
    for (const f of services) {
      const what = hostType(f);
      if (what === 'CNAME') {
        const target = fqdn(f.host);
        // The name itself or one below it counts as a direct loop (plugin.Name.Matches).
        if (isSubDomain(qname, target)) continue;
        if (previous.length > MAX_CHAIN || previous.some((r) => r.rdata === target)) continue;
        const alias = cnameRR(qname, f);
        if (isSubDomain(zone, target)) {
          const inner = yield* this.addresses(ctx, w, withQuestion(q, f.host, type), zone, type, [...previous, alias]);
          if (inner && inner.records.length > 0) records.push(alias, ...inner.records);
          if (inner?.truncated) truncated = true;
          continue;
        }
        const m = yield* ctx.lookup(w, q, target, type);
        if (!m) continue;
        if (m.tc) truncated = true;
        records.push(alias, ...m.answer);
      } else if (what === type && !seen.has(f.text ?? f.host)) {
        seen.add(f.text ?? f.host);
        records.push(what === 'TXT' ? txtRR(qname, f.ttl, f.text ?? '') : addressRR(qname, f.ttl, f.host, what));
      }
    }
    return { records, extra: [], truncated };
  }

  /** SRV records with the addresses of their targets (plugin.SRV). */
  srv(q: DnsMsg, zone: string): Records | undefined {
    const services = this.services(q, zone);
    if (!services) return undefined;
    const qname = q.question[0]?.name ?? '.';
    const weight = srvWeight(services.length);
    const seen = new Set<string>();
    const once = (key: string): boolean => !seen.has(key) && seen.add(key) !== undefined;
    const records: RR[] = [];
    const extra: RR[] = [];
    for (const f of services) {
      const what = hostType(f);
      if (f.port === -1 || (what !== 'A' && what !== 'AAAA')) continue;
      const target = fqdn(f.key);
      if (once(`port ${target} ${f.port & 0xffff}`)) records.push(srvRR(qname, f.ttl, weight, f.port, target));
      if (once(`addr ${target} ${f.host}`)) extra.push(addressRR(target, f.ttl, f.host, what));
    }
    return { records, extra, truncated: false };
  }

  /** The first service as an alias, where it is a name (plugin.CNAME). */
  cname(q: DnsMsg, zone: string): Records | undefined {
    const services = this.services(q, zone);
    if (!services) return undefined;
    const f = services[0];
    if (!f || ipFamily(f.host) !== undefined) return NONE;
    return { ...NONE, records: [cnameRR(q.question[0]?.name ?? '.', f)] };
  }

  /** MX: services exist but none takes mail. */
  mx(q: DnsMsg, zone: string): Records | undefined {
    return this.services(q, zone) ? NONE : undefined;
  }

  /** PTR records: ClusterIPs first, else every ready endpoint with the address (Kubernetes.Reverse). */
  ptr(q: DnsMsg, zone: string): Records | undefined {
    const name = qnameOf(q);
    const ip = addressFromReverse(name);
    if (ip === '') return this.find(name, zone) ? NONE : undefined;
    const { ttl, primaryZone, namespaces, endpointPodNames } = this.options;
    const hidden = (ns: string): boolean => namespaces.size > 0 && !this.exposed(ns);
    const names: string[] = [];
    const svc = this.index.serviceByIp(ip).find((s) => !hidden(s.namespace));
    if (svc) names.push(joinLabels(svc.name, svc.namespace, 'svc', primaryZone));
    else {
      for (const ep of this.index.endpointsByIp(ip)) {
        if (hidden(ep.namespace)) continue;
        for (const a of ep.addresses)
          if (a.ip === ip) names.push(joinLabels(endpointHostname(a, endpointPodNames), ep.index, 'svc', primaryZone));
      }
    }
    if (names.length === 0) return undefined;
    const qname = q.question[0]?.name ?? '.';
    return { ...NONE, records: [...new Set(names)].map((n) => ptrRR(qname, ttl, n)) };
  }

  /** NS records of the zone and the addresses of the names (plugin.NS). */
  ns(q: DnsMsg, zone: string): Records {
    const qname = q.question[0]?.name ?? '.';
    const addrs = this.nsAddresses(zone);
    const names = [...new Set(addrs.map((a) => a.name))];
    return {
      records: names.map((n) => nsRR(qname, this.options.ttl, n)),
      extra: addrs.map((a) => ({ ...a, ttl: this.options.ttl })),
      truncated: false,
    };
  }

  /** Names and addresses of the services behind which this CoreDNS is an endpoint, else its own addresses. */
  nsAddresses(zone: string): RR[] {
    const out: RR[] = [];
    let found = false;
    const add = (name: string, ip: string): void => {
      out.push(addressRR(name, 0, ip, ipFamily(ip) === 6 ? 'AAAA' : 'A'));
    };
    for (const local of this.localIps()) {
      for (const ep of this.index.endpointsByIp(local)) {
        found = true;
        for (const svc of this.index.serviceByIndex(ep.index)) {
          const name = joinLabels(svc.name, svc.namespace, 'svc', zone);
          if (!svc.headless) for (const ip of svc.clusterIPs) add(name, ip);
          else for (const a of ep.addresses) add(`${endpointHostname(a, this.options.endpointPodNames)}.${name}`, a.ip);
        }
      }
    }
    if (!found) for (const ip of this.localIps()) add(`ns.dns.${zone}`, ip);
    return out;
  }
}
