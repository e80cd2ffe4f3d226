import { compareTables, firstDifference, portClass } from './compare';
import { Lab, MAC, NODE, type Sent, type TraceRow } from './lab';
import type { PacketJson } from './lab-packet';
import type { TruthFiles, TruthOutcome, Wanted } from './types';

interface PacketRecord {
  readonly iface: string;
  readonly packet: PacketJson;
  readonly to_mac?: string;
  readonly pre?: readonly string[];
  readonly sleep?: number;
  readonly trace: readonly unknown[];
  readonly fate: Record<string, unknown>;
  readonly out?: Record<string, unknown> | null;
  readonly emitted?: readonly unknown[];
  readonly send_error?: string;
  readonly ct: readonly string[];
  readonly random_port?: boolean;
}
interface RulesetRecord {
  readonly name: string;
  readonly ruleset: string;
  readonly ruleset_saved?: string;
  readonly sets?: readonly string[];
  readonly sysctl?: readonly string[];
  readonly hairpin_on_vetha?: 'on' | 'off';
  readonly packets?: readonly PacketRecord[];
  readonly conntrack_on_demand?: boolean;
  readonly kind?: string;
}
interface PathRecord {
  readonly name: string;
  readonly ruleset: string;
  readonly iface: string;
  readonly packet: PacketJson;
  readonly trace: readonly (readonly unknown[])[];
  readonly emitted: readonly unknown[];
  readonly ct: readonly string[];
}

/** Seconds left in a `ct` line may be off by this. */
const CT_TOLERANCE = 1;

/** Replays truth/netfilter: each line of the .jsonl files on a fresh node, packet by packet. */
export function* replayNetfilter(files: TruthFiles, wanted: Wanted = () => true): Iterable<TruthOutcome> {
  const ipsets = parseJson(files.read('random.ipsets.json')) as string[] | undefined;
  for (const name of files.list('')) {
    if (name.endsWith('.jsonl')) {
      for (const line of (files.read(name) ?? '').split('\n')) {
        if (line.trim() === '') continue;
        const rec = parseJson(line) as RulesetRecord;
        yield* replayRuleset(rec, wanted, name.startsWith('random') ? (ipsets ?? []) : (rec.sets ?? []));
      }
    } else if (name === 'bridge.json') yield* replayBridges(parseJson(files.read(name)) as RulesetRecord[], wanted);
    else if (name === 'special.json') {
      for (const rec of parseJson(files.read(name)) as (RulesetRecord & PathRecord)[]) {
        if (rec.kind === 'path') {
          if (wanted(rec.name)) yield guarded(rec.name, () => replayPath(rec));
        } else yield* replayRuleset(rec, wanted, rec.sets ?? []);
      }
    }
  }
}

function parseJson(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text);
}

/** A record that breaks the replay has failed; it does not end it. */
function guarded(id: string, body: () => string | undefined): TruthOutcome {
  try {
    const difference = body();
    return difference === undefined ? { id, ok: true } : { id, ok: false, difference };
  } catch (e) {
    return { id, ok: false, difference: `replay failed: ${(e as Error).message}` };
  }
}

function* replayRuleset(rec: RulesetRecord, wanted: Wanted, sets: readonly string[]): Iterable<TruthOutcome> {
  const ids = (rec.packets ?? []).map((_, i) => `${rec.name}#${i}`);
  if (!ids.some(wanted)) return;
  let lab: Lab | undefined;
  let broken: string | undefined;
  try {
    lab = new Lab({ pinConntrack: rec.conntrack_on_demand !== true });
    for (const s of rec.sysctl ?? []) lab.sysctl(s);
    for (const s of sets) lab.ipset(s);
    broken = lab.restore(rec.ruleset);
    if (broken === undefined && rec.ruleset_saved !== undefined) {
      const saved = lab.nf.save(lab.ctx.world, NODE, { backend: 'legacy' });
      if (saved !== rec.ruleset_saved) broken = `iptables-save: ${textDifference(rec.ruleset_saved, saved)}`;
    }
  } catch (e) {
    broken = `set-up failed: ${(e as Error).message}`;
  }
  const ports = randomPorts(rec.ruleset);
  for (const [i, p] of (rec.packets ?? []).entries()) {
    const id = ids[i] as string;
    const outcome = guarded(id, () => {
      if (!lab || broken !== undefined) return broken;
      for (const action of p.pre ?? []) {
        if (action === 'restore') lab.restore(rec.ruleset);
        else return `unknown action ${action}`;
      }
      if (p.sleep !== undefined) lab.wait(Math.round(p.sleep * 1_000_000));
      return compare(p, lab.send(p.iface, p.packet), lab, ports || p.random_port === true);
    });
    if (wanted(id)) yield outcome;
  }
}

/** First line in which two texts differ. */
export function textDifference(want: string, got: string): string {
  const a = want.split('\n');
  const b = got.split('\n');
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    if (a[i] !== b[i])
      return `line ${i + 1}: want ${JSON.stringify(a[i] ?? null)}, got ${JSON.stringify(b[i] ?? null)}`;
  }
  return 'equal';
}

const randomPorts = (ruleset: string): boolean => / --random(-fully)?( |$)/m.test(ruleset);

function compare(p: PacketRecord, got: Sent, lab: Lab, random: boolean): string | undefined {
  const trace = firstDifference(p.trace, got.trace, 'trace');
  if (trace) return trace;
  const fate = firstDifference(p.fate, got.fate, 'fate');
  if (fate) return fate;
  return results(p, got, lab, random);
}

function results(p: PacketRecord, got: Sent, lab: Lab, random: boolean): string | undefined {
  const clash = portClash(p, got);
  const loose = random || clash;
  const out = firstDifference(looseOut(p.out, loose), looseOut(got.out, loose), 'out');
  if (out) return out;
  const emitted = firstDifference(p.emitted ?? [], got.emitted, 'emitted');
  if (emitted) return emitted;
  const err = firstDifference(p.send_error, got.errno, 'send_error');
  if (err) return err;
  return compareTables(p.ct, lab.table(), CT_TOLERANCE, loose ? maskPorts : undefined);
}

/** A NAT port clash shows as a source port that neither the packet nor a rule names. */
function portClash(p: PacketRecord, got: Sent): boolean {
  const a = p.out?.sport;
  const b = got.out?.sport;
  return typeof a === 'number' && typeof b === 'number' && a !== b && a !== p.packet.sport && b !== p.packet.sport;
}

const looseOut = (out: Record<string, unknown> | null | undefined, loose: boolean): unknown => {
  if (out === null || out === undefined) return undefined;
  return loose && typeof out.sport === 'number' ? { ...out, sport: portClass(out.sport) } : out;
};

/** Ports that were drawn, by their class: the answer's destination port. */
const maskPorts = (line: string): string =>
  line.replace(/dport=(\d+)(?!.*dport=)/, (_, n: string) => `dport=${portClass(Number(n))}`);

function* replayBridges(recs: readonly RulesetRecord[], wanted: Wanted): Iterable<TruthOutcome> {
  const macs: Readonly<Record<string, string>> = {
    'bridge (gateway)': MAC.bridge,
    'pod A': MAC.podA,
    'pod B': MAC.podB,
  };
  for (const rec of recs) {
    let lab: Lab | undefined;
    for (const [i, p] of (rec.packets ?? []).entries()) {
      const id = `${rec.name}#${i}`;
      const outcome = guarded(id, () => {
        if (!lab) {
          lab = new Lab({ bridge: true, hairpinOnVetha: rec.hairpin_on_vetha === 'on' });
          for (const s of rec.sysctl ?? []) lab.sysctl(s);
          const bad = lab.restore(rec.ruleset);
          if (bad) return bad;
        }
        const src = p.iface === 'vetha' ? MAC.podA : MAC.podB;
        const got = lab.send(p.iface, p.packet, macs[p.to_mac ?? ''], src);
        const trace = firstDifference(p.trace, got.trace, 'trace');
        if (trace) return trace;
        const fate = got.fate.kind === 'forwarded' ? { kind: 'out', iface: got.fate.iface } : { kind: 'not forwarded' };
        const d = firstDifference(p.fate, fate, 'fate');
        if (d) return d;
        const { mark: _, ...out } = got.fate.kind === 'forwarded' ? (got.out ?? {}) : {};
        return results(
          { ...p, out: p.out ?? undefined },
          { ...got, out: got.fate.kind === 'forwarded' ? out : undefined },
          lab,
          false,
        );
      });
      if (wanted(id)) yield outcome;
    }
  }
}

function replayPath(rec: PathRecord): string | undefined {
  const lab = new Lab();
  const bad = lab.restore(rec.ruleset);
  if (bad) return bad;
  const got = lab.send(rec.iface, rec.packet);
  const pick = (who: string): unknown[] => rec.trace.filter((r) => r[0] === who).map((r) => r.slice(1));
  const test = firstDifference(pick('test packet'), got.trace as readonly TraceRow[], 'test packet');
  if (test) return test;
  const made = firstDifference(pick('kernel-made packet'), got.made as readonly TraceRow[], 'kernel-made packet');
  if (made) return made;
  const emitted = firstDifference(rec.emitted, got.emitted, 'emitted');
  return emitted ?? compareTables(rec.ct, lab.table(), CT_TOLERANCE);
}
