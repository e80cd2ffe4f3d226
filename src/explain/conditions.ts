import type { FactsOf, MatchResult } from '../engine/trace/kinds';

/** What a condition of a rule is about. */
export type ConditionField =
  | 'source'
  | 'destination'
  | 'protocol'
  | 'sourcePort'
  | 'destinationPort'
  | 'in'
  | 'out'
  | 'mark'
  | 'ctstate'
  | 'addrtype'
  | 'other';

/** One condition of a rule beside the packet's own value. */
export interface Condition {
  readonly field: ConditionField;
  readonly not: boolean;
  readonly wanted: string;
  readonly value: string;
  readonly ok: boolean;
  /** Always true and so no reason for anything: comments, `-m tcp` without options. */
  readonly always: boolean;
}

const FIELDS: readonly (readonly [RegExp, ConditionField])[] = [
  [/^(?:-s|--source) (\S+)/, 'source'],
  [/^(?:-d|--destination) (\S+)/, 'destination'],
  [/^(?:-p|--protocol) (\S+)/, 'protocol'],
  [/^(?:-i|--in-interface) (\S+)/, 'in'],
  [/^(?:-o|--out-interface) (\S+)/, 'out'],
  [/--(?:dport|destination-port|dports) (\S+)/, 'destinationPort'],
  [/--(?:sport|source-port|sports) (\S+)/, 'sourcePort'],
  [/--mark (\S+)/, 'mark'],
  [/--(?:ctstate|state) (\S+)/, 'ctstate'],
  [/--(?:dst-type|src-type) (\S+)/, 'addrtype'],
];

/** Reads one printed match (`! -s 10.244.0.0/16`, `-m tcp --dport 80`) with its result. */
export function conditionOf(match: MatchResult): Condition {
  const not = /(^|\s)! /.test(match.name);
  const name = match.name.replace(/(^|\s)! /, '$1');
  for (const [pattern, field] of FIELDS) {
    const found = pattern.exec(name);
    if (found) {
      const wanted = (found[1] as string).replace(/\/(32|128)$/, '').replace(/^(0x[0-9a-f]+)\/\1$/, '$1');
      const named =
        field === 'destinationPort' ? /\bdport (\S+)/ : field === 'sourcePort' ? /\bsport (\S+)/ : undefined;
      const value = named?.exec(match.value)?.[1]?.replace(/,$/, '') ?? match.value;
      return { field, not, wanted, value, ok: match.ok, always: false };
    }
  }
  const always = /^-m (comment|tcp|udp|icmp|nfacct)( --(comment|nfacct-name) .*)?$/.test(name);
  return { field: 'other', not, wanted: name, value: match.value, ok: match.ok, always };
}

/** The conditions of a rule that can fail, in the order in which they are asked. */
export function conditionsOf(matches: readonly MatchResult[]): Condition[] {
  return matches.map(conditionOf).filter((c) => !c.always);
}

/** The first condition that failed, or undefined when all held. */
export const failedCondition = (matches: readonly MatchResult[]): Condition | undefined =>
  conditionsOf(matches).find((c) => !c.ok);

/** What a matched rule does to the packet, read from its target. */
export type Effect =
  | { readonly kind: 'jump'; readonly chain: string }
  | { readonly kind: 'dnat'; readonly to: string }
  | { readonly kind: 'snat'; readonly to: string }
  | { readonly kind: 'masquerade' }
  | { readonly kind: 'mark'; readonly mark: string }
  | { readonly kind: 'accept' | 'drop' | 'reject' | 'return' | 'none' }
  | { readonly kind: 'other'; readonly target: string };

export function effectOf(rule: Pick<FactsOf<'nf.rule'>, 'target' | 'verdict' | 'goesTo' | 'text'>): Effect {
  if (rule.goesTo !== undefined) return { kind: 'jump', chain: rule.goesTo };
  const option = (name: string): string => new RegExp(`--${name} (\\S+)`).exec(rule.text)?.[1] ?? '';
  switch (rule.target) {
    case 'DNAT':
      return { kind: 'dnat', to: option('to-destination') };
    case 'SNAT':
      return { kind: 'snat', to: option('to-source') };
    case 'MASQUERADE':
      return { kind: 'masquerade' };
    case 'MARK':
      return { kind: 'mark', mark: option('set-xmark') || option('set-mark') };
    case 'ACCEPT':
      return { kind: 'accept' };
    case 'DROP':
      return { kind: 'drop' };
    case 'REJECT':
      return { kind: 'reject' };
    case 'RETURN':
      return { kind: 'return' };
    case null:
      return { kind: 'none' };
    default:
      return { kind: 'other', target: rule.target };
  }
}
