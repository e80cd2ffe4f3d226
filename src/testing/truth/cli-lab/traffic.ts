import type { Cluster } from '../../../engine/cluster';
import { type Program, programs } from '../../../engine/workload';
import { runArgv } from '../../../session/exec';
import type { PlaceRef } from '../../../shell/place';

/** One thing that the recorder did elsewhere while a command ran; lines are joined by `;`. */
export interface TrafficItem {
  readonly ns: string;
  /** Seconds after the command's start. */
  readonly at_s: number;
  readonly cmd: string;
}

/** Between two commands of one line (us). */
const BETWEEN_US = 5_000;

/** What happens in a replay's world beside the typed command: left-over processes and the recorder's traffic. */
export class Traffic {
  private readonly jobs: TrafficItem[][] = [];

  constructor(
    private readonly cluster: Cluster,
    private readonly netns: (ns: string) => string,
    private readonly placeOf: (ns: string) => PlaceRef,
  ) {
    cluster.ctx.sim.on<{ n: number }>('lab.traffic', ({ n }) => this.start(n));
  }

  /** Lets lines run at their times from now on; those of one time follow each other. */
  schedule(items: readonly TrafficItem[]): void {
    const { sim } = this.cluster.ctx;
    for (const at of new Set(items.map((t) => t.at_s))) {
      this.jobs.push(items.filter((t) => t.at_s === at));
      sim.after(Math.round(at * 1_000_000), 'lab.traffic', { n: this.jobs.length - 1 });
    }
  }

  /** A timer's handler may let the clock run on until its own programs have ended. */
  private start(n: number): void {
    const { sim } = this.cluster.ctx;
    for (const t of this.jobs[n] ?? []) {
      for (const cmd of t.cmd.split(';')) {
        this.run(this.placeOf(t.ns), cmd);
        // Connections close before the next one starts.
        sim.run({ untilUs: sim.now + BETWEEN_US });
      }
    }
  }

  private run(place: PlaceRef, cmd: string): void {
    const piped = /^\s*echo (\S+) \|(.*)$/.exec(cmd);
    runArgv(
      this.cluster,
      {
        op: 'run',
        place,
        argv: words(piped ? (piped[2] as string) : cmd),
        ...(piped ? { stdin: `${piped[1]}\n` } : {}),
      },
      { reader: this.cluster.ctx.world, acting: true },
    );
  }

  /**
   * A process that is left running. `sleep N | nc ...` holds nc's stdin open, `exec 3<>/dev/tcp/...` is a plain
   * connection, `for ...; sleep 1 | nc -u` one datagram a second.
   */
  background(ns: string, cmd: string): void {
    // Nothing in the model takes the xtables lock: whoever would wait for it goes on at once.
    if (/^flock \/run\/xtables\.lock/.test(cmd)) return;
    const { spec, procs } = this.cluster;
    const files = spec.machines.find((m) => m.id === this.netns(ns))?.files ?? {};
    const tcp = /^exec 3<>\/dev\/tcp\/([\d.]+)\/(\d+);/.exec(cmd);
    const feed = cmd.slice(0, Math.max(0, cmd.lastIndexOf('|'))).trim();
    const argv = tcp
      ? ['nc', tcp[1] as string, tcp[2] as string]
      : words(cmd.slice(cmd.lastIndexOf('|') + 1).replace('</dev/null', ''));
    const rounds = /for i in ([\d ]+);.*echo x; sleep 1/.exec(feed)?.[1]?.trim().split(' ').length;
    const program = rounds === undefined ? programs[argv[0] as string] : paced(argv, rounds);
    if (!program) throw new Error(`background: ${cmd}`);
    const stdin = cmd.includes('</dev/null') ? '' : /^echo\b/.test(feed) ? '\n' : undefined;
    procs.spawn(this.netns(ns), program, argv, { files, ...(stdin === undefined ? {} : { stdin }) });
  }
}

/** `nc -u -p PORT IP PORT` whose stdin brings a line a second. */
function paced(argv: readonly string[], rounds: number): Program {
  return function* (sys) {
    const fd = sys.socket('udp');
    const [ip = '', port = ''] = argv.slice(-2);
    sys.bind(fd, { ip: '0.0.0.0', port: Number(argv[argv.indexOf('-p') + 1]) });
    sys.connect(fd, { ip, port: Number(port) });
    for (let sent = 0; ; ) {
      if (sent < rounds) {
        sys.send(fd, 'x\n');
        sent++;
      }
      const wake = yield { kind: 'sleep', us: 1_000_000 };
      if (wake.kind === 'signal') return 0;
      while (sys.recv(fd).ok);
    }
  };
}

const words = (line: string): string[] => line.trim().split(/\s+/);
