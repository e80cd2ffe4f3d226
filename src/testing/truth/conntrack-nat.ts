import { compareTables, firstDifference, portClass } from './compare';
import { type StepJson, StepRunner } from './conntrack-steps';
import { Lab, NODE, tableLines } from './lab';

export interface InputsJson {
  readonly record?: boolean;
  readonly ruleset?: string | Readonly<Record<string, string>>;
  readonly before?: readonly StepJson[];
  readonly steps: readonly StepJson[];
  readonly steps_of?: string;
  readonly note?: string;
}

/** `address:port` apart. */
const split = (text: string): [string, number] => {
  const i = text.lastIndexOf(':');
  return [text.slice(0, i), Number(text.slice(i + 1))];
};

/** A leaving address: the host exactly; the port exactly where it was kept, else by its class. */
function compareLeft(want: string, got: string, original: number | undefined, kept: boolean): string | undefined {
  if (want === got) return undefined;
  const [wh, wp] = split(want);
  const [gh, gp] = split(got);
  if (wh !== gh || Number.isNaN(wp) || Number.isNaN(gp)) return `want ${want}, got ${got}`;
  if (wp === original && kept) return `port ${original} was kept, got ${got}`;
  if (original !== undefined && portClass(original) !== portClass(gp))
    return `want the class of ${original}, got ${got}`;
  return undefined;
}

const asList = (v: unknown): string[] => (Array.isArray(v) ? v.map(String) : [String(v)]);

const allDifferent = (list: readonly string[]): boolean => {
  const real = list.filter((x) => x !== 'dropped');
  return new Set(real).size === real.length;
};

/** Compares what the packets of a step became with the record, by the rules of the README. */
function comparePackets(key: string, step: StepJson, want: unknown, got: unknown, ruleset: string): string | undefined {
  const w = asList(want);
  const g = asList(got);
  if (w.length !== g.length) return `${key}: ${w.length} results wanted, got ${g.length}`;
  const sameDst = new Set((step.packets ?? []).map((p) => `${p.packet.dst}:${p.packet.dport}`)).size === 1;
  if (sameDst && !allDifferent(g)) return `${key}: not unique: ${g.join(' ')}`;
  const range = /:(\d+)-(\d+)/.exec(ruleset);
  for (const [i, x] of w.entries()) {
    const y = g[i] as string;
    if (x === y) continue;
    if (x === 'dropped' || y === 'dropped') return `${key}[${i}]: want ${x}, got ${y}`;
    const p = step.packets?.[i]?.packet;
    const original = p?.sport ?? p?.icmpid;
    if (range) {
      const [, port] = split(y);
      if (split(x)[0] !== split(y)[0] || port < Number(range[1]) || port > Number(range[2]))
        return `${key}[${i}]: want ${x}, got ${y}`;
      if (split(x)[1] === original && !ruleset.includes('--random')) return `${key}[${i}]: want ${x}, got ${y}`;
      continue;
    }
    if (p?.proto === 'icmp') {
      if (split(x)[0] !== split(y)[0] || split(x)[1] === original) return `${key}[${i}]: want ${x}, got ${y}`;
      continue;
    }
    const d = compareLeft(x, y, original, !ruleset.includes('--random'));
    if (d) return `${key}[${i}]: ${d}`;
  }
  return undefined;
}

/** A table whose drawn ports are free: answers' destination ports by class. */
const loose = (line: string): string =>
  line.replace(/dport=(\d+)(?!.*dport=)/, (_, n: string) => `dport=${portClass(Number(n))}`);

/** One entry of nat_allocation.json. `lab` may be shared with the entry before (its note says so). */
export function replayNat(key: string, want: unknown, inputs: InputsJson, lab: Lab): string | undefined {
  if (typeof inputs.ruleset === 'object') return replayPerRuleset(want, inputs, inputs.ruleset);
  if (key === 'probability as iptables-save prints it back') return replayProbability(want, inputs);
  const ruleset = inputs.ruleset ?? '';
  const run = new StepRunner(lab, 'address');
  const first = inputs.steps[0];
  if (first?.op === 'generator') return replayGenerator(want, first, run, lab);
  if (inputs.steps.some((s) => s.row !== undefined)) return replayRows(want, inputs, run, lab);
  if (Array.isArray(want)) {
    run.run(inputs.steps);
    return comparePackets(key, first as StepJson, want, run.list[0], ruleset);
  }
  run.run(inputs.steps);
  for (const s of inputs.steps) {
    if (s.key === undefined) continue;
    const w = (want as Record<string, unknown>)[s.key];
    const g = run.results.get(s.key);
    let d: string | undefined;
    if (s.op === 'repeat') {
      // One result a round; the flow is the same each time.
      const inner = s.steps?.find((x) => x.op === 'packets');
      for (const [i, x] of asList(w).entries()) {
        d ??= comparePackets(s.key, inner ?? s, x, asList(g)[i], ruleset);
      }
    } else if (s.op === 'packets') d = comparePackets(s.key, s, w, g, ruleset);
    else if (s.op === 'stats') d = firstDifference(withoutFound(w), g, s.key);
    else if (s.op === 'command') d = compareTables(w as string[], tableLines(String(g)), 2, loose);
    else if (s.op === 'socket')
      d = errnoOf(w) === errnoOf(g) ? undefined : `${s.key}: want ${String(w)}, got ${String(g)}`;
    else d = firstDifference(w, g, s.key);
    if (d) return d;
  }
  return undefined;
}

const withoutFound = (s: unknown): unknown => {
  const { found: _, ...rest } = (s ?? {}) as Record<string, unknown>;
  return rest;
};
export const errnoOf = (text: unknown): string => /\[Errno (\d+)\]/.exec(String(text))?.[1] ?? String(text);

/** Rows `[label, result, table?, stats?]`, or one list of results a row. */
function replayRows(want: unknown, inputs: InputsJson, run: StepRunner, lab: Lab): string | undefined {
  const rows = want as unknown[][];
  const chosen = new Map<string, string>();
  const used = new Set<string>();
  for (const s of inputs.steps) {
    const before = run.stats();
    run.run([s]);
    const got = run.list[run.list.length - 1];
    if (s.row === undefined) continue;
    const w = rows[s.row] ?? [];
    if (s.op === 'command') {
      const d = compareTables(w[1] as string[], tableLines(String(got)), 2);
      if (d) return `row ${s.row}: ${d}`;
      continue;
    }
    if (Array.isArray(got) && typeof w[0] === 'string' && w.length === got.length && /^[\d.]+/.test(w[0])) {
      for (const [i, g] of got.entries()) {
        const p = s.packets?.[i]?.packet;
        const isDst = !String(w[i]).includes(':');
        const addr = isDst ? destinationOf(lab, p?.src ?? '', p?.sport ?? 0) : split(String(g))[0];
        const was = chosen.get(p?.src ?? '');
        if (was !== undefined && was !== addr) return `row ${s.row}: one client, two addresses: ${was}, ${addr}`;
        chosen.set(p?.src ?? '', addr);
        if (isDst) continue;
        const taken = used.has(`${addr}:${p?.sport}`);
        const port = split(String(g))[1];
        if (!taken && port !== p?.sport) return `row ${s.row}: port ${p?.sport} was free, got ${g}`;
        if (taken && portClass(port) !== portClass(p?.sport ?? 0))
          return `row ${s.row}: class of ${p?.sport}, got ${g}`;
        if (used.has(String(g))) return `row ${s.row}: not unique: ${g}`;
        used.add(String(g));
      }
      continue;
    }
    if (w[1] !== got) return `row ${s.row}: want ${String(w[1])}, got ${String(got)}`;
    const table = Array.isArray(w[2]) ? compareTables(w[2] as string[], lab.table(), 2) : undefined;
    if (table) return `row ${s.row}: ${table}`;
    if (w[3] !== undefined) {
      const d = firstDifference(withoutFound(w[3]), run.delta(before), `row ${s.row} stats`);
      if (d) return d;
    }
  }
  return undefined;
}

/** Where DNAT sent a flow, from its entry's answer tuple. */
function destinationOf(lab: Lab, src: string, sport: number): string {
  const line = lab.table().find((l) => l.includes(`src=${src} `) && l.includes(`sport=${sport} `));
  return (
    /\] src=([\d.]+)|dport=\d+ src=([\d.]+)/
      .exec(line ?? '')
      ?.slice(1)
      .find((x) => x !== undefined) ?? ''
  );
}

/** Many flows through a rule that chooses: how many each end got, or the figures of the ports. */
function replayGenerator(want: unknown, step: StepJson, run: StepRunner, lab: Lab): string | undefined {
  const w = want as { flows: number; per_endpoint: Record<string, number>; first_30?: number[] };
  run.run([step]);
  const ends = Object.keys(w.per_endpoint).sort();
  const counts: Record<string, number> = {};
  const order: number[] = [];
  const lines = new Map(lab.table().map((l) => [Number(/sport=(\d+)/.exec(l)?.[1]), l] as const));
  for (let i = 0; i < Number(step.n); i++) {
    const line = lines.get(10000 + i) ?? '';
    const end = ends.findIndex((e) => line.includes(`] src=${e} `));
    if (end < 0) return `flow ${i} went nowhere: ${line}`;
    counts[ends[end] as string] = (counts[ends[end] as string] ?? 0) + 1;
    order.push(end);
  }
  const random = w.first_30 !== undefined && !isCycle(w.first_30);
  for (const e of ends) {
    const d = Math.abs((counts[e] ?? 0) - (random ? 1000 : (w.per_endpoint[e] ?? 0)));
    if (d > (random ? 100 : 0)) return `per_endpoint ${e}: want ${w.per_endpoint[e]}, got ${counts[e] ?? 0}`;
  }
  return random ? undefined : firstDifference(w.first_30, order.slice(0, 30), 'first_30');
}
const isCycle = (list: readonly number[]): boolean => list.every((x, i) => i < 3 || x === list[i - 3]);

/** Entries with a ruleset a key: figures of the ports that hundreds of flows left with. */
function replayPerRuleset(
  want: unknown,
  inputs: InputsJson,
  rulesets: Readonly<Record<string, string>>,
): string | undefined {
  const step = inputs.steps[0] as StepJson;
  for (const [key, w] of Object.entries(want as Record<string, Record<string, number>>)) {
    const name = Object.keys(rulesets).filter((r) => key === r || key.startsWith(`${r},`))[0];
    if (name === undefined) return `no ruleset for ${key}`;
    const lab = new Lab();
    const bad = lab.restore(rulesets[name] as string);
    if (bad) return bad;
    const run = new StepRunner(lab, 'address');
    const port = /source port (\d+)$/.exec(key)?.[1];
    const packet = port === undefined ? step.packet : { ...step.packet, sport: Number(port) };
    run.run([{ ...step, packet: packet as Readonly<Record<string, unknown>> }]);
    let ports = (run.list[0] as string[]).map((x) => split(x)[1]);
    const fully = name.includes('random');
    if (port !== undefined && !fully) {
      if (ports[0] !== Number(port)) return `${key}: the first flow keeps ${port}, got ${ports[0]}`;
      ports = ports.slice(1);
    }
    const d = figures(key, w, ports, port === undefined ? undefined : Number(port), fully);
    if (d) return d;
  }
  return undefined;
}

function figures(
  key: string,
  w: Record<string, number>,
  ports: readonly number[],
  original: number | undefined,
  fully: boolean,
): string | undefined {
  const distinct = new Set(ports).size;
  const min = Math.min(...ports);
  const max = Math.max(...ports);
  if (ports.length !== w.n) return `${key}: n ${ports.length}, want ${w.n}`;
  if (original !== undefined) {
    if (distinct !== w.distinct) return `${key}: distinct ${distinct}, want ${w.distinct}`;
    const [lo, hi] = original < 512 ? [1, 511] : original < 1024 ? [600, 1023] : [1024, 65535];
    return min < lo || max > hi ? `${key}: ports ${min}..${max} leave ${lo}..${hi}` : undefined;
  }
  const kept = ports.filter((p, i) => p === 20000 + i).length;
  const below = ports.filter((p) => p < 32768).length;
  if (!fully) return firstDifference(w, { n: ports.length, min, max, distinct, kept, below_32768: below }, key);
  const ok = min >= 1024 && max <= 65535 && distinct >= 590 && kept <= 3 && below >= 240 && below <= 360;
  return ok ? undefined : `${key}: ${JSON.stringify({ min, max, distinct, kept, below })}`;
}

/** How probabilities come back from iptables-save. */
function replayProbability(want: unknown, _inputs: InputsJson): string | undefined {
  const pairs: [string, string][] = Array.isArray(want)
    ? (want as [string, string][])
    : (Object.entries(want as Record<string, string>) as [string, string][]);
  for (const [given, back] of pairs) {
    const lab = new Lab();
    const bad = lab.restore(
      `*nat\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -m statistic --mode random --probability ${given} -j ACCEPT\nCOMMIT\n`,
    );
    if (bad) return bad;
    const saved = lab.nf.save(lab.ctx.world, NODE, { backend: 'legacy', table: 'nat' });
    const got = /--probability (\S+)/.exec(saved)?.[1] ?? '';
    const text = /--probability (\S+)/.exec(String(back))?.[1] ?? String(back);
    if (got !== text) return `probability ${given}: want ${text}, got ${got}`;
  }
  return undefined;
}

interface ClashRow {
  readonly ruleset: string;
  readonly steps: readonly StepJson[];
}

/** Two packets of one 5-tuple before either entry is confirmed: the first waits in a queue. */
export function replayClash(want: unknown, inputs: { readonly rows?: readonly ClashRow[] }): string | undefined {
  const entries = want as { steps: unknown[][]; stats_delta: Record<string, number> }[];
  for (const [r, row] of (inputs.rows ?? []).entries()) {
    const lab = new Lab();
    const bad = lab.restore(row.ruleset);
    if (bad) return bad;
    const run = new StepRunner(lab, 'address');
    const held: (() => void)[] = [];
    lab.nf.listenQueue(NODE, 0, (_, accept) => held.push(accept));
    for (const [i, s] of row.steps.entries()) {
      const w = entries[r]?.steps[i] ?? [];
      lab.takeFrames();
      let left: string[] = [];
      if (s.op === 'wait') lab.wait(Math.round((s.s ?? 0) * 1_000_000));
      else if (s.op === 'release') {
        held.shift()?.();
        lab.settle();
        left = framesOf(lab, false);
      } else {
        const p = s.packets?.[0];
        if (!p) return `row ${r}, step ${i}: no packet`;
        const got = lab.send(p.iface, p.packet);
        const o = got.out;
        const answer = p.packet.sport === 53;
        if (o && got.fate.kind === 'forwarded') {
          left = [answer ? `${got.fate.iface} src ${o.src}:${o.sport}` : `${got.fate.iface} -> ${o.dst}:${o.dport}`];
        }
      }
      const d =
        s.op === 'wait'
          ? undefined
          : firstDifference(w[1] === 1 ? [] : w[1] === 'dropped' ? [] : w[1], left, `row ${r}, step ${i}`);
      if (d) return d;
      const table = compareTables(w[s.op === 'wait' ? 1 : 2] as string[], lab.table(), 2);
      if (table) return `row ${r}, step ${i}: ${table}`;
    }
    const stats = firstDifference(withoutFound(entries[r]?.stats_delta), run.deltaSinceStart(), `row ${r} stats`);
    if (stats) return stats;
  }
  return undefined;
}

function framesOf(lab: Lab, answer: boolean): string[] {
  return lab.takeFrames().map((f) => {
    const l4 = f.packet.l4;
    const ports = l4.kind === 'tcp' || l4.kind === 'udp' ? l4 : { sport: 0, dport: 0 };
    return answer
      ? `${f.iface} src ${f.packet.ip.src}:${ports.sport}`
      : `${f.iface} -> ${f.packet.ip.dst}:${ports.dport}`;
  });
}
