import type { Json } from '../base/json';
import { defineMap } from '../base/recordmap';
import type { Hook, NetnsId } from '../net/types';
import type { Family, IptablesBackend } from './door';

export type TableName = 'raw' | 'mangle' | 'nat' | 'filter' | 'security';

/** Built-in chains of each table with hook and priority (enum nf_ip_hook_priorities). */
export interface BaseHook {
  readonly chain: string;
  readonly hook: Hook;
  readonly priority: number;
}

const at = (chain: string, hook: Hook, priority: number): BaseHook => ({ chain, hook, priority });

export const BASE_CHAINS: Readonly<Record<TableName, readonly BaseHook[]>> = {
  raw: [at('PREROUTING', 'prerouting', -300), at('OUTPUT', 'output', -300)],
  mangle: [
    at('PREROUTING', 'prerouting', -150),
    at('INPUT', 'input', -150),
    at('FORWARD', 'forward', -150),
    at('OUTPUT', 'output', -150),
    at('POSTROUTING', 'postrouting', -150),
  ],
  nat: [
    at('PREROUTING', 'prerouting', -100),
    at('INPUT', 'input', 100),
    at('OUTPUT', 'output', -100),
    at('POSTROUTING', 'postrouting', 100),
  ],
  filter: [at('INPUT', 'input', 0), at('FORWARD', 'forward', 0), at('OUTPUT', 'output', 0)],
  security: [at('INPUT', 'input', 50), at('FORWARD', 'forward', 50), at('OUTPUT', 'output', 50)],
};

/** Order in which iptables-nft 1.8.9 lists tables, whatever the order of their making (enum nft_table_type). */
export const NFT_TABLE_ORDER: readonly TableName[] = ['mangle', 'security', 'raw', 'filter', 'nat'];

export const isTable = (name: string): name is TableName => Object.hasOwn(BASE_CHAINS, name);

/** Address and mask of -s/-d: 32-bit numbers for IPv4, 128-bit hex text for IPv6. */
export interface AddrSpec {
  readonly addr: string;
  /** Netmask as an address of the same family. */
  readonly mask: string;
  readonly not: boolean;
}
export interface NamedSpec {
  readonly name: string;
  readonly not: boolean;
}

export interface MatchSpec {
  readonly name: string;
  readonly data: Json;
}
export type TargetSpec =
  | { readonly kind: 'verdict'; readonly name: 'ACCEPT' | 'DROP' | 'RETURN' | 'QUEUE' }
  | { readonly kind: 'jump'; readonly chain: string }
  | { readonly kind: 'goto'; readonly chain: string }
  | { readonly kind: 'ext'; readonly name: string; readonly data: Json };

/** One rule as parsed; plain data. */
export interface RuleSpec {
  readonly src?: AddrSpec;
  readonly dst?: AddrSpec;
  readonly in?: NamedSpec;
  readonly out?: NamedSpec;
  /** -p by number; 0 is never stored. */
  readonly proto?: { readonly num: number; readonly not: boolean };
  readonly frag?: { readonly not: boolean };
  readonly matches: readonly MatchSpec[];
  readonly target?: TargetSpec;
  /** Names of matches and targets that the model does not know; the rule is kept as text. */
  readonly unsupported?: readonly string[];
}

export interface RuleRecord extends RuleSpec {
  /** `<chain id>#<handle>`; handles rise within a table and are never used again. */
  readonly id: string;
  /** Text as it was loaded (the arguments after the chain's name), for rules whose extensions are unknown. */
  readonly text: string;
  readonly file?: string;
  readonly line?: number;
}

export interface ChainRecord {
  readonly id: string;
  readonly netns: NetnsId;
  readonly family: Family;
  readonly backend: IptablesBackend;
  readonly table: TableName;
  readonly name: string;
  /** Base chains only. */
  readonly hook?: Hook;
  readonly priority?: number;
  readonly policy?: 'ACCEPT' | 'DROP';
  readonly rules: readonly RuleRecord[];
  /** Rank of its making within the table. */
  readonly ord: number;
}

export interface TableRecord {
  readonly id: string;
  readonly netns: NetnsId;
  readonly family: Family;
  readonly backend: IptablesBackend;
  readonly table: TableName;
  /** Rank of its making in the namespace, for legacy's newest-first list and the order of equal priorities. */
  readonly order: number;
  readonly nextHandle: number;
}

export interface CounterRecord {
  readonly packets: number;
  readonly bytes: number;
}

export const NF_TABLES = defineMap<TableRecord>('nf.tables', { netns: (t) => t.netns });
export const NF_CHAINS = defineMap<ChainRecord>('nf.chains', {
  netns: (c) => c.netns,
  table: (c) => tableId(c.netns, c.family, c.backend, c.table),
});
/** Counters of rules (key: rule id) and of base chains' policies (key: chain id). Absent: zero. */
export const NF_COUNTERS = defineMap<CounterRecord>('nf.counters');
/** What matches remember: nth counters, limit buckets, recent lists... Keyed `<rule id>/<n>` or by list name. */
export const NF_STATE = defineMap<Json>('nf.state');

export const tableId = (netns: NetnsId, family: Family, backend: IptablesBackend, table: string): string =>
  `${netns}|${family}|${backend}|${table}`;
export const chainId = (
  netns: NetnsId,
  family: Family,
  backend: IptablesBackend,
  table: string,
  chain: string,
): string => `${netns}|${family}|${backend}|${table}|${chain}`;

export const ZERO: CounterRecord = Object.freeze({ packets: 0, bytes: 0 });
