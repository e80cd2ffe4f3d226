import type { ReadMap, WorldReader } from '../../../engine/base';
import { type NetnsId, SOCKS, type SockRecord } from '../../../engine/net';
import { PROCS, type ProcRecord } from '../../../engine/workload';

interface Holder {
  /** Name of the program (comm). */
  readonly name: string;
  /** Its command line as it shows it. */
  readonly title: string;
  readonly pid: string;
  readonly uid: number;
  readonly fd: number;
}

/** A socket as ss and netstat list it. */
export interface SocketRow {
  readonly proto: 'tcp' | 'udp' | 'icmp' | 'raw';
  /** Kernel's state name, with UDP's UNCONN told as CLOSE. */
  readonly state: string;
  readonly recvQ: number;
  readonly sendQ: number;
  readonly local: { readonly ip: string; readonly port: number };
  readonly remote: { readonly ip: string; readonly port: number } | undefined;
  /** Processes that have it open, the newest first. */
  readonly processes: readonly Holder[];
  readonly uid: number;
  readonly inode: number;
  readonly record: SockRecord;
}

/** Newest first, as the kernel's hash chains are walked. */
export function socketsOf(reader: WorldReader, netns: NetnsId): readonly SocketRow[] {
  const map = reader.map(SOCKS);
  const procs = reader.map(PROCS);
  return map
    .by('netns', netns)
    .map((k) => map.get(k) as SockRecord)
    .filter((s) => s.proto === 'tcp' || s.local.port !== 0 || s.remote !== undefined)
    .sort((a, b) => b.inode - a.inode)
    .map((s) => {
      return {
        proto: s.proto,
        state: s.state,
        recvQ: s.state === 'LISTEN' ? (s.accept?.length ?? 0) : s.rx.reduce((n, i) => n + i.payload.len, 0),
        sendQ: s.state === 'LISTEN' ? (s.backlog ?? 0) : unsent(s),
        local: s.local,
        remote: s.remote,
        processes: s.pid === undefined ? [] : holders(procs, s.netns, s.pid, s.fd ?? 3),
        uid: s.uid,
        inode: s.inode,
        record: s,
      };
    });
}

/** Who has a socket: its process and those that were forked from it. */
function holders(procs: ReadMap<ProcRecord>, netns: NetnsId, pid: string, fd: number): Holder[] {
  return procs
    .by('netns', netns)
    .flatMap((k) => procs.get(k) ?? [])
    .filter((p) => p.pid === pid || p.shares === pid)
    .sort((a, b) => Number(b.pid) - Number(a.pid))
    .map((p) => {
      const name = p.argv[0] ?? '';
      const comm = name.slice(name.lastIndexOf('/') + 1);
      return { name: comm, title: p.title ?? comm, pid: p.pid, uid: p.uid, fd };
    });
}

/** Unix sockets of a namespace's processes: a forked worker talks with its master over a pair. */
export function unixSockets(reader: WorldReader, netns: NetnsId): number {
  const procs = reader.map(PROCS);
  return 2 * procs.by('netns', netns).filter((k) => procs.get(k)?.shares !== undefined).length;
}

/** Bytes (and SYN, FIN) sent or queued and not yet acknowledged. */
function unsent(s: SockRecord): number {
  if (!s.tcp || s.state === 'TIME_WAIT') return 0;
  // The SYN is on no write queue of the model.
  if (s.state === 'SYN_SENT') return 1;
  return s.tcp.queue.reduce((n, q) => n + Math.max(q.len, q.flags & 3 ? 1 : 0), 0);
}
