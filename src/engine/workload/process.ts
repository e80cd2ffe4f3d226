import type { Packet, Payload } from '../net/types';

/**
 * Programs inside pods and on nodes are generator functions: they call the socket calls of `Sys` directly and yield
 * where a real process would block. A process is no record (like an skb it lives only during a run); what it prints,
 * opens and exits with is.
 */

/** What a process waits for. The scheduler resumes it with a Wake. */
export type Wait =
  | { readonly kind: 'sleep'; readonly us: number }
  /** Any of these sockets readable/writable/errored, or the timeout (us) passed. */
  | {
      readonly kind: 'poll';
      readonly fds: readonly { readonly fd: number; readonly events: 'in' | 'out' | 'inout' }[];
      readonly timeoutUs?: number;
    }
  /** Another process ended. */
  | { readonly kind: 'child'; readonly pid: string };

export type Wake =
  | { readonly kind: 'timeout' }
  | { readonly kind: 'ready'; readonly fds: readonly number[] }
  | { readonly kind: 'signal'; readonly signal: 'INT' | 'TERM' | 'KILL' };

/** errno by name: ECONNREFUSED, ETIMEDOUT, EHOSTUNREACH, EPERM, EAGAIN ... */
export type Errno = string;
export type SysResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly errno: Errno };

export interface SockAddr {
  readonly ip: string;
  readonly port: number;
}

export interface Received {
  /** One char a byte. */
  readonly data: string;
  readonly len: number;
  readonly app?: Payload['app'];
  readonly from?: SockAddr;
  readonly ttl?: number;
  /** Raw sockets: the packet as it came in. */
  readonly packet?: Packet;
}

/** Steps of a name lookup that the trace tells: what was asked for, each query, each answer. */
export type LookupStep =
  | { readonly kind: 'lookup'; readonly facts: { name: string; candidates: readonly string[] } }
  | { readonly kind: 'query'; readonly facts: { name: string; type: string; server: string; id: number } }
  | {
      readonly kind: 'answer';
      readonly facts: { name: string; type: string; rcode: string; answers: readonly string[]; id: number };
    };

/** The system calls a program has; none of them blocks (use the helpers in blocking.ts with `yield*`). */
export interface Sys {
  readonly pid: string;
  readonly netns: string;
  readonly nowUs: number;
  /** argv, environment and files (/etc/resolv.conf, /etc/hosts) of the process. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly uid: number;
  /** All of standard input, which ends right after. Undefined: an open terminal on which nothing comes. */
  readonly stdin: string | undefined;
  /** Whether stdout is a terminal. */
  readonly tty: boolean;
  /** Whether stderr is a terminal. */
  readonly ttyErr: boolean;
  /** Columns of the terminal. */
  readonly cols: number;
  readFile(path: string): string | undefined;
  /** Leaves a file behind, e.g. curl -o. */
  writeFile(path: string, text: string): void;
  write(fd: 1 | 2, text: string): void;
  socket(proto: 'tcp' | 'udp' | 'icmp' | 'raw'): number;
  bind(fd: number, addr: SockAddr): SysResult<null>;
  listen(fd: number, backlog?: number): SysResult<null>;
  /** Starts connecting; EINPROGRESS for TCP. */
  connect(fd: number, addr: SockAddr): SysResult<null>;
  accept(fd: number): SysResult<{ fd: number; peer: SockAddr }>;
  send(fd: number, data: string | Payload, to?: SockAddr): SysResult<number>;
  /** EAGAIN when nothing waits; length 0 at end of stream. */
  recv(fd: number): SysResult<Received>;
  /** Sends an ICMP message from a ping or raw socket; the id of a ping socket is its own. */
  sendIcmp(fd: number, to: string, msg: IcmpRequest): SysResult<null>;
  /** Oldest entry of the error queue (MSG_ERRQUEUE, IP_RECVERR). */
  recvError(fd: number): QueuedError | undefined;
  /** SO_ERROR and clear it. */
  sockError(fd: number): Errno | undefined;
  getsockname(fd: number): SockAddr | undefined;
  getpeername(fd: number): SockAddr | undefined;
  setsockopt(
    fd: number,
    name: 'SO_REUSEADDR' | 'SO_BINDTODEVICE' | 'IP_TTL' | 'SO_LINGER0' | 'IP_RECVERR',
    value: string | number,
  ): void;
  shutdown(fd: number): SysResult<null>;
  close(fd: number): void;
  /** Integer 0..below-1 of a named stream. */
  random(stream: string, below: number): number;
  /** Tells a step of a name lookup to the trace. */
  lookup(step: LookupStep): void;
  spawn(program: Program, argv: readonly string[]): string;
}

export interface IcmpRequest {
  readonly type: number;
  readonly code: number;
  readonly id: number;
  readonly seq: number;
  /** Payload bytes. */
  readonly len: number;
  readonly ttl?: number;
  /** Don't-fragment bit; default true. */
  readonly df?: boolean;
  readonly tos?: number;
}

export interface QueuedError {
  readonly errno: Errno;
  readonly type: number;
  readonly code: number;
  readonly offender: string;
}

export type Program = (sys: Sys) => Generator<Wait, number, Wake>;
