import type { IpFamily } from '../../../base/ip';

/** An ipset of ipvs mode (pkg/proxy/ipvs/ipset.go): name, type and the comment of the rules that use it. */
export interface SetSpec {
  readonly name: string;
  readonly type: 'hash:ip,port' | 'hash:ip,port,ip' | 'hash:ip,port,net' | 'hash:ip' | 'bitmap:port';
  readonly comment: string;
}

const set = (name: string, type: SetSpec['type'], comment: string): SetSpec => ({ name, type, comment });

export const SETS = {
  loopBack: set(
    'KUBE-LOOP-BACK',
    'hash:ip,port,ip',
    'Kubernetes endpoints dst ip:port, source ip for solving hairpin purpose',
  ),
  clusterIp: set('KUBE-CLUSTER-IP', 'hash:ip,port', 'Kubernetes service cluster ip + port for masquerade purpose'),
  externalIp: set(
    'KUBE-EXTERNAL-IP',
    'hash:ip,port',
    'Kubernetes service external ip + port for masquerade and filter purpose',
  ),
  externalIpLocal: set(
    'KUBE-EXTERNAL-IP-LOCAL',
    'hash:ip,port',
    'Kubernetes service external ip + port with externalTrafficPolicy=local',
  ),
  lb: set('KUBE-LOAD-BALANCER', 'hash:ip,port', 'Kubernetes service lb portal'),
  lbFw: set(
    'KUBE-LOAD-BALANCER-FW',
    'hash:ip,port',
    'Kubernetes service load balancer ip + port for load balancer with sourceRange',
  ),
  lbLocal: set(
    'KUBE-LOAD-BALANCER-LOCAL',
    'hash:ip,port',
    'Kubernetes service load balancer ip + port with externalTrafficPolicy=local',
  ),
  lbSourceIp: set(
    'KUBE-LOAD-BALANCER-SOURCE-IP',
    'hash:ip,port,ip',
    'Kubernetes service load balancer ip + port + source IP for packet filter purpose',
  ),
  lbSourceCidr: set(
    'KUBE-LOAD-BALANCER-SOURCE-CIDR',
    'hash:ip,port,net',
    'Kubernetes service load balancer ip + port + source cidr for packet filter purpose',
  ),
  nodePortTcp: set('KUBE-NODE-PORT-TCP', 'bitmap:port', 'Kubernetes nodeport TCP port for masquerade purpose'),
  nodePortLocalTcp: set(
    'KUBE-NODE-PORT-LOCAL-TCP',
    'bitmap:port',
    'Kubernetes nodeport TCP port with externalTrafficPolicy=local',
  ),
  nodePortUdp: set('KUBE-NODE-PORT-UDP', 'bitmap:port', 'Kubernetes nodeport UDP port for masquerade purpose'),
  nodePortLocalUdp: set(
    'KUBE-NODE-PORT-LOCAL-UDP',
    'bitmap:port',
    'Kubernetes nodeport UDP port with externalTrafficPolicy=local',
  ),
  nodePortSctp: set(
    'KUBE-NODE-PORT-SCTP-HASH',
    'hash:ip,port',
    "Kubernetes nodeport SCTP port for masquerade purpose with type 'hash ip:port'",
  ),
  nodePortLocalSctp: set(
    'KUBE-NODE-PORT-LOCAL-SCTP-HASH',
    'hash:ip,port',
    "Kubernetes nodeport SCTP port with externalTrafficPolicy=local with type 'hash ip:port'",
  ),
  healthCheck: set('KUBE-HEALTH-CHECK-NODE-PORT', 'bitmap:port', 'Kubernetes health check node port'),
  ipvsIps: set('KUBE-IPVS-IPS', 'hash:ip', 'IP addresses of kube-ipvs0'),
} as const;

export type SetName = keyof typeof SETS;

/** The kernel's limit for names of sets. */
const NAME_MAX = 31;

/** Name of a set in a family: IPv6 sets are called KUBE-6-…, cut to what the kernel takes. */
export const setName = (s: SetSpec, family: IpFamily): string =>
  family === 4 ? s.name : s.name.replace('KUBE-', 'KUBE-6-').slice(0, NAME_MAX);

/** Arguments of the `ipset create` that kube-proxy runs. */
export function createArgs(s: SetSpec, family: IpFamily): string[] {
  const name = setName(s, family);
  if (s.type === 'bitmap:port') return ['create', name, s.type, 'range', '0-65535', '-exist'];
  const inet = family === 4 ? 'inet' : 'inet6';
  return ['create', name, s.type, 'family', inet, 'hashsize', '1024', 'maxelem', '65536', '-exist'];
}
