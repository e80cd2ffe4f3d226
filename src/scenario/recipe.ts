import { type Place, parsePlace, splitWords } from './places';
import type { Action, Scenario } from './schema';

/** The part of a session's commands that scenarios use; each is one of the session's own. */
export type PlayCommand =
  | { readonly op: 'run'; readonly place: Place; readonly argv: readonly string[]; readonly line: string }
  | { readonly op: 'apply'; readonly yaml: string }
  | { readonly op: 'advance'; readonly us: number }
  | { readonly op: 'fault'; readonly name: string; readonly args: Readonly<Record<string, unknown>> };

/** What a scenario's world starts from; one of the session's recipes. */
export interface PlayRecipe {
  readonly format: 1;
  readonly seed: number;
  readonly cluster: {
    readonly profile: 'three-nodes';
    readonly proxyMode?: 'iptables' | 'ipvs' | 'nftables';
    readonly proxyFlags?: readonly string[];
    readonly manifests: string;
    readonly sysctls?: readonly { readonly netns: string; readonly key: string; readonly value: string }[];
  };
  readonly commands: readonly PlayCommand[];
}

/** An action as a session's command; undefined for what happens in the notebook only. */
export function commandOf(a: Action): PlayCommand | undefined {
  if ('run' in a) return { op: 'run', place: parsePlace(a.in), argv: splitWords(a.run), line: a.run };
  if ('apply' in a) return { op: 'apply', yaml: a.apply };
  if ('advanceS' in a) return { op: 'advance', us: a.advanceS * 1_000_000 };
  if ('fault' in a) return { op: 'fault', name: a.fault, args: a.args };
  return undefined;
}

/** The recipe of a scenario. `base`: text of the file that `cluster.base` names. */
export function recipeOf(s: Scenario, base: string): PlayRecipe {
  const { proxyMode, proxyFlags, manifests, sysctls } = s.cluster;
  return {
    format: 1,
    seed: s.seed,
    cluster: {
      profile: s.cluster.profile,
      ...(proxyMode && { proxyMode }),
      ...(proxyFlags && { proxyFlags }),
      manifests: [base, manifests ?? ''].filter((t) => t.trim() !== '').join('\n---\n'),
      ...(sysctls && { sysctls }),
    },
    commands: (s.setup ?? []).flatMap((a) => commandOf(a) ?? []),
  };
}
