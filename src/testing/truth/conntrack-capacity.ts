import { firstDifference } from './compare';
import { errnoOf, type InputsJson } from './conntrack-nat';
import { type StepJson, StepRunner } from './conntrack-steps';
import { Lab, NODE } from './lab';
import { LabSockets } from './lab-socket';

type Entry = Readonly<Record<string, unknown>>;

/** One entry of capacity.json; `want` is what was recorded under the entry's key. */
export function replayCapacity(
  key: string,
  want: Entry,
  inputs: InputsJson,
  rulesets: Readonly<Record<string, string>>,
): string | undefined {
  if (key === 'writable_in_child_netns') return replayWritable(want);
  const lab = new Lab();
  const name = typeof inputs.ruleset === 'string' ? inputs.ruleset : '';
  const bad = lab.restore(rulesets[name] ?? name);
  if (bad) return bad;
  const run = new StepRunner(lab, 'leg');
  run.run(inputs.before ?? []);
  for (const s of inputs.before ?? []) {
    if (s.is !== undefined && firstDifference(want[s.is], run.count(), s.is))
      return `${s.is}: want ${String(want[s.is])}, got ${run.count()}`;
  }
  run.start();
  if (inputs.steps_of !== undefined) return replayListed(want, inputs, run);
  return key.endsWith('A_full_of_assured_tcp') ? replayFull(want, inputs, run) : replayKeyed(want, inputs, run);
}

const last = (v: unknown): unknown => (Array.isArray(v) ? v[v.length - 1] : v);

/** Entries whose results stand in a list `[label, result]` beside their steps. */
function replayListed(want: Entry, inputs: InputsJson, run: StepRunner): string | undefined {
  const rows = want[inputs.steps_of ?? ''] as unknown[][];
  run.run(inputs.steps);
  for (const [i, row] of rows.entries()) {
    const got = run.list[i];
    const w = row[1];
    const same =
      typeof w === 'string' && /Operation not/.test(w)
        ? String(got).includes(w)
        : firstDifference(w, got) === undefined;
    if (!same) return `step ${i} (${String(row[0])}): want ${JSON.stringify(w)}, got ${JSON.stringify(got)}`;
  }
  const stats = firstDifference(want.stats_delta, run.deltaSinceStart(), 'stats_delta');
  if (stats) return stats;
  return firstDifference(maskLog(want.dmesg), run.dmesg(), 'dmesg');
}

const maskLog = (lines: unknown): string[] => (lines as string[]).map((l) => l.replace(/netns \d+/, 'netns N'));

/** Entries whose results stand under the keys of their steps. */
function replayKeyed(want: Entry, inputs: InputsJson, run: StepRunner): string | undefined {
  run.run(inputs.steps);
  for (const s of inputs.steps) {
    if (s.key === undefined || want[s.key] === undefined) continue;
    const stats = s.op === 'stats' && typeof (want[s.key] as Entry).early_drop === 'number';
    const d = stats ? evictions(want, run) : compareKeyed(s, want[s.key], run.results.get(s.key));
    if (d) return d;
  }
  return want.dmesg === undefined ? undefined : firstDifference(maskLog(want.dmesg), run.dmesg(), 'dmesg');
}

/**
 * How many entries were thrown out for the new flows. The counts before and after are free within a few, so what is
 * compared is the balance: thrown out = come in - growth.
 */
function evictions(want: Entry, run: StepRunner): string | undefined {
  const got = (run.results.get('stats_delta') ?? {}) as Record<string, number>;
  const n = (v: unknown): number => Number(v ?? 0);
  const w = want.stats_delta as Record<string, number>;
  const balance = (drops: number, after: unknown, before: unknown): number => drops + n(after) - n(before);
  const a = balance(n(w.early_drop), want.count_after, want.count);
  const b = balance(n(got.early_drop), run.results.get('count_after'), run.results.get('count'));
  if (a !== b) return `stats_delta.early_drop: ${got.early_drop} (balance ${b}), want ${w.early_drop} (balance ${a})`;
  return firstDifference({ ...w, early_drop: 0 }, { ...got, early_drop: 0 }, 'stats_delta');
}

function compareKeyed(s: StepJson, want: unknown, got: unknown): string | undefined {
  const key = s.key ?? '';
  if (s.op === 'generator') {
    const all = got as string[];
    if (Array.isArray(want)) return firstDifference(want, all, key);
    if (typeof want === 'string') return firstDifference(want, all[0], key);
    const tally: Record<string, number> = {};
    for (const x of all) tally[x] = (tally[x] ?? 0) + 1;
    return firstDifference(want, tally, key);
  }
  if (s.op === 'fill') return undefined;
  if (s.op === 'count') {
    const exact = !key.startsWith('count_after') && !(s.op === 'count' && key === 'count');
    const d = Math.abs(Number(want) - Number(got));
    return d > (exact ? 0 : 5) ? `${key}: want ${String(want)}, got ${String(got)}` : undefined;
  }
  if (key === 'new_flows_present_in_table') {
    const n = String(got)
      .split('\n')
      .filter((l) => l.includes('sport=2')).length;
    return n < 1900 ? `${key}: ${n}` : undefined;
  }
  if (s.op === 'repeat') {
    for (const [i, w] of (want as Entry[]).entries()) {
      const g = (got as Entry[])[i] ?? {};
      for (const st of s.steps ?? []) {
        if (st.key === undefined) continue;
        const d = st.op === 'watch_count' ? fellBy257(g[st.key]) : compareKeyed(st, w[st.key], g[st.key]);
        if (d) return `${key}[${i}].${d}`;
      }
    }
    return undefined;
  }
  return firstDifference(want, got, key);
}

function fellBy257(seen: unknown): string | undefined {
  const steps = seen as [number, number][];
  const falls = steps.slice(1).map(([, n], i) => (steps[i]?.[1] ?? 0) - n);
  return falls.filter((f) => f === 257).length === 1 ? undefined : `count fell by ${falls.join(', ')}`;
}

/** The real limit, full of assured entries: known flows live, new ones die, deleting entries lets a waiting client in. */
function replayFull(want: Entry, inputs: InputsJson, run: StepRunner): string | undefined {
  const { lab } = run;
  const client = new LabSockets(lab, 'client');
  lab.addClient();
  let isn: number | undefined;
  let lostAll = true;
  let answered = false;
  for (const s of inputs.steps) {
    if (s.op === 'socket' && s.at !== 'node') {
      for (const op of s.ops ?? []) client.call(op);
      continue;
    }
    if (s.op === 'wait_until') {
      lab.wait(9_300_000);
      lostAll = !lab.takeFrames().some((f) => f.iface === 'eth0' && f.packet.ip.src === '10.244.1.20');
      continue;
    }
    if (s.op === 'answer') {
      for (let t = 0; t < 300 && isn === undefined; t++) {
        lab.wait(100_000);
        const syn = lab.takeFrames().find((f) => f.iface === 'eth0' && f.packet.ip.src === '10.244.1.20');
        if (syn?.packet.l4.kind !== 'tcp') continue;
        isn = syn.packet.l4.seq;
        lab.send('eth0', {
          proto: 'tcp',
          src: '10.244.2.21',
          dst: '10.244.1.20',
          sport: 8080,
          dport: syn.packet.l4.sport,
          flags: 'SA',
          seq: 9000,
          ack: (isn + 1) >>> 0,
        });
        lab.settle(10_000);
        answered = lab.table().some((l) => l.includes('src=10.244.1.20') && l.includes('ESTABLISHED'));
      }
      continue;
    }
    run.run([s]);
  }
  if (!lostAll) return 'a SYN of the client passed before entries were deleted';
  if (!answered) return 'the first SYN after the deletion did not come through';
  const got = (k: string): unknown => run.results.get(k);
  const fill = got('fill') as { inserted: number; errors: number };
  const more = got('one_more_through_ctnetlink') as { inserted: number; errors: number };
  const ratelimit = got('ratelimit') as { lines: string[]; drops: Record<string, number> };
  const wantRate = want.ratelimit as { lines: string[]; drops: unknown };
  return (
    firstDifference(want.established_flow_before, got('established_flow_before'), 'established_flow_before') ??
    firstDifference((want.fill as Entry).inserted, fill.inserted, 'fill.inserted') ??
    firstDifference([0, 1], [more.inserted, more.errors], 'one_more_through_ctnetlink') ??
    firstDifference(want.count, got('count'), 'count') ??
    firstDifference(want['conntrack -C'], String(got('conntrack -C')).trim(), 'conntrack -C') ??
    firstDifference(
      want.conntrack_L_lines,
      String(got('conntrack_L_lines')).split('\n').length - 1,
      'conntrack_L_lines',
    ) ??
    firstDifference(want.established_flow_segments, got('established_flow_segments'), 'established_flow_segments') ??
    firstDifference((want.new_flows as unknown[][]).map(last), got('new_flows'), 'new_flows') ??
    firstDifference(
      errnoOf(want.node_process_udp_sendto),
      errnoOf(got('node_process_udp_sendto')),
      'node_process_udp_sendto',
    ) ??
    (String(got('node_process_tcp_connect')).startsWith('timed out') ? undefined : 'node_process_tcp_connect') ??
    firstDifference(want.stats_delta_first, got('stats_delta_first'), 'stats_delta_first') ??
    firstDifference(maskLog(wantRate.lines), ratelimit.lines, 'ratelimit.lines') ??
    firstDifference(wantRate.drops, ratelimit.drops, 'ratelimit.drops')
  );
}

/** Which sysctls a child namespace may write. */
function replayWritable(want: Entry): string | undefined {
  const lab = new Lab();
  for (const [name, w] of Object.entries(want as Record<string, { value: string; mode: string; write: string }>)) {
    const key = `net.netfilter.${name}`;
    const value = lab.net.sysctl(NODE, key);
    if (value !== w.value) return `${name}: want ${w.value}, got ${value}`;
    const mode = lab.net.sysctls.writable(NODE, key) ? '644' : '444';
    if (mode !== w.mode) return `${name}: mode ${mode}, want ${w.mode}`;
    const ok = lab.net.setSysctl(NODE, key, w.value).ok;
    const write = ok ? 'ok' : `sysctl: setting key "${key}": Invalid argument`;
    if (write !== w.write) return `${name}: ${write}`;
  }
  return undefined;
}

/** SYN transmissions of a connect() that nobody answers. */
export function replaySynSchedule(want: Entry): string | undefined {
  for (const [key, w] of Object.entries(
    want.by_tcp_syn_linear_timeouts as Record<string, { syn_s: number[]; result: string }>,
  )) {
    const lab = new Lab();
    lab.sysctl(`net.ipv4.tcp_syn_linear_timeouts=${Number.parseInt(key, 10)}`);
    const socks = lab.net.sockets;
    const id = socks.socket(NODE, 'tcp', { uid: 0 });
    lab.takeFrames();
    const start = lab.ctx.sim.now;
    socks.connect(id, { ip: '172.18.0.10', port: 4242 });
    const times: number[] = [];
    let ended: number | undefined;
    while (lab.ctx.sim.now < start + 150_000_000 && ended === undefined) {
      lab.wait(10_000);
      const t = (lab.ctx.sim.now - start) / 1_000_000;
      for (const _ of lab.takeFrames()) times.push(t);
      if (socks.takeError(id) === 'ETIMEDOUT') ended = t;
    }
    if (times.length !== w.syn_s.length) return `${key}: ${times.length} SYNs, want ${w.syn_s.length}`;
    for (const [i, t] of w.syn_s.entries()) {
      if (Math.abs((times[i] ?? 0) - t) > 0.3 + 0.03 * t) return `${key}: SYN ${i} at ${times[i]}, want ${t}`;
    }
    const at = Number(/after (\d+)/.exec(w.result)?.[1]);
    if (ended === undefined || Math.abs(ended - at) > 2) return `${key}: ended ${ended}, want ${w.result}`;
  }
  return undefined;
}
