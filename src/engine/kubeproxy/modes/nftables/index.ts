import type { Json } from '../../../base/json';
import { ok, type Result } from '../../../base/result';
import type { Prepared, ProxyMode, SyncEnv } from '../../mode';
import { compile } from './compile';
import { NFT_TABLES, type NftChain, type NftTable, tableKey } from './model';
import { isServiceChain } from './names';

/** Stale chains stay empty for this long before a sync removes them, us. */
const STALE_US = 1_000_000;

/**
 * Brings the table to the compiled state. Chains that nothing uses any more are only emptied: older kernels notice late
 * that a deleted map element no longer points at a chain.
 */
function prepare(env: SyncEnv): Result<Prepared> {
  const map = env.ctx.world.map(NFT_TABLES);
  const key = tableKey(env.node, env.family);
  const old = map.get(key);
  const { sets, chains } = compile(env);
  const wanted = new Set(chains.map((c) => c.name));
  const now = env.ctx.sim.now;
  const stale: Record<string, number> = {};
  const emptied: NftChain[] = [];
  for (const c of old?.chains ?? []) {
    if (!isServiceChain(c.name) || wanted.has(c.name)) continue;
    const since = old?.stale[c.name] ?? now;
    if (now - since > STALE_US) continue;
    stale[c.name] = since;
    emptied.push({ name: c.name, rules: [] });
  }
  const table: NftTable = {
    node: env.node,
    family: env.family,
    comment: 'rules for kube-proxy',
    sets,
    chains: [...chains, ...emptied],
    stale,
  };
  return ok({
    write: table as unknown as Json,
    figures: [
      ['numServices', env.view.ports.length],
      ['numEndpoints', env.view.numEndpoints],
    ],
  });
}

export const nftablesMode: ProxyMode = {
  name: 'nftables',
  word: 'nftables',
  prepare,
  commit(env, write) {
    env.ctx.world.map(NFT_TABLES).set(tableKey(env.node, env.family), write as unknown as NftTable);
    return ok(null);
  },
  ruleCount(env) {
    const map = env.ctx.world.map(NFT_TABLES);
    return map.by('node', env.node).reduce((n, k) => {
      const t = map.get(k) as NftTable;
      return n + t.chains.reduce((m, c) => m + c.rules.length, 0);
    }, 0);
  },
};
