import { assert } from '../../../engine/base/assert';
import type { TruthFiles, TruthOutcome, Wanted } from '../types';
import { compareSets, type Difference } from './compare';
import type { CaseMeta } from './meta';
import { ProbeRun } from './probe/replay';
import { ProbeWorld } from './probe/world';

interface Listing {
  readonly cmd: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

/** Chains whose Services stand in any order. */
const UNORDERED = /^(Chain )?(KUBE-SERVICES|KUBE-NODEPORTS|KUBE-EXTERNAL-SERVICES|KUBE-PROXY-FIREWALL)\b/;

/** `iptables -L/-S` texts of node-1, after six connections of a pod. */
export function* replayLists(files: TruthFiles, dir: string, meta: CaseMeta, wanted: Wanted): Iterable<TruthOutcome> {
  const text = files.read(`${dir}/node-1.iptables-list.json`);
  if (text === undefined) return;
  const parsed = JSON.parse(text) as Listing[] | { records: Listing[] };
  const list = Array.isArray(parsed) ? parsed : parsed.records;
  const ids = list.map((_, i) => `${meta.case}/list/${i}`);
  if (!ids.some(wanted)) return;
  let world: ProbeWorld | undefined;
  let failed: Difference;
  try {
    world = new ProbeWorld(files, dir, meta, true);
    const from = { kind: 'pod' as const, ip: '10.244.1.100', node: 'node-1' };
    new ProbeRun(world).run({
      id: 'six',
      mode: 'iptables',
      setup: [],
      client: { op: 'tcp-echo', fromPlace: from, to: '10.96.10.10:80', attempts: 6, timeoutS: 3, gapS: 0 },
      undo: [],
      result: {},
    });
  } catch (e) {
    failed = e instanceof Error ? e.message : String(e);
  }
  for (const [i, l] of list.entries()) {
    const id = ids[i] as string;
    if (!wanted(id)) continue;
    const d = failed ?? compareListing(world, l);
    yield d === undefined ? { id, ok: true } : { id, ok: false, difference: d };
  }
}

function compareListing(world: ProbeWorld | undefined, l: Listing): Difference {
  assert(world, 'no world');
  const [command = '', head] = l.cmd.split(' | head -');
  const argv = command.split(/\s+/);
  const r = world.run({ kind: 'node', name: 'node-1', ip: '192.168.10.11' }, argv);
  if (r.exit !== l.exit) return `exit: expected ${l.exit} ; got ${r.exit} ${r.stderr}`;
  // The recorder took away the line feeds at the end, and comment lines.
  if (r.stderr.trimEnd() !== l.stderr.trimEnd()) return `stderr: expected ${l.stderr} ; got ${r.stderr}`;
  const lines = r.stdout
    .trimEnd()
    .split('\n')
    .slice(0, head === undefined ? undefined : Number(head));
  return compareBlocks(lines.filter((x) => !x.startsWith('#')).join('\n'), l.stdout.trimEnd());
}

/** Masks counters, squeezes the blanks that they move. */
const maskCounters = (line: string): string =>
  line
    .replace(/^\s*\d+[KMGT]?\s+\d+[KMGT]? (?=\s*\S)/, '')
    .replace(/\d+[KMGT]? packets, \d+[KMGT]? bytes/, 'N packets, N bytes')
    .replace(/\[\d+:\d+\]|-c \d+ \d+/g, 'C')
    .replace(/ +/g, ' ')
    .trimEnd();

function compareBlocks(got: string, want: string): Difference {
  const blocks = (t: string): string[][] => t.split('\n\n').map((b) => b.split('\n').map(maskCounters));
  if (!want.includes('Chain ')) return compareRules(got, want);
  const a = blocks(got);
  const e = blocks(want);
  for (let i = 0; i < Math.max(a.length, e.length); i++) {
    const x = a[i] ?? [];
    const y = e[i] ?? [];
    const free = UNORDERED.test(y[0] ?? '');
    if (free && x[0] === y[0]) {
      const d = compareSets(y[0] ?? '', x, y);
      if (d) return d;
      continue;
    }
    const at = y.findIndex((line, k) => line !== x[k]);
    if (at >= 0 || x.length !== y.length) return `${y[0]}: expected ${y[at] ?? 'nothing'} ; got ${x[at] ?? 'nothing'}`;
  }
  return undefined;
}

/** -S and the like: rule lines chain by chain. */
function compareRules(got: string, want: string): Difference {
  const a = got.split('\n').map(maskCounters);
  const e = want.split('\n').map(maskCounters);
  const fixed = (l: readonly string[]): string[] => l.filter((x) => !UNORDERED.test(x.replace(/^-A /, '')));
  const free = (l: readonly string[]): string[] => l.filter((x) => UNORDERED.test(x.replace(/^-A /, '')));
  const d = compareSets('rules', free(a), free(e));
  if (d) return d;
  const x = fixed(a);
  const y = fixed(e);
  const at = y.findIndex((line, k) => line !== x[k]);
  if (at >= 0 || x.length !== y.length)
    return `line: expected ${y[at] ?? 'nothing'} ; got ${x[at] ?? x.at(-1) ?? 'nothing'}`;
  return undefined;
}
