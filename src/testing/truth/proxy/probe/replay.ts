import type { Difference } from '../compare';
import type { Action } from '../meta';
import { checkEcho, checkHold, type Held, runEcho, runOther, startHold } from './clients';
import { compareTables, knownPorts } from './conntrack';
import { outcome } from './results';
import { Steer } from './steer';
import type { Client, Probe, Result, Tables } from './types';
import type { ProbeWorld } from './world';

/** From the end of a client to the reading of the tables, us. */
const READ_US = 60_000;

/** Probes of one case and mode on one world; state is shared along `sharesStateWith`. */
export class ProbeRun {
  private readonly steer: Steer;
  private readonly held = new Map<string, Held>();

  constructor(private readonly world: ProbeWorld) {
    this.steer = new Steer(world);
  }

  /** Does one probe, its undo included; the first difference, or undefined. */
  run(p: Probe): Difference {
    this.world.reads.clear();
    for (const a of p.setup) this.act(a, p.result);
    if (p.conntrackFlushedBefore) this.world.fault('conntrack-flush', {});
    const d = this.client(p) ?? this.compareReads(p);
    for (const a of p.undo) this.act(a);
    return d;
  }

  private act(a: Action, result: Result = {}): void {
    if (a.op === 'client') {
      // What it got was not recorded, but it fixed the affinity that `before` shows.
      const before = result.before as readonly string[] | undefined;
      runEcho(this.world, this.steer, a.client as Client, before ? { sequence: before.slice(0, 1) } : {});
      return;
    }
    if (a.op === 'client-start') {
      this.held.set(String(a.name), startHold(this.world, this.steer, a.client as Client, undefined));
      return;
    }
    if (a.op !== 'start-without-objects') this.world.act(a);
  }

  private client(p: Probe): Difference {
    const c = p.client;
    if (c.op === 'tcp-echo' || c.op === 'udp-echo') {
      const got = runEcho(this.world, this.steer, c, p.result);
      this.world.wait(READ_US);
      return checkEcho(got, p.result, c) ?? this.compareEnd(p);
    }
    if (c.op === 'tcp-hold' || c.op === 'udp-hold') return this.holdProbe(p);
    if (c.op === 'client-end') {
      const h = this.held.get(c.name ?? '');
      if (!h) return `no client ${c.name}`;
      this.world.finish(h.pid);
      return checkHold(h, p.result);
    }
    if (c.op === 'sequence') return this.sequence(c, p.result);
    return runOther(this.world, this.steer, c, p.result);
  }

  private holdProbe(p: Probe): Difference {
    const start = this.world.ctx.sim.now;
    const lines = p.result.lines;
    const h = startHold(this.world, this.steer, p.client, Array.isArray(lines) ? (lines as Result[]) : undefined);
    for (const d of p.during ?? []) {
      if (d.atEnd) continue;
      const at = start + (d.atS ?? 0) * 1e6;
      if (at > this.world.ctx.sim.now) this.world.wait(at - this.world.ctx.sim.now);
      this.steer.next(undefined);
      for (const a of d.do) this.act(a);
    }
    this.world.finish(h.pid);
    for (const d of p.during ?? []) if (d.atEnd) for (const a of d.do) this.act(a);
    this.world.wait(READ_US);
    const d = checkHold(h, p.result);
    return d ?? (p.conntrack && !this.world.reads.has('conntrack') ? this.compareEnd(p) : undefined);
  }

  private sequence(c: Client, want: Result): Difference {
    for (const s of c.steps ?? []) {
      for (const a of s.do ?? []) this.act(a);
      if (!s.client) continue;
      const list = want[s.into ?? ''] as string[];
      const got = runEcho(this.world, this.steer, s.client, { sequence: list }).map(outcome);
      if (got.length !== list.length) return `${s.into}: expected ${list.length} attempts ; got ${got.length}`;
      if (new Set(got).size !== new Set(list).size)
        return `${s.into}: expected ${list.join(' ')} ; got ${got.join(' ')}`;
      if (s.into === 'before' && got[0] !== list[0]) return `before: expected ${list[0]} ; got ${got[0]}`;
    }
    return undefined;
  }

  /** Tables right after the client; an absent record says something for small, flushed probes only. */
  private compareEnd(p: Probe): Difference {
    const small = (p.client.attempts ?? 1) <= 2;
    if (!p.conntrack && !(small && p.conntrackFlushedBefore)) return undefined;
    return this.compareTable('conntrack', this.world.tables(), p.conntrack ?? {}, p);
  }

  private compareReads(p: Probe): Difference {
    for (const key of ['conntrack', 'conntrackBefore', 'conntrackMid', 'conntrackAfter'] as const) {
      const got = this.world.reads.get(key);
      if (!got) continue;
      const d = this.compareTable(key, got, p[key] ?? {}, p);
      if (d) return d;
    }
    return undefined;
  }

  private compareTable(what: string, got: Tables, want: Tables, p: Probe): Difference {
    return compareTables(what, got, want, knownPorts([p.client], this.world.endpointPorts()));
  }
}
