import { type Fault, text } from './fault';

const errorOf = (r: { ok: boolean; error?: string }): string | undefined => (r.ok ? undefined : r.error);

/** kube-proxy of a node: stopped (its rules stay), started, restarted with more flags or after its rules were flushed. */
export const kubeProxyFault: Fault = {
  name: 'kube-proxy',
  run(cluster, args) {
    const node = text(args, 'node');
    const state = text(args, 'state');
    const proxy = cluster.proxies.get(node);
    if (!proxy) return `no kube-proxy on ${node}`;
    const extra = Array.isArray(args.extraFlags) ? args.extraFlags.map(String) : [];
    if (state === 'stopped' || state === 'restarted') proxy.stop();
    if (state === 'restarted' && args.rulesFlushed === true) {
      for (const table of ['filter', 'nat', 'mangle', 'raw']) {
        cluster.netfilter.iptables(node, ['-t', table, '-F'], {});
        cluster.netfilter.iptables(node, ['-t', table, '-X'], {});
      }
      for (const key of ['net.ipv4.conf.all.route_localnet', 'net.netfilter.nf_conntrack_tcp_be_liberal']) {
        cluster.net.setSysctl(node, key, '0');
      }
      cluster.netfilter.conntrack(node, ['-F']);
    }
    if (state === 'started' || state === 'restarted') return errorOf(proxy.start(extra));
    return undefined;
  },
};
