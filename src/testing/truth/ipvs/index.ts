import type { Difference } from '../proxy/compare';
import type { Replayer, TruthFiles, TruthOutcome } from '../types';
import { replayCase } from './cases';

const told = (id: string, d: Difference): TruthOutcome =>
  d === undefined ? { id, ok: true } : { id, ok: false, difference: d };

function guard(run: () => Difference): Difference {
  try {
    return run();
  } catch (e) {
    return e instanceof Error ? `${e.message} ${(e.stack ?? '').split('\n')[1]?.trim() ?? ''}` : String(e);
  }
}

const cases = (files: TruthFiles, dir: string): string[] =>
  files
    .list(dir)
    .filter((e) => /^\d\d-.*\/$/.test(e))
    .map((e) => e.slice(0, -1));

/** Replays the truth folder `ipvs`: what kube-proxy writes, case by case. Scheduling runs and tool texts cannot be replayed yet. */
export const replayIpvs: Replayer = function* (files, wanted) {
  for (const name of cases(files, ''))
    if (wanted(name))
      yield told(
        name,
        guard(() => replayCase(files, name)),
      );
  for (const name of cases(files, 'dual-stack-node')) {
    const id = `dual-stack-node/${name}`;
    if (wanted(id))
      yield told(
        id,
        guard(() => replayCase(files, id)),
      );
  }
  for (const entry of files.list('sched')) {
    if (!entry.endsWith('.json') || entry === 'index.json') continue;
    const id = `sched/${entry.replace(/\.json$/, '')}`;
    if (wanted(id)) yield told(id, 'connections are not scheduled by IPVS yet');
  }
  const texts = files.read('texts/texts.json');
  if (texts === undefined) return;
  const parsed = JSON.parse(texts) as unknown;
  const list = (Array.isArray(parsed) ? parsed : ((parsed as { records?: unknown[] }).records ?? [])) as {
    order?: number;
  }[];
  for (const [i, t] of list.entries()) {
    const id = `texts/${t.order ?? i}`;
    if (wanted(id)) yield told(id, 'the machine of these texts is not modelled yet');
  }
};
