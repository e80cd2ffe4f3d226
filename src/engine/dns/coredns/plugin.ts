import type { PrngStream } from '../../base/prng';
import type { Wait, Wake } from '../../workload/process';
import type { DnsMsg, Message, RR } from '../message';
import { joinLabels } from '../names';
import type { Os } from '../os';
import type { Task, Tasks } from '../tasks';
import { Dispenser, type ServerBlock, type Token } from './corefile';
import type { KubeSource } from './kubernetes/source';

/** What a plugin's ServeDNS returns: a code, and an error that the errors plugin prints. */
export interface ServeResult {
  readonly rcode: string;
  readonly err?: string;
}
export type Serve = Generator<Wait, ServeResult, Wake>;

export const OK: ServeResult = Object.freeze({ rcode: 'NOERROR' });

/** Who asked, over what. */
export interface Peer {
  readonly ip: string;
  readonly port: number;
  readonly proto: 'udp' | 'tcp';
}

/** Where a plugin writes the answer; wrapping writers change what passes through. */
export interface Writer {
  readonly peer: Peer;
  write(m: DnsMsg): void;
}

/** Travels with one query down the chain. */
export interface ServeCtx {
  /** Asks this server itself (plugin/pkg/upstream.Lookup): the whole chain again with another question. */
  lookup(w: Writer, r: DnsMsg, name: string, type: string): Generator<Wait, DnsMsg | undefined, Wake>;
}

export interface Handler {
  readonly name: string;
  serve(ctx: ServeCtx, w: Writer, r: DnsMsg): Serve;
  /** Set by plugins that tell /ready when they are. */
  ready?(): boolean;
  /** Set by plugins that give autopath a search path per client. */
  autoPath?(w: Writer, r: DnsMsg): string[];
  /** Set by plugins that can be transferred: batches of records, or undefined when not authoritative. */
  transfer?(zone: string, serial: number): RR[] | undefined;
}

/** One plugin: its directive and how it reads its part of the Corefile. */
export interface PluginSpec {
  readonly name: string;
  /** Reads the arguments and adds a handler to `c.config`; throws CorefileError for what CoreDNS refuses. */
  setup(c: Controller): void;
}

/** The next plugin of the chain, or what CoreDNS says when there is none. */
export function* nextOrFailure(name: string, next: Handler | undefined, ctx: ServeCtx, w: Writer, r: DnsMsg): Serve {
  if (!next) return { rcode: 'SERVFAIL', err: `plugin/${name}: no next plugin found` };
  return yield* next.serve(ctx, w, r);
}

/** False for codes with which a plugin says that the server has to answer for it. */
export function clientWrite(rcode: string): boolean {
  return rcode !== 'SERVFAIL' && rcode !== 'REFUSED' && rcode !== 'FORMERR' && rcode !== 'NOTIMP';
}

export type MakeHandler = (next: Handler | undefined) => Handler;

/** One zone of one server block (dnsserver.Config). */
export interface Config {
  readonly zone: string;
  readonly port: number;
  readonly transport: string;
  listenHosts: string[];
  readonly plugins: MakeHandler[];
  /** Handlers by plugin name, filled when the chain is built. */
  readonly registry: Map<string, Handler>;
  readonly first: Config | undefined;
  debug: boolean;
}

/** Callbacks of one running configuration; each may block, and an error text fails the start. */
export interface Hooks {
  readonly startup: (() => Task<string | undefined>)[];
  readonly shutdown: (() => void)[];
  readonly finalShutdown: (() => Task)[];
  readonly restart: (() => Task)[];
  readonly restartFailed: (() => Task)[];
}

/** What plugins have of the process they live in. */
export interface ProcessEnv {
  readonly sys: Os;
  readonly tasks: Tasks;
  readonly prng: PrngStream;
  /** The cluster's API as this process's informers see it; undefined outside a cluster. */
  readonly kube: KubeSource | undefined;
  /** Addresses of the machine's own interfaces. */
  localIps(): readonly string[];
  getenv(name: string): string;
  log(line: string): void;
  /** Prints [FATAL] and ends the process with 1. */
  fatal(line: string): void;
  /** Unix time in microseconds. */
  unixUs(): number;
  /** Servers of this process by listening address, e.g. for loops on themselves. */
  counters: Counters;
}

/** Prometheus counters by full series text. */
export class Counters {
  private readonly values = new Map<string, number>();
  add(series: string, n = 1): void {
    this.values.set(series, (this.values.get(series) ?? 0) + n);
  }
  get(series: string): number {
    return this.values.get(series) ?? 0;
  }
  lines(): string[] {
    return [...this.values.keys()].sort().map((k) => `${k} ${this.values.get(k)}`);
  }
}

/** A plugin's view of its directive in one server block. */
export class Controller extends Dispenser {
  constructor(
    filename: string,
    tokens: Token[],
    readonly block: ServerBlock,
    readonly config: Config,
    readonly env: ProcessEnv,
    readonly hooks: Hooks,
    /** Values that plugins of one running configuration share. */
    readonly shared: Map<string, unknown>,
  ) {
    super(filename, tokens);
  }
  get keys(): readonly string[] {
    return this.block.keys;
  }
  addPlugin(make: MakeHandler): void {
    this.config.plugins.push(make);
  }
}

export const ERR_ONCE = 'this plugin can only be used once per Server Block';

/** Writes nothing through; keeps the message (plugin/pkg/nonwriter). */
export class NonWriter implements Writer {
  msg: DnsMsg | undefined;
  constructor(readonly peer: Peer) {}
  write(m: DnsMsg): void {
    this.msg = m;
  }
}

/** A copy whose fields can be changed without touching the original. */
export const copyMsg = (m: Message): DnsMsg => ({ ...m });

/** Lower-case name of the question; `.` when there is none. */
export const qnameOf = (r: Message): string => r.question[0]?.name.toLowerCase() ?? '.';
export const qtypeOf = (r: Message): string => r.question[0]?.type ?? '';

/** The same query with another question (request.NewWithQuestion). */
export function withQuestion(r: Message, name: string, type: string): DnsMsg {
  const m = copyMsg(r);
  m.question = [{ name: name.endsWith('.') ? name : `${name}.`, type, class: 'IN' }, ...r.question.slice(1)];
  return m;
}

/** UDP size that the client can take, or 64 KiB over TCP (request.Size). */
export function bufSize(r: Message, proto: 'udp' | 'tcp'): number {
  return proto === 'tcp' ? 65535 : Math.max(512, r.edns?.udp ?? 0);
}

/** An SOA record as the kubernetes backend makes it. */
export function soaRecord(zone: string, serial: number, ttl: number): RR {
  const rdata = `${joinLabels('ns.dns', zone)} ${joinLabels('hostmaster', zone)} ${serial} 7200 1800 86400 ${ttl}`;
  return { name: zone, ttl: Math.min(ttl, 300), class: 'IN', type: 'SOA', rdata };
}

/** Error answer for a query. */

/** Prints a plugin's log line. */
export function logLine(
  env: ProcessEnv,
  level: 'INFO' | 'WARNING' | 'ERROR' | 'FATAL',
  plugin: string,
  text: string,
): void {
  env.log(`[${level}] plugin/${plugin}: ${text}`);
}
