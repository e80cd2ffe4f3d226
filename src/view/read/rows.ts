import type { Change } from '../../engine/base';
import type { HookStations, RuleView, Topology } from '../scene/types';

/** What the panels list: plain rows read from the world at the cursor. */

export interface TupleRow {
  readonly src: string;
  readonly dst: string;
  readonly sport?: number;
  readonly dport?: number;
  readonly icmpId?: number;
}

export interface CtRow {
  readonly id: string;
  /** Whose kernel keeps it: node or namespace. */
  readonly netns: string;
  readonly proto: string;
  readonly orig: TupleRow;
  readonly reply: TupleRow;
  readonly state: string | undefined;
  readonly flags: readonly string[];
  /** Seconds until it expires, at the cursor's moment. */
  readonly seconds: number;
  readonly confirmed: boolean;
}

export interface RuleRow {
  readonly ruleId: string;
  readonly number: number;
  /** As iptables-save prints it. */
  readonly text: string;
  readonly packets: number;
  readonly bytes: number;
}

export interface ChainRows {
  readonly chain: string;
  /** Built-in chains only. */
  readonly policy: string | undefined;
  readonly rules: readonly RuleRow[];
}

export interface TableRows {
  readonly table: string;
  readonly chains: readonly ChainRows[];
}

export interface EndpointRow {
  readonly addresses: readonly string[];
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly node: string | undefined;
  readonly target: string | undefined;
}

export interface SliceRow {
  readonly namespace: string;
  readonly name: string;
  readonly service: string | undefined;
  readonly ports: readonly string[];
  readonly endpoints: readonly EndpointRow[];
  readonly resourceVersion: string;
}

export interface ServiceRow {
  readonly namespace: string;
  readonly name: string;
  readonly clusterIP: string | undefined;
  readonly resourceVersion: string;
}

export interface PodRow {
  readonly namespace: string;
  readonly name: string;
  readonly node: string | undefined;
  readonly ip: string | undefined;
}

export interface NodeRow {
  readonly name: string;
  readonly ip: string | undefined;
}

export interface SysctlRow {
  readonly netns: string;
  readonly key: string;
  readonly value: string;
}

export interface LogRow {
  readonly node: string;
  readonly atUs: number;
  readonly line: string;
}

/** Reads the world at the cursor. */
export interface Reads {
  conntrack(): readonly CtRow[];
  /** `nf_conntrack_max` of a node. */
  conntrackMax(node: string): number | undefined;
  rules(netns: string): readonly TableRows[];
  slices(): readonly SliceRow[];
  services(): readonly ServiceRow[];
  pods(): readonly PodRow[];
  nodes(): readonly NodeRow[];
  machines(): readonly NodeRow[];
  sysctls(netns: string): readonly SysctlRow[];
  kernelLog(): readonly LogRow[];
  /** What the map is drawn from. */
  topology(): Topology;
  hooks(): readonly HookStations[];
  chain(netns: string, table: string, chain: string): readonly RuleView[] | undefined;
  ruleCount(netns: string): number;
  conntrackCount(netns?: string): number;
  /** Rules that these changes took away and added. */
  ruleDiff(changes: readonly Change[]): readonly { readonly sign: '+' | '-'; readonly text: string }[];
}
