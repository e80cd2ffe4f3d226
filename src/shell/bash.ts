import { Bash, type CustomCommand, defineCommand, type ExecResult, type ResolvedCommandContext } from 'just-bash';
import { parseSeconds, simulate } from './language/clock';
import { asAsh, asBash } from './language/errors';
import type { BashHost, BashIo, RunAnswer } from './language/host';
import { isLive, type LiveFiles, PlaceFs } from './language/livefs';
import { kubectlWords, PROGRAMS } from './language/programs';
import type { PlaceRef } from './place';

export type { BashHost, BashIo, RunAnswer } from './language/host';

/** Limits of one line: enough for every honest loop, far below what freezes a page. */
const LIMITS = {
  maxCommandCount: 20_000,
  maxLoopIterations: 10_000,
  maxCallDepth: 50,
  maxOutputSize: 8_000_000,
  maxStringLength: 8_000_000,
  maxSourceBytes: 200_000,
  maxAwkIterations: 200_000,
  maxSedIterations: 200_000,
  maxJqIterations: 200_000,
};
/** Rounds of `watch` before it gives the terminal back by itself. */
const WATCH_ROUNDS = 30;
/** Columns that a terminal tells its programs; those of the page's own are the reader's, who may change them at any time. */
const TERMINAL_COLS = 80;
/** Bytes of files that one command gets to see. */
const MAX_FILES = 4_000_000;

export interface ExecOptions {
  /** Interactive bash words its errors without line numbers; default true. */
  readonly interactive?: boolean;
  readonly ash?: boolean;
  readonly uid?: number;
  readonly cols?: number;
  /** stdout is a terminal, but stderr goes elsewhere. */
  readonly errApart?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string;
  readonly signal?: AbortSignal;
  readonly terminal?: string;
}

export interface ExecOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
  /** The event at which each line of stdout was printed. */
  readonly seqs: readonly number[];
}

/** A printed line and the event it belongs to, to be found again in what the pipeline let through. */
interface Printed {
  readonly text: string;
  readonly seq: number;
}

const placeKey = (p: PlaceRef): string =>
  p.kind === 'pod' ? `pod/${p.namespace}/${p.name}` : p.kind === 'workstation' ? p.kind : `${p.kind}/${p.name}`;

/** A macrotask: lets timers, messages and aborts through between two commands. */
const breathe = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/**
 * The shell language of one place: bash with its own variables, directory and files. Programs of ours run in the
 * session; pipes, loops and text tools run here, on the simulated clock.
 */
export class PlaceShell {
  readonly fs: PlaceFs;
  private readonly live: LiveFiles;
  private readonly bash: Bash;
  private env: Record<string, string>;
  private cwd = '/root';
  private options: ExecOptions = {};
  private printed: Printed[] = [];
  private lastSeq = 0;
  /** Simulated times at which enclosing `timeout`s end. */
  private readonly deadlines: { readonly atUs: number; readonly abort: AbortController }[] = [];
  private readonly startUs: number;
  private random = 20_220;
  private piped = false;
  private line = '';
  private lastExit = 0;

  constructor(
    private readonly host: BashHost,
    readonly place: PlaceRef,
    private readonly shells: BashShells,
  ) {
    this.startUs = host.nowUs();
    this.live = this.liveFiles();
    this.fs = new PlaceFs(this.live);
    this.env = {
      HOME: '/root',
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOSTNAME: place.kind === 'workstation' ? 'workstation' : place.name,
      USER: 'root',
      SHELL: '/bin/bash',
      TERM: 'xterm',
      LANG: 'C.UTF-8',
    };
    this.bash = new Bash({
      fs: this.fs,
      cwd: this.cwd,
      env: this.env,
      executionLimits: LIMITS,
      defenseInDepth: false,
      sleep: (ms) => this.sleep(Math.round(ms * 1000)),
      customCommands: this.commands(),
      processInfo: { pid: 1000, ppid: 1, uid: 0, gid: 0 },
    });
  }

  /** Runs a line; variables and the directory stay for the next one. */
  async exec(line: string, options: ExecOptions = {}): Promise<ExecOutput> {
    const outer = { options: this.options, printed: this.printed, piped: this.piped, line: this.line };
    this.options = options;
    this.printed = [];
    this.line = line;
    // Whether stdout is the terminal cannot be asked of a command: a line with a pipe, a redirection or a substitution is taken for one whose output goes elsewhere.
    this.piped = /[|>`]|\$\(/.test(line);
    const env = { ...this.env, ...options.env };
    try {
      const r = await this.bash.exec(simulate(this.withExit(line)), {
        env,
        cwd: options.cwd ?? this.cwd,
        ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      });
      if (options.cwd === undefined) this.cwd = r.env.PWD ?? this.cwd;
      if (options.signal?.aborted) return this.finish(line, r.stdout, r.stderr, 130);
      this.keep(r.env, options.env ?? {});
      this.lastExit = r.exitCode;
      const stderr = asBash(r.stderr, options.interactive ?? true);
      return this.finish(line, r.stdout, options.ash ? asAsh(stderr) : stderr, r.exitCode);
    } catch (e) {
      if (options.signal?.aborted) return this.finish(line, '', '', 130);
      return this.finish(
        line,
        '',
        asBash(`bash: ${e instanceof Error ? e.message : String(e)}\n`, options.interactive ?? true),
        126,
      );
    } finally {
      this.options = outer.options;
      this.printed = outer.printed;
      this.piped = outer.piped;
      this.line = outer.line;
    }
  }

  /** The interpreter begins each line with `$?` 0: one that asks for it is told how the line before ended. */
  private withExit(line: string): string {
    return this.lastExit !== 0 && /\$(?:\?|\{\?)/.test(line) ? `(exit ${this.lastExit}); ${line}` : line;
  }

  private finish(line: string, stdout: string, stderr: string, exit: number): ExecOutput {
    // A redirection that the kernel refused ends the command with 1.
    if (
      exit === 126 &&
      line.includes('>') &&
      /^bash: (?:\/\S+: (?:Permission denied|Read-only file system)|echo: write error: )/m.test(stderr)
    ) {
      return { stdout, stderr, exit: 1, seqs: this.seqsOf(stdout) };
    }
    // A file of the place is no program.
    const file = /^bash: (?:line \d+: )?(\/\S+): No such file or directory$/m.exec(stderr);
    if (
      exit === 127 &&
      file &&
      line.trim().startsWith(file[1] as string) &&
      /^\/(?:etc|proc|root)\//.test(file[1] as string)
    ) {
      return {
        stdout,
        stderr: stderr.replace('No such file or directory', 'Permission denied'),
        exit: 126,
        seqs: this.seqsOf(stdout),
      };
    }
    return { stdout, stderr, exit, seqs: this.seqsOf(stdout) };
  }

  private keep(env: Readonly<Record<string, string>>, given: Readonly<Record<string, string>>): void {
    const next: Record<string, string> = {};
    for (const [k, v] of Object.entries(env)) {
      if (['?', 'OLDPWD', 'PWD', 'OPTIND', 'SHELLOPTS', 'BASHOPTS', 'IFS'].includes(k) || Object.hasOwn(given, k))
        continue;
      next[k] = v;
    }
    this.env = {
      ...next,
      ...Object.fromEntries(
        Object.keys(given).flatMap((k) => (this.env[k] === undefined ? [] : [[k, this.env[k] as string]])),
      ),
    };
  }

  /** Lines that came through unchanged keep the event at which their program printed them; others get the last one. */
  private seqsOf(stdout: string): number[] {
    if (stdout === '') return [];
    let at = 0;
    let last = this.printed[0]?.seq ?? this.lastSeq;
    const lines = stdout.replace(/\n$/, '').split('\n');
    return lines.map((line) => {
      const i = this.printed.findIndex((p, k) => k >= at && p.text === line);
      if (i >= 0) {
        at = i + 1;
        last = (this.printed[i] as Printed).seq;
        return last;
      }
      return Math.max(last, this.lastSeq);
    });
  }

  // — the session's programs —

  private commands(): CustomCommand[] {
    const ours = PROGRAMS.map((name) =>
      defineCommand(name, (args, ctx) =>
        name === 'kubectl' ? this.kubectl(args, ctx) : this.program([name, ...args], ctx),
      ),
    );
    return [
      ...ours,
      defineCommand('cat', (args, ctx) => this.cat(args, ctx)),
      defineCommand('xargs', async (args, ctx) => (await ctx.origCommand?.(args.flatMap(apart))) ?? text('')),
      defineCommand('timeout', (args, ctx) => this.timeout(args, ctx)),
      defineCommand('watch', (args, ctx) => this.watch(args, ctx)),
      defineCommand('sim-random', async () => text(`${this.nextRandom()}\n`)),
      defineCommand('sim-seconds', async () => text(`${Math.floor((this.host.nowUs() - this.startUs) / 1_000_000)}\n`)),
    ];
  }

  /** One program in the session, with the files that its words name. */
  private async program(
    argv: readonly string[],
    ctx: ResolvedCommandContext,
    extra: Readonly<Record<string, string>> = {},
  ): Promise<ExecResult> {
    const answer = await this.run(argv, ctx, extra);
    return { stdout: answer.stdout, stderr: answer.stderr, exitCode: answer.exit };
  }

  private async run(
    argv: readonly string[],
    ctx: ResolvedCommandContext,
    extra: Readonly<Record<string, string>> = {},
  ): Promise<RunAnswer> {
    const deadline = this.deadlines.at(-1);
    const now = this.host.nowUs();
    if (deadline && now >= deadline.atUs) {
      deadline.abort.abort();
      return { stdout: '', stderr: '', exit: 124 };
    }
    const stdin = decode(ctx.stdin as unknown as string);
    const files = { ...(await this.filesFor(argv, ctx)), ...extra };
    // A variable that was given for the whole line counts as exported.
    const env = { ...this.options.env, ...ctx.exportedEnv };
    const answer = await this.host.run({
      op: 'run',
      place: this.place,
      argv,
      cwd: ctx.cwd,
      env: { HOME: this.env.HOME ?? '/root', ...env },
      line: this.line,
      ...(stdin === '' ? {} : { stdin }),
      ...(Object.keys(files).length === 0 ? {} : { files }),
      ...(this.options.cols === undefined || this.piped ? {} : { cols: this.options.cols }),
      ...(this.options.errApart ? { errApart: true } : {}),
      ...(this.options.uid === undefined ? {} : { uid: this.options.uid }),
      ...(this.options.terminal === undefined ? {} : { terminal: this.options.terminal }),
      ...(deadline ? { maxUs: deadline.atUs - now } : {}),
    });
    for (const [path, content] of Object.entries(answer.files ?? {}))
      await this.fs.own.writeFile(this.fs.resolvePath(ctx.cwd, path), content);
    const lines = answer.stdout.replace(/\n$/, '').split('\n');
    for (const [i, t] of lines.entries()) {
      this.printed.push({ text: t, seq: answer.lineSeqs?.[i] ?? answer.toSeq ?? this.lastSeq });
    }
    this.lastSeq = Math.max(this.lastSeq, answer.toSeq ?? 0, ...(answer.lineSeqs ?? []).slice(-1));
    await breathe();
    if (deadline && this.host.nowUs() >= deadline.atUs) deadline.abort.abort();
    return answer;
  }

  /** Own files that the words of a command may mean: `x`, `-f x`, `--file=x`, `@x`, and what lies in a directory. */
  private async filesFor(argv: readonly string[], ctx: ResolvedCommandContext): Promise<Record<string, string>> {
    const out: Record<string, string> = {};
    let size = 0;
    const add = async (path: string, depth: number): Promise<void> => {
      if (size > MAX_FILES || Object.hasOwn(out, path) || !(await this.fs.own.exists(path))) return;
      const s = await this.fs.own.stat(path);
      if (s.isDirectory) {
        if (depth < 3 && path !== '/')
          for (const n of await this.fs.own.readdir(path)) await add(`${path}/${n}`, depth + 1);
        return;
      }
      const content = await this.fs.own.readFile(path);
      size += content.length;
      out[path] = content;
    };
    for (const word of argv.slice(1)) {
      for (const name of new Set([
        word,
        word.slice(word.indexOf('=') + 1),
        word.replace(/^-\w/, ''),
        word.replace(/^@/, ''),
      ])) {
        if (name === '' || name === '/' || name.startsWith('-')) continue;
        for (const part of name.split(',')) await add(this.fs.resolvePath(ctx.cwd, part), 0);
      }
    }
    // It saves beside what is there already.
    if (argv[0] === 'wget')
      for (const n of await this.fs.own.readdir(ctx.cwd).catch(() => [])) await add(this.fs.resolvePath(ctx.cwd, n), 3);
    if (argv[0] === 'kubectl') await add(ctx.exportedEnv?.KUBECONFIG ?? `${this.env.HOME ?? '/root'}/.kube/config`, 3);
    return out;
  }

  // — programs that need the shell itself —

  /** The language's own cat, but for directories and for files that this user may not read: it takes all for missing ones. */
  private async cat(args: string[], ctx: ResolvedCommandContext): Promise<ExecResult> {
    const readable: string[] = [];
    let stderr = '';
    for (const a of args) {
      const why = a.startsWith('-') ? undefined : await this.unreadable(this.fs.resolvePath(ctx.cwd, a));
      if (why === undefined) readable.push(a);
      else stderr += `cat: ${a}: ${why}\n`;
    }
    if (stderr === '') return (await ctx.origCommand?.(args)) ?? text('');
    const rest = readable.some((a) => !a.startsWith('-')) ? await ctx.origCommand?.(readable) : undefined;
    return { stdout: rest?.stdout ?? '', stderr: stderr + (rest?.stderr ?? ''), exitCode: 1 };
  }

  private async unreadable(path: string): Promise<string | undefined> {
    if (await this.fs.own.exists(path))
      return (await this.fs.own.stat(path)).isDirectory ? 'Is a directory' : undefined;
    if (!isLive(path)) return undefined;
    const r = await this.live.read(path);
    if (!('error' in r)) return undefined;
    if (r.error === 'Is a directory' || (await this.live.list(path)) !== undefined) return 'Is a directory';
    return r.error === 'Permission denied' ? r.error : undefined;
  }

  private async kubectl(args: string[], ctx: ResolvedCommandContext): Promise<ExecResult> {
    const [verb, target] = kubectlWords(args);
    if (verb === 'edit') return this.edit(args, ctx);
    const dash = args.indexOf('--');
    const command = dash < 0 ? [] : args.slice(dash + 1);
    const program = command[0]?.replace(/^.*\//, '');
    if (verb === 'exec' && target !== undefined && program !== undefined && !PROGRAMS.includes(program)) {
      return this.execInPod(args, dash, command, target, ctx);
    }
    return this.program(['kubectl', ...args], ctx);
  }

  /** `kubectl exec POD -- sh -c '...'` and text tools: the session says whether it may be, the pod's own shell does it. */
  private async execInPod(
    args: string[],
    dash: number,
    command: readonly string[],
    target: string,
    ctx: ResolvedCommandContext,
  ): Promise<ExecResult> {
    const allowed = await this.program(['kubectl', ...args.slice(0, dash), '--', 'id'], ctx);
    if (allowed.exitCode !== 0) return allowed;
    const at = args.findIndex((a) => a === '-n' || a === '--namespace');
    const namespace =
      at >= 0 ? (args[at + 1] ?? 'default') : (args.find((a) => a.startsWith('--namespace='))?.slice(12) ?? 'default');
    const shell = this.shells.of({ kind: 'pod', namespace, name: target.replace(/^pods?\//, '') });
    const script =
      ['sh', 'bash', 'ash'].includes(command[0]?.replace(/^.*\//, '') ?? '') && command[1] === '-c'
        ? (command[2] ?? '')
        : command.map(quote).join(' ');
    const stdin = args.slice(0, dash).some((a) => /^-\w*i/.test(a) || a === '--stdin')
      ? decode(ctx.stdin as unknown as string)
      : '';
    const r = await shell.exec(script, {
      ...(stdin === '' ? {} : { stdin }),
      ...(this.options.signal ? { signal: this.options.signal } : {}),
    });
    const ended = r.exit === 0 ? '' : `command terminated with exit code ${r.exit}\n`;
    return { stdout: r.stdout, stderr: r.stderr + ended, exitCode: r.exit };
  }

  /** `kubectl edit`: the session gives the text, $EDITOR changes it, the session takes it back. */
  private async edit(args: string[], ctx: ResolvedCommandContext): Promise<ExecResult> {
    const first = await this.run(['kubectl', ...args], ctx);
    const path = Object.keys(first.files ?? {})[0];
    if (path === undefined) return { stdout: first.stdout, stderr: first.stderr, exitCode: first.exit };
    const editor = ctx.env.get('KUBE_EDITOR') ?? ctx.env.get('EDITOR');
    if (!editor || !ctx.exec) {
      return { stdout: '', stderr: 'error: unable to launch the editor "vi"\n', exitCode: 1 };
    }
    const edited = await ctx.exec(`${editor} ${path}`, { cwd: ctx.cwd });
    if (edited.exitCode !== 0) {
      return {
        stdout: edited.stdout,
        stderr: `${edited.stderr}error: there was a problem with the editor ${JSON.stringify(editor)}\n`,
        exitCode: 1,
      };
    }
    const content = await this.fs.own.readFile(path);
    return this.program(['kubectl', ...args, `--edited-file=${path}`], ctx, { [path]: content });
  }

  /** timeout(1) on the simulated clock: what runs under it is cut when its time is over. */
  private async timeout(args: string[], ctx: ResolvedCommandContext): Promise<ExecResult> {
    let i = 0;
    for (; i < args.length && (args[i] as string).startsWith('-'); i++)
      if (['-s', '-k', '--signal', '--kill-after'].includes(args[i] as string)) i++;
    const [duration, ...command] = args.slice(i);
    if (duration === undefined || command.length === 0) {
      return {
        stdout: '',
        stderr: "timeout: missing operand\nTry 'timeout --help' for more information.\n",
        exitCode: 125,
      };
    }
    const us = parseSeconds(duration);
    if (us === undefined) {
      return {
        stdout: '',
        stderr: `timeout: invalid time interval ‘${duration}’\nTry 'timeout --help' for more information.\n`,
        exitCode: 125,
      };
    }
    if (!ctx.exec) return { stdout: '', stderr: '', exitCode: 125 };
    const abort = new AbortController();
    this.options.signal?.addEventListener('abort', () => abort.abort());
    const deadline = { atUs: this.host.nowUs() + us, abort };
    if (us > 0) this.deadlines.push(deadline);
    try {
      // A program of ours hears of the limit itself and keeps what it printed.
      if (PROGRAMS.includes(command[0] as string) && us > 0) {
        const r =
          command[0] === 'kubectl' ? await this.kubectl(command.slice(1), ctx) : await this.program(command, ctx);
        return this.host.nowUs() >= deadline.atUs ? { ...r, exitCode: 124 } : r;
      }
      const r = await ctx.exec(command.map(quote).join(' '), {
        cwd: ctx.cwd,
        env: { ...ctx.exportedEnv },
        signal: abort.signal,
        stdin: decode(ctx.stdin as unknown as string),
      });
      if (!abort.signal.aborted || this.options.signal?.aborted) return r;
      return { ...r, stderr: r.stderr.replace(/^bash: execution aborted\n/m, ''), exitCode: 124 };
    } finally {
      if (us > 0) this.deadlines.pop();
    }
  }

  /** watch(1): rounds of a command on the simulated clock, until ^C or a number of rounds. */
  private async watch(args: string[], ctx: ResolvedCommandContext): Promise<ExecResult> {
    let interval = 2_000_000;
    let title = true;
    let i = 0;
    for (; i < args.length && (args[i] as string).startsWith('-'); i++) {
      const a = args[i] as string;
      if (a === '-n' || a === '--interval') interval = parseSeconds(args[++i] ?? '') ?? interval;
      else if (/^-n./.test(a)) interval = parseSeconds(a.slice(2)) ?? interval;
      else if (a === '-t' || a === '--no-title') title = false;
    }
    const command = args.slice(i);
    if (command.length === 0 || !ctx.exec) return { stdout: '', stderr: WATCH_USAGE, exitCode: 1 };
    let stdout = '';
    for (let round = 0; round < WATCH_ROUNDS && !this.options.signal?.aborted; round++) {
      const r = await ctx.exec(command.join(' '), {
        cwd: ctx.cwd,
        ...(this.options.signal ? { signal: this.options.signal } : {}),
      });
      const head = title ? `Every ${(interval / 1_000_000).toFixed(1)}s: ${command.join(' ')}\n\n` : '';
      stdout += `${head}${r.stdout}${r.stderr}\n`;
      await this.sleep(interval);
      if (this.deadlines.at(-1)?.abort.signal.aborted) break;
    }
    return text(stdout);
  }

  private async sleep(us: number): Promise<void> {
    const deadline = this.deadlines.at(-1);
    const left = deadline ? deadline.atUs - this.host.nowUs() : us;
    if (us > 0) await this.host.advance(Math.max(0, Math.min(us, left)));
    if (deadline && us >= left) deadline.abort.abort();
    await breathe();
  }

  /** bash's own generator (16 bits), from a fixed seed. */
  private nextRandom(): number {
    this.random = (Math.imul(this.random, 1_103_515_245) + 12_345) >>> 0;
    return (this.random >>> 16) & 32_767;
  }

  // — files of the place —

  private liveFiles(): LiveFiles {
    const run = (argv: readonly string[], stdin?: string): Promise<RunAnswer> =>
      this.host.run({
        op: 'run',
        place: this.place,
        argv,
        ...(stdin === undefined ? {} : { stdin }),
        ...(this.options.uid === undefined ? {} : { uid: this.options.uid }),
      });
    const why = (r: RunAnswer): string => r.stderr.trim().replace(/^.*: /, '');
    return {
      read: async (path) => {
        const r = await run(['cat', path]);
        return r.exit === 0 ? { text: r.stdout } : { error: why(r) };
      },
      list: async (path) => {
        const r = await run(['ls', path]);
        const names = r.stdout.split('\n').filter((n) => n !== '');
        return r.exit === 0 && !(names.length === 1 && names[0] === path) ? names : undefined;
      },
      write: async (path, content) => {
        const r = await run(['tee', path], content);
        return r.exit === 0 ? undefined : why(r);
      },
    };
  }
}

/** The shells of all places of one session: each keeps its files, variables and directory while the page is open. */
export class BashShells {
  private readonly shells = new Map<string, PlaceShell>();
  constructor(private readonly host: BashHost) {}

  of(place: PlaceRef): PlaceShell {
    const key = placeKey(place);
    let s = this.shells.get(key);
    if (!s) {
      s = new PlaceShell(this.host, place, this);
      this.shells.set(key, s);
    }
    return s;
  }

  /** Runs a line in a place and writes what it printed to a terminal; resolves with its exit code. */
  async exec(place: PlaceRef, line: string, io: BashIo, options: ExecOptions = {}): Promise<number> {
    const terminal = { signal: io.signal, terminal: placeKey(place) };
    const r = await this.of(place).exec(line, { cols: TERMINAL_COLS, ...options, ...terminal });
    const last = r.seqs.at(-1) ?? 0;
    if (r.stdout !== '') io.out(r.stdout, 'out', r.seqs);
    if (r.stderr !== '') io.out(r.stderr, 'err', last);
    return r.exit;
  }
}

const text = (stdout: string): ExecResult => ({ stdout, stderr: '', exitCode: 0 });

/** A word as the shell reads it back unchanged. */
const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** `-n1` as the two words that the language's own xargs wants. */
const apart = (arg: string): string[] => (/^-[nILPd]./.test(arg) ? [arg.slice(0, 2), arg.slice(2)] : [arg]);

/** A pipe carries bytes, one a character. */
function decode(bytes: string): string {
  // Text that is no valid UTF-8 was never encoded.
  if (!/[\u0080-\u00ff]/.test(bytes)) return bytes;
  return new TextDecoder().decode(Uint8Array.from(bytes, (c) => c.charCodeAt(0) & 255));
}

const WATCH_USAGE = `
Usage:
 watch [options] command

Options:
  -b, --beep             beep if command has a non-zero exit
  -c, --color            interpret ANSI color and style sequences
  -C, --no-color         do not interpret ANSI color and style sequences
  -d, --differences[=<permanent>]
                         highlight changes between updates
  -e, --errexit          exit if command has a non-zero exit
  -g, --chgexit          exit when output from command changes
  -q, --equexit <cycles>
                         exit when output from command does not change
  -n, --interval <secs>  seconds to wait between updates
  -p, --precise          attempt run command in precise intervals
  -t, --no-title         turn off header
  -w, --no-wrap          turn off line wrapping
  -x, --exec             pass command to exec instead of "sh -c"

 -h, --help     display this help and exit
 -v, --version  output version information and exit

For more details see watch(1).
`;
