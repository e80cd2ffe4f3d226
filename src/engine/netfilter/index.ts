export { ctFacts } from './conntrack/facts';
export type { CtEvent } from './conntrack/namespace';
export {
  type CtEntry,
  type CtStats,
  IPS,
  NF_CONNTRACK,
  NF_CTSTATS,
  NF_CTUSERS,
  NO_STATS,
  stateName,
  TCP_STATES,
} from './conntrack/types';
export * from './door';
export { NF_SETS, type SetMember, type SetRecord } from './ipset/types';
export * from './model';
export { conntrackView, createNetfilter, Netfilter, type NetfilterOptions } from './netfilter';
export { chainsOf, savedRule, tablesOf } from './text/save';
export { ctEventText, entryText } from './tool/format';
export { provideTools } from './tools';
export { type ExplainedMatch, type PacketView, ruleById } from './walk/explain';
export type { Draws } from './xt';
