import { type CliRecord, replayCli } from './conntrack-cli';
import { replaySequence, type SequenceRecord } from './conntrack-sequences';
import type { TruthFiles, TruthOutcome, Wanted } from './types';

/** Replays truth/conntrack: timed sequences, the table at its limit, NAT's choice of ports, command outputs. */
export function* replayConntrack(files: TruthFiles, wanted: Wanted = () => true): Iterable<TruthOutcome> {
  const parse = (name: string): unknown => {
    const text = files.read(name);
    return text === undefined ? undefined : JSON.parse(text);
  };
  for (const rec of (parse('sequences.json') ?? []) as SequenceRecord[]) {
    if (wanted(rec.name)) yield outcome(rec.name, () => replaySequence(rec));
  }
  const cli = (parse('cli.json') ?? []) as CliRecord[];
  let n = 0;
  for (const r of replayCli(cli)) {
    const id = `cli/${n++}`;
    if (wanted(id))
      yield {
        id,
        ok: r.difference === undefined,
        ...(r.difference === undefined ? {} : { difference: `${r.command}: ${r.difference}` }),
      };
  }
}

function outcome(id: string, body: () => string | undefined): TruthOutcome {
  try {
    const difference = body();
    return difference === undefined ? { id, ok: true } : { id, ok: false, difference };
  } catch (e) {
    return { id, ok: false, difference: `replay failed: ${(e as Error).message}` };
  }
}
