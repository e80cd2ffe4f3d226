import { formatCidr } from '../../../base/ip';
import type { EndpointInfo } from '../../endpoints';
import { iptablesLocal } from '../../local';
import { markHex } from '../../mark';
import type { SyncEnv } from '../../mode';
import {
  allowsNode,
  externallyReachable,
  type ServicePortInfo,
  usesClusterEndpoints,
  usesLocalEndpoints,
} from '../../serviceports';
import type { PortView } from '../../view';
import { endpointChain, serviceChains } from './names';

/** More endpoints than this over all Services: comments are left out and stale chains cleaned rarely. */
export const LARGE_CLUSTER = 1000;

/** Restore input under construction. */
export interface Buffers {
  readonly filterChains: string[];
  readonly filterRules: string[];
  readonly natChains: string[];
  readonly natRules: string[];
  /** Chains that this state of things needs, whether or not they are written this time. */
  readonly active: Set<string>;
}

const chainLine = (chain: string): string => `:${chain} - [0:0]`;
const comment = (text: string): string => `-m comment --comment "${text}"`;
const host = (ip: string): string => (ip.includes(':') ? `${ip}/128` : `${ip}/32`);

/** 1/n with ten decimals, as kube-proxy prints it. */
export const probability = (n: number): string => {
  // 10^10 / n rounded half up, in integers: toFixed would lean on the engine's float printing.
  const scaled = Math.floor((20_000_000_000 + n) / (2 * n));
  const whole = Math.floor(scaled / 10_000_000_000);
  return `${whole}.${String(scaled % 10_000_000_000).padStart(10, '0')}`;
};

/** The chains and rules that do not depend on Services. */
export function writeHead(env: SyncEnv, b: Buffers): void {
  const mark = markHex(env.config.masqueradeBit);
  for (const c of [
    'KUBE-SERVICES',
    'KUBE-EXTERNAL-SERVICES',
    'KUBE-FORWARD',
    'KUBE-NODEPORTS',
    'KUBE-PROXY-FIREWALL',
  ]) {
    b.filterChains.push(chainLine(c));
  }
  for (const c of ['KUBE-SERVICES', 'KUBE-NODEPORTS', 'KUBE-POSTROUTING', 'KUBE-MARK-MASQ'])
    b.natChains.push(chainLine(c));
  b.natRules.push(`-A KUBE-POSTROUTING -m mark ! --mark ${mark}/${mark} -j RETURN`);
  // Clears the mark, in case the packet comes by again.
  b.natRules.push(`-A KUBE-POSTROUTING -j MARK --xor-mark ${mark}`);
  b.natRules.push(
    `-A KUBE-POSTROUTING ${comment('kubernetes service traffic requiring SNAT')} -j MASQUERADE --random-fully`,
  );
  b.natRules.push(`-A KUBE-MARK-MASQ -j MARK --or-mark ${mark}`);
  if (env.localhostNodePorts) {
    b.filterChains.push(chainLine('KUBE-FIREWALL'));
    b.filterRules.push(
      `-A KUBE-FIREWALL ${comment('block incoming localnet connections')} -d 127.0.0.0/8 ! -s 127.0.0.0/8 -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP`,
    );
  }
}

/** The rules that come after those of the Services. */
export function writeTail(env: SyncEnv, b: Buffers): void {
  const mark = markHex(env.config.masqueradeBit);
  const last = comment('kubernetes service nodeports; NOTE: this must be the last rule in this chain');
  if (env.nodePorts.all) {
    const not = env.family === 6 ? '! -d ::1/128 ' : env.localhostNodePorts ? '' : '! -d 127.0.0.0/8 ';
    b.natRules.push(`-A KUBE-SERVICES ${last} -m addrtype --dst-type LOCAL ${not}-j KUBE-NODEPORTS`);
  } else {
    for (const ip of env.nodePorts.ips) {
      const loopback = ip === '::1' || ip.startsWith('127.');
      if (loopback && !env.localhostNodePorts) continue;
      b.natRules.push(`-A KUBE-SERVICES ${last} -d ${host(ip)} -j KUBE-NODEPORTS`);
    }
  }
  if (!env.conntrackLiberal) {
    b.filterRules.push(
      '-A KUBE-FORWARD -m conntrack --ctstate INVALID -m nfacct --nfacct-name ct_state_invalid_dropped_pkts -j DROP',
    );
  }
  b.filterRules.push(
    `-A KUBE-FORWARD ${comment('kubernetes forwarding rules')} -m mark --mark ${mark}/${mark} -j ACCEPT`,
    `-A KUBE-FORWARD ${comment('kubernetes forwarding conntrack rule')} -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT`,
  );
}

/** Everything about one Service port (the loop body of syncProxyRules). */
export function writePort(env: SyncEnv, view: PortView, large: boolean, b: Buffers): void {
  const { port: svc, use } = view;
  const chains = serviceChains(svc.name, svc.protocol);
  const proto = svc.protocol;
  const internalLocal = svc.internalLocal;
  const externalLocal = svc.externalLocal;
  const hasInternal = use.any && (internalLocal ? use.local : use.cluster).length > 0;
  const hasExternal = use.any && (externalLocal ? use.local : use.cluster).length > 0;
  const usesExternal = use.any && externallyReachable(svc);
  const internalChain = internalLocal ? chains.local : chains.cluster;
  const externalPolicyChain = externalLocal ? chains.local : chains.cluster;
  const usesFirewall = use.any && svc.lbVips.length > 0 && svc.sourceRanges.length > 0;
  const lbChain = usesFirewall ? chains.firewall : chains.external;
  const reject = `${comment(`${svc.name} has no endpoints`)}`;
  const drop = `${comment(`${svc.name} has no local endpoints`)}`;
  const [noteWhy, target] = use.any ? [drop, 'DROP'] : [reject, 'REJECT'];
  const l4 = (port: number): string => `-m ${proto} -p ${proto} --dport ${port}`;
  const to = (ip: string, port = svc.port): string => `-m ${proto} -p ${proto} -d ${ip} --dport ${port}`;

  // Capture: cluster IP, external IPs, load-balancer IPs, node port.
  if (hasInternal) {
    b.natRules.push(`-A KUBE-SERVICES ${comment(`${svc.name} cluster IP`)} ${to(svc.clusterIp)} -j ${internalChain}`);
  } else {
    b.filterRules.push(`-A KUBE-SERVICES ${noteWhy} ${to(svc.clusterIp)} -j ${target}`);
  }
  for (const ip of svc.externalIps) {
    if (use.any)
      b.natRules.push(`-A KUBE-SERVICES ${comment(`${svc.name} external IP`)} ${to(ip)} -j ${chains.external}`);
    if (!hasExternal) b.filterRules.push(`-A KUBE-EXTERNAL-SERVICES ${noteWhy} ${to(ip)} -j ${target}`);
  }
  for (const ip of svc.lbVips) {
    if (use.any) b.natRules.push(`-A KUBE-SERVICES ${comment(`${svc.name} loadbalancer IP`)} ${to(ip)} -j ${lbChain}`);
    if (usesFirewall) {
      const why = comment(`${svc.name} traffic not accepted by ${chains.firewall}`);
      b.filterRules.push(`-A KUBE-PROXY-FIREWALL ${why} ${to(ip)} -j DROP`);
    }
    if (!hasExternal) b.filterRules.push(`-A KUBE-EXTERNAL-SERVICES ${noteWhy} ${to(ip)} -j ${target}`);
  }
  if (svc.nodePort !== 0) {
    if (use.any) {
      if (env.localhostNodePorts) {
        b.natRules.push(
          `-A KUBE-NODEPORTS ${comment(svc.name)} -m ${proto} -p ${proto} -d 127.0.0.0/8 --dport ${svc.nodePort} -m nfacct --nfacct-name localhost_nps_accepted_pkts -j ${chains.external}`,
        );
      }
      b.natRules.push(`-A KUBE-NODEPORTS ${comment(svc.name)} ${l4(svc.nodePort)} -j ${chains.external}`);
    }
    if (!hasExternal) {
      b.filterRules.push(
        `-A KUBE-EXTERNAL-SERVICES ${noteWhy} -m addrtype --dst-type LOCAL ${l4(svc.nodePort)} -j ${target}`,
      );
    }
  }
  if (svc.healthCheckNodePort !== 0) {
    const why = comment(`${svc.name} health check node port`);
    b.filterRules.push(`-A KUBE-NODEPORTS ${why} -m tcp -p tcp --dport ${svc.healthCheckNodePort} -j ACCEPT`);
  }

  // The chains of a Service that has not changed are left as they are.
  const out = env.full || env.changed.has(svc.service) ? b : { ...b, natChains: [], natRules: [] };
  const chain = (name: string): void => {
    out.natChains.push(chainLine(name));
    b.active.add(name);
  };
  if (hasInternal) {
    const match = `${comment(`${svc.name} cluster IP`)} ${to(svc.clusterIp)}`;
    if (env.config.masqueradeAll) out.natRules.push(`-A ${internalChain} ${match} -j KUBE-MARK-MASQ`);
    else if (env.local) {
      // Off-cluster sources: the answer must come back through this node.
      out.natRules.push(`-A ${internalChain} ${match} ${iptablesLocal(env.local, true)} -j KUBE-MARK-MASQ`);
    }
  }
  if (usesExternal) {
    chain(chains.external);
    writeExternal(env, svc, chains, externalPolicyChain, hasExternal, out.natRules);
  }
  if (usesFirewall) {
    chain(chains.firewall);
    writeFirewall(env, svc, chains, out.natRules);
  }
  const named = use.reachable.map((e) => ({ e, chain: endpointChain(svc.name, proto, e.text) }));
  const chainOf = new Map(named.map((n) => [n.e.text, n.chain]));
  if (use.any && usesClusterEndpoints(svc) && use.cluster.length > 0) {
    chain(chains.cluster);
    writeBalancing(svc, chains.cluster, use.cluster, chainOf, large, out.natRules);
  }
  if (use.any && usesLocalEndpoints(svc) && use.local.length > 0) {
    chain(chains.local);
    writeBalancing(svc, chains.local, use.local, chainOf, large, out.natRules);
  }
  for (const { e, chain: sep } of named) {
    chain(sep);
    const note = large ? '' : `${comment(svc.name)} `;
    // Hairpin: the pod that balances onto itself must see the node as its peer.
    out.natRules.push(`-A ${sep} ${note}-s ${host(e.ip)} -j KUBE-MARK-MASQ`);
    const recent = svc.affinitySeconds === undefined ? '' : `-m recent --name ${sep} --set `;
    out.natRules.push(`-A ${sep} ${note}${recent}-m ${proto} -p ${proto} -j DNAT --to-destination ${e.text}`);
  }
}

type Chains = ReturnType<typeof serviceChains>;

function writeExternal(
  env: SyncEnv,
  svc: ServicePortInfo,
  chains: Chains,
  policyChain: string,
  hasExternal: boolean,
  rules: string[],
): void {
  const dest = `${svc.name} external destinations`;
  if (!svc.externalLocal) {
    rules.push(`-A ${chains.external} ${comment(`masquerade traffic for ${dest}`)} -j KUBE-MARK-MASQ`);
  } else {
    // Pods and the node itself take the cluster policy, as if the packet had gone out and come back.
    if (env.local) {
      const local = iptablesLocal(env.local, false);
      rules.push(`-A ${chains.external} ${comment(`pod traffic for ${dest}`)} ${local} -j ${chains.cluster}`);
    }
    const fromNode = '-m addrtype --src-type LOCAL';
    rules.push(
      `-A ${chains.external} ${comment(`masquerade LOCAL traffic for ${dest}`)} ${fromNode} -j KUBE-MARK-MASQ`,
    );
    rules.push(`-A ${chains.external} ${comment(`route LOCAL traffic for ${dest}`)} ${fromNode} -j ${chains.cluster}`);
  }
  if (hasExternal) rules.push(`-A ${chains.external} -j ${policyChain}`);
}

function writeFirewall(env: SyncEnv, svc: ServicePortInfo, chains: Chains, rules: string[]): void {
  const note = comment(`${svc.name} loadbalancer IP`);
  for (const c of svc.sourceRanges)
    rules.push(`-A ${chains.firewall} ${note} -s ${formatCidr(c)} -j ${chains.external}`);
  // A node that holds the VIP itself has it as its source address.
  if (allowsNode(svc, env.nodeIp)) {
    for (const ip of svc.lbVips) rules.push(`-A ${chains.firewall} ${note} -s ${host(ip)} -j ${chains.external}`);
  }
  rules.push(`-A ${chains.firewall} ${comment(`other traffic to ${svc.name} will be dropped by KUBE-PROXY-FIREWALL`)}`);
}

function writeBalancing(
  svc: ServicePortInfo,
  from: string,
  endpoints: readonly EndpointInfo[],
  chainOf: ReadonlyMap<string, string>,
  large: boolean,
  rules: string[],
): void {
  const note = (e: EndpointInfo): string => (large ? '' : `${comment(`${svc.name} -> ${e.text}`)} `);
  if (svc.affinitySeconds !== undefined) {
    for (const e of endpoints) {
      const sep = chainOf.get(e.text);
      rules.push(
        `-A ${from} ${note(e)}-m recent --name ${sep} --rcheck --seconds ${svc.affinitySeconds} --reap -j ${sep}`,
      );
    }
  }
  endpoints.forEach((e, i) => {
    const left = endpoints.length - i;
    const chance = left > 1 ? `-m statistic --mode random --probability ${probability(left)} ` : '';
    rules.push(`-A ${from} ${note(e)}${chance}-j ${chainOf.get(e.text)}`);
  });
}
