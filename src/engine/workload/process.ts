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

/** The system calls a program has; none of them blocks (use the helpers in blocking.ts with `yield*`). */
export interface Sys {
  readonly pid: string;
  readonly netns: string;
  readonly nowUs: number;
  /** argv, environment and files (/etc/resolv.conf, /etc/hosts) of the process. */
  readonly argv: readonly string[];
  readFile(path: string): string | undefined;
  write(fd: 1 | 2, text: string): void;
  socket(proto: 'tcp' | 'udp' | 'icmp' | 'raw', family?: 4 | 6): number;
  bind(fd: number, addr: SockAddr): SysResult<null>;
  listen(fd: number, backlog?: number): SysResult<null>;
  /** Starts connecting; EINPROGRESS for TCP. */
  connect(fd: number, addr: SockAddr): SysResult<null>;
  accept(fd: number): SysResult<{ fd: number; peer: SockAddr }>;
  send(fd: number, data: string | { readonly len: number; readonly app: unknown }, to?: SockAddr): SysResult<number>;
  /** EAGAIN when nothing waits; an empty string at end of stream. */
  recv(fd: number): SysResult<{ data: string; app?: unknown; from?: SockAddr; ttl?: number; packet?: unknown }>;
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
  spawn(program: Program, argv: readonly string[]): string;
}

export type Program = (sys: Sys) => Generator<Wait, number, Wake>;
