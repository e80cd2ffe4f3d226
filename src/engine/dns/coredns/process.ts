import { sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { PrngStream } from '../../base/prng';
import type { SockAddr, Wait, Wake } from '../../workload/process';
import { recvMsg, sendMsg } from '../io';
import type { DnsMsg } from '../message';
import type { Os, OsProgram } from '../os';
import { readable, sleep, type Task, Tasks } from '../tasks';
import { headerMsg, unpackBody, unpackHeader } from '../wire';
import { CorefileError, parseCorefile } from './corefile';
import { blocksJson, buildInstance, type Instance, runStartup } from './instance';
import type { KubeSource } from './kubernetes/source';
import { Counters, type ProcessEnv, type Writer } from './plugin';
import type { Server } from './server';

/** Version that the model follows. */
export const COREDNS_VERSION = '1.14.7';
const GO_VERSION = 'go1.26.8';

/** What a CoreDNS process has around it. */
export interface CoreDnsEnv {
  readonly prng: PrngStream;
  readonly kube?: KubeSource;
  /** Addresses of the machine's interfaces, loopback left out. */
  localIps(): readonly string[];
  getenv(name: string): string;
  /** Unix time (us). */
  unixUs(): number;
  /** Gets a way to send signals that the scheduler has no word for (USR1, HUP). */
  onStart?(signal: (s: Signal) => void): void;
}

type Signal = 'INT' | 'TERM' | 'KILL' | 'USR1' | 'HUP';

/** Idle time after which a TCP connection of a client is closed, and the time for its first query (us). */
const TCP_IDLE_US = 10_000_000;
const TCP_FIRST_US = 3_000_000;

interface Listener {
  readonly udp: number;
  readonly tcp: number;
  server: Server;
}

/** The coredns binary: `coredns [-conf FILE]`. */
export function corednsProgram(env: CoreDnsEnv): OsProgram {
  return function* (sys) {
    const p = new CoreDns(sys, env);
    return yield* p.main();
  };
}

class CoreDns {
  private readonly tasks: Tasks;
  private readonly env: ProcessEnv;
  private readonly listeners = new Map<string, Listener>();
  private instance: Instance | undefined;
  private exit: number | undefined;
  private stopping = false;
  private path = 'Corefile';
  /** The reload plugin's hook is lost after a reload by SIGUSR1 (a fault of CoreDNS that is kept). */
  private hooked = true;
  private generation = 0;

  constructor(
    private readonly sys: Os,
    private readonly outer: CoreDnsEnv,
  ) {
    this.tasks = new Tasks(sys);
    this.env = {
      sys,
      tasks: this.tasks,
      prng: outer.prng,
      kube: outer.kube,
      localIps: () => outer.localIps(),
      getenv: (n) => outer.getenv(n),
      unixUs: () => outer.unixUs(),
      log: (line) => sys.write(1, `${line}\n`),
      fatal: (line) => this.die(line, 1),
      counters: new Counters(),
    };
  }

  private die(line: string, code: number): void {
    if (this.exit !== undefined) return;
    this.sys.write(1, `${line}\n`);
    this.exit = code;
    this.tasks.stop();
  }

  *main(): Generator<Wait, number, Wake> {
    this.env.log('maxprocs: Leaving GOMAXPROCS=2: CPU quota undefined');
    const { argv } = this.sys;
    const conf = argv.indexOf('-conf');
    let text: string | undefined;
    if (conf >= 0) {
      this.path = argv[conf + 1] ?? '';
      text = this.sys.readFile(this.path);
      if (text === undefined) {
        this.env.log(`loading Caddyfile via flag: open ${this.path}: no such file or directory`);
        return 1;
      }
    } else text = this.sys.readFile(this.path) ?? '';
    this.tasks.onSignal((s) => this.signal(s));
    this.outer.onStart?.((s) => this.signal(s));
    this.tasks.go(this.start(text));
    yield* this.tasks.run();
    for (const l of this.listeners.values()) {
      this.sys.close(l.udp);
      this.sys.close(l.tcp);
    }
    return this.exit ?? 0;
  }

  private *start(text: string): Task {
    let i: Instance;
    try {
      i = buildInstance(text, this.path, this.env);
    } catch (e) {
      if (e instanceof CorefileError) return this.die(e.message, 1);
      throw e;
    }
    const error = (yield* runStartup(i)) ?? this.listen(i);
    if (error !== undefined) return this.die(error, 1);
    this.instance = i;
    for (const s of i.servers) {
      for (const zone of s.zoneNames()) this.env.log(startLine(zone, s));
    }
    this.watch(i);
    this.env.log(`CoreDNS-${COREDNS_VERSION}`);
    this.env.log(`linux/amd64, ${GO_VERSION}, `);
  }

  /** Opens the sockets of a new configuration; those of addresses that it shares with the old one go over to it. */
  private listen(i: Instance): string | undefined {
    const wanted = new Map(i.servers.map((s) => [`${s.addr.host}:${s.addr.port}`, s]));
    for (const [key, s] of wanted) {
      const open = this.listeners.get(key);
      if (open) {
        open.server = s;
        continue;
      }
      const { sys } = this;
      const at: SockAddr = { ip: s.addr.host === '' ? '0.0.0.0' : s.addr.host, port: s.addr.port };
      const tcp = sys.socket('tcp');
      sys.setsockopt(tcp, 'SO_REUSEADDR', 1);
      const bound = sys.bind(tcp, at);
      const listening = bound.ok ? sys.listen(tcp) : bound;
      if (!listening.ok) return `listen tcp :${s.addr.port}: bind: ${bindText(listening.errno)}`;
      const udp = sys.socket('udp');
      sys.setsockopt(udp, 'SO_REUSEADDR', 1);
      const ok = sys.bind(udp, at);
      if (!ok.ok) return `listen udp :${s.addr.port}: bind: ${bindText(ok.errno)}`;
      const l: Listener = { udp, tcp, server: s };
      this.listeners.set(key, l);
      this.tasks.go(this.serveUdp(l));
      this.tasks.go(this.serveTcp(l));
    }
    for (const [key, l] of this.listeners) {
      if (wanted.has(key)) continue;
      this.sys.close(l.udp);
      this.sys.close(l.tcp);
      this.listeners.delete(key);
    }
    return undefined;
  }

  private *serveUdp(l: Listener): Task {
    for (;;) {
      yield* readable(l.udp);
      for (;;) {
        const got = recvMsg(this.sys, l.udp);
        if (got.kind === 'none' || got.kind === 'eof') break;
        if (got.kind === 'error' || !got.from) continue;
        const { from } = got;
        const query = got.kind === 'msg' ? got.msg : this.unpack(got.bytes, l.udp, from, 'udp');
        if (query) this.accept(l, query, from, 'udp', l.udp);
      }
    }
  }

  private *serveTcp(l: Listener): Task {
    for (;;) {
      yield* readable(l.tcp);
      const c = this.sys.accept(l.tcp);
      if (c.ok) this.tasks.go(this.connection(l, c.value.fd, c.value.peer));
    }
  }

  private *connection(l: Listener, fd: number, peer: SockAddr): Task {
    let wait = TCP_FIRST_US;
    while (yield* readable(fd, wait)) {
      const got = recvMsg(this.sys, fd);
      if (got.kind === 'none') continue;
      if (got.kind === 'eof' || got.kind === 'error') break;
      const query = got.kind === 'msg' ? got.msg : this.unpack(got.bytes, fd, peer, 'tcp');
      if (query) this.accept(l, query, peer, 'tcp', fd);
      wait = TCP_IDLE_US;
    }
    this.sys.close(fd);
  }

  /** What miekg/dns does with bytes: refuses what it cannot read, keeps quiet at answers and at short datagrams. */
  private unpack(bytes: string, fd: number, to: SockAddr, proto: 'udp' | 'tcp'): DnsMsg | undefined {
    const h = unpackHeader(bytes);
    if (!h || (h.bits & 0x8000) !== 0) return undefined;
    const m = headerMsg(h);
    const notImplemented = m.opcode !== 'QUERY' && m.opcode !== 'NOTIFY';
    const body = notImplemented || h.qd !== 1 || h.an > 1 || h.ns > 1 || h.ar > 2 ? undefined : unpackBody(bytes, h);
    if (body?.ok) return body.msg;
    const error: DnsMsg = { ...m, qr: true, aa: false, z: false, rcode: notImplemented ? 'NOTIMP' : 'FORMERR' };
    if (!notImplemented) error.opcode = 'QUERY';
    sendMsg(this.sys, fd, error, proto, proto === 'udp' ? to : undefined);
    return undefined;
  }

  private accept(l: Listener, q: DnsMsg, from: SockAddr, proto: 'udp' | 'tcp', fd: number): void {
    if (q.qr) return;
    if (q.opcode !== 'QUERY' && q.opcode !== 'NOTIFY') {
      const m: DnsMsg = { ...q, qr: true, aa: false, z: false, rcode: 'NOTIMP' };
      m.question = [];
      m.answer = [];
      m.authority = [];
      m.additional = [];
      delete m.edns;
      sendMsg(this.sys, fd, m, proto, proto === 'udp' ? from : undefined);
      return;
    }
    const w: Writer = {
      peer: { ip: from.ip, port: from.port, proto },
      write: (m) => {
        sendMsg(this.sys, fd, { ...m }, proto, proto === 'udp' ? from : undefined);
      },
    };
    this.tasks.go(l.server.serve(w, q));
  }

  private signal(s: Signal): void {
    switch (s) {
      case 'TERM':
        if (this.stopping) return;
        this.env.log('[INFO] SIGTERM: Shutting down servers then terminating');
        this.tasks.go(this.shutdown());
        return;
      case 'INT':
        if (this.stopping) {
          this.die('[INFO] SIGINT: Force quit', 2);
          return;
        }
        this.env.log('[INFO] SIGINT: Shutting down');
        this.tasks.go(this.shutdown());
        return;
      case 'USR1':
        this.env.log('[INFO] SIGUSR1: Reloading');
        this.hooked = false;
        this.tasks.go(this.reloadNow());
        return;
      case 'KILL':
        this.exit = 137;
        this.tasks.stop();
        return;
      case 'HUP':
        return;
    }
  }

  private *reloadNow(): Task {
    const error = yield* this.restart(this.sys.readFile(this.path) ?? '');
    if (error !== undefined) this.env.log(`[ERROR] SIGUSR1: ${error}`);
  }

  private *shutdown(): Task {
    this.stopping = true;
    const { instance } = this;
    for (const fn of instance?.hooks.shutdown ?? []) fn();
    for (const fn of instance?.hooks.finalShutdown ?? []) yield* fn();
    this.exit ??= 0;
    this.tasks.stop();
  }

  /** The reload plugin: says which configuration runs and looks for another one every interval. */
  private watch(i: Instance): void {
    const interval = i.shared.get('reload');
    if (typeof interval !== 'number' || !this.hooked) return;
    const json = blocksJson(this.parse(i.corefile) ?? []);
    this.env.log(`[INFO] plugin/reload: Running configuration SHA512 = ${hash(json)}`);
    this.tasks.go(this.watcher(i, interval, json, ++this.generation));
  }

  private parse(text: string): ReturnType<typeof parseCorefile> | undefined {
    const env = { readFile: (p: string) => this.sys.readFile(p), getenv: (n: string) => this.env.getenv(n) };
    return parseCorefile(text, this.path, undefined, env);
  }

  private *watcher(i: Instance, intervalUs: number, first: string, generation: number): Task {
    let known = first;
    for (;;) {
      yield* sleep(intervalUs);
      if (this.stopping || this.instance !== i || generation !== this.generation) return;
      const text = this.sys.readFile(this.path);
      if (text === undefined) continue;
      let json: string;
      try {
        json = blocksJson(this.parse(text) ?? []);
      } catch (e) {
        if (!(e instanceof CorefileError)) throw e;
        this.env.log(`[WARNING] plugin/reload: Corefile parse failed: ${e.message}`);
        continue;
      }
      if (json === known) continue;
      // A file that failed once is not tried again.
      known = json;
      const error = yield* this.restart(text);
      if (error === undefined) return;
      this.env.log(`[ERROR] plugin/reload: Corefile changed but reload failed: ${error}`);
    }
  }

  /** Starts a new configuration beside the old one and swaps them; the error text when the old one stays. */
  private *restart(text: string): Task<string | undefined> {
    this.env.log('[INFO] Reloading');
    const old = this.instance;
    for (const fn of old?.hooks.restart ?? []) yield* fn();
    let fresh: Instance | undefined;
    let error: string | undefined;
    try {
      fresh = buildInstance(text, this.path, this.env);
    } catch (e) {
      if (!(e instanceof CorefileError)) throw e;
      error = e.message;
    }
    if (fresh) error = (yield* runStartup(fresh)) ?? this.listen(fresh);
    if (!fresh || error !== undefined) {
      for (const fn of old?.hooks.restartFailed ?? []) yield* fn();
      this.env.log(`[ERROR] Restart failed: ${error}`);
      return `starting with listener file descriptors: ${error}`;
    }
    this.instance = fresh;
    for (const fn of old?.hooks.shutdown ?? []) fn();
    this.watch(fresh);
    this.env.log('[INFO] Reloading complete');
    return undefined;
  }
}

const hash = (text: string): string => bytesToHex(sha512(utf8ToBytes(text)));

const bindText = (errno: string): string =>
  errno === 'EADDRINUSE' ? 'address already in use' : errno === 'EACCES' ? 'permission denied' : errno;

function startLine(zone: string, s: Server): string {
  const on = s.addr.host === '' ? '' : ` on ${s.addr.host}`;
  const plain = zone === '.' || zone.endsWith('.in-addr.arpa.') || zone.endsWith('.ip6.arpa.');
  const odd = !plain && !/^(([A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?)\.)+$/.test(zone);
  const warning = odd ? `Warning: Domain ${JSON.stringify(zone)} does not follow RFC1035 preferred syntax\n` : '';
  return `${warning}${zone}:${s.addr.port}${on}`;
}
