import type { Packet } from '../../engine/net/types';
import { ctEventText, entryText, NF_CONNTRACK } from '../../engine/netfilter';
import { compareTables, firstDifference, portClass } from './compare';
import { Lab, NODE, tableLines } from './lab';
import { type PacketJson, packetJson } from './lab-packet';
import { LabSockets, type SocketOp } from './lab-socket';

export interface SequenceRecord {
  readonly name: string;
  readonly sysctl: readonly string[];
  readonly ruleset: string;
  readonly steps: readonly Step[];
}
interface Step {
  readonly t: number;
  readonly do: 'packet' | 'wait' | 'command' | 'ruleset' | 'socket';
  readonly iface?: string;
  readonly packet?: PacketJson;
  readonly ack_answers?: {
    readonly step: number;
    readonly frame: number;
    readonly recorded_isn: number;
    readonly plus: number;
  };
  readonly seconds?: number;
  readonly command?: string;
  readonly ruleset?: string;
  readonly socket?: readonly SocketOp[];
  readonly ctstate?: string | null;
  readonly nat_visited?: boolean;
  readonly fate?: Record<string, unknown>;
  readonly out?: Record<string, unknown> | null;
  readonly emitted?: readonly FrameJson[];
  readonly send_error?: string;
  readonly frames?: readonly FrameJson[];
  readonly result?: unknown;
  readonly rc?: number;
  readonly stdout?: readonly string[];
  readonly stderr?: string;
  readonly events: readonly string[];
  readonly table: readonly string[];
}
interface FrameJson {
  readonly iface: string;
  readonly pkt: Record<string, unknown>;
}

/** Seconds left in a table may be off by this. */
export const TOLERANCE = 2;

/** A command of the node as the records' shell ran it. */
export function runCommand(lab: Lab, command: string): { rc: number; stdout: string; stderr: string } {
  const w = command.split(/\s+/).filter((x) => x !== '');
  if (w[0] === 'conntrack') {
    const r = lab.nf.conntrack(NODE, w.slice(1));
    return { rc: r.exit, stdout: r.stdout, stderr: r.stderr };
  }
  if (w[0] === 'sysctl') {
    const pair = w[w.length - 1] as string;
    lab.sysctl(pair);
    const key = pair.slice(0, pair.indexOf('='));
    return { rc: 0, stdout: `${key} = ${lab.net.sysctl(NODE, key) ?? ''}\n`, stderr: '' };
  }
  if (command === 'cat /proc/net/nf_conntrack') {
    const map = lab.ctx.world.map(NF_CONNTRACK);
    const lines = map.by('netns', NODE).map((k) => entryText(map.get(k) as never, lab.ctx.sim.now, { proc: true }));
    return { rc: 0, stdout: lines.map((l) => `${l}\n`).join(''), stderr: '' };
  }
  if (w[0] === 'iptables-legacy-save') {
    return {
      rc: 0,
      stdout: lab.nf.save(lab.ctx.world, NODE, {
        backend: 'legacy',
        ...(w[1] === '-t' ? { table: w[2] as string } : {}),
      }),
      stderr: '',
    };
  }
  throw new Error(`unknown command ${command}`);
}

const isExpired = (line: string): boolean => /^\[DESTROY\] \w+ \d+ (?!\d)/.test(line);

/** Replays one timed sequence; the first difference, or undefined. */
export function replaySequence(rec: SequenceRecord): string | undefined {
  const lab = new Lab();
  for (const s of rec.sysctl) lab.sysctl(s);
  const bad = lab.restore(rec.ruleset);
  if (bad !== undefined) return bad;
  const start = lab.ctx.sim.now;
  const sockets = new LabSockets(lab);
  /** Sequence numbers of the model's own sockets minus the recorded ones, by port. */
  const shifts = new Map<number, number>();
  const frames: { iface: string; packet: Packet }[][] = [];
  let seq = 0;
  const wantExpired: string[] = [];
  const gotExpired: string[] = [];
  // The recorder read its `conntrack -E` with a lag: a line may stand in a later step than the packet that caused it.
  const wantEvents: string[] = [];
  const gotEvents: string[] = [];

  for (const [i, step] of rec.steps.entries()) {
    const where = `step ${i} (${step.do})`;
    const due = start + Math.round(step.t * 1_000_000) - (step.do === 'wait' ? (step.seconds ?? 0) * 1_000_000 : 0);
    if (due > lab.ctx.sim.now) lab.wait(due - lab.ctx.sim.now);
    const d = runStep(lab, step, sockets, shifts, frames);
    if (d !== undefined) return `${where}: ${d}`;
    const events = lab.nf.conntrackEvents(NODE, seq);
    seq = events[events.length - 1]?.seq ?? seq;
    const got = tableLines(events.map((e) => ctEventText(e)).join('\n'));
    wantExpired.push(...step.events.filter(isExpired));
    gotExpired.push(...got.filter(isExpired));
    wantEvents.push(...step.events.filter((x) => !isExpired(x)));
    gotEvents.push(...got.filter((x) => !isExpired(x)));
    const e = firstDifference(wantEvents, gotEvents.slice(0, wantEvents.length), 'events');
    if (e) return `${where}: ${e}`;
    const t = compareTables(step.table, lab.table(), TOLERANCE);
    if (t) return `${where}: ${t}`;
  }
  const rest = firstDifference(wantEvents, gotEvents, 'events');
  if (rest) return rest;
  for (const line of wantExpired) {
    const k = gotExpired.indexOf(line);
    if (k < 0) return `events: missing "${line}"`;
    gotExpired.splice(k, 1);
  }
  return undefined;
}

function runStep(
  lab: Lab,
  step: Step,
  sockets: LabSockets,
  shifts: Map<number, number>,
  frames: { iface: string; packet: Packet }[][],
): string | undefined {
  frames.push([]);
  switch (step.do) {
    case 'wait':
      lab.wait(Math.round((step.seconds ?? 0) * 1_000_000));
      return undefined;
    case 'ruleset':
      return lab.restore(step.ruleset ?? '');
    case 'command': {
      const r = runCommand(lab, step.command ?? '');
      return (
        firstDifference(step.rc, r.rc, 'rc') ??
        compareTables(step.stdout ?? [], tableLines(r.stdout), TOLERANCE) ??
        firstDifference((step.stderr ?? '').trim(), r.stderr.trim(), 'stderr')
      );
    }
    case 'socket': {
      lab.takeFrames();
      const results = (step.socket ?? []).map((op) => ({ op, text: sockets.call(op) }));
      lab.settle();
      const got = lab.takeFrames();
      frames[frames.length - 1] = got;
      return compareResult(step.result, results) ?? compareFrames(step.frames ?? [], got, shifts, 'frames');
    }
    default:
      return runPacket(lab, step, shifts, frames);
  }
}

function runPacket(
  lab: Lab,
  step: Step,
  shifts: Map<number, number>,
  frames: { iface: string; packet: Packet }[][],
): string | undefined {
  let json = step.packet as PacketJson;
  const a = step.ack_answers;
  if (a) {
    const l4 = frames[a.step]?.[a.frame]?.packet.l4;
    if (l4?.kind !== 'tcp') return 'no frame to acknowledge';
    json = { ...json, ack: (l4.seq + a.plus) >>> 0 };
  }
  const got = lab.send(step.iface ?? '', json);
  const { mark: _, ...bare } = got.out ?? {};
  const shift = shifts.get(json.sport ?? 0) ?? shifts.get(json.dport ?? 0);
  const out = got.out ? unshift(bare, shift) : undefined;
  const want = step.out ?? undefined;
  const clash = want && out && want.sport !== out.sport && want.sport !== json.sport && out.sport !== json.sport;
  const loose = (o: Record<string, unknown> | undefined): unknown =>
    clash && o && typeof o.sport === 'number' ? { ...o, sport: portClass(o.sport) } : o;
  return (
    firstDifference(step.ctstate ?? null, got.ctstate, 'ctstate') ??
    firstDifference(step.nat_visited, got.natVisited, 'nat_visited') ??
    firstDifference(step.fate, got.fate, 'fate') ??
    firstDifference(loose(want), loose(out), 'out') ??
    firstDifference(
      step.emitted ?? [],
      got.emitted.map((f) => ({ iface: f.iface, pkt: unshift(f.pkt, shift) })),
      'emitted',
    ) ??
    firstDifference(step.send_error, got.errno, 'send_error')
  );
}

/** Sequence numbers of a flow whose first number the model's own socket drew, moved to the recorded ones. */
function unshift(pkt: Record<string, unknown>, shift: number | undefined): Record<string, unknown> {
  if (shift === undefined || pkt.proto !== 'tcp') return pkt;
  const near = (n: unknown): unknown => {
    if (typeof n !== 'number') return n;
    const moved = (n - shift) >>> 0;
    return moved;
  };
  // The peer counts from a fixed small number; only numbers of the socket's own side are large and random.
  const own = (n: unknown): boolean => typeof n === 'number' && n > 1_000_000;
  return { ...pkt, ...(own(pkt.seq) ? { seq: near(pkt.seq) } : {}), ...(own(pkt.ack) ? { ack: near(pkt.ack) } : {}) };
}

function compareFrames(
  want: readonly FrameJson[],
  got: readonly { iface: string; packet: Packet }[],
  shifts: Map<number, number>,
  path: string,
): string | undefined {
  const list = got.map((f) => ({ iface: f.iface, pkt: packetJson(f.packet) }));
  const strip = (f: FrameJson): unknown => {
    const { len: _, ...pkt } = f.pkt;
    return { iface: f.iface, pkt };
  };
  // The first SYN tells how far the drawn sequence numbers are from the recorded ones.
  for (const [i, w] of want.entries()) {
    const g = list[i];
    if (w.pkt.flags === 'S' && g && typeof w.pkt.seq === 'number' && typeof g.pkt.seq === 'number') {
      const shift = (g.pkt.seq - w.pkt.seq) >>> 0;
      shifts.set(w.pkt.sport as number, shift);
      shifts.set(w.pkt.dport as number, shift);
    }
  }
  const moved = list.map((f) => ({
    iface: f.iface,
    pkt: unshift(f.pkt, shifts.get(f.pkt.sport as number) ?? shifts.get(f.pkt.dport as number)),
  }));
  return firstDifference(want.map(strip), moved.map(strip), path);
}

interface CallResult {
  readonly op: SocketOp;
  readonly text: string | undefined;
}

/** Python's words: the class name in front does not count, "after N s" within 0.3 s. */
function compareResult(want: unknown, results: readonly CallResult[]): string | undefined {
  const norm = (s: string): { words: string; after: number | undefined } => {
    const bare = s.replace(/^([a-z]+ -> )?\w*(Error|timeout|Timeout)\w*: /, '$1').replace(/^[a-z]+ -> /, '');
    const m = / after ([\d.]+) s$/.exec(bare);
    return { words: m ? bare.slice(0, m.index) : bare, after: m ? Number(m[1]) : undefined };
  };
  const told = results.filter((r) => r.text !== undefined && r.op.op !== 'close');
  const same = (w: string, g: string | undefined): boolean => {
    if (g === undefined) return false;
    const a = norm(w);
    const b = norm(g);
    return a.words === b.words && Math.abs((a.after ?? 0) - (b.after ?? 0)) <= 0.3;
  };
  const fail = (): string =>
    `result: want ${JSON.stringify(want)}, got ${JSON.stringify(results.map((r) => r.text ?? null))}`;
  if (want === null || want === undefined) return told.length === 0 ? undefined : fail();
  if (typeof want === 'string') return told.some((r) => same(want, r.text)) ? undefined : fail();
  if (!Array.isArray(want)) return fail();
  // Calls that merely worked may be left out of the recorded list.
  let k = 0;
  for (const w of want as unknown[]) {
    while (k < told.length && !same(String(w), told[k]?.text)) k++;
    if (k++ >= told.length) return fail();
  }
  return undefined;
}
