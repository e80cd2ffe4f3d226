import type { IpFamily } from '../../../base/ip';
import type { WorldReader } from '../../../base/recordmap';
import type { NetfilterDoor } from '../../../netfilter';

/** A jump into one of kube-proxy's chains. */
export interface Jump {
  readonly table: 'filter' | 'nat';
  readonly to: string;
  readonly from: string;
  readonly comment?: string;
  readonly onlyNew?: boolean;
}

const EXTERNAL = 'kubernetes externally-visible service portals';
const PORTALS = 'kubernetes service portals';
const FIREWALL = 'kubernetes load balancer firewall';

/** Jumps into kube-proxy's chains, in the order in which it makes sure of them; each is put first in its chain. */
const JUMPS: readonly Jump[] = [
  { table: 'filter', to: 'KUBE-EXTERNAL-SERVICES', from: 'INPUT', comment: EXTERNAL, onlyNew: true },
  { table: 'filter', to: 'KUBE-EXTERNAL-SERVICES', from: 'FORWARD', comment: EXTERNAL, onlyNew: true },
  { table: 'filter', to: 'KUBE-NODEPORTS', from: 'INPUT', comment: 'kubernetes health check service ports' },
  { table: 'filter', to: 'KUBE-SERVICES', from: 'FORWARD', comment: PORTALS, onlyNew: true },
  { table: 'filter', to: 'KUBE-SERVICES', from: 'OUTPUT', comment: PORTALS, onlyNew: true },
  { table: 'filter', to: 'KUBE-FORWARD', from: 'FORWARD', comment: 'kubernetes forwarding rules' },
  { table: 'filter', to: 'KUBE-PROXY-FIREWALL', from: 'INPUT', comment: FIREWALL, onlyNew: true },
  { table: 'filter', to: 'KUBE-PROXY-FIREWALL', from: 'OUTPUT', comment: FIREWALL, onlyNew: true },
  { table: 'filter', to: 'KUBE-PROXY-FIREWALL', from: 'FORWARD', comment: FIREWALL, onlyNew: true },
  { table: 'nat', to: 'KUBE-SERVICES', from: 'OUTPUT', comment: PORTALS },
  { table: 'nat', to: 'KUBE-SERVICES', from: 'PREROUTING', comment: PORTALS },
  { table: 'nat', to: 'KUBE-POSTROUTING', from: 'POSTROUTING', comment: 'kubernetes postrouting rules' },
  // The kubelet's chain: both make sure of it.
  { table: 'filter', to: 'KUBE-FIREWALL', from: 'INPUT' },
  { table: 'filter', to: 'KUBE-FIREWALL', from: 'OUTPUT' },
];

export const ensureJumps = (door: NetfilterDoor, netns: string, family: IpFamily): boolean =>
  ensureRules(door, netns, family, JUMPS);

/** EnsureChain and EnsureRule of every jump: only what is missing is made. False when iptables refuses. */
export function ensureRules(door: NetfilterDoor, netns: string, family: IpFamily, jumps: readonly Jump[]): boolean {
  const run = (...argv: string[]): boolean => door.iptables(netns, argv, { family }).exit === 0;
  for (const j of jumps) {
    // -N of a chain that exists fails, and that is fine.
    run('-t', j.table, '-N', j.to);
    const rule = [
      ...(j.onlyNew ? ['-m', 'conntrack', '--ctstate', 'NEW'] : []),
      ...(j.comment === undefined ? [] : ['-m', 'comment', '--comment', j.comment]),
      '-j',
      j.to,
    ];
    if (run('-t', j.table, '-C', j.from, ...rule)) continue;
    if (!run('-t', j.table, '-I', j.from, ...rule)) return false;
  }
  return true;
}

export const CANARY = 'KUBE-PROXY-CANARY';
/** mangle is the one that the monitor looks at. */
export const CANARY_TABLES = ['mangle', 'nat', 'filter'] as const;

/** Makes the canary chains by which a flush from outside is noticed. */
export function ensureCanary(door: NetfilterDoor, netns: string, family: IpFamily): void {
  for (const table of CANARY_TABLES) door.iptables(netns, ['-t', table, '-N', CANARY], { family });
}

/** Whether the mangle table still has its canary. */
export const canaryLives = (reader: WorldReader, door: NetfilterDoor, netns: string, family: IpFamily): boolean =>
  door.save(reader, netns, { table: 'mangle', family, header: false }).includes(`:${CANARY} `);
