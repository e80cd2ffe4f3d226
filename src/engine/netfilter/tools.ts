import { assert } from '../base/assert';
import type { runIptables } from './text/command';
import type { runConntrack } from './tool/conntrack';

/** iptables(8) and conntrack(8): parsing of their command lines and their listings. */
export interface Tools {
  readonly runIptables: typeof runIptables;
  readonly runConntrack: typeof runConntrack;
}

let tools: Tools | undefined;

/**
 * Gives the netfilter door its command-line tools. kube-proxy needs none of them (it restores text), so a page loads
 * them with the first command; ./tools-all has both.
 */
export function provideTools(t: Tools): void {
  tools = t;
}

export function toolsOf(): Tools {
  assert(tools, 'the netfilter tools are not loaded');
  return tools;
}
