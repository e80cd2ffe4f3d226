import type { SockAddr, Sys, SysResult, Wait, Wake } from './process';
import { Terminated } from './processes';

/** A piece of a program in blocking style. */
export type Blocking<T> = Generator<Wait, T, Wake>;

const fail = (errno: string): { readonly ok: false; readonly errno: string } => ({ ok: false, errno });

/** Waits; a signal ends the program as its default action does. */
export function* wait(w: Wait): Blocking<Wake> {
  const wake = yield w;
  if (wake.kind === 'signal') throw new Terminated(wake.signal);
  return wake;
}

/** Sleeps for `us` microseconds. */
export function* sleep(us: number): Blocking<void> {
  yield* wait({ kind: 'sleep', us });
}

/** Waits for one descriptor; false when `timeoutUs` passed first. */
export function* poll(fd: number, events: 'in' | 'out' | 'inout', timeoutUs?: number): Blocking<boolean> {
  const fds = [{ fd, events }];
  const wake = yield* wait(timeoutUs === undefined ? { kind: 'poll', fds } : { kind: 'poll', fds, timeoutUs });
  return wake.kind === 'ready';
}

/** connect(2) that blocks; ETIMEDOUT also when `timeoutUs` passed first. */
export function* connect(sys: Sys, fd: number, addr: SockAddr, timeoutUs?: number): Blocking<SysResult<null>> {
  const r = sys.connect(fd, addr);
  if (r.ok || r.errno !== 'EINPROGRESS') return r;
  if (!(yield* poll(fd, 'out', timeoutUs))) return fail('ETIMEDOUT');
  const errno = sys.sockError(fd);
  return errno === undefined ? { ok: true, value: null } : fail(errno);
}

/** Waits for data (or end of stream, '') for at most `timeoutUs`; EAGAIN when nothing came. */
export function* recv(sys: Sys, fd: number, timeoutUs?: number): Blocking<ReturnType<Sys['recv']>> {
  const r = sys.recv(fd);
  if (r.ok || r.errno !== 'EAGAIN') return r;
  if (!(yield* poll(fd, 'in', timeoutUs))) return r;
  return sys.recv(fd);
}

/** accept(2) that blocks. */
export function* accept(sys: Sys, fd: number): Blocking<ReturnType<Sys['accept']>> {
  for (;;) {
    const r = sys.accept(fd);
    if (r.ok || r.errno !== 'EAGAIN') return r;
    yield* poll(fd, 'in');
  }
}

/** A socket that listens on a port of all addresses. */
export function listenTcp(sys: Sys, port: number, ip = '0.0.0.0', backlog = 4096): SysResult<number> {
  const fd = sys.socket('tcp');
  sys.setsockopt(fd, 'SO_REUSEADDR', 1);
  const b = sys.bind(fd, { ip, port });
  const l = b.ok ? sys.listen(fd, backlog) : b;
  if (l.ok) return { ok: true, value: fd };
  sys.close(fd);
  return l;
}
