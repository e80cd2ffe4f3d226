import { err, ok, type Result } from '../../../base/result';
import type { Prepared, ProxyMode, SyncEnv } from '../../mode';
import { ensureCanary, ensureJumps } from './jumps';
import { isServiceChain } from './names';
import { type Buffers, LARGE_CLUSTER, writeHead, writePort, writeTail } from './text';

/** Text of a whole sync: what goes to `iptables-restore --noflush --counters`. */
export function restoreText(env: SyncEnv): { text: string; buffers: Buffers; stale: number } {
  const b: Buffers = { filterChains: [], filterRules: [], natChains: [], natRules: [], active: new Set() };
  const large = env.view.numEndpoints > LARGE_CLUSTER;
  writeHead(env, b);
  for (const p of env.view.ports) writePort(env, p, large, b);
  writeTail(env, b);
  let stale = 0;
  // Stale chains hurt nobody; in large clusters looking for them costs too much to do it every time.
  if (!large || env.ctx.sim.now - env.lastFullUs > env.config.syncPeriodUs) {
    for (const chain of natChains(env)) {
      if (b.active.has(chain) || !isServiceChain(chain)) continue;
      // The chain line flushes the chain, as -X asks of it.
      b.natChains.push(`:${chain} - [0:0]`);
      b.natRules.push(`-X ${chain}`);
      stale++;
    }
  }
  const lines = [
    '*filter',
    ...b.filterChains,
    ...b.filterRules,
    'COMMIT',
    '*nat',
    ...b.natChains,
    ...b.natRules,
    'COMMIT',
  ];
  return { text: `${lines.join('\n')}\n`, buffers: b, stale };
}

function natChains(env: SyncEnv): string[] {
  const save = env.door.save(env.ctx.world, env.netns, { table: 'nat', family: env.family, header: false });
  return save
    .split('\n')
    .filter((l) => l.startsWith(':'))
    .map((l) => l.slice(1, l.indexOf(' ')));
}

function prepare(env: SyncEnv): Result<Prepared> {
  if (env.full) {
    ensureCanary(env.door, env.netns, env.family);
    if (!ensureJumps(env.door, env.netns, env.family)) return err('Failed to ensure chain jumps');
  }
  const { text, buffers, stale } = restoreText(env);
  return ok({
    write: text,
    figures: [
      ['numServices', env.view.ports.length],
      ['numEndpoints', env.view.numEndpoints],
      ['numFilterChains', buffers.filterChains.length],
      ['numFilterRules', buffers.filterRules.length],
      ['numNATChains', buffers.natChains.length - stale],
      ['numNATRules', buffers.natRules.length - stale],
    ],
  });
}

export const iptablesMode: ProxyMode = {
  name: 'iptables',
  word: 'iptables',
  prepare,
  commit(env, write) {
    const done = env.door.restore(env.netns, write as string, {
      noflush: true,
      counters: true,
      family: env.family,
      by: 'kube-proxy',
    });
    return done.ok ? ok(null) : err(`exit status 1: line ${done.line}: ${done.message}`);
  },
  ruleCount: (env) => env.door.ruleCount(env.ctx.world, env.netns),
};
