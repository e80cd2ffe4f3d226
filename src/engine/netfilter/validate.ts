import type { Hook } from '../net/types';
import { BASE_CHAINS } from './model';
import type { TableDraft } from './ruleset';
import { findTarget } from './known-targets';

/** Why the kernel refuses a table: which chain's rule, and the errno's text. */
export interface Refusal {
  readonly chain: string;
  readonly reason: 'missing-chain' | 'loop' | 'depth' | 'hook' | 'base-jump';
  /** strerror text. */
  readonly text: string;
  /** missing-chain: the name. */
  readonly name?: string;
}

/** NFT_JUMP_STACK_SIZE. */
const NFT_DEPTH = 16;

/**
 * Checks that the kernel does when a table changes: jumps lead to user chains, no loops, not too deep, and targets
 * only where their hooks and tables allow (mark_source_chains, nft_chain_validate, xt_check_target).
 */
export function validate(t: TableDraft): Refusal | undefined {
  const hooksOf = new Map<string, Set<Hook>>();
  const state = new Map<string, 'open' | 'done'>();
  const depth = new Map<string, number>();
  let found: Refusal | undefined;

  const visit = (name: string): number => {
    if (state.get(name) === 'done') return depth.get(name) ?? 0;
    state.set(name, 'open');
    let deepest = 0;
    for (const to of t.targetsOf(name)) {
      if (found) return 0;
      if (!t.has(to)) {
        found = { chain: name, reason: 'missing-chain', text: 'No such file or directory', name: to };
        return 0;
      }
      if (t.isBase(to)) {
        found = {
          chain: name,
          reason: 'base-jump',
          text: t.backend === 'nft' ? 'Operation not supported' : 'Invalid argument',
        };
        return 0;
      }
      if (state.get(to) === 'open') {
        found = {
          chain: name,
          reason: 'loop',
          text: t.backend === 'nft' ? 'Too many links' : 'Too many levels of symbolic links',
        };
        return 0;
      }
      deepest = Math.max(deepest, visit(to) + 1);
    }
    state.set(name, 'done');
    depth.set(name, deepest);
    if (deepest > NFT_DEPTH && t.backend === 'nft') found ??= { chain: name, reason: 'depth', text: 'Too many links' };
    return deepest;
  };
  for (const name of t.names()) {
    visit(name);
    if (found) return found;
  }

  // Hooks from which a chain is reached, spread along the jumps.
  const spread = (name: string, hook: Hook): void => {
    const set = hooksOf.get(name) ?? new Set<Hook>();
    if (set.has(hook)) return;
    set.add(hook);
    hooksOf.set(name, set);
    for (const to of t.targetsOf(name)) spread(to, hook);
  };
  for (const b of BASE_CHAINS[t.table]) if (t.has(b.chain)) spread(b.chain, b.hook);
  for (const name of t.names()) {
    for (const r of t.rules(name)) {
      if (r.target?.kind !== 'ext') continue;
      const impl = findTarget(r.target.name);
      if (!impl) continue;
      const wrongTable = impl.tables !== undefined && !impl.tables.includes(t.table);
      const wrongHook =
        impl.hooks !== undefined && [...(hooksOf.get(name) ?? [])].some((h) => !impl.hooks?.includes(h));
      const refused = impl.accepts?.(r.target.data, r) === false;
      if (wrongTable || wrongHook || refused) return { chain: name, reason: 'hook', text: 'Invalid argument' };
    }
  }
  return undefined;
}
