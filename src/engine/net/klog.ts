import type { RecordMap } from '../base/recordmap';
import type { Ctx } from '../trace/context';
import { KLOG, type KlogRecord, RATELIMIT, type RatelimitRecord } from './records';

/** net_ratelimit_state: DEFAULT_RATELIMIT_INTERVAL 5 s, DEFAULT_RATELIMIT_BURST 10 (net/core/utils.c). */
const INTERVAL_US = 5_000_000;
const BURST = 10;

/** The kernel log of every machine. */
export class KernelLog {
  private readonly lines: RecordMap<KlogRecord>;
  private readonly limits: RecordMap<RatelimitRecord>;

  constructor(private readonly ctx: Ctx) {
    this.lines = ctx.world.map(KLOG);
    this.limits = ctx.world.map(RATELIMIT);
  }

  write(node: string, line: string): void {
    const key = String(this.lines.size + 1).padStart(8, '0');
    this.lines.set(key, { node, atUs: this.ctx.sim.now, line });
    this.ctx.trace.emitAlways('kernel.log', { line }, { node });
  }

  /** ___ratelimit (lib/ratelimit.c) around `write`. */
  writeLimited(node: string, line: string): void {
    const now = this.ctx.sim.now;
    const old = this.limits.get(node);
    let s = old ?? { beginUs: now, printed: 0, missed: 0 };
    if (now > s.beginUs + INTERVAL_US) {
      if (s.missed > 0) this.write(node, `net_ratelimit: ${s.missed} callbacks suppressed`);
      s = { beginUs: now, printed: 0, missed: 0 };
    }
    const pass = s.printed < BURST;
    this.limits.set(node, pass ? { ...s, printed: s.printed + 1 } : { ...s, missed: s.missed + 1 });
    if (pass) this.write(node, line);
  }
}
