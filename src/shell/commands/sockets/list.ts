import type { WorldReader } from '../../../engine/base';
import { type NetnsId, SOCKS, type SockRecord } from '../../../engine/net';
import { PROCS } from '../../../engine/workload';

/** A socket as ss and netstat list it. */
export interface SocketRow {
  readonly proto: 'tcp' | 'udp' | 'icmp' | 'raw';
  /** Kernel's state name, with UDP's UNCONN told as CLOSE. */
  readonly state: string;
  readonly recvQ: number;
  readonly sendQ: number;
  readonly local: { readonly ip: string; readonly port: number };
  readonly remote: { readonly ip: string; readonly port: number } | undefined;
  readonly process: { readonly name: string; readonly pid: string; readonly fd: number | undefined } | undefined;
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
      const proc = s.pid === undefined ? undefined : procs.get(s.pid);
      const name = proc?.argv[0];
      return {
        proto: s.proto,
        state: s.state,
        recvQ: s.state === 'LISTEN' ? (s.accept?.length ?? 0) : s.rx.reduce((n, i) => n + i.payload.len, 0),
        sendQ: s.state === 'LISTEN' ? (s.backlog ?? 0) : unsent(s),
        local: s.local,
        remote: s.remote,
        process:
          proc && name !== undefined && s.pid !== undefined
            ? { name: name.slice(name.lastIndexOf('/') + 1), pid: s.pid, fd: s.fd }
            : undefined,
        uid: s.uid,
        inode: s.inode,
        record: s,
      };
    });
}

/** Bytes (and SYN, FIN) sent or queued and not yet acknowledged. */
function unsent(s: SockRecord): number {
  if (!s.tcp || s.state === 'TIME_WAIT') return 0;
  return s.tcp.queue.reduce((n, q) => n + Math.max(q.len, q.flags & 3 ? 1 : 0), 0);
}
