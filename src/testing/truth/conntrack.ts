import { replayCapacity, replaySynSchedule } from './conntrack-capacity';
import { type CliRecord, replayCli } from './conntrack-cli';
import { type InputsJson, replayClash, replayNat } from './conntrack-nat';
import { replaySequence, type SequenceRecord } from './conntrack-sequences';
import { Lab } from './lab';
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
  yield* replayInputs('capacity', parse('capacity.json'), wanted, (key, want, inputs, file) =>
    replayCapacity(key, want as Record<string, unknown>, inputs, (file.rulesets ?? {}) as Record<string, string>),
  );
  // An entry may go on with the table of the one before.
  let lab: Lab | undefined;
  yield* replayInputs('nat_allocation', parse('nat_allocation.json'), wanted, (key, want, inputs) => {
    if (key === 'clash') return replayClash(want, inputs as never);
    const goesOn = inputs.note?.includes('same ruleset load as the entry before') === true;
    if (!goesOn || !lab) {
      lab = new Lab();
      const bad =
        typeof inputs.ruleset === 'string' && inputs.ruleset.startsWith('*raw')
          ? lab.restore(inputs.ruleset)
          : undefined;
      if (bad) return bad;
    }
    return replayNat(key, want, inputs, lab);
  });
  const syn = parse('syn_schedule.json') as Record<string, unknown> | undefined;
  if (syn && wanted('syn_schedule')) yield outcome('syn_schedule', () => replaySynSchedule(syn));
}

type File = Readonly<Record<string, unknown>> & { readonly inputs?: Readonly<Record<string, InputsJson>> };

/** Entries of a file with `inputs`: each that is marked as a record, in the file's order. */
function* replayInputs(
  name: string,
  text: unknown,
  wanted: Wanted,
  replay: (key: string, want: unknown, inputs: InputsJson, file: File) => string | undefined,
): Iterable<TruthOutcome> {
  const file = (text ?? {}) as File;
  for (const [key, inputs] of Object.entries(file.inputs ?? {})) {
    if (inputs.record !== true) continue;
    const id = `${name}/${key}`;
    if (!wanted(id)) continue;
    // Keys such as `eviction.all_established` lead into the results; others are a result's own name.
    const dot = key.indexOf('.');
    const want =
      file[key] ??
      (dot < 0 ? undefined : (file[key.slice(0, dot)] as Record<string, unknown> | undefined)?.[key.slice(dot + 1)]);
    yield outcome(id, () => (want === undefined ? 'no recorded result' : replay(key, want, inputs, file)));
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
