import type { Json } from '../base/json';
import type { SockAddr } from '../workload/process';
import type { DnsMsg, Message } from './message';
import type { Os } from './os';
import { messageLen } from './size';

/** What came out of a socket: a message, raw bytes that are none (yet), an error, or nothing so far. */
export type Received =
  | { readonly kind: 'msg'; readonly msg: DnsMsg; readonly len: number; readonly from: SockAddr | undefined }
  | { readonly kind: 'bytes'; readonly bytes: string; readonly from: SockAddr | undefined }
  | { readonly kind: 'error'; readonly errno: string }
  | { readonly kind: 'eof' }
  | { readonly kind: 'none' };

/** Sends a message; over TCP the two length bytes (RFC 1035 4.2.2) count. The errno, or undefined. */
export function sendMsg(sys: Os, fd: number, m: Message, proto: 'udp' | 'tcp', to?: SockAddr): string | undefined {
  const len = messageLen(m) + (proto === 'tcp' ? 2 : 0);
  // Messages are plain data; the interface of Json asks for an index signature that interfaces do not have.
  const r = sys.send(fd, { len, app: m as unknown as Json }, to);
  return r.ok ? undefined : r.errno;
}

/** Takes what waits in a socket. */
export function recvMsg(sys: Os, fd: number): Received {
  const r = sys.recv(fd);
  if (!r.ok) return r.errno === 'EAGAIN' ? { kind: 'none' } : { kind: 'error', errno: r.errno };
  const { data, from } = r.value;
  const app: unknown = r.value.app;
  if (isMessage(app)) return { kind: 'msg', msg: { ...app }, len: messageLen(app), from };
  if (from) return { kind: 'bytes', bytes: data, from };
  if (data === '') return { kind: 'eof' };
  // The rest of a message whose value came with its first segment.
  return /^\0+$/.test(data) ? { kind: 'none' } : { kind: 'bytes', bytes: data, from };
}

function isMessage(app: unknown): app is Message {
  return typeof app === 'object' && app !== null && 'rcode' in app && 'question' in app;
}
