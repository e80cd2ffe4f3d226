import type { Json } from '../../base/json';
import type { WorldReader } from '../../base/recordmap';
import type { Hook, Packet, Skb } from '../../net/types';
import { findMatch } from '../known-matches';
import { NF_CHAINS, type RuleRecord } from '../model';
import { Facts, type XtEnv } from '../xt';
import { compileRule } from './compile';

/** One match of a rule against a packet; `ok` is null where it depends on more than the packet. */
export interface ExplainedMatch {
  readonly name: string;
  readonly ok: boolean | null;
  readonly value: string;
}

/** What is known of a packet at a point: names as `node:dev`. */
export interface PacketView {
  readonly packet: Packet;
  readonly hook: Hook;
  readonly netns: string;
  readonly inDev?: string;
  readonly outDev?: string;
  readonly mark?: number;
}

/** A rule's record by its id, at any cursor. */
export function ruleById(
  reader: WorldReader,
  id: string,
): { rule: RuleRecord; number: number; chain: string } | undefined {
  const chain = reader.map(NF_CHAINS).get(id.slice(0, id.lastIndexOf('#')));
  const i = chain?.rules.findIndex((r) => r.id === id) ?? -1;
  const rule = chain?.rules[i];
  return chain && rule ? { rule, number: i + 1, chain: chain.name } : undefined;
}

/**
 * ✓/✗ of every match of a rule for a packet, without side effects: matches that depend on the packet alone are
 * evaluated anew, the others (state, chance, sets) answer null.
 */
export function explainRule(rule: RuleRecord, view: PacketView, env: XtEnv): ExplainedMatch[] {
  const skb: Skb = {
    packet: view.packet,
    netns: view.netns,
    inDev: view.inDev,
    outDev: view.outDev,
    pktType: 'host',
    mark: view.mark ?? 0,
    ct: undefined,
    route: undefined,
    origin: undefined,
    traced: false,
    span: 0,
  };
  const facts = new Facts().load(skb, view.hook);
  const pure: RuleRecord = { ...rule, matches: rule.matches.filter((m) => !hidden(m.name)) };
  const out: ExplainedMatch[] = compileRule(pure, env, view.packet.ip.family).shown.map((s) => ({
    name: s.name,
    ok: s.test(facts),
    value: s.value(facts),
  }));
  for (const m of rule.matches) {
    if (!hidden(m.name)) continue;
    out.push({ name: matchName(m.name, m.data), ok: null, value: '' });
  }
  return out;
}

const hidden = (name: string): boolean => findMatch(name)?.hidden ?? true;

const matchName = (name: string, data: Json): string => {
  const body =
    findMatch(name)?.print(data, { numeric: true, family: 4, proto: 0, version: '1.8.9', backend: 'nft' }) ?? '';
  return body === '' ? `-m ${name}` : `-m ${name} ${body}`;
};
