import type { NetnsId } from '../../net/types';
import type { Ctx } from '../../trace/context';
import { ctFacts } from './facts';
import type { CtNamespace } from './namespace';
import { protocolOf } from './protocols';
import { type CtEntry, IPS } from './types';

/** GC_SCAN_EXPIRED_MAX at HZ 250: a pass stops once it has thrown out more than this. */
const PASS_MAX = 256;
/** gc looks at expiries at most once a second (GC_SCAN_INTERVAL_MIN). */
const MIN_INTERVAL_US = 1_000_000;
/** A pass after a refused packet comes within GC_SCAN_INTERVAL_MAX (60 s); the model's passes keep to this grid. */
const EVICT_GRID_US = 15_000_000;

/**
 * gc_worker: takes out what has run out, and from a table that has refused a packet also entries in closing states.
 * Timers are set only while there is something to wait for.
 */
export class Gc {
  private readonly armed = new Set<NetnsId>();

  constructor(
    private readonly ctx: Ctx,
    space: (netns: NetnsId) => CtNamespace,
    private readonly maxOf: (ns: CtNamespace) => number,
  ) {
    ctx.sim.on<string>('nf.gc', (netns) => this.pass(space(netns)));
    ctx.sim.on<string>('nf.gc.evict', (netns) => this.evict(space(netns)));
  }

  /** An entry expires at `atUs`: see that a pass comes then, or a second after the last one. */
  expiryMoved(ns: CtNamespace, atUs: number): void {
    const due = Math.max(atUs, ns.gcRanUs + MIN_INTERVAL_US, this.ctx.sim.now);
    if (due >= ns.gcAtUs) return;
    this.ctx.sim.cancel(ns.gcTimer);
    ns.gcAtUs = due;
    ns.gcTimer = this.ctx.sim.at(due, 'nf.gc', ns.netns);
  }

  private pass(ns: CtNamespace): void {
    ns.gcAtUs = Number.POSITIVE_INFINITY;
    ns.gcTimer = undefined;
    ns.gcRanUs = ns.now;
    let next = Number.POSITIVE_INFINITY;
    for (const e of ns.entries()) {
      if (e.expiresAtUs <= ns.now) ns.destroy(e, 'timeout');
      else if (e.expiresAtUs < next) next = e.expiresAtUs;
    }
    if (next !== Number.POSITIVE_INFINITY) this.expiryMoved(ns, next);
  }

  /** early_drop: makes room in the buckets next to the new entry's; assured entries stay. */
  earlyDrop(ns: CtNamespace, hash: number): boolean {
    for (const bucket of ns.hash.neighbours(hash)) {
      let drops = 0;
      for (const node of [...bucket]) {
        const e = ns.get(node.id);
        if (!e) continue;
        if (e.expiresAtUs <= ns.now) {
          ns.destroy(e, 'timeout');
          continue;
        }
        if (e.status & (IPS.ASSURED | IPS.DYING)) continue;
        if (this.ctx.trace.detailed) this.ctx.trace.emit('ct.evict', { ct: ctFacts(e), why: 'early-drop' }, ns.place());
        ns.destroy(e, 'early-drop');
        drops++;
      }
      if (drops > 0) {
        ns.stat('early_drop', drops);
        return true;
      }
    }
    return false;
  }

  /** A refused packet arms eviction: the next pass may throw out closing connections. */
  arm(ns: CtNamespace): void {
    if (this.armed.has(ns.netns)) return;
    this.armed.add(ns.netns);
    const at = (Math.floor(ns.now / EVICT_GRID_US) + 1) * EVICT_GRID_US;
    this.ctx.sim.at(at, 'nf.gc.evict', ns.netns);
  }

  private evict(ns: CtNamespace): void {
    this.armed.delete(ns.netns);
    const limit = Math.floor(this.maxOf(ns) / 100) * 95;
    if (limit === 0) return;
    let gone = 0;
    const inOrder = [...ns.entries()].sort((a, b) => ns.hash.rank(a) - ns.hash.rank(b));
    for (const e of inOrder) {
      if (gone > PASS_MAX) return;
      if (e.expiresAtUs <= ns.now) {
        ns.destroy(e, 'timeout');
        gone++;
      } else if (ns.count >= limit && canEvict(e)) {
        if (this.ctx.trace.detailed) this.ctx.trace.emit('ct.evict', { ct: ctFacts(e), why: 'gc' }, ns.place());
        ns.destroy(e, 'gc');
        gone++;
      }
    }
  }
}

const canEvict = (e: CtEntry): boolean =>
  (e.status & IPS.ASSURED) === 0 || (protocolOf(e.proto).canEarlyDrop?.(e) ?? false);
