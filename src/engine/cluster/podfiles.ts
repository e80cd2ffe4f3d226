import { getObject, type Pod } from '../k8s';
import { MUSL_LOADER } from '../workload';
import type { Cluster } from './cluster';
import { dnsServiceIp } from './dns';
import { imageDef } from './images';
import { podResolvConf } from './resolvconf';

/** Resolver outside the cluster, from the node's own resolv.conf. */
const UPSTREAM = '192.168.10.10';

/** The pod object behind a namespace id `node/namespace.name`, or undefined. */
export function podOfNetns(cluster: Cluster, netns: string): Pod | undefined {
  const slash = netns.indexOf('/');
  const dot = netns.indexOf('.', slash);
  if (slash < 0 || dot < 0) return undefined;
  return getObject(cluster.ctx.world, 'Pod', netns.slice(slash + 1, dot), netns.slice(dot + 1)) as Pod | undefined;
}

/**
 * What the kubelet writes into a pod: /etc/resolv.conf by dnsPolicy (pkg/kubelet/network/dns), /etc/hosts,
 * /etc/hostname. Other namespaces get the files of their spec.
 */
export function podFiles(cluster: Cluster, netns: string): Readonly<Record<string, string>> {
  const spec = cluster.spec.machines.find((m) => m.id === netns);
  const pod = podOfNetns(cluster, netns);
  if (!pod) return spec?.files ?? {};
  const namespace = pod.metadata.namespace ?? 'default';
  const cp = cluster.spec.controlPlane;
  const files: Record<string, string> = {
    '/etc/hostname': `${pod.metadata.name}\n`,
    '/etc/hosts': hosts(pod),
    '/etc/resolv.conf': podResolvConf(pod, {
      server: cp && dnsServiceIp(cp.serviceCidr),
      domain: 'cluster.local',
      node: { search: [], nameservers: [UPSTREAM], options: [] },
    }),
  };
  if (imageDef(pod.spec.containers[0]?.image ?? '').musl) files[MUSL_LOADER] = '';
  if (isCoreDns(pod)) {
    const map = getObject(cluster.ctx.world, 'ConfigMap', namespace, 'coredns');
    const corefile = (map as { readonly data?: { readonly Corefile?: string } } | undefined)?.data?.Corefile;
    if (corefile !== undefined) files['/etc/coredns/Corefile'] = corefile;
  }
  return files;
}

/** Pods of the kube-dns Service mount its ConfigMap. */
const isCoreDns = (pod: Pod): boolean => pod.metadata.labels?.['k8s-app'] === 'kube-dns';

function hosts(pod: Pod): string {
  const ips = (pod.status?.podIPs ?? []).map((p) => `${p.ip}\t${pod.spec.hostname ?? pod.metadata.name}`);
  return [
    '# Kubernetes-managed hosts file.',
    '127.0.0.1\tlocalhost',
    '::1\tlocalhost ip6-localhost ip6-loopback',
    'fe00::\tip6-localnet',
    'fe00::\tip6-mcastprefix',
    'fe00::1\tip6-allnodes',
    'fe00::2\tip6-allrouters',
    ...ips,
    '',
  ].join('\n');
}
