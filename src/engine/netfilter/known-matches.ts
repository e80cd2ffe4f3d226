import { addrtype } from './matches/addrtype';
import { comment } from './matches/comment';
import { conntrack } from './matches/conntrack';
import { mark } from './matches/mark';
import { nfacct } from './matches/nfacct';
import { recent } from './matches/recent';
import { sctp } from './matches/sctp';
import { statistic } from './matches/statistic';
import { tcp } from './matches/tcp';
import { udp } from './matches/udp';
import type { AnyMatch } from './xt';

/** The matches that kube-proxy's rules use. The others are provided with the tools that can load any rule (./tool). */
const OWN: readonly AnyMatch[] = [addrtype, comment, conntrack, mark, nfacct, recent, sctp, statistic, tcp, udp];

const byName = new Map(OWN.map((m) => [m.name, m]));

export function provideMatches(all: readonly AnyMatch[]): void {
  for (const m of all) byName.set(m.name, m);
}

export const findMatch = (name: string): AnyMatch | undefined => byName.get(name);

/** Names of real matches that the model does not evaluate: a rule with one loads, marked unsupported. */
export const KNOWN_MATCHES: readonly string[] = [
  'ah',
  'bpf',
  'cgroup',
  'cluster',
  'connlabel',
  'cpu',
  'dccp',
  'devgroup',
  'dst',
  'esp',
  'eui64',
  'frag',
  'hbh',
  'helper',
  'ipcomp',
  'ipv6header',
  'ipvs',
  'l2tp',
  'mh',
  'osf',
  'policy',
  'rateest',
  'realm',
  'rt',
  'srh',
  'string',
  'tos',
  'u32',
];
