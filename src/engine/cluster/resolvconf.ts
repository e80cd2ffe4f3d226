import type { Pod } from '../k8s';

interface Conf {
  readonly search: readonly string[];
  readonly nameservers: readonly string[];
  readonly options: readonly string[];
}
interface PodDnsConfig {
  readonly nameservers?: readonly string[];
  readonly searches?: readonly string[];
  readonly options?: readonly { readonly name: string; readonly value?: string }[];
}

/** What a pod's resolv.conf is made from. */
export interface ClusterDns {
  /** --cluster-dns; undefined where the cluster has none. */
  readonly server: string | undefined;
  readonly domain: string;
  /** The node's own resolv.conf. */
  readonly node: Conf;
}

/** /etc/resolv.conf of a pod (pkg/kubelet/network/dns GetPodDNS): by dnsPolicy, then what dnsConfig adds. */
export function podResolvConf(pod: Pod, dns: ClusterDns): string {
  const namespace = pod.metadata.namespace ?? 'default';
  const policy = pod.spec.dnsPolicy ?? 'ClusterFirst';
  const inCluster = policy === 'ClusterFirstWithHostNet' || (policy === 'ClusterFirst' && !pod.spec.hostNetwork);
  const base: Conf =
    policy === 'None'
      ? { search: [], nameservers: [], options: [] }
      : inCluster && dns.server !== undefined
        ? {
            search: [`${namespace}.svc.${dns.domain}`, `svc.${dns.domain}`, dns.domain, ...dns.node.search],
            nameservers: [dns.server],
            options: ['ndots:5'],
          }
        : dns.node;
  const own = (pod.spec as { readonly dnsConfig?: PodDnsConfig }).dnsConfig ?? {};
  const options = new Map(base.options.map((o) => [o.replace(/:.*$/, ''), o]));
  for (const o of own.options ?? []) options.set(o.name, o.value === undefined ? o.name : `${o.name}:${o.value}`);
  const search = unique([...base.search, ...(own.searches ?? [])]);
  const lines = [
    ...(search.length > 0 ? [`search ${search.join(' ')}`] : []),
    ...unique([...base.nameservers, ...(own.nameservers ?? [])]).map((ip) => `nameserver ${ip}`),
    ...(options.size > 0 ? [`options ${[...options.values()].join(' ')}`] : []),
  ];
  return lines.map((l) => `${l}\n`).join('');
}

const unique = (xs: readonly string[]): string[] => [...new Set(xs)];
