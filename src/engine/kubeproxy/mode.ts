import type { IpFamily } from '../base/ip';
import type { NetfilterDoor } from '../netfilter/door';
import type { Ctx } from '../trace/context';
import type { ProxyConfig } from './flags';
import type { LocalDetector, NodePortTargets } from './local';
import type { FamilyView } from './view';

/** What a mode works with in one sync of one family. */
export interface SyncEnv {
  readonly ctx: Ctx;
  readonly node: string;
  readonly netns: string;
  readonly door: NetfilterDoor;
  readonly config: ProxyConfig;
  readonly family: IpFamily;
  readonly view: FamilyView;
  readonly local: LocalDetector | undefined;
  readonly nodeIp: string | undefined;
  readonly nodePorts: NodePortTargets;
  /** Node ports on 127.0.0.1 (iptables mode, IPv4 only). */
  readonly localhostNodePorts: boolean;
  /** nf_conntrack_tcp_be_liberal as it was when kube-proxy started. */
  readonly conntrackLiberal: boolean;
  /** Ranges of Service addresses of this family. */
  readonly serviceCidrs: readonly string[];
  readonly full: boolean;
  /** Services (`namespace/name`) that changed since the last sync. */
  readonly changed: ReadonlySet<string>;
  /** When this family was synced fully last, us; -1: never. */
  readonly lastFullUs: number;
}

/** Figures of one sync, for the log and the trace. */
export interface SyncReport {
  readonly ok: boolean;
  readonly error?: string;
  /** Key and value pairs of the "Reloading service ... data" line. */
  readonly figures: readonly (readonly [string, number])[];
}

export interface ProxyMode {
  readonly name: ProxyConfig['mode'];
  /** "iptables", as in "Syncing iptables rules". */
  readonly word: string;
  sync(env: SyncEnv): SyncReport;
  /** Rules of this mode that a namespace holds now. */
  ruleCount(env: Pick<SyncEnv, 'ctx' | 'door' | 'netns' | 'node'>): number;
}
