import { createNet } from '../../../engine/net';
import { createNetfilter, type NetfilterDoor } from '../../../engine/netfilter';
import type { Ctx } from '../../../engine/trace';
import type { Replayer, TruthFiles, TruthOutcome, Wanted } from '../types';
import type { Difference } from './compare';
import { replayLists } from './lists';
import { type CaseMeta, readMeta } from './meta';
import { ProbeRun } from './probe/replay';
import type { Probe } from './probe/types';
import { ProbeWorld } from './probe/world';
import { replayRules } from './rules';

/** A netfilter for nodes that have no wires: rules alone. */
function rulesDoor(ctx: Ctx, nodes: readonly string[]): NetfilterDoor {
  const net = createNet(ctx);
  const door = createNetfilter(ctx, net);
  for (const node of nodes) net.addNamespace({ id: node, node, kind: 'node', init: false });
  return door;
}

const told = (id: string, d: Difference): TruthOutcome =>
  d === undefined ? { id, ok: true } : { id, ok: false, difference: d };

/** A record that the model cannot even run fails with what went wrong. */
function guard(run: () => Difference): Difference {
  try {
    return run();
  } catch (e) {
    return e instanceof Error ? `${e.message} ${(e.stack ?? '').split('\n')[1]?.trim() ?? ''}` : String(e);
  }
}

/** Replays the truth folder `proxy`: rules and slices of each case, listings, probes. */
export const replayProxy: Replayer = function* (files, wanted) {
  for (const entry of files.list('')) {
    const dir = entry.replace(/\/$/, '');
    const meta = entry.endsWith('/') ? readMeta(files, dir) : undefined;
    if (!meta) continue;
    if (wanted(meta.case))
      yield told(
        meta.case,
        guard(() => replayRules(files, dir, meta, rulesDoor)),
      );
    yield* replayLists(files, dir, meta, wanted);
    yield* replayProbes(files, dir, meta, wanted);
  }
};

function* replayProbes(files: TruthFiles, dir: string, meta: CaseMeta, wanted: Wanted): Iterable<TruthOutcome> {
  const text = files.read(`${dir}/probes.json`);
  if (text === undefined) return;
  const probes = JSON.parse(text) as Probe[];
  const idOf = (p: Probe): string => `${meta.case}/${p.mode}/${p.id}`;
  const byId = new Map(probes.filter((p) => p.mode === 'iptables').map((p) => [p.id, p]));
  const done = new Set<string>();
  for (const p of probes) {
    if (done.has(idOf(p))) continue;
    if (p.mode !== 'iptables') {
      if (wanted(idOf(p))) yield told(idOf(p), 'nftables mode has no packet path yet');
      continue;
    }
    const line = lineOf(p, byId);
    const mine = line.filter((q) => !done.has(idOf(q)) && wanted(idOf(q)));
    if (!mine.includes(p)) continue;
    let run: ProbeRun | undefined;
    const open = guard(() => {
      const bare = line[0]?.setup.some((a) => a.op === 'start-without-objects') ?? false;
      run = new ProbeRun(new ProbeWorld(files, dir, meta, !bare));
      return undefined;
    });
    let broken = open;
    for (const q of line) {
      const d = broken ?? guard(() => run?.run(q));
      if (d && open) broken = open;
      if (!mine.includes(q)) continue;
      done.add(idOf(q));
      yield told(idOf(q), d);
    }
  }
}

/** A probe, those that it shares its state with before it, and (to save worlds) those that go on from it. */
function lineOf(p: Probe, byId: ReadonlyMap<string, Probe>): Probe[] {
  const before: Probe[] = [];
  for (let q = p.sharesStateWith; q !== undefined; ) {
    const parent: Probe | undefined = byId.get(q);
    if (!parent || before.includes(parent)) break;
    before.unshift(parent);
    q = parent.sharesStateWith;
  }
  const line = [...before, p];
  for (;;) {
    const last = line.at(-1) as Probe;
    const next = [...byId.values()].find((x) => x.sharesStateWith === last.id && !line.includes(x));
    if (!next) return line;
    line.push(next);
  }
}
