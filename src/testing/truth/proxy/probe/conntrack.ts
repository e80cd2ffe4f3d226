import type { Difference } from '../compare';
import type { Client, Tables } from './types';

interface Entry {
  /** Everything but the timeout, chosen ports masked. */
  readonly key: string;
  readonly timeoutS: number;
  readonly line: string;
}

/** Ports that a line may name: the client's own, the one asked for, the endpoints'. */
export function knownPorts(clients: readonly Client[], endpointPorts: ReadonlySet<number>): Set<number> {
  const out = new Set(endpointPorts);
  for (const c of clients) {
    const first = c.fromPlace?.sourcePort;
    if (first !== undefined) for (let i = 0; i < (c.attempts ?? 1); i++) out.add(first + i);
    const port = Number((c.to ?? '').slice((c.to ?? '').lastIndexOf(':') + 1));
    if (Number.isInteger(port)) out.add(port);
  }
  return out;
}

function parse(line: string, known: ReadonlySet<number>): Entry {
  const words = line.split(' ');
  const timeoutS = Number(words[2]);
  const masked = new Map<string, string>();
  const rest = words.slice(3).flatMap((w) => {
    if (w.startsWith('use=')) return [];
    const m = /^([sd]port)=(\d+)$/.exec(w);
    if (!m || known.has(Number(m[2]))) return [w];
    // A port chosen by masquerade: only equal to itself within the entry.
    const name = masked.get(m[2] as string) ?? `*${masked.size + 1}`;
    masked.set(m[2] as string, name);
    return [`${m[1]}=${name}`];
  });
  return { key: [words[0], words[1], ...rest].join(' '), timeoutS, line };
}

/** Seconds by which timeouts may differ. */
const SLACK_S = 2;

/** Tables node by node, as sets of lines. */
export function compareTables(what: string, got: Tables, want: Tables, known: ReadonlySet<number>): Difference {
  for (const node of [...new Set([...Object.keys(got), ...Object.keys(want)])].sort()) {
    const left = (got[node] ?? []).map((l) => parse(l, known));
    for (const e of (want[node] ?? []).map((l) => parse(l, known))) {
      const i = left.findIndex((g) => g.key === e.key && Math.abs(g.timeoutS - e.timeoutS) <= SLACK_S);
      if (i < 0) {
        const near = left.find((g) => g.key === e.key) ?? left[0];
        return `${what} ${node}: expected ${e.line}${near ? ` ; got ${near.line}` : ' ; got nothing'}`;
      }
      left.splice(i, 1);
    }
    if (left[0]) return `${what} ${node}: not expected ${left[0].line}`;
  }
  return undefined;
}
