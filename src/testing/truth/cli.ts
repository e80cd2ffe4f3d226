import { compareApi } from './cli-lab/api';
import { compareRecord } from './cli-lab/compare';
import { type CliFile, type CliRecord, type Lab, loadLab } from './cli-lab/records';
import { setupOf, World } from './cli-lab/world';
import { firstDifference } from './compare';
import type { TruthFiles, TruthOutcome, Wanted } from './types';

/** Simulated time between two records (us): the kernel's limit on ICMP errors has to have forgotten the one before. */
const PAUSE_US = 2_200_000;

/** Simulated time between two commands of a sequence that names no times (us). */
const TYPING_US = 600_000;

/** Left-over sockets live 60 s: records that stand alone get a new world after this time (us). */
const FRESH_US = 40_000_000;

/** The same for records that tell their time in seconds (us). */
const SAME_MOMENT_US = 10_000;

/** Replays truth/cli: every entry of a g*.json through the shell language and the session, as a learner would type it. */
export async function* replayCli(files: TruthFiles, wanted: Wanted = () => true): AsyncIterable<TruthOutcome> {
  const lab = loadLab(files);
  for (const file of lab.all) yield* replayFile(lab, file, wanted);
}

const counts = (r: CliRecord): boolean => r.context !== true && r.record !== false;

async function* replayFile(lab: Lab, file: CliFile, wanted: Wanted): AsyncIterable<TruthOutcome> {
  const idOf = (r: CliRecord): string => `${file.name}/${r.id}`;
  const asked = (r: CliRecord): boolean => counts(r) && wanted(idOf(r));
  const groups = new Map<string, CliRecord[]>();
  for (const r of file.records) {
    const key =
      r.sequence ??
      `${r.setup}|${r.variant ?? ''}|${r.setup.includes('lock') || setupOf(lab, r.setup).ns.startsWith('from') ? '' : r.ns}`;
    groups.set(key, [...(groups.get(key) ?? []), r]);
  }
  for (const group of groups.values()) {
    if (!group.some(asked)) continue;
    const records = [...group].sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
    yield* replayGroup(lab, file, records, asked, idOf);
  }
}

async function* replayGroup(
  lab: Lab,
  file: CliFile,
  records: readonly CliRecord[],
  asked: (r: CliRecord) => boolean,
  idOf: (r: CliRecord) => string,
): AsyncIterable<TruthOutcome> {
  const first = records[0] as CliRecord;
  const sequence = first.sequence !== undefined;
  let world: World | undefined;
  let broken: string | undefined;
  try {
    world = await build(lab, file, first);
  } catch (e) {
    broken = `set-up failed: ${message(e)}`;
  }
  const earlier: unknown[] = [];
  let start: number | undefined;
  for (const r of records) {
    // Records that stand alone need not run when nobody asks for them.
    if (!sequence && !asked(r)) continue;
    if (!world) {
      if (asked(r)) yield { id: idOf(r), ok: false, difference: broken ?? 'no world' };
      continue;
    }
    let difference: string | undefined;
    try {
      if (!sequence && world.left && world.session.cluster.ctx.sim.now - world.readyUs > FRESH_US)
        world = await build(lab, file, first);
      if (r.at_s !== undefined) {
        const now = world.session.cluster.ctx.sim.now;
        start ??= world.epochUs ?? now - Math.round(r.at_s * 1_000_000);
        const due = start + Math.round(r.at_s * 1_000_000);
        if (due > now) world.wait(due - now);
      }
      difference = await replayRecord(lab, world, r, earlier);
      world.wait(r.at_s !== undefined ? SAME_MOMENT_US : sequence ? TYPING_US : PAUSE_US);
    } catch (e) {
      difference = `replay failed: ${message(e)}`;
    }
    if (asked(r)) yield difference === undefined ? { id: idOf(r), ok: true } : { id: idOf(r), ok: false, difference };
  }
}

const message = (e: unknown): string => (e instanceof Error ? e.message : String(e));

/** A fresh world in the state before a record. */
async function build(lab: Lab, file: CliFile, r: CliRecord): Promise<World> {
  const world = new World(lab, r, file.packageSet);
  await world.prepare(setupOf(lab, r.setup).steps, r.variant, async (id) => {
    const all = lab.all.flatMap((f) => f.records).filter((x) => x.sequence === id);
    for (const x of all.sort((a, b) => (a.order ?? 0) - (b.order ?? 0))) {
      await world.line(x.ns, x.cmd, { variant: x.variant, record: x, cwd: setupOf(lab, x.setup).cwd });
    }
  });
  world.readyUs = world.session.cluster.ctx.sim.now;
  return world;
}

async function replayRecord(lab: Lab, world: World, r: CliRecord, earlier: unknown[]): Promise<string | undefined> {
  const setup = setupOf(lab, r.setup);
  const readOnly = setup.steps.some((s) => s.op === 'readonly');
  if (readOnly) world.mountReadOnly(r.ns, true);
  const got = await world.line(r.ns, r.cmd, { variant: r.variant, record: r, cwd: setup.cwd });
  if (readOnly) world.mountReadOnly(r.ns, false);
  if (!counts(r)) return undefined;
  return compareRecord(r, got) ?? compareApi(world, r, earlier, firstDifference);
}
