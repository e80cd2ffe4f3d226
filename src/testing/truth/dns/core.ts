import { PrngStream } from '../../../engine/base/prng';
import type { KubeSource } from '../../../engine/dns/coredns/kubernetes/source';
import { corednsProgram } from '../../../engine/dns/coredns/process';
import type { OsProgram } from '../../../engine/dns/os';
import { readable, writable } from '../../../engine/dns/tasks';
import { type Host, Lab, type ProcHandle } from './lab';
import { toyServer } from './toy';

/** Addresses of the CoreDNS node of the lab. */
const CORE_IPS = ['10.96.0.10', '10.244.0.2', '10.0.0.1', '127.0.0.1', '127.0.0.53'];
/** Time for which the binary is loaded before it does anything (us). */
const LOAD_US = 60_000;
/** Unix time of the recording. */
const EPOCH_US = 1_796_074_200_000_000;

export interface CoreOptions {
  readonly corefile: string | undefined;
  readonly kube: KubeSource | undefined;
  readonly resolvConf?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Files beside those that every run has. */
  readonly more?: Readonly<Record<string, string>>;
}

/** The lab with a CoreDNS process, the toy upstreams and client pods. */
export class CoreLab {
  readonly lab: Lab;
  readonly prng: PrngStream;
  private readonly pods = new Map<string, Host>();
  private readonly node: Host;
  private proc: ProcHandle | undefined;
  private log = '';
  private logAt = 0;
  /** Processes started; log and exit code are the last one's. */
  private processes = 0;
  corefile: string | undefined;
  signal: (s: 'USR1' | 'HUP') => void = () => undefined;
  exit: number | undefined;

  constructor(seed: number) {
    this.prng = new PrngStream(seed, 'dns-lab');
    this.lab = new Lab(this.prng);
    this.node = this.lab.addHost({ name: 'coredns', ips: CORE_IPS });
    const toy = (ip: string, mode: Parameters<typeof toyServer>[0]): void => {
      this.lab.addHost({ name: ip, ips: [ip], toy: toyServer(mode, this.prng) });
    };
    toy('10.0.0.53', 'upstream');
    toy('10.0.0.54', 'consul');
    toy('10.0.0.55', 'servfail');
    toy('10.0.0.56', 'refused');
    toy('10.0.0.57', 'drop');
    toy('10.0.0.58', 'notimp');
    this.lab.addHost({ name: 'closed', ips: ['10.0.0.59', '10.96.0.12', '10.96.0.15'] });
    toy('10.96.0.11', 'script');
    toy('10.96.0.13', 'servfail');
    toy('10.96.0.14', 'refused');
  }

  /** The client pod with an address. */
  pod(ip: string): Host {
    let host = this.pods.get(ip);
    if (!host) {
      host = this.lab.addHost({ name: `pod-${ip}`, ips: [ip] });
      this.pods.set(ip, host);
    }
    return host;
  }

  start(o: CoreOptions): void {
    this.corefile = o.corefile;
    this.exit = undefined;
    this.log = '';
    this.logAt = 0;
    const process = ++this.processes;
    const env = o.env ?? { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '16443' };
    const program = corednsProgram({
      prng: this.prng,
      ...(o.kube ? { kube: o.kube } : {}),
      localIps: () => CORE_IPS.filter((ip) => !ip.startsWith('127.')),
      getenv: (n) => env[n] ?? '',
      unixUs: () => EPOCH_US + this.lab.nowUs,
      onStart: (signal) => {
        this.signal = signal;
      },
    });
    const started: OsProgram = function* (sys) {
      yield { kind: 'sleep', us: LOAD_US };
      return yield* program(sys);
    };
    this.proc = this.lab.spawn(this.node, started, {
      argv: ['coredns', ...(o.args ?? ['-conf', '/etc/coredns/Corefile'])],
      files: (path) =>
        path === '/etc/coredns/Corefile'
          ? this.corefile
          : path === '/etc/resolv.conf'
            ? (o.resolvConf ?? 'nameserver 10.0.0.53\n')
            : path === '/etc/hosts'
              ? '127.0.0.1 localhost\n::1 localhost\n'
              : o.more?.[path],
      output: (_fd, text) => {
        if (process === this.processes) this.log += text;
      },
      onExit: (code) => {
        if (process === this.processes) this.exit = code;
      },
    });
  }

  kill(signal: 'INT' | 'TERM' | 'KILL'): void {
    this.proc?.signal(signal);
  }

  /** Lines printed since the last call. */
  logLines(): string[] {
    const fresh = this.log.slice(this.logAt);
    this.logAt = this.log.length;
    return fresh.split('\n').filter((l) => l !== '');
  }
  rawLog(): string {
    return this.log;
  }

  /** GET on the node's loopback: code 0 when nobody listens. */
  http(port: number, path: string): { code: number; body: string; headers: string[] } {
    let out: { code: number; body: string; headers: string[] } | undefined;
    const client: OsProgram = function* (sys) {
      const fd = sys.socket('tcp');
      sys.connect(fd, { ip: '127.0.0.1', port });
      yield* writable(fd, 2_000_000);
      if (sys.sockError(fd) !== undefined) {
        out = { code: 0, body: '', headers: [] };
        return 1;
      }
      sys.send(fd, `GET ${path} HTTP/1.0\r\nHost: x\r\n\r\n`);
      let text = '';
      while (yield* readable(fd, 2_000_000)) {
        const r = sys.recv(fd);
        if (!r.ok || r.value.data === '') break;
        text += r.value.data;
      }
      sys.close(fd);
      const at = text.indexOf('\r\n\r\n');
      const headers = text.slice(0, Math.max(0, at)).split('\r\n');
      const code = Number(headers[0]?.split(' ')[1] ?? 0);
      out = { code, body: text.slice(at + 4), headers: headers.slice(1) };
      return 0;
    };
    this.lab.spawn(this.node, client, { argv: [], files: () => undefined, output: () => undefined });
    this.waitMs(5000, () => out !== undefined);
    return out ?? { code: 0, body: '', headers: [] };
  }

  waitMs(ms: number, done: () => boolean = () => false): void {
    this.lab.run(this.lab.nowUs + Math.round(ms * 1000), done);
  }

  /** Waits as the recorder does: until /ready says 200 (polled), and 0.3 s more; 25 s without the plugin. */
  waitReady(): void {
    const hasReady = /^\s*ready\b/m.test(this.corefile ?? '');
    this.waitMs(hasReady ? 450 : 25_000);
    this.logLines();
  }
}
