import { iptablesLocal } from '../../local';
import { markHex } from '../../mark';
import type { SyncEnv } from '../../mode';
import type { Compiled } from './compile';
import { SETS, type SetName, setName } from './sets';

interface SetRule {
  readonly set: SetName;
  readonly chain: string;
  readonly to: string;
  readonly match: 'dst' | 'dst,dst' | 'dst,dst,src';
  readonly protocol?: string;
}

/** Rules that a set that is not empty brings into the nat table, in this order. */
const NAT: readonly SetRule[] = [
  { set: 'loopBack', chain: 'KUBE-POSTROUTING', to: 'MASQUERADE', match: 'dst,dst,src' },
  { set: 'lb', chain: 'KUBE-SERVICES', to: 'KUBE-LOAD-BALANCER', match: 'dst,dst' },
  { set: 'lbLocal', chain: 'KUBE-LOAD-BALANCER', to: 'RETURN', match: 'dst,dst' },
  { set: 'nodePortLocalTcp', chain: 'KUBE-NODE-PORT', to: 'RETURN', match: 'dst', protocol: 'tcp' },
  { set: 'nodePortTcp', chain: 'KUBE-NODE-PORT', to: 'KUBE-MARK-MASQ', match: 'dst', protocol: 'tcp' },
  { set: 'nodePortLocalUdp', chain: 'KUBE-NODE-PORT', to: 'RETURN', match: 'dst', protocol: 'udp' },
  { set: 'nodePortUdp', chain: 'KUBE-NODE-PORT', to: 'KUBE-MARK-MASQ', match: 'dst', protocol: 'udp' },
  { set: 'nodePortLocalSctp', chain: 'KUBE-NODE-PORT', to: 'RETURN', match: 'dst,dst', protocol: 'sctp' },
  { set: 'nodePortSctp', chain: 'KUBE-NODE-PORT', to: 'KUBE-MARK-MASQ', match: 'dst,dst', protocol: 'sctp' },
];

const FILTER: readonly SetRule[] = [
  { set: 'lbFw', chain: 'KUBE-PROXY-FIREWALL', to: 'KUBE-SOURCE-RANGES-FIREWALL', match: 'dst,dst' },
  { set: 'lbSourceCidr', chain: 'KUBE-SOURCE-RANGES-FIREWALL', to: 'RETURN', match: 'dst,dst,src' },
  { set: 'lbSourceIp', chain: 'KUBE-SOURCE-RANGES-FIREWALL', to: 'RETURN', match: 'dst,dst,src' },
];

const NAT_CHAINS = ['KUBE-SERVICES', 'KUBE-POSTROUTING', 'KUBE-NODE-PORT', 'KUBE-LOAD-BALANCER', 'KUBE-MARK-MASQ'];
const FILTER_CHAINS = [
  'KUBE-FORWARD',
  'KUBE-NODE-PORT',
  'KUBE-PROXY-FIREWALL',
  'KUBE-SOURCE-RANGES-FIREWALL',
  'KUBE-IPVS-FILTER',
  'KUBE-IPVS-OUT-FILTER',
];

/** Restore input of a sync: ipvs mode writes everything every time. */
export function ipvsRestoreText(env: SyncEnv, c: Compiled): string {
  const nat: string[] = [];
  const filter: string[] = [];
  const name = (s: SetName): string => setName(SETS[s], env.family);
  const match = (s: SetName, how: string): string => `-m set --match-set ${name(s)} ${how}`;
  const note = (s: SetName): string => `-m comment --comment "${SETS[s].comment}"`;
  const fromSet = (r: SetRule): string =>
    `-A ${r.chain}${r.protocol ? ` -p ${r.protocol}` : ''} ${note(r.set)} ${match(r.set, r.match)} -j ${r.to}`;
  const has = (s: SetName): boolean => c.sets[s].length > 0;

  nat.push(`-A KUBE-SERVICES -s ${env.family === 4 ? '127.0.0.0/8' : '::1/128'} -j RETURN`);
  for (const r of NAT) if (has(r.set)) nat.push(fromSet(r));
  for (const r of FILTER) if (has(r.set)) filter.push(fromSet(r));
  if (has('clusterIp')) nat.push(clusterIpRule(env, `-A KUBE-SERVICES ${note('clusterIp')}`, name('clusterIp')));
  const external = (s: SetName): void => {
    const head = `-A KUBE-SERVICES ${note(s)} ${match(s, 'dst,dst')}`;
    // Neither containers nor local processes, and what is bound for this machine.
    nat.push(`${head} -m physdev ! --physdev-is-in -m addrtype ! --src-type LOCAL -j ACCEPT`);
    nat.push(`${head} -m addrtype --dst-type LOCAL -j ACCEPT`);
  };
  if (has('externalIp')) {
    nat.push(`-A KUBE-SERVICES ${note('externalIp')} ${match('externalIp', 'dst,dst')} -j KUBE-MARK-MASQ`);
    external('externalIp');
  }
  if (has('externalIpLocal')) external('externalIpLocal');
  nat.push('-A KUBE-SERVICES -m addrtype --dst-type LOCAL -j KUBE-NODE-PORT');
  nat.push('-A KUBE-LOAD-BALANCER -j KUBE-MARK-MASQ');
  filter.push('-A KUBE-SOURCE-RANGES-FIREWALL -j DROP');
  filter.push(`-A KUBE-NODE-PORT ${note('healthCheck')} ${match('healthCheck', 'dst')} -j ACCEPT`);
  for (const s of ['clusterIp', 'lb'] as const) {
    if (has(s)) nat.push(`-A KUBE-SERVICES ${match(s, 'dst,dst')} -j ACCEPT`);
  }
  const mark = markHex(env.config.masqueradeBit);
  filter.push(
    `-A KUBE-FORWARD -m comment --comment "kubernetes forwarding rules" -m mark --mark ${mark}/${mark} -j ACCEPT`,
    '-A KUBE-FORWARD -m comment --comment "kubernetes forwarding conntrack rule" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT',
  );
  for (const s of ['lb', 'clusterIp', 'externalIp', 'externalIpLocal'] as const) {
    filter.push(`-A KUBE-IPVS-FILTER ${match(s, 'dst,dst')} -j RETURN`);
  }
  filter.push(`-A KUBE-IPVS-FILTER ${match('healthCheck', 'dst')} -j RETURN`);
  filter.push(`-A KUBE-IPVS-FILTER -m conntrack --ctstate NEW ${match('ipvsIps', 'dst')} -j REJECT`);
  nat.push(
    `-A KUBE-POSTROUTING -m mark ! --mark ${mark}/${mark} -j RETURN`,
    `-A KUBE-POSTROUTING -j MARK --xor-mark ${mark}`,
    '-A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully',
    `-A KUBE-MARK-MASQ -j MARK --or-mark ${mark}`,
  );
  const chains = (list: readonly string[]): string[] => list.map((n) => `:${n} - [0:0]`);
  const lines = [
    '*nat',
    ...chains(NAT_CHAINS),
    ...nat,
    'COMMIT',
    '*filter',
    ...chains(FILTER_CHAINS),
    ...filter,
    'COMMIT',
  ];
  return `${lines.join('\n')}\n`;
}

function clusterIpRule(env: SyncEnv, head: string, set: string): string {
  if (env.config.masqueradeAll) return `${head} -m set --match-set ${set} dst,dst -j KUBE-MARK-MASQ`;
  if (env.local) return `${head} -m set --match-set ${set} dst,dst ${iptablesLocal(env.local, true)} -j KUBE-MARK-MASQ`;
  // Without a way to tell pods apart only hairpins of the cluster IP itself are masqueraded.
  return `${head} -m set --match-set ${set} src,dst -j KUBE-MARK-MASQ`;
}
