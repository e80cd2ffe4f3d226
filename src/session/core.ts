import type { WorldReader } from '../engine/base';
import { type Cluster, createCluster } from '../engine/cluster';
import { createCtx, type TraceEvent } from '../engine/trace';
import { landingOf } from './landing';
import { lateParts } from './late';
import { SessionProblem } from './problem';
import { specOf } from './profiles';
import type { CommandOutcome, CutCommand, PlaceRef, Recipe, SessionCommand } from './protocol';
import { WorldReplica } from './replica';
import { setupManifests } from './setup';
import type { TraceView } from './steps';

/** Simulated time that the cluster gets to come up before, and to settle after, the manifests of its recipe (us). */
const BOOT_US = 5_000_000;
const SETTLE_US = 20_000_000;
/** Time in which late servers come up: CoreDNS lists Services and probes itself before it answers (us). */
const LATE_US = 5_000_000;
/** Time after an injected packet in which its walk is over (us). */
const WALK_US = 20_000;

type Run = Extract<SessionCommand, { op: 'run' }>;

/** Thrown through a command that a fork cuts short. */
class Cut extends Error {}

/**
 * One run of one world: the engine, its log of commands (the recipe) and a replica for questions about the past. The
 * page talks to it through a worker, the headless command and the tests directly; nobody else touches the engine.
 */
export class Session {
  private readonly done: (SessionCommand | CutCommand)[] = [];
  private readonly past: WorldReplica;
  /** Numbers of events at the ends of handlers, rising: where a fork may begin. */
  private readonly boundaries: number[] = [];
  private stopAt: number | undefined;
  lastOutcome: CommandOutcome | undefined;
  /** Number of events of the set-up; what the reader sees begins after it. */
  readonly origin: number;

  private constructor(
    readonly cluster: Cluster,
    private readonly start: Recipe,
    progress: (done: number, total: number) => void,
  ) {
    const { ctx } = cluster;
    this.past = new WorldReplica(ctx.trace.events);
    ctx.sim.setAfterHandler(() => {
      ctx.trace.flush();
      this.boundary();
    });
    for (const s of start.cluster.sysctls ?? []) cluster.net.setSysctl(s.netns, s.key, s.value);
    ctx.sim.run({ untilUs: ctx.sim.now + BOOT_US });
    if (start.cluster.manifests !== undefined) setupManifests(cluster, start.cluster.manifests);
    ctx.sim.run({ untilUs: ctx.sim.now + SETTLE_US });
    ctx.trace.flush();
    this.origin = ctx.trace.head;
    this.boundaries.push(this.origin);
    for (const [i, c] of start.commands.entries()) {
      progress(i, start.commands.length);
      this.replay(c);
    }
  }

  /** Builds the world of a recipe and runs its commands. Throws SessionProblem when the recipe does not fit. */
  static open(recipe: Recipe, progress: (done: number, total: number) => void = () => undefined): Session {
    const ctx = createCtx(recipe.seed);
    return new Session(createCluster(ctx, specOf(recipe.cluster)), recipe, progress);
  }

  get trace(): TraceView {
    const { events, spans } = this.cluster.ctx.trace;
    return { events, spans };
  }
  /** What gives this world again. */
  get recipe(): Recipe {
    return { ...this.start, commands: [...this.done] };
  }
  /** Hash over the whole trace so far. */
  hash(): string {
    return this.cluster.ctx.trace.hash();
  }
  /** The live world, or the world at a past cursor (valid until the next call). */
  reader(cursor?: number): WorldReader {
    return cursor === undefined || cursor >= this.trace.events.length ? this.cluster.ctx.world : this.past.seek(cursor);
  }

  /** Does a command and logs it. A refused one (SessionProblem) leaves the world as it was. */
  do(command: SessionCommand): CommandOutcome {
    const outcome = this.execute(command);
    this.done.push(command);
    this.lastOutcome = outcome;
    return outcome;
  }

  /** Answers a listing command for a cursor; refuses one that would change the world (`session.acts`). */
  peek(cursor: number, command: SessionCommand): CommandOutcome {
    if (command.op !== 'run')
      throw new SessionProblem({ code: 'session.acts', message: 'this would change the world' });
    const reader = this.reader(cursor);
    const r = lateParts().runArgv(this.cluster, command, { reader, acting: false });
    if (r === 'acts')
      throw new SessionProblem({ code: 'session.acts', message: 'this command would change the world' });
    return { ...r, fromSeq: 0, toSeq: 0, lineSeqs: r.stdout.split('\n').map(() => cursor) };
  }

  complete(place: PlaceRef, line: string, cursor: number): readonly string[] {
    return lateParts().completeLine(this.cluster, place, line, this.reader(cursor));
  }

  /**
   * A new session from the same recipe, run to the last end of a handler not after `cursor`: a handler, such as one
   * packet's walk through a namespace, cannot be interrupted. Tells where it landed.
   */
  fork(cursor: number): { session: Session; cursor: number } {
    const at = this.boundaries.reduce((best, b) => (b <= cursor && b > best ? b : best), this.origin);
    const commands: (SessionCommand | CutCommand)[] = [];
    const probe = Session.open({ ...this.start, commands: [] });
    for (const c of this.done) {
      if (probe.trace.events.length >= at) break;
      const cut: CutCommand | SessionCommand = c.op === 'cut' ? c : { op: 'cut', seq: at, command: c };
      probe.replay(cut);
      commands.push(probe.trace.events.length >= at ? cut : c);
    }
    probe.done.splice(0, probe.done.length, ...commands);
    return { session: probe, cursor: probe.trace.events.length };
  }

  private replay(c: SessionCommand | CutCommand): void {
    if (c.op !== 'cut') {
      this.do(c);
      return;
    }
    this.stopAt = c.seq;
    try {
      this.lastOutcome = this.execute(c.command);
    } catch (e) {
      if (!(e instanceof Cut)) throw e;
    } finally {
      this.stopAt = undefined;
    }
    this.done.push(c);
  }

  private boundary(): void {
    const head = this.cluster.ctx.trace.head;
    if (this.boundaries.at(-1) !== head) this.boundaries.push(head);
    if (this.stopAt !== undefined && head >= this.stopAt) throw new Cut();
  }

  private execute(command: SessionCommand): CommandOutcome {
    const { ctx } = this.cluster;
    // What starts late has started before anything of the command happens.
    if (this.cluster.startLate()) ctx.sim.run({ untilUs: ctx.sim.now + LATE_US });
    const fromSeq = ctx.trace.head + 1;
    const r = this.perform(command);
    if (command.op !== 'advance') this.cluster.rulesMayHaveChanged();
    ctx.trace.flush();
    this.boundary();
    const toSeq = ctx.trace.head;
    if (toSeq < fromSeq) return { ...r, fromSeq: 0, toSeq: 0 };
    const landSeq = r.span === undefined ? undefined : landingOf(this.trace, r.span, fromSeq, toSeq);
    const { span: _, ...plain } = r;
    return {
      ...plain,
      fromSeq,
      toSeq,
      ...(landSeq === undefined ? {} : { landSeq }),
      lineSeqs: lineSeqs(this.trace.events, fromSeq, toSeq, r.stdout),
    };
  }

  private perform(command: SessionCommand): Performed {
    const { cluster } = this;
    const { ctx, net } = cluster;
    switch (command.op) {
      case 'run':
        return this.runCommand(command);
      case 'apply':
        return { ...NOTHING, stdout: lateParts().applyManifest(cluster, command.yaml, command.file) };
      case 'advance':
        ctx.sim.run({ untilUs: ctx.sim.now + command.us });
        return NOTHING;
      case 'inject': {
        const packet = command.packet as Parameters<typeof net.sendRaw>[1];
        if (command.dev === 'local') {
          const errno = net.sendRaw(command.netns, packet);
          ctx.sim.run({ untilUs: ctx.sim.now + WALK_US });
          return errno === undefined ? NOTHING : { ...NOTHING, stderr: errno, exit: 1 };
        }
        const macs = {
          ...(command.dstMac && { dstMac: command.dstMac }),
          ...(command.srcMac && { srcMac: command.srcMac }),
        };
        net.injectFrame(`${command.netns}:${command.dev}`, packet, macs);
        ctx.sim.run({ untilUs: ctx.sim.now + WALK_US });
        return NOTHING;
      }
      case 'fault': {
        const fault = lateParts().faults.find((f) => f.name === command.name);
        if (!fault)
          throw new SessionProblem({ code: 'session.fault', message: `no such fault: ${command.name}`, field: 'name' });
        const problem = fault.run(cluster, command.args as Parameters<typeof fault.run>[1]);
        return problem === undefined ? NOTHING : { ...NOTHING, stderr: problem, exit: 1 };
      }
    }
  }

  private runCommand(command: Run): Performed {
    const { trace } = this.cluster.ctx;
    const line = command.line ?? command.argv.join(' ');
    const span = trace.openSpan({ kind: 'command', label: line, facts: { terminal: command.terminal } });
    return trace.within(span, () => {
      trace.emitAlways('command.start', { place: placeText(command.place), line });
      const r = lateParts().runArgv(this.cluster, command, { reader: this.cluster.ctx.world, acting: true });
      if (r === 'acts') throw new SessionProblem({ code: 'session.acts', message: 'this command cannot run here' });
      trace.emitAlways('command.end', { exit: r.exit });
      return { ...r, span };
    });
  }
}

interface Performed {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
  readonly files?: Readonly<Record<string, string>>;
  readonly span?: number;
}
const NOTHING: Performed = { stdout: '', stderr: '', exit: 0 };

/** The event at which each line of stdout was there: its process wrote it, or (printed by the command itself) the end. */
function lineSeqs(events: readonly TraceEvent[], from: number, to: number, stdout: string): number[] {
  if (stdout === '') return [];
  const ends: { at: number; seq: number }[] = [];
  let length = 0;
  for (let seq = from; seq <= to; seq++) {
    const e = events[seq - 1] as TraceEvent;
    const facts = e.facts as { text?: string };
    if (e.kind !== 'proc.output' || !stdout.startsWith(facts.text ?? '', length)) continue;
    length += (facts.text ?? '').length;
    ends.push({ at: length, seq });
  }
  let at = 0;
  return stdout
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      at += line.length;
      const seq = ends.find((x) => x.at >= at)?.seq ?? to;
      at += 1;
      return seq;
    });
}

const placeText = (p: PlaceRef): string =>
  p.kind === 'workstation' ? p.kind : p.kind === 'pod' ? `pod ${p.namespace}/${p.name}` : `${p.kind} ${p.name}`;
