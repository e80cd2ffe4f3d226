import type { WorldReader } from '../engine/base';
import { type Cluster, podFiles } from '../engine/cluster';
import { DEVS } from '../engine/net';
import {
  type Acting,
  type Command,
  type CommandCtx,
  type CommandResult,
  fail,
  isRunning,
  type NetAdmin,
  type Running,
  type SysctlView,
} from '../shell/command';
import { COMMANDS, commandNamed, installed } from '../shell/commands';
import { placeFiles } from '../shell/files';
import type { Place } from '../shell/place';
import { placeOf } from './places';
import { SessionProblem } from './problem';
import type { PlaceRef, SessionCommand } from './protocol';

type Run = Extract<SessionCommand, { op: 'run' }>;

/** Simulated time that a command may take when it says nothing of its own (us): curl without --max-time waits longest. */
const MAX_US = 200_000_000;

/** Sysctls at a reader's cursor. */
export function sysctlsAt(cluster: Cluster, reader: WorldReader): SysctlView {
  const { sysctls } = cluster.net;
  return {
    get: (netns, key) => sysctls.get(netns, key, reader),
    keys: (netns) => sysctls.keys(netns),
    writable: (netns, key) => sysctls.writable(netns, key),
  };
}

/** Runs one command line (argv) where it stands. `acts`: it would change the world and may not. */
export function runArgv(
  cluster: Cluster,
  run: Run,
  opts: { readonly reader: WorldReader; readonly acting: boolean },
): CommandResult | 'acts' {
  const place = placeOf(cluster, opts.reader, run.place);
  if (!place)
    throw new SessionProblem({ code: 'place.none', message: 'there is no such place at this moment', field: 'place' });
  return new Runner(cluster, opts.reader, run, opts.acting).run(place, run.argv, run.stdin ?? '');
}

/** One command line, and what it runs in other places in its turn. */
class Runner {
  private depth = 0;

  constructor(
    private readonly cluster: Cluster,
    private readonly reader: WorldReader,
    private readonly typed: Run,
    private readonly acting: boolean,
  ) {}

  run(place: Place, argv: readonly string[], stdin: string): CommandResult | 'acts' {
    const name = argv[0] ?? '';
    const command = commandNamed(name);
    if (!command || !installed(place, name)) return fail(`bash: ${name}: command not found`, 127);
    if (!this.acting && command.acts(argv)) return 'acts';
    const r = command.run(this.context(place, argv, stdin, command));
    return isRunning(r) ? this.spawn(place, r) : r;
  }

  private context(place: Place, argv: readonly string[], stdin: string, _: Command): CommandCtx {
    const { cluster, reader, typed } = this;
    const sysctl = sysctlsAt(cluster, reader);
    const cwd = typed.cwd ?? '/root';
    const uid = typed.uid ?? 0;
    return {
      reader,
      place,
      argv,
      stdin,
      env: typed.env ?? {},
      files: placeFiles({ place, reader, netfilter: cluster.netfilter, sysctl, uid, own: typed.files ?? {}, cwd }),
      cwd,
      cols: typed.cols,
      uid,
      netfilter: cluster.netfilter,
      sysctl,
      ...(typed.maxUs === undefined ? {} : { interruptUs: typed.maxUs }),
      findPlace: (ref) => placeOf(cluster, reader, ref),
      ...(this.acting ? { world: this.world(place) } : {}),
    };
  }

  private world(place: Place): Acting {
    const { cluster } = this;
    const { sim } = cluster.ctx;
    return {
      get api() {
        return cluster.api;
      },
      setSysctl: (netns, key, value) => {
        const r = cluster.net.setSysctl(netns, key, value);
        return r.ok ? undefined : r.error;
      },
      net: netAdmin(cluster),
      exec: (running) => this.spawn(place, running),
      advance: (us) => void sim.run({ untilUs: sim.now + us }),
      runUntil: (done, maxUs) => {
        if (!done()) sim.run({ untilUs: sim.now + maxUs, until: done });
        return done();
      },
      tap: (where, seen) => {
        const { taps } = cluster.net;
        const id = taps.add(where, seen);
        return () => taps.remove(id);
      },
      runIn: (where, argv, stdin) => {
        if (++this.depth > 8) return fail('too many commands within commands', 126);
        const r = this.run(where, argv, stdin);
        this.depth--;
        return r === 'acts' ? fail('', 1) : r;
      },
    };
  }

  /** Spawns a program and lets the clock run until it ends; at its time limit it gets ^C, then no more time. */
  private spawn(place: Place, r: Running): CommandResult {
    const { procs, ctx } = this.cluster;
    const netns = r.netns ?? place.netns;
    if (netns === undefined) return fail('no network here', 1);
    const own = {
      ...place.files,
      ...(r.netns === undefined ? {} : podFiles(this.cluster, r.netns)),
      ...this.typed.files,
      ...besides(this.typed.files ?? {}, this.typed.cwd ?? '/root'),
      ...r.files,
    };
    const onTerminal = r.tty === true && this.typed.cols !== undefined;
    const apart = this.typed.errApart === true;
    const pid = procs.spawn(netns, r.program, r.argv, {
      files: own,
      uid: this.typed.uid ?? 0,
      ...(r.stdin === undefined ? {} : { stdin: r.stdin }),
      ...(onTerminal ? { tty: true, ttyErr: !apart, cols: this.typed.cols } : {}),
      ...(this.typed.env === undefined ? {} : { env: this.typed.env }),
    });
    const limit = ctx.sim.now + (r.maxUs ?? this.typed.maxUs ?? MAX_US);
    const ended = (): boolean => !procs.running(pid);
    ctx.sim.run({ untilUs: limit, until: ended });
    if (!ended()) {
      procs.kill(pid, 'INT');
      ctx.sim.run({ untilUs: ctx.sim.now + 1_000_000, until: ended });
    }
    if (!ended()) {
      procs.kill(pid, 'KILL');
      ctx.sim.run({ untilUs: ctx.sim.now + 1_000, until: ended });
    }
    const { stdout, stderr, merged, exit, files } = procs.result(pid);
    // On a terminal both streams come out in the order in which they were written.
    const text = onTerminal && !apart ? { stdout: merged, stderr: '' } : { stdout, stderr };
    const result = { ...text, exit: exit ?? 137 };
    const done: CommandResult = r.finish ? r.finish(result) : result;
    return Object.keys(files).length === 0 ? done : { ...done, files: { ...files, ...done.files } };
  }
}

/** Files of the working directory by their plain names too. */
const besides = (files: Readonly<Record<string, string>>, cwd: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(files).flatMap(([path, text]) =>
      path.startsWith(`${cwd}/`) ? [[path.slice(cwd.length + 1), text]] : [],
    ),
  );

const errno = (r: { ok: boolean; error?: string }): string | undefined => (r.ok ? undefined : r.error);

function netAdmin(cluster: Cluster): NetAdmin {
  const { links } = cluster.net;
  const split = (cidr: string): [string, number] => {
    const [ip = '', len] = cidr.split('/');
    return [ip, len === undefined ? 32 : Number(len)];
  };
  const id = (netns: string, dev: string): string => `${netns}:${dev}`;
  const known = (netns: string, dev: string): boolean => cluster.ctx.world.map(DEVS).has(id(netns, dev));
  return {
    linkSet(netns, dev, change) {
      if (!known(netns, dev)) return 'ENODEV';
      if (change.mtu !== undefined) links.changeDevice(id(netns, dev), { mtu: change.mtu });
      if (change.up !== undefined) links.setLink(id(netns, dev), change.up);
      return undefined;
    },
    linkAdd(netns, dev, kind) {
      if (known(netns, dev)) return 'EEXIST';
      if (kind !== 'dummy' && kind !== 'bridge') return 'EOPNOTSUPP';
      links.addDevice(netns, { name: dev, kind, up: false });
      return undefined;
    },
    linkDel(netns, dev) {
      if (!known(netns, dev)) return 'ENODEV';
      if (dev === 'lo') return 'EOPNOTSUPP';
      links.removeDevice(id(netns, dev));
      return undefined;
    },
    addrAdd: (netns, dev, cidr) => errno(links.addAddress(id(netns, dev), ...split(cidr))),
    addrDel: (netns, dev, cidr) => errno(links.delAddress(id(netns, dev), ...split(cidr))),
    route(netns, op, r) {
      const kind = r.type === '' || r.type === 'unicast' ? {} : { kind: r.type as 'blackhole' };
      const spec = {
        dst: r.dst,
        ...kind,
        ...(r.via === undefined ? {} : { via: r.via }),
        ...(r.dev === undefined ? {} : { dev: r.dev }),
        ...(r.src === undefined ? {} : { src: r.src }),
        ...(r.metric === undefined ? {} : { metric: r.metric }),
      };
      return errno(
        op === 'del' ? links.delRoute(netns, spec) : links.addRoute(netns, spec, op === 'replace' || op === 'change'),
      );
    },
    neighFlush(netns, dev) {
      for (const k of [...links.neighs.by('netns', netns)]) {
        const n = links.neighs.get(k);
        if (n && n.state !== 'PERMANENT' && (dev === undefined || n.dev === id(netns, dev)))
          links.delNeigh(n.dev, n.ip);
      }
      return undefined;
    },
  };
}

/** Words that may stand at the end of a started command line, from the state at the reader's cursor. */
export function completeLine(cluster: Cluster, ref: PlaceRef, line: string, reader: WorldReader): readonly string[] {
  const place = placeOf(cluster, reader, ref);
  if (!place) return [];
  // Only the last simple command of the line counts: what follows a pipe, a separator or a substitution.
  const part = line.slice(Math.max(...['|', ';', '&', '('].map((c) => line.lastIndexOf(c))) + 1).trimStart();
  const words = part.split(/\s+/);
  const word = words.pop() ?? '';
  if (words.length === 0) {
    return COMMANDS.flatMap((c) => [c.name, ...(c.aliases ?? [])]).filter(
      (n) => n.startsWith(word) && installed(place, n),
    );
  }
  const command = commandNamed(words[0] ?? '');
  const found = command?.complete?.({
    reader,
    place,
    words,
    word,
    netfilter: cluster.netfilter,
    sysctl: sysctlsAt(cluster, reader),
  });
  return [...new Set(found ?? [])].filter((w) => w.startsWith(word)).slice(0, 500);
}
