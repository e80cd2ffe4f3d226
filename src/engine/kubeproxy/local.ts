import { cidrContains, formatCidr, type IpFamily, ipFamily } from '../base/ip';
import type { Node } from '../k8s/index';
import type { ProxyConfig } from './flags';

/** How a mode recognises traffic of this node's pods (proxyutil.LocalTrafficDetector); undefined: it cannot. */
export type LocalDetector =
  | { readonly by: 'cidr'; readonly cidr: string }
  | { readonly by: 'interface'; readonly name: string; readonly prefix: boolean };

/** The detector of a family, from the flags and (NodeCIDR) the Node object. */
export function localDetector(
  config: ProxyConfig,
  family: IpFamily,
  node: Node | undefined,
): LocalDetector | undefined {
  switch (config.detectLocal) {
    case 'ClusterCIDR': {
      const c = config.clusterCidrs.find((x) => x.family === family);
      return c && { by: 'cidr', cidr: formatCidr(c) };
    }
    case 'NodeCIDR': {
      const all = node?.spec?.podCIDRs ?? (node?.spec?.podCIDR ? [node.spec.podCIDR] : []);
      const cidr = all.find((c) => ipFamily(c.slice(0, c.indexOf('/'))) === family);
      return cidr === undefined ? undefined : { by: 'cidr', cidr };
    }
    case 'BridgeInterface':
      return { by: 'interface', name: config.bridge, prefix: false };
    case 'InterfaceNamePrefix':
      return { by: 'interface', name: config.interfacePrefix, prefix: true };
  }
}

/** Match arguments for iptables. */
export function iptablesLocal(d: LocalDetector, negate: boolean): string {
  const not = negate ? '! ' : '';
  return d.by === 'cidr' ? `${not}-s ${d.cidr}` : `${not}-i ${d.name}${d.prefix ? '+' : ''}`;
}

/** Match expression for nftables, as it is listed. */
export function nftLocal(d: LocalDetector, negate: boolean, family: IpFamily): string {
  const not = negate ? '!= ' : '';
  if (d.by === 'cidr') return `${family === 4 ? 'ip' : 'ip6'} saddr ${not}${d.cidr}`;
  return `iifname ${not}"${d.name}${d.prefix ? '*' : ''}"`;
}

/** The node's own addresses by family, from its InternalIPs. */
export function nodeIp(node: Node | undefined, family: IpFamily): string | undefined {
  return node?.status?.addresses?.find((a) => a.type === 'InternalIP' && ipFamily(a.address) === family)?.address;
}

/** Which addresses take node ports (proxyutil.NodePortAddresses). */
export interface NodePortTargets {
  /** Every local address: by address type, not by list. */
  readonly all: boolean;
  readonly ips: readonly string[];
  readonly includesLoopback: boolean;
}

export function nodePortTargets(
  config: ProxyConfig,
  family: IpFamily,
  primary: string | undefined,
  localAddresses: readonly string[],
): NodePortTargets {
  const wish = config.nodePortAddresses;
  const byPrimary = { all: false, ips: primary === undefined ? [] : [primary], includesLoopback: false };
  if (wish === 'primary') return byPrimary;
  if (wish.length === 0) {
    return config.mode === 'nftables' ? byPrimary : { all: true, ips: localAddresses, includesLoopback: true };
  }
  const nets = wish.filter((c) => c.family === family);
  if (nets.length === 0 || nets.some((c) => c.prefix === 0)) {
    return { all: true, ips: localAddresses.filter((a) => ipFamily(a) === family), includesLoopback: true };
  }
  const ips = localAddresses.filter((a) => nets.some((c) => cidrContains(c, a)));
  const loopback = nets.some((c) => c.family === 4 && (cidrContains(c, '127.0.0.1') || c.base.startsWith('127.')));
  return { all: false, ips, includesLoopback: loopback };
}
