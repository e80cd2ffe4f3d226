import type { WorldReader } from '../engine/base';
import { byCodeUnit } from '../engine/base';
import {
  type CtEntry,
  entryText,
  IPS,
  type NetfilterDoor,
  NF_CONNTRACK,
  NF_CTSTATS,
  NO_STATS,
} from '../engine/netfilter';
import type { FileView, SysctlView } from './command';
import { interfaces } from './commands/ip/model';
import { tableRoutes } from './commands/ip/route';
import { socketsOf } from './commands/sockets/list';
import type { Place } from './place';

interface Source {
  readonly place: Place;
  readonly reader: WorldReader;
  readonly netfilter: NetfilterDoor;
  readonly sysctl: SysctlView;
  readonly uid: number;
  /** The terminal's own files; they hide those of the place. */
  readonly own: Readonly<Record<string, string>>;
  readonly cwd: string;
}

const STAT_HEAD =
  'entries  clashres found new invalid ignore delete chainlength insert insert_failed drop early_drop icmp_error  expect_new expect_create expect_delete search_restart';

type Read = { readonly text: string } | { readonly errno: string };

/** Absolute form of a path without `.` and `..`. */
export function resolvePath(cwd: string, path: string): string {
  const parts: string[] = [];
  for (const p of (path.startsWith('/') ? path : `${cwd}/${path}`).split('/')) {
    if (p === '..') parts.pop();
    else if (p !== '' && p !== '.') parts.push(p);
  }
  return `/${parts.join('/')}`;
}

/** The files of a place: the terminal's own, /etc, and what its kernel shows below /proc and /sys. */
export function placeFiles(s: Source): FileView {
  const kernel = new KernelFiles(s);
  return {
    read: (typed) => {
      const path = resolvePath(s.cwd, typed);
      const own = s.own[path] ?? s.place.files[path];
      if (own !== undefined) return { text: own };
      const live = kernel.read(path);
      if (live) return live;
      return { errno: kernel.list(path) || hasBelow(s, path) ? 'EISDIR' : 'ENOENT' };
    },
    list: (typed) => {
      const path = resolvePath(s.cwd, typed);
      const names = new Set(kernel.list(path) ?? []);
      for (const p of [...Object.keys(s.own), ...Object.keys(s.place.files)]) {
        const rest = below(path, p);
        if (rest !== undefined) names.add(rest);
      }
      return names.size > 0 ? [...names].sort(byCodeUnit) : undefined;
    },
  };
}

/** TCP states by their number in the kernel (net/tcp_states.h). */
const STATES = [
  '',
  'ESTABLISHED',
  'SYN_SENT',
  'SYN_RECV',
  'FIN_WAIT1',
  'FIN_WAIT2',
  'TIME_WAIT',
  'CLOSE',
  'CLOSE_WAIT',
  'LAST_ACK',
  'LISTEN',
  'CLOSING',
];

/** An address as the kernel's tables print it: four bytes in hex, the last one first. */
const hex = (ip: string): string =>
  ip
    .split('.')
    .reverse()
    .map((b) => Number(b).toString(16).padStart(2, '0').toUpperCase())
    .join('');

/** First component of `file` below `dir`. */
function below(dir: string, file: string): string | undefined {
  const prefix = dir === '/' ? '/' : `${dir}/`;
  return file.startsWith(prefix) ? (file.slice(prefix.length).split('/')[0] as string) : undefined;
}
const hasBelow = (s: Source, path: string): boolean =>
  [...Object.keys(s.own), ...Object.keys(s.place.files)].some((p) => below(path, p) !== undefined);

/** /proc and /sys of a place, read at the cursor. */
class KernelFiles {
  constructor(private readonly s: Source) {}

  private get netns(): string {
    return this.s.place.netns ?? '';
  }

  read(path: string): Read | undefined {
    if (path.startsWith('/proc/sys/')) {
      const value = this.s.sysctl.get(this.netns, path.slice(10).replaceAll('/', '.'));
      return value === undefined ? undefined : { text: `${value}\n` };
    }
    switch (path) {
      case '/proc/net/nf_conntrack':
        return this.s.uid === 0 ? { text: this.conntrack() } : { errno: 'EACCES' };
      case '/proc/net/stat/nf_conntrack':
        return { text: this.conntrackStat() };
      case '/proc/net/ip_tables_names':
        return { text: '' };
      case '/proc/net/tcp':
      case '/proc/net/udp':
        return { text: this.sockets(path.endsWith('tcp') ? 'tcp' : 'udp') };
      case '/proc/net/route':
        return { text: this.routes() };
      case '/proc/version':
        return { text: `Linux version ${this.s.place.kernel.release} ${this.s.place.kernel.version}\n` };
      case '/proc/sys/kernel/hostname':
      case '/etc/hostname':
        return { text: `${this.s.place.hostname}\n` };
      case '/sys/module/nf_conntrack/parameters/hashsize': {
        const n = this.s.sysctl.get(this.netns, 'net.netfilter.nf_conntrack_buckets');
        return n === undefined ? undefined : { text: `${n}\n` };
      }
      default:
        return this.device(path);
    }
  }

  private conntrack(): string {
    const { reader } = this.s;
    return this.entries()
      .map((e) => `${entryText(e, reader.nowUs, { proc: true })}\n`)
      .join('');
  }

  private entries(): CtEntry[] {
    const map = this.s.reader.map(NF_CONNTRACK);
    return map
      .by('netns', this.netns)
      .flatMap((k) => map.get(k) ?? [])
      .filter((e) => e.expiresAtUs > this.s.reader.nowUs && (e.status & IPS.NAT_CLASH) === 0);
  }

  /** nf_conntrack_standalone.c ct_cpu_seq_show; a line a CPU, the model counts on the first. */
  private conntrackStat(): string {
    const counted = this.s.reader.map(NF_CTSTATS).get(this.netns) ?? NO_STATS;
    const hex = (n: number): string => n.toString(16).padStart(8, '0');
    const lines = [counted, NO_STATS].map((s) => {
      const first = [this.entries().length, s.clash_resolve, s.found, 0, s.invalid, 0, 0, s.chaintoolong];
      const more = [s.insert, s.insert_failed, s.drop, s.early_drop, s.error];
      const text = [...first, ...more].map(hex).join(' ').replace(' ', '  ');
      return `${text}  ${[0, 0, 0, s.search_restart].map(hex).join(' ')}\n`;
    });
    return `${STAT_HEAD}\n${lines.join('')}`;
  }

  /** /sys/class/net/<dev>/..., /sys/devices/virtual/net/<bridge>/brif/<port>/hairpin_mode. */
  private device(path: string): Read | undefined {
    const brif = /^\/sys\/(?:class|devices\/virtual)\/net\/([^/]+)\/(?:brif\/([^/]+)|brport)\/hairpin_mode$/.exec(path);
    const devs = this.s.place.netns === undefined ? [] : interfaces(this.s.reader, this.s.place.netns);
    if (brif) {
      const port = devs.find((d) => d.name === (brif[2] ?? brif[1]));
      return port?.master === undefined ? undefined : { text: port.hairpin ? '1\n' : '0\n' };
    }
    const attr = /^\/sys\/(?:class|devices\/virtual)\/net\/([^/]+)\/(address|mtu|ifindex|operstate)$/.exec(path);
    const d = attr && devs.find((x) => x.name === attr[1]);
    if (!d) return undefined;
    switch (attr[2]) {
      case 'address':
        return { text: `${d.kind === 'lo' ? '00:00:00:00:00:00' : d.mac}\n` };
      case 'mtu':
        return { text: `${d.mtu}\n` };
      case 'ifindex':
        return { text: `${d.ifindex}\n` };
      default:
        return { text: `${!d.up ? 'down' : d.kind === 'lo' ? 'unknown' : 'up'}\n` };
    }
  }

  /** /proc/net/tcp (tcp4_seq_show): addresses as little-endian hex. */
  private sockets(proto: 'tcp' | 'udp'): string {
    const head =
      '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode'.padEnd(149);
    const h = (n: number, width: number): string => n.toString(16).toUpperCase().padStart(width, '0');
    const rows = socketsOf(this.s.reader, this.netns)
      .filter((r) => r.proto === proto)
      .map((r, i) => {
        const end = (e: { ip: string; port: number } | undefined): string =>
          `${hex(e?.ip ?? '0.0.0.0')}:${h(e?.port ?? 0, 4)}`;
        const st = h(Math.max(1, STATES.indexOf(r.state)), 2);
        return `${String(i).padStart(4)}: ${end(r.local)} ${end(r.remote)} ${st} ${h(r.sendQ, 8)}:${h(r.recvQ, 8)} 00:00000000 00000000 ${String(r.uid).padStart(5)}        0 ${r.inode} 1 0000000000000000 100 0 0 10 0`.padEnd(
          149,
        );
      });
    return [head, ...rows].map((l) => `${l}\n`).join('');
  }

  private routes(): string {
    const head = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT'.padEnd(127);
    const rows = tableRoutes(this.s.reader, this.netns, 'main').map((r) => {
      const mask = r.prefix === 0 ? 0 : (0xffffffff << (32 - r.prefix)) >>> 0;
      const maskIp = [24, 16, 8, 0].map((n) => (mask >>> n) & 255).join('.');
      const flags = (r.via === undefined ? 1 : 3) | (r.prefix === 32 ? 4 : 0);
      const dev = r.dev === undefined ? '*' : r.dev.slice(r.dev.lastIndexOf(':') + 1);
      return `${dev}\t${hex(r.dst)}\t${hex(r.via ?? '0.0.0.0')}\t${flags.toString(16).padStart(4, '0')}\t0\t0\t${r.metric}\t${hex(maskIp)}\t0\t0\t0`.padEnd(
        127,
      );
    });
    return [head, ...rows].map((l) => `${l}\n`).join('');
  }

  list(path: string): readonly string[] | undefined {
    const names = new Set<string>();
    const add = (dir: string, file: string): void => {
      const rest = below(dir, file);
      if (rest !== undefined) names.add(rest);
    };
    if (path === '/proc/sys' || path.startsWith('/proc/sys/')) {
      for (const k of this.s.sysctl.keys(this.netns)) add(path, `/proc/sys/${k.replaceAll('.', '/')}`);
    }
    for (const f of [
      '/etc/hostname',
      '/proc/net/nf_conntrack',
      '/proc/net/stat/nf_conntrack',
      '/proc/net/route',
      '/proc/sys/net',
      '/proc/version',
    ])
      add(path, f);
    const devs = this.s.place.netns === undefined ? [] : interfaces(this.s.reader, this.s.place.netns);
    for (const d of devs) {
      for (const leaf of ['address', 'mtu', 'ifindex', 'operstate']) add(path, `/sys/class/net/${d.name}/${leaf}`);
      for (const base of ['/sys/class/net', '/sys/devices/virtual/net']) {
        add(path, `${base}/${d.name}/mtu`);
        if (d.master !== undefined) {
          const bridge = d.master.slice(d.master.lastIndexOf(':') + 1);
          add(path, `${base}/${bridge}/brif/${d.name}/hairpin_mode`);
        }
      }
    }
    return names.size > 0 ? [...names].sort(byCodeUnit) : undefined;
  }
}
