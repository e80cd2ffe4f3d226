import type { Hook } from '../net/types';
import { findTarget } from './known-targets';
import { BASE_CHAINS } from './model';
import type { TableDraft } from './ruleset';

/** Why the kernel refuses a table: which chain's rule, and the errno's text. */
export interface Refusal {
  readonly chain: string;
  /** The chains on the refused way, from its beginning. */
  readonly path: readonly string[];
  readonly reason: 'missing-chain' | 'loop' | 'depth' | 'hook' | 'base-jump';
  /** strerror text. */
  readonly text: string;
  /** missing-chain: the name. */
  readonly name?: string;
}

/** NFT_JUMP_STACK_SIZE: the first depth of jumps that nf_tables refuses; legacy has no such bound. */
const NFT_DEPTH = 16;

/**
 * Checks that the kernel does when a table changes: jumps lead to user chains, no loops and no too deep jumps where a
 * packet can come (both kernels start at the base chains), and targets only where their hooks and tables allow
 * (mark_source_chains, nft_chain_validate, xt_check_target).
 */
export function validate(t: TableDraft): Refusal | undefined {
  return jumpTargets(t) ?? jumpPaths(t) ?? places(t);
}

function jumpTargets(t: TableDraft): Refusal | undefined {
  for (const name of t.names()) {
    for (const to of t.targetsOf(name)) {
      if (!t.has(to)) {
        return { chain: name, path: [name], reason: 'missing-chain', text: 'No such file or directory', name: to };
      }
      if (t.isBase(to)) {
        const text = t.backend === 'nft' ? 'Operation not supported' : 'Invalid argument';
        return { chain: name, path: [name], reason: 'base-jump', text };
      }
    }
  }
  return undefined;
}

function jumpPaths(t: TableDraft): Refusal | undefined {
  /** Deepest way below a finished chain, and the chain it starts with. */
  const below = new Map<string, { depth: number; next?: string }>();
  const path: string[] = [];
  const onPath = new Set<string>();
  let found: Refusal | undefined;

  const visit = (name: string): number => {
    const known = below.get(name);
    if (known) return known.depth;
    path.push(name);
    onPath.add(name);
    let best: { depth: number; next?: string } = { depth: 0 };
    for (const to of t.targetsOf(name)) {
      if (onPath.has(to)) {
        const text = t.backend === 'nft' ? 'Too many links' : 'Too many levels of symbolic links';
        found = { chain: name, path: [...path], reason: 'loop', text };
        return 0;
      }
      const depth = visit(to) + 1;
      if (found) return 0;
      if (depth > best.depth) best = { depth, next: to };
    }
    path.pop();
    onPath.delete(name);
    below.set(name, best);
    return best.depth;
  };
  for (const base of t.baseNames()) {
    if (!t.has(base)) continue;
    const depth = visit(base);
    if (found) return found;
    if (depth < NFT_DEPTH || t.backend !== 'nft') continue;
    const way: string[] = [];
    for (let c: string | undefined = base; c !== undefined; c = below.get(c)?.next) way.push(c);
    return { chain: base, path: way, reason: 'depth', text: 'Too many links' };
  }
  return undefined;
}

function places(t: TableDraft): Refusal | undefined {
  const hooksOf = new Map<string, Set<Hook>>();
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
      if (wrongTable || wrongHook || refused) {
        return { chain: name, path: [name], reason: 'hook', text: 'Invalid argument' };
      }
    }
  }
  return undefined;
}
