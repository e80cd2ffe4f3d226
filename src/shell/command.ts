import type { WorldReader } from '../engine/base';
import type { ApiServer } from '../engine/k8s';
import type { Captured, ExecResult, NetnsId, TapPlace } from '../engine/net';
import type { NetfilterDoor } from '../engine/netfilter';
import type { Program } from '../engine/workload';
import type { Place } from './place';

/** What a command left: its output and the files it wrote (path → text), which the shell puts into its file system. */
export interface CommandResult extends ExecResult {
  readonly files?: Readonly<Record<string, string>>;
}

/**
 * A command that sends packets: a program of the workload for the place's namespace. The session spawns it, runs the
 * clock until it ends (or `maxUs` passed: then it gets SIGINT, as by ^C) and gives its output to `finish`.
 */
export interface Running {
  readonly program: Program;
  readonly argv: readonly string[];
  /** Namespace, where it is not the place's own. */
  readonly netns?: NetnsId;
  readonly stdin?: string;
  /** Whether stdout is a terminal. */
  readonly tty?: boolean;
  /** Files that stand in for those of the place: path → text. */
  readonly files?: Readonly<Record<string, string>>;
  /** Simulated time limit, us; after it the program is interrupted. */
  readonly maxUs?: number;
  readonly finish?: (result: ExecResult) => CommandResult;
}

export const isRunning = (r: CommandResult | Running): r is Running => 'program' in r;

/** Result of a system call of the live world: undefined for success, else the errno's name. */
export type Errno = string | undefined;

/** The things that change the live world; absent when a command is answered for a past cursor. */
export interface Acting {
  /** The API server, as the user of the workstation's kubeconfig. */
  readonly api: ApiServer;
  /** Writes a sysctl of a namespace: errno name as the kernel gives it (EACCES, EINVAL, ENOENT), or undefined. */
  setSysctl(netns: NetnsId, key: string, value: string): Errno;
  /** `ip link|addr|route|neigh|netns` changes: one request as parsed by the command. */
  readonly net: NetAdmin;
  /** Spawns a program, runs the clock until it ends and returns what it printed. */
  exec(running: Running): ExecResult;
  /** Lets simulated time pass, us. */
  advance(us: number): void;
  /** Runs the clock until `done` holds or `maxUs` passed; whether it held. */
  runUntil(done: () => boolean, maxUs: number): boolean;
  /** Watches frames as packet sockets do; the answer ends it. */
  tap(where: TapPlace, seen: (frame: Captured) => void): () => void;
  /** Runs one command line (argv) in another place, as `kubectl exec` and `ip netns exec` do. */
  runIn(place: Place, argv: readonly string[], stdin: string): CommandResult;
}

/** Changes of links, addresses, routes and neighbours (rtnetlink); each gives an errno name or undefined. */
export interface NetAdmin {
  linkSet(netns: NetnsId, dev: string, change: { readonly up?: boolean; readonly mtu?: number }): Errno;
  linkAdd(netns: NetnsId, dev: string, kind: string): Errno;
  linkDel(netns: NetnsId, dev: string): Errno;
  addrAdd(netns: NetnsId, dev: string, cidr: string): Errno;
  addrDel(netns: NetnsId, dev: string, cidr: string): Errno;
  route(netns: NetnsId, op: 'add' | 'del' | 'replace' | 'append' | 'change', route: RouteRequest): Errno;
  neighFlush(netns: NetnsId, dev: string | undefined): Errno;
}

export interface RouteRequest {
  readonly type: string;
  readonly dst: string;
  readonly via?: string;
  readonly dev?: string;
  readonly src?: string;
  readonly metric?: number;
  readonly scope?: string;
  readonly proto?: string;
}

/** Text files that a command can read: those of the place, the live ones of /proc and /sys, and the shell's own. */
export interface FileView {
  /** Text, or the errno's name. */
  read(path: string): { readonly text: string } | { readonly errno: string };
  /** Names in a directory, or undefined when it is none. */
  list(path: string): readonly string[] | undefined;
}

/** Sysctls of a namespace at the reader's cursor. */
export interface SysctlView {
  get(netns: NetnsId, key: string): string | undefined;
  /** All keys of a namespace, in any order. */
  keys(netns: NetnsId): readonly string[];
  writable(netns: NetnsId, key: string): boolean;
}

export interface CommandCtx {
  /** The world at the cursor that the terminal shows. */
  readonly reader: WorldReader;
  readonly place: Place;
  /** argv[0] is the name as typed. */
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly env: Readonly<Record<string, string>>;
  readonly files: FileView;
  readonly cwd: string;
  /** Width of the terminal; undefined when stdout is no terminal (pipe, file, truth without tty). */
  readonly cols: number | undefined;
  /** Effective user id; 0 unless told. */
  readonly uid: number;
  readonly netfilter: NetfilterDoor;
  readonly sysctl: SysctlView;
  /** Simulated time after which ^C is sent to a command that does not end by itself, us. */
  readonly interruptUs?: number;
  /** Finds another place of this world (kubectl exec, ip netns exec). */
  findPlace(ref: Place['ref']): Place | undefined;
  readonly world?: Acting;
}

export interface Command {
  readonly name: string;
  /** Other names of the same program; it tells by argv[0] which was used. */
  readonly aliases?: readonly string[];
  /** One line, for help and completion. */
  readonly usage: string;
  /** Whether this command line changes the world or sends packets (so that it cannot be answered for the past). */
  acts(argv: readonly string[]): boolean;
  run(ctx: CommandCtx): CommandResult | Running;
  /** Words that may stand where the cursor is; `words` are the ones before it, `word` is the started one. */
  complete?(ctx: CompleteCtx): readonly string[];
}

export interface CompleteCtx {
  readonly reader: WorldReader;
  readonly place: Place;
  readonly words: readonly string[];
  readonly word: string;
  readonly netfilter: NetfilterDoor;
  readonly sysctl: SysctlView;
}

/** A command that only printed to stdout. */
export const out = (stdout: string): CommandResult => ({ stdout, stderr: '', exit: 0 });
/** A command that failed with a text on stderr (a newline is added when missing). */
export const fail = (stderr: string, exit = 1, stdout = ''): CommandResult => ({
  stdout,
  stderr: stderr === '' || stderr.endsWith('\n') ? stderr : `${stderr}\n`,
  exit,
});
