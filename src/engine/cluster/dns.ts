import { formatIpv4, type Json, parseCidr, parseIpv4 } from '../base';
import type { ControlPlaneSpec } from './spec';

/** Corefile of kubeadm 1.37. */
export const KUBEADM_COREFILE = `.:53 {
    errors
    health {
       lameduck 5s
    }
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    prometheus :9153
    forward . /etc/resolv.conf {
       max_concurrent 1000
    }
    cache 30 {
       disable success cluster.local
       disable denial cluster.local
    }
    loop
    reload
    loadbalance
}
`;

/** Address of the kube-dns Service: the tenth of the Service range. */
export function dnsServiceIp(serviceCidr: string): string {
  return formatIpv4((parseIpv4(parseCidr(serviceCidr)?.base ?? '') ?? 0) + 10);
}

/** The Corefile's ConfigMap, the kube-dns Service and two CoreDNS pods on the last two nodes, as kubeadm leaves them. */
export function dnsManifests(cp: ControlPlaneSpec): readonly { readonly object: Json; readonly ip?: string }[] {
  const labels = { 'k8s-app': 'kube-dns' };
  const last = cp.nodes.slice(-2);
  return [
    {
      object: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'coredns', namespace: 'kube-system' },
        data: { Corefile: KUBEADM_COREFILE },
      },
    },
    {
      object: {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: {
          name: 'kube-dns',
          namespace: 'kube-system',
          labels: { ...labels, 'kubernetes.io/cluster-service': 'true', 'kubernetes.io/name': 'CoreDNS' },
          annotations: { 'prometheus.io/port': '9153', 'prometheus.io/scrape': 'true' },
        },
        spec: {
          clusterIP: dnsServiceIp(cp.serviceCidr),
          selector: labels,
          ports: [
            { name: 'dns', port: 53, protocol: 'UDP', targetPort: 53 },
            { name: 'dns-tcp', port: 53, protocol: 'TCP', targetPort: 53 },
            { name: 'metrics', port: 9153, protocol: 'TCP', targetPort: 9153 },
          ],
        },
      },
    },
    ...last.map((node, i) => ({
      object: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `coredns-${i + 1}`, namespace: 'kube-system', labels },
        spec: {
          nodeName: node.name,
          dnsPolicy: 'Default',
          containers: [
            {
              name: 'coredns',
              image: 'registry.k8s.io/coredns/coredns:v1.14.6',
              args: ['-conf', '/etc/coredns/Corefile'],
              ports: [
                { name: 'dns', containerPort: 53, protocol: 'UDP' },
                { name: 'dns-tcp', containerPort: 53, protocol: 'TCP' },
                { name: 'metrics', containerPort: 9153, protocol: 'TCP' },
              ],
            },
          ],
        },
      },
      ip: formatIpv4((parseIpv4(parseCidr(node.podCidr)?.base ?? '') ?? 0) + 53),
    })),
  ];
}
