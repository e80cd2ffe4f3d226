import { formatCidr, ipBits } from '../../../base/ip';
import { byCodeUnit } from '../../../base/json';
import type { EndpointInfo } from '../../endpoints';
import { nftLocal } from '../../local';
import { markHex } from '../../mark';
import type { SyncEnv } from '../../mode';
import { allowsNode, externallyReachable, usesClusterEndpoints, usesLocalEndpoints } from '../../serviceports';
import type { PortView } from '../../view';
import type { NftChain, NftSet } from './model';
import { endpointNames, portChains } from './names';

/** What a table should hold. */
export interface Compiled {
  readonly sets: NftSet[];
  readonly chains: NftChain[];
}

interface Draft {
  readonly clusterIps: Set<string>;
  readonly hairpin: Set<string>;
  readonly elements: Record<
    'service-ips' | 'service-nodeports' | 'no-endpoint-services' | 'no-endpoint-nodeports' | 'firewall-ips',
    string[]
  >;
  readonly affinity: NftSet[];
  readonly chains: NftChain[];
}

/** The whole table of a family. */
export function compile(env: SyncEnv): Compiled {
  const d: Draft = {
    clusterIps: new Set(),
    hairpin: new Set(),
    elements: {
      'service-ips': [],
      'service-nodeports': [],
      'no-endpoint-services': [],
      'no-endpoint-nodeports': [],
      'firewall-ips': [],
    },
    affinity: [],
    chains: [],
  };
  for (const p of env.view.ports) writePort(env, p, d);
  const chains = [...baseChains(env), ...d.chains];
  return { sets: [...fixedSets(env, d), ...d.affinity], chains };
}

function fixedSets(env: SyncEnv, d: Draft): NftSet[] {
  const addr = env.family === 4 ? 'ipv4_addr' : 'ipv6_addr';
  const full = `${addr} . inet_proto . inet_service`;
  const set = (name: string, type: string, comment: string, elements: readonly string[]): NftSet => ({
    name,
    type,
    isMap: type.endsWith(': verdict'),
    comment,
    elements,
  });
  return [
    set('hairpin-connections', `${addr} . ${full}`, 'service hairpin connections', [...d.hairpin]),
    set('cluster-ips', addr, 'Active ClusterIPs', [...d.clusterIps]),
    ...(env.nodePorts.all
      ? []
      : [
          set(
            'nodeport-ips',
            addr,
            'IPs that accept NodePort traffic',
            env.nodePorts.ips.filter((ip) => isOf(env, ip)),
          ),
        ]),
    set(
      'no-endpoint-services',
      `${full} : verdict`,
      'vmap to drop or reject packets to services with no endpoints',
      d.elements['no-endpoint-services'],
    ),
    set(
      'no-endpoint-nodeports',
      'inet_proto . inet_service : verdict',
      'vmap to drop or reject packets to service nodeports with no endpoints',
      d.elements['no-endpoint-nodeports'],
    ),
    set(
      'firewall-ips',
      `${full} : verdict`,
      'destinations that are subject to LoadBalancerSourceRanges',
      d.elements['firewall-ips'],
    ),
    set(
      'service-ips',
      `${full} : verdict`,
      'ClusterIP, ExternalIP and LoadBalancer IP traffic',
      d.elements['service-ips'],
    ),
    set(
      'service-nodeports',
      'inet_proto . inet_service : verdict',
      'NodePort traffic',
      d.elements['service-nodeports'],
    ),
  ];
}

const isOf = (env: SyncEnv, ip: string): boolean =>
  ip.includes(':') === (env.family === 6) && ip !== '::1' && !ip.startsWith('127.');

function baseChains(env: SyncEnv): NftChain[] {
  const ip = env.family === 4 ? 'ip' : 'ip6';
  const mark = markHex(env.config.nftablesMasqueradeBit);
  const base = (name: string, hook: string, ...rules: string[]): NftChain => ({
    name,
    hook: `${hook}; policy accept;`,
    rules,
  });
  const fresh = 'ct state new jump';
  const byService = `${ip} daddr . meta l4proto . th dport vmap`;
  // Without a list every local address takes node ports, loopback excepted.
  const nodeIps = env.nodePorts.all
    ? `${ip} daddr != ${env.family === 4 ? '127.0.0.0/8' : '::1'}`
    : `${ip} daddr @nodeport-ips`;
  const masq = clusterIpMasquerade(env, ip, mark);
  return [
    base('filter-prerouting-pre-dnat', 'type filter hook prerouting priority dstnat - 10', `${fresh} firewall-check`),
    base('filter-output-pre-dnat', 'type filter hook output priority -110', `${fresh} firewall-check`),
    base(
      'filter-input',
      'type filter hook input priority filter',
      `${fresh} nodeport-endpoints-check`,
      `${fresh} service-endpoints-check`,
    ),
    base(
      'filter-forward',
      'type filter hook forward priority filter',
      `${fresh} service-endpoints-check`,
      `${fresh} cluster-ips-check`,
    ),
    base(
      'filter-output',
      'type filter hook output priority filter',
      `${fresh} service-endpoints-check`,
      `${fresh} cluster-ips-check`,
    ),
    base('nat-prerouting', 'type nat hook prerouting priority dstnat', 'jump services'),
    base('nat-output', 'type nat hook output priority -100', 'jump services'),
    base('nat-postrouting', 'type nat hook postrouting priority srcnat', 'jump masquerading'),
    {
      name: 'nodeport-endpoints-check',
      rules: [`${nodeIps} meta l4proto . th dport vmap @no-endpoint-nodeports`],
    },
    { name: 'service-endpoints-check', rules: [`${byService} @no-endpoint-services`] },
    { name: 'firewall-check', rules: [`${byService} @firewall-ips`] },
    {
      name: 'services',
      rules: [
        ...masq,
        `${byService} @service-ips`,
        `${env.nodePorts.all ? 'fib daddr type local ' : ''}${nodeIps} meta l4proto . th dport vmap @service-nodeports`,
      ],
    },
    {
      name: 'masquerading',
      rules: [
        `meta mark & ${mark} != 0x00000000 meta mark set meta mark ^ ${mark} masquerade fully-random`,
        `ct status dnat ${ip} saddr . ${ip} daddr . meta l4proto . th dport @hairpin-connections masquerade fully-random`,
      ],
    },
    {
      name: 'cluster-ips-check',
      rules: [
        `${ip} daddr @cluster-ips reject comment "Reject traffic to invalid ports of ClusterIPs"`,
        ...unallocated(env, ip),
      ],
    },
    {
      name: 'reject-chain',
      comment: 'helper for @no-endpoint-services / @no-endpoint-nodeports',
      rules: ['reject'],
    },
  ];
}

function unallocated(env: SyncEnv, ip: string): string[] {
  const [one, ...more] = env.serviceCidrs;
  if (one === undefined) return [];
  const ranges = more.length === 0 ? one : `{ ${env.serviceCidrs.join(', ')} }`;
  return [`${ip} daddr ${ranges} drop comment "Drop traffic to unallocated ClusterIPs"`];
}

function clusterIpMasquerade(env: SyncEnv, ip: string, mark: string): string[] {
  const set = `meta mark set meta mark | ${mark}`;
  if (env.config.masqueradeAll) return [`${ip} daddr @cluster-ips ${set} comment "masquerade all clusterIP traffic"`];
  if (!env.local) return [];
  const off = nftLocal(env.local, true, env.family);
  return [`${ip} daddr @cluster-ips ${off} ${set} comment "masquerade clusterIP traffic from outside cluster"`];
}

function writePort(env: SyncEnv, view: PortView, d: Draft): void {
  const { port: svc, use } = view;
  const ip = env.family === 4 ? 'ip' : 'ip6';
  const names = portChains(svc);
  const hasInternal = use.any && (svc.internalLocal ? use.local : use.cluster).length > 0;
  const hasExternal = use.any && (svc.externalLocal ? use.local : use.cluster).length > 0;
  const internal = svc.internalLocal ? names.local : names.service;
  const usesFirewall = svc.lbVips.length > 0 && svc.sourceRanges.length > 0;
  const verdict = use.any ? 'drop' : 'goto reject-chain';
  const key = (addr: string): string => `${addr} . ${svc.protocol} . ${svc.port}`;
  const none = (addr: string): string => `${key(addr)} comment "${svc.name}" : ${verdict}`;

  d.clusterIps.add(svc.clusterIp);
  if (hasInternal) d.elements['service-ips'].push(`${key(svc.clusterIp)} : goto ${internal}`);
  else d.elements['no-endpoint-services'].push(none(svc.clusterIp));
  for (const addr of [...svc.externalIps, ...svc.lbVips]) {
    if (use.any) d.elements['service-ips'].push(`${key(addr)} : goto ${names.external}`);
    if (!hasExternal) d.elements['no-endpoint-services'].push(none(addr));
  }
  if (usesFirewall) {
    for (const addr of svc.lbVips) d.elements['firewall-ips'].push(`${key(addr)} : goto ${names.firewall}`);
    d.chains.push({ name: names.firewall, rules: [firewallRule(env, view, ip)] });
  }
  if (svc.nodePort !== 0) {
    const np = `${svc.protocol} . ${svc.nodePort}`;
    if (use.any) d.elements['service-nodeports'].push(`${np} : goto ${names.external}`);
    if (!hasExternal) d.elements['no-endpoint-nodeports'].push(`${np} comment "${svc.name}" : ${verdict}`);
  }
  if (use.any && externallyReachable(svc)) {
    d.chains.push({ name: names.external, rules: externalRules(env, view, hasExternal) });
  }
  if (use.any && usesClusterEndpoints(svc) && use.cluster.length > 0) {
    d.chains.push({ name: names.service, rules: balancing(view, use.cluster, ip) });
  }
  if (use.any && usesLocalEndpoints(svc) && use.local.length > 0) {
    d.chains.push({ name: names.local, rules: balancing(view, use.local, ip) });
  }
  for (const e of use.reachable) {
    if (e.local) d.hairpin.add(`${e.ip} . ${e.ip} . ${svc.protocol} . ${e.port}`);
    if (svc.affinitySeconds === undefined) continue;
    const n = endpointNames(svc, e);
    d.affinity.push({
      name: n.set,
      type: env.family === 4 ? 'ipv4_addr' : 'ipv6_addr',
      isMap: false,
      size: 65535,
      flags: ['dynamic', 'timeout'],
      timeoutS: svc.affinitySeconds,
      elements: [],
    });
    d.chains.push({
      name: n.chain,
      rules: [`update @${n.set} { ${ip} saddr }`, `meta l4proto ${svc.protocol} dnat to ${e.text}`],
    });
  }
}

function externalRules(env: SyncEnv, view: PortView, hasExternal: boolean): string[] {
  const svc = view.port;
  const names = portChains(svc);
  const mark = `meta mark set meta mark | ${markHex(env.config.nftablesMasqueradeBit)}`;
  const rules: string[] = [];
  if (!svc.externalLocal) rules.push(`${mark} comment "masquerade"`);
  else {
    if (env.local) {
      rules.push(`${nftLocal(env.local, false, env.family)} goto ${names.service} comment "short-circuit pod traffic"`);
    }
    rules.push(`fib saddr type local ${mark} comment "masquerade local traffic"`);
    rules.push(`fib saddr type local goto ${names.service} comment "short-circuit local traffic"`);
  }
  if (hasExternal) rules.push(`goto ${svc.externalLocal ? names.local : names.service}`);
  return rules;
}

function balancing(view: PortView, endpoints: readonly EndpointInfo[], ip: string): string[] {
  const svc = view.port;
  if (svc.affinitySeconds !== undefined) {
    const named = endpoints.map((e) => endpointNames(svc, e));
    const picks = named.map((n, i) => `${i} : goto ${n.chain}`).join(', ');
    return [
      ...named.map((n) => `${ip} saddr @${n.set} goto ${n.chain}`),
      `numgen random mod ${endpoints.length} vmap { ${picks} }`,
    ];
  }
  const [only] = endpoints;
  if (endpoints.length === 1 && only) return [`meta l4proto ${svc.protocol} dnat to ${only.text}`];
  const picks = endpoints.map((e, i) => `${i} : ${e.ip} . ${e.port}`).join(', ');
  return [`meta l4proto ${svc.protocol} dnat ${ip} to numgen random mod ${endpoints.length} map { ${picks} }`];
}

/** Sources that may pass, as nft lists an anonymous set: sorted, a single address or network without braces. */
function firewallRule(env: SyncEnv, view: PortView, ip: string): string {
  const svc = view.port;
  const bare = (c: string): string => c.replace(/\/(32|128)$/, '');
  const sources = new Set(
    svc.sourceRanges.map((c) => (c.prefix === (c.family === 4 ? 32 : 128) ? bare(formatCidr(c)) : formatCidr(c))),
  );
  if (allowsNode(svc, env.nodeIp)) for (const vip of svc.lbVips) sources.add(vip);
  const value = (s: string): bigint => ipBits(s.split('/')[0] as string) ?? 0n;
  const list = [...sources].sort((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : byCodeUnit(a, b)));
  const set = list.length === 1 ? (list[0] as string) : `{ ${list.join(', ')} }`;
  return `${ip} saddr != ${set} drop`;
}
