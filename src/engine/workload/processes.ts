import { assert } from '../base/assert';
import type { RecordMap } from '../base/recordmap';
import type { Net } from '../net';
import type { Program, Wait, Wake } from './process';
import { PROCS, type ProcRecord } from './records';
import { SysCalls } from './syscalls';

/** Wake-up latency of a process that waits for a socket, us. */
const WAKE_US = 10;
/** Steps without blocking after which a program is a runaway. */
const MAX_STEPS = 100_000;
/** First pid handed out. */
const FIRST_PID = 1001;

export type Signal = 'INT' | 'TERM' | 'KILL';
const SIGNUM: Readonly<Record<Signal, number>> = { INT: 2, TERM: 15, KILL: 9 };

export interface SpawnOptions {
  /** path → text, or a function. */
  readonly files?: Readonly<Record<string, string>> | ((path: string) => string | undefined);
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
  /** What it makes of its command line (setproctitle). */
  readonly title?: string;
  /** It is forked from this process and has its sockets too. */
  readonly shares?: string;
  readonly stdin?: string;
  /** stdout, stderr are terminals; both default to false. */
  readonly tty?: boolean;
  readonly ttyErr?: boolean;
  /** Columns of the terminal, default 80. */
  readonly cols?: number;
  /** Span under which the process is shown; default: the current one. */
  readonly parentSpan?: number;
  readonly onOutput?: (fd: 1 | 2, text: string) => void;
  readonly onExit?: (exit: number) => void;
}

/** What a process left behind. */
export interface ProcResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams in the order of writing, as a terminal shows them. */
  readonly merged: string;
  readonly exit: number | undefined;
  readonly files: Readonly<Record<string, string>>;
}

interface Live {
  readonly pid: string;
  readonly gen: Generator<Wait, number, Wake>;
  readonly sys: SysCalls;
  readonly span: number;
  readonly opts: SpawnOptions;
  wait: Wait | undefined;
  timer: number | undefined;
  wake: number | undefined;
  out: [string, string];
  merged: string;
  readonly files: Record<string, string>;
}

/** Thrown inside a program by the blocking helpers when a signal it does not handle arrives. */
export class Terminated extends Error {
  constructor(readonly signal: Signal) {
    super(`signal ${signal}`);
  }
}

/** The process table and scheduler of all machines. */
export class Processes {
  readonly map: RecordMap<ProcRecord>;
  private readonly live = new Map<string, Live>();
  private readonly ended = new Map<string, ProcResult>();
  private nextPid = FIRST_PID;

  constructor(readonly net: Net) {
    const { ctx } = net;
    this.map = ctx.world.map(PROCS);
    ctx.sim.on<{ pid: string }>('proc.run', ({ pid }) => this.start(pid));
    ctx.sim.on<{ pid: string }>('proc.timeout', ({ pid }) => this.timeout(pid));
    ctx.sim.on<{ pid: string }>('proc.wake', ({ pid }) => this.woken(pid));
    ctx.sim.on<{ pid: string; signal: Signal }>('proc.signal', ({ pid, signal }) => this.signalled(pid, signal));
    net.sockets.onActivity((sock) => this.activity(sock));
  }

  /** Starts a program in a namespace; it runs from the next step of the clock on. */
  spawn(netns: string, program: Program, argv: readonly string[], opts: SpawnOptions = {}): string {
    const pid = String(this.nextPid++);
    const { trace, sim } = this.net.ctx;
    const span = trace.openSpan({
      kind: 'process',
      label: argv.join(' '),
      where: this.net.place(netns),
      facts: { pid },
      ...(opts.parentSpan === undefined ? {} : { parent: opts.parentSpan }),
    });
    const sys = new SysCalls(this, pid, netns, argv, opts);
    this.live.set(pid, {
      pid,
      gen: program(sys),
      sys,
      span,
      opts,
      wait: undefined,
      timer: undefined,
      wake: undefined,
      out: ['', ''],
      merged: '',
      files: {},
    });
    this.map.set(pid, {
      pid,
      netns,
      argv: [...argv],
      uid: opts.uid ?? 0,
      ...(opts.title === undefined ? {} : { title: opts.title }),
      ...(opts.shares === undefined ? {} : { shares: opts.shares }),
      startedAtUs: sim.now,
    });
    trace.within(span, () => trace.emitAlways('proc.start', { pid, argv: [...argv] }, this.net.place(netns)));
    sim.after(0, 'proc.run', { pid });
    return pid;
  }

  running(pid: string): boolean {
    return this.live.has(pid);
  }

  /** Output so far, and the exit status once it ended. */
  result(pid: string): ProcResult {
    const p = this.live.get(pid);
    if (p) return { stdout: p.out[0], stderr: p.out[1], merged: p.merged, exit: undefined, files: p.files };
    return this.ended.get(pid) ?? { stdout: '', stderr: '', merged: '', exit: undefined, files: {} };
  }

  /** Sends a signal; KILL cannot be handled. */
  kill(pid: string, signal: Signal): void {
    if (this.live.has(pid)) this.net.ctx.sim.after(0, 'proc.signal', { pid, signal });
  }

  // — the programs' side —

  write(pid: string, fd: 1 | 2, text: string): void {
    const p = this.live.get(pid);
    if (!p || text === '') return;
    p.out[fd - 1] += text;
    p.merged += text;
    const rec = this.map.get(pid) as ProcRecord;
    this.net.ctx.trace.emitAlways('proc.output', { pid, fd, text }, this.net.place(rec.netns));
    p.opts.onOutput?.(fd, text);
  }

  writeFile(pid: string, path: string, text: string): void {
    const p = this.live.get(pid);
    if (p) p.files[path] = text;
  }

  // — scheduling —

  private start(pid: string): void {
    const p = this.live.get(pid);
    if (p) this.step(p, { kind: 'timeout' });
  }

  private timeout(pid: string): void {
    const p = this.live.get(pid);
    if (!p) return;
    p.timer = undefined;
    this.step(p, { kind: 'timeout' });
  }

  private woken(pid: string): void {
    const p = this.live.get(pid);
    if (!p) return;
    p.wake = undefined;
    const fds = this.readyFds(p);
    if (fds.length > 0) this.step(p, { kind: 'ready', fds });
  }

  private signalled(pid: string, signal: Signal): void {
    const p = this.live.get(pid);
    if (!p) return;
    if (signal === 'KILL') {
      this.inSpan(p, () => {
        p.gen.return(0);
        this.end(p, 128 + SIGNUM.KILL);
      });
      return;
    }
    this.step(p, { kind: 'signal', signal });
  }

  /** A socket changed: the process that polls it may go on. */
  private activity(sock: string): void {
    const owner = this.net.sockets.get(sock)?.pid;
    const p = owner === undefined ? undefined : this.live.get(owner);
    if (p?.wait?.kind !== 'poll' || p.wake !== undefined || this.readyFds(p).length === 0) return;
    p.wake = this.net.ctx.sim.after(WAKE_US, 'proc.wake', { pid: p.pid });
  }

  private readyFds(p: Live): number[] {
    if (p.wait?.kind !== 'poll') return [];
    return p.wait.fds.filter((f) => p.sys.isReady(f.fd, f.events)).map((f) => f.fd);
  }

  private inSpan(p: Live, body: () => void): void {
    const { trace } = this.net.ctx;
    trace.within(p.span, body);
  }

  private step(p: Live, first: Wake): void {
    const { sim } = this.net.ctx;
    sim.cancel(p.timer);
    sim.cancel(p.wake);
    p.timer = undefined;
    p.wake = undefined;
    p.wait = undefined;
    this.inSpan(p, () => {
      let wake = first;
      for (let n = 0; n < MAX_STEPS; n++) {
        const r = this.resume(p, wake);
        if (typeof r === 'number') {
          this.end(p, r);
          return;
        }
        p.wait = r;
        const fds = this.readyFds(p);
        if (fds.length > 0) {
          wake = { kind: 'ready', fds };
          continue;
        }
        if (r.kind === 'child' && !this.live.has(r.pid)) {
          wake = { kind: 'timeout' };
          continue;
        }
        const us = r.kind === 'sleep' ? r.us : r.kind === 'poll' ? r.timeoutUs : undefined;
        if (us !== undefined) p.timer = sim.after(Math.max(0, us), 'proc.timeout', { pid: p.pid });
        return;
      }
      assert(false, `process ${p.pid} never blocks`);
    });
  }

  /** Runs the program to its next wait, or gives its exit status. */
  private resume(p: Live, wake: Wake): Wait | number {
    try {
      const r = p.gen.next(wake);
      return r.done ? r.value : r.value;
    } catch (e) {
      if (e instanceof Terminated) return 128 + SIGNUM[e.signal];
      throw e;
    }
  }

  private end(p: Live, exit: number): void {
    const { sim, trace } = this.net.ctx;
    sim.cancel(p.timer);
    sim.cancel(p.wake);
    this.live.delete(p.pid);
    p.sys.closeAll();
    const [stdout, stderr] = p.out;
    this.ended.set(p.pid, { stdout, stderr, merged: p.merged, exit, files: p.files });
    const rec = this.map.get(p.pid) as ProcRecord;
    this.map.set(p.pid, { ...rec, endedAtUs: sim.now, exit });
    trace.emitAlways('proc.exit', { pid: p.pid, exit }, this.net.place(rec.netns));
    p.opts.onExit?.(exit);
    for (const q of this.live.values()) {
      if (q.wait?.kind === 'child' && q.wait.pid === p.pid) sim.after(0, 'proc.timeout', { pid: q.pid });
    }
  }
}
