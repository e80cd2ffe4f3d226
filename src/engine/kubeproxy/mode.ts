import type { IpFamily } from '../base/ip';
import type { Json } from '../base/json';
import type { Result } from '../base/result';
import type { NetfilterDoor } from '../netfilter';
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
  /** ipset(8) in the node, where it has it: argv without the program's name. */
  readonly ipset?: (argv: readonly string[]) => {
    readonly stdout: string;
    readonly stderr: string;
    readonly exit: number;
  };
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

/** What a sync is going to write: worked out from what kube-proxy knew when the sync began. */
export interface Prepared {
  /** The mode's own write, as plain data. */
  readonly write: Json;
  /** Key and value pairs of the "Reloading service ... data" line. */
  readonly figures: readonly (readonly [string, number])[];
}

/** Where a prepared write goes. */
export type CommitEnv = Pick<SyncEnv, 'ctx' | 'door' | 'netns' | 'node' | 'family' | 'ipset'>;

export interface ProxyMode {
  readonly name: ProxyConfig['mode'];
  /** "iptables", as in "Syncing iptables rules". */
  readonly word: string;
  /** Works the write out; an error text when the kernel refuses what has to be there first. */
  prepare(env: SyncEnv): Result<Prepared>;
  /** Hands the write to the kernel. */
  commit(env: CommitEnv, write: Json): Result<null>;
  /** Rules of this mode that a namespace holds now. */
  ruleCount(env: Pick<SyncEnv, 'ctx' | 'door' | 'netns' | 'node'>): number;
}
