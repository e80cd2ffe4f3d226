import type { Difference } from '../compare';
import type { Attempt, Client } from './types';

type Rec = { readonly [key: string]: unknown };

const split = (a: unknown): [string, number] => {
  const t = String(a);
  const colon = t.lastIndexOf(':');
  return [t.slice(0, colon), Number(t.slice(colon + 1))];
};

/** What an attempt came to: the backend, or the error. */
export const outcome = (a: Attempt | Rec): string => String((a.ok ? a.backend : a.errno) ?? 'nothing');

/** Milliseconds up to which something happened "at once". */
const AT_ONCE_MS = 500;

/** One attempt against the record; `index`: which attempt of the client it was. */
export function compareAttempt(
  what: string,
  got: Attempt | undefined,
  want: Rec,
  c: Client,
  index: number,
): Difference {
  if (!got) return `${what}: no such attempt`;
  const g = got as unknown as Rec;
  for (const key of [
    'ok',
    'errno',
    'phase',
    'backend',
    'localAddrAtBackend',
    'udpPortAtBackend',
    'clientLocalAddr',
    'clientRemoteAddr',
  ]) {
    // Without a source port of its own the client's port is the kernel's choice.
    if (key === 'clientLocalAddr' && c.fromPlace?.sourcePort === undefined) continue;
    if (String(g[key] ?? '') !== String(want[key] ?? '')) {
      return `${what} ${key}: expected ${String(want[key] ?? 'nothing')} ; got ${String(g[key] ?? 'nothing')} (${outcome(got)})`;
    }
  }
  if (want.peerSeenByBackend !== undefined) {
    const [ip, port] = split(want.peerSeenByBackend);
    const [gotIp, gotPort] = split(got.peerSeenByBackend);
    const own = c.fromPlace?.sourcePort === undefined ? undefined : c.fromPlace.sourcePort + index;
    if (gotIp !== ip || (port === own && gotPort !== port)) {
      return `${what} peerSeenByBackend: expected ${String(want.peerSeenByBackend)} ; got ${got.peerSeenByBackend}`;
    }
  }
  const timed = typeof want.timeMs === 'number' && want.atMs === undefined && want.errno !== 'TIMEOUT(tool)';
  if (timed && (want.timeMs as number) < AT_ONCE_MS !== got.timeMs < AT_ONCE_MS) {
    return `${what} timeMs: expected ${String(want.timeMs)} ; got ${got.timeMs}`;
  }
  return undefined;
}

/** Attempts of an echo client against whichever of the forms the record has. */
export function compareEcho(got: readonly Attempt[], want: Rec, c: Client): Difference {
  if (Array.isArray(want.attempts)) {
    const list = want.attempts as Rec[];
    if (list.length !== got.length) return `attempts: expected ${list.length} ; got ${got.length}`;
    for (const [i, w] of list.entries()) {
      const d = compareAttempt(`attempt ${i + 1}`, got[i], w, c, i);
      if (d) return d;
    }
    return undefined;
  }
  if (want.ok !== undefined) return compareAttempt('attempt', got[0], want, c, 0);
  const n = want.attempts ?? (want.sequence as unknown[] | undefined)?.length;
  if (typeof n === 'number' && n !== got.length) return `attempts: expected ${n} ; got ${got.length}`;
  if (want.first) {
    const d = compareAttempt('first', got[0], want.first as Rec, c, 0);
    if (d) return d;
  }
  if (want.counts) {
    // Each outcome of the record must be one that the model could be steered to.
    const had = new Set(got.map(outcome));
    const missing = Object.keys(want.counts as Rec).find((k) => !had.has(k));
    if (missing !== undefined) return `counts: ${missing} is not possible (${[...had].sort().join(', ')})`;
    const extra = [...had].find((k) => !Object.hasOwn(want.counts as object, k));
    if (extra !== undefined) return `counts: not expected ${extra}`;
  }
  if (want.sequence && !want.counts) return compareFreeSequence(got.map(outcome), want.sequence as string[]);
  if (want.sequence) {
    const a = got.map(outcome).join(' ');
    const e = (want.sequence as string[]).join(' ');
    if (a !== e) return `sequence: expected ${e} ; got ${a}`;
  }
  return undefined;
}

/** Case 36: which backend holds the affinity at the start was not recorded; one throughout stays one throughout. */
function compareFreeSequence(got: readonly string[], want: readonly string[]): Difference {
  const told = (l: readonly string[]): string => l.join(' ');
  const bad = got.find((g) => !/^(pod|host|outside)-/.test(g));
  if (bad !== undefined && !want.includes(bad)) return `sequence: expected ${told(want)} ; got ${told(got)}`;
  const single = new Set(want).size === 1;
  return single && new Set(got).size > 1 ? `sequence: expected one backend throughout ; got ${told(got)}` : undefined;
}

interface Run {
  readonly key: string;
  readonly endMs: number;
}

const runs = (lines: readonly (Attempt | Rec)[]): Run[] => {
  const out: Run[] = [];
  for (const l of lines) {
    const key = outcome(l);
    const endMs = Number(l.atMs ?? 0);
    if (out.at(-1)?.key === key) out[out.length - 1] = { key, endMs };
    else out.push({ key, endMs });
  }
  return out;
};

/** Lines of a held connection: runs of equal outcomes, their ends within a second. */
export function compareHold(got: readonly Attempt[], want: readonly Rec[], free: boolean): Difference {
  const a = runs(got);
  const e = runs(want);
  for (let i = 0; i < Math.max(a.length, e.length); i++) {
    const x = a[i];
    const y = e[i];
    // Where an endpoint went away, the run after it may be any other one.
    const sameKind =
      free && i > 0 && x && y && x.key.startsWith('pod-') && y.key.startsWith('pod-') && x.key !== a[i - 1]?.key;
    if (x?.key !== y?.key && !sameKind)
      return `lines, run ${i + 1}: expected ${y?.key ?? 'nothing'} ; got ${x?.key ?? 'nothing'}`;
    if (x && y && i < e.length - 1 && Math.abs(x.endMs - y.endMs) > 1000) {
      return `lines, run ${i + 1} (${y.key}): ends at ${y.endMs} ms ; got ${x.endMs} ms`;
    }
  }
  return undefined;
}

/** Texts of ping and curl with their moving parts masked. */
export function maskText(t: string): string {
  return t
    .replace(/time[ =]?[\d.]+ ?ms/g, 'time N ms')
    .replace(/rtt min\/avg\/max\/mdev = \S+ ms/g, 'rtt N')
    .replace(/after \d+ ms/g, 'after N ms')
    .replace(/"(lastUpdated|currentTime)": ?"[^"]*"/g, '"$1":"T"')
    .trim();
}

/** Output lines: non-empty ones, without the Date header. */
export function textLines(stdout: string, keepEmpty: boolean): string[] {
  return stdout
    .split('\n')
    .map((l) => maskText(l.replace(/\r$/, '')))
    .filter((l) => (keepEmpty || l !== '') && !/^Date: /i.test(l));
}
