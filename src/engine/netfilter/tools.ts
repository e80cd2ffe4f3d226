import { assert } from '../base/assert';
import type { IpsetCommand } from './ipset/command';
import { provideMatches } from './known-matches';
import { provideTargets } from './known-targets';
import type { runConntrack } from './tool/conntrack';
import type { AnyMatch, AnyTarget } from './xt';

/** conntrack(8), ipset(8), and everything that a rule may use. */
export interface Tools {
  readonly runConntrack: typeof runConntrack;
  readonly Ipset: typeof IpsetCommand;
  /** All that a rule may use. */
  readonly matches: readonly AnyMatch[];
  readonly targets: readonly AnyTarget[];
}

let tools: Tools | undefined;

/**
 * Gives the netfilter door its command-line tools. kube-proxy needs none of them (it uses iptables(8) alone), so a page loads
 * them with the first command; ./tool/index.ts has both.
 */
export function provideTools(t: Tools): void {
  tools = t;
  provideMatches(t.matches);
  provideTargets(t.targets);
}

export function toolsOf(): Tools {
  assert(tools, 'the netfilter tools are not loaded');
  return tools;
}
