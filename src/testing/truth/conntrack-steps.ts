import { KLOG } from '../../engine/net';
import { NF_CONNTRACK, NF_CTSTATS, NO_STATS } from '../../engine/netfilter';
import { runCommand } from './conntrack-sequences';
import { type Lab, NODE } from './lab';
import type { PacketJson } from './lab-packet';
import { LabSockets, type SocketOp } from './lab-socket';

/** One step of an entry's `inputs` (conntrack/README.md). */
export interface StepJson {
  readonly op: string;
  readonly key?: string;
  readonly row?: number;
  readonly is?: string;
  readonly packets?: readonly { readonly iface: string; readonly packet: PacketJson }[];
  readonly n?: number | string;
  readonly i?: string;
  readonly iface?: string;
  readonly packet?: Readonly<Record<string, unknown>>;
  readonly every_s?: number;
  readonly times?: number;
  readonly base?: number | string;
  readonly proto?: string;
  readonly status?: string;
  readonly tcp_state?: string | null;
  readonly timeout_s?: number;
  readonly since?: string;
  readonly cmd?: string;
  readonly s?: number;
  readonly ops?: readonly SocketOp[];
  readonly at?: string;
  readonly r?: readonly number[];
  readonly steps?: readonly StepJson[];
  readonly nf_conntrack_max?: number;
}

export type Stats = Readonly<Record<string, number>>;

/** Carries out steps on a lab node; results are kept by key. */
export class StepRunner {
  readonly results = new Map<string, unknown>();
  readonly list: unknown[] = [];
  private readonly marks = new Map<string, Stats>();
  private begin: Stats;
  private logFrom: number;

  constructor(
    readonly lab: Lab,
    /** How a packet that left is told: by its leg, or as `address:port`. */
    private readonly tell: 'leg' | 'address',
  ) {
    this.begin = this.stats();
    this.logFrom = this.logLines().length;
  }

  stats(): Stats {
    return { ...(this.lab.ctx.world.map(NF_CTSTATS).get(NODE) ?? NO_STATS) } as unknown as Stats;
  }
  /** What changed since a mark; `found` is never compared. */
  delta(from: Stats): Record<string, number> {
    const now = this.stats();
    const out: Record<string, number> = {};
    for (const [k, v] of Object.entries(now))
      if (k !== 'found' && k !== 'insert' && v !== from[k]) out[k] = v - (from[k] ?? 0);
    return out;
  }
  deltaSinceStart(): Record<string, number> {
    return this.delta(this.begin);
  }
  /** Everything before now was preparation. */
  start(): void {
    this.begin = this.stats();
    this.logFrom = this.logLines().length;
    this.list.length = 0;
  }

  count(): number {
    return this.lab.ctx.world.map(NF_CONNTRACK).by('netns', NODE).length;
  }
  private logLines(): string[] {
    return this.lab.ctx.world
      .map(KLOG)
      .values()
      .map((l) => l.line);
  }
  /** Kernel log lines since the start, the namespace's number masked. */
  dmesg(from = this.logFrom): string[] {
    return this.logLines()
      .slice(from)
      .map((l) => l.replace(/netns \d+/, 'netns N'));
  }
  get logLength(): number {
    return this.logLines().length;
  }

  send(iface: string, packet: PacketJson): string {
    const got = this.lab.send(iface, packet);
    if (got.errno !== undefined) return got.errno;
    const kind = got.fate.kind;
    if (kind === 'local') return 'local';
    if (kind !== 'forwarded' && kind !== 'sent') return 'dropped';
    if (this.tell === 'leg') return String(got.fate.iface);
    const out = got.out ?? {};
    return `${out.src}:${out.sport ?? out.icmpid}`;
  }

  run(steps: readonly StepJson[], vars: Readonly<Record<string, number>> = {}): void {
    for (const s of steps) {
      const result = this.step(s, vars);
      this.list.push(result);
      if (s.key !== undefined) {
        this.results.set(s.key, result);
        this.marks.set(s.key, this.stats());
      }
    }
  }

  private step(s: StepJson, vars: Readonly<Record<string, number>>): unknown {
    switch (s.op) {
      case 'packets': {
        const all = (s.packets ?? []).map((p) => this.send(p.iface, p.packet));
        return all.length === 1 ? all[0] : all;
      }
      case 'generator':
        return this.generate(s, vars);
      case 'fill':
        return this.fill(s, vars);
      case 'limit':
        this.lab.nf.setConntrackMax(NODE, s.nf_conntrack_max ?? 0);
        return undefined;
      case 'count':
        return this.count();
      case 'stats':
        return this.delta(this.marks.get(s.since ?? '') ?? this.begin);
      case 'flush':
        this.lab.nf.conntrack(NODE, ['-F']);
        return undefined;
      case 'wait':
        this.lab.wait(Math.round((s.s ?? 0) * 1_000_000));
        return undefined;
      case 'command':
        return runCommand(this.lab, s.cmd ?? '').stdout;
      case 'socket': {
        this.lab.takeFrames();
        // Each list is a process of its own, which ends with it unless it left a connection on its way.
        const sockets = new LabSockets(this.lab);
        const told = (s.ops ?? []).map((op) => sockets.call(op));
        if (!(s.ops ?? []).some((op) => op.blocking === false)) sockets.closeAll();
        return told.find((t) => t !== undefined);
      }
      case 'watch_count': {
        const seen: [number, number][] = [[0, this.count()]];
        for (let t = 0; t < (s.s ?? 0) * 10; t++) {
          this.lab.wait(100_000);
          const n = this.count();
          if (n !== seen[seen.length - 1]?.[1]) seen.push([(t + 1) / 10, n]);
        }
        return seen;
      }
      case 'repeat':
        return (s.r ?? Array.from({ length: Number(s.n ?? s.times ?? 1) }, (_, i) => i)).map((r) => {
          const inner = new Map<string, unknown>();
          const keyless = (s.steps ?? []).every((st) => st.key === undefined);
          let told: unknown;
          for (const st of s.steps ?? []) {
            const result = this.step(st, { ...vars, r });
            if (st.op === 'packets') told = result;
            if (st.key !== undefined) {
              inner.set(st.key, result);
              this.marks.set(st.key, this.stats());
            }
          }
          return keyless ? told : Object.fromEntries(inner);
        });
      case 'sequence': {
        const from = this.logLength;
        const before = this.stats();
        const results = (s.steps ?? []).map((st) => this.step(st, vars));
        return { results, lines: this.dmesg(from), drops: this.delta(before) };
      }
      default:
        throw new Error(`unknown step ${s.op}`);
    }
  }

  /** `expr` with + - * ( ) over numbers and names, as the generators write their fields. */
  private evaluate(expr: unknown, vars: Readonly<Record<string, number>>): number {
    if (typeof expr === 'number') return expr;
    const tokens = String(expr).match(/0x[0-9a-fA-F]+|\d+|[a-z]+|[-+*()]/g) ?? [];
    let i = 0;
    const atom = (): number => {
      const t = tokens[i++] ?? '0';
      if (t === '(') {
        const v = sum();
        i++;
        return v;
      }
      return /^[a-z]/.test(t) ? (vars[t] ?? 0) : Number(t);
    };
    const product = (): number => {
      let v = atom();
      while (tokens[i] === '*') {
        i++;
        v *= atom();
      }
      return v;
    };
    const sum = (): number => {
      let v = product();
      while (tokens[i] === '+' || tokens[i] === '-') v += tokens[i++] === '+' ? product() : -product();
      return v;
    };
    return sum();
  }

  /** `10.250.(a>>8).(a&255) with a = 1 + i mod 200`. */
  private address(text: string, vars: Readonly<Record<string, number>>): string {
    const m = /^(\d+\.\d+)\.\(a>>8\)\.\(a&255\) with a = (\d+) \+ i(?: mod (\d+))?$/.exec(text);
    if (!m) return text;
    const i = vars.i ?? 0;
    const a = Number(m[2]) + (m[3] === undefined ? i : i % Number(m[3]));
    return `${m[1]}.${a >> 8}.${a & 255}`;
  }

  private generate(s: StepJson, vars: Readonly<Record<string, number>>): string[] {
    const n = Number(s.n);
    const out: string[] = [];
    for (let i = 0; i < n; i++) {
      const v = { ...vars, i };
      const p: Record<string, unknown> = { ...s.packet };
      for (const f of ['src', 'dst']) if (typeof p[f] === 'string') p[f] = this.address(p[f], v);
      for (const f of ['sport', 'dport']) if (typeof p[f] === 'string') p[f] = this.evaluate(p[f], v);
      out.push(this.lab.ctx.trace.atLevel('full', () => this.send(s.iface ?? '', p as unknown as PacketJson)));
      if (s.every_s !== undefined) this.lab.wait(Math.max(0, Math.round(s.every_s * 1_000_000) - 1000));
    }
    return out;
  }

  private fill(s: StepJson, vars: Readonly<Record<string, number>>): { inserted: number; errors: number } {
    const max = Number(this.lab.net.sysctl(NODE, 'net.netfilter.nf_conntrack_max'));
    const n = typeof s.n === 'number' ? s.n : max - this.count();
    const base = this.evaluate(s.base ?? 0, vars);
    let inserted = 0;
    let errors = 0;
    this.lab.ctx.trace.atLevel('bulk', () => {
      for (let k = base; k < base + n; k++) {
        const ok = this.lab.nf.insertConntrack(NODE, {
          proto: s.proto ?? 'tcp',
          src: `100.${64 + (k >> 20)}.${(k >> 12) & 255}.${(k >> 4) & 255}`,
          dst: '100.100.0.1',
          sport: 1024 + (k & 15) * 4000,
          dport: 80,
          assured: s.status === 'ASSURED',
          state: s.tcp_state ?? undefined,
          timeoutS: s.timeout_s ?? 600,
        });
        if (ok) inserted++;
        else errors++;
      }
    });
    return { inserted, errors };
  }
}
