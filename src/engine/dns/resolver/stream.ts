import { recvMsg } from '../io';
import type { DnsMsg } from '../message';
import type { Os } from '../os';
import { readable, type Task, writable } from '../tasks';

/** connect(2) that blocks; the errno, or undefined. */
export function* connectTcp(sys: Os, fd: number, ip: string, timeoutUs?: number, port = 53): Task<string | undefined> {
  const r = sys.connect(fd, { ip, port });
  if (r.ok) return undefined;
  if (r.errno !== 'EINPROGRESS') return r.errno;
  if (!(yield* writable(fd, timeoutUs))) return 'ETIMEDOUT';
  return sys.sockError(fd);
}

/** Bytes of payload in a full segment; the value of a message comes with the first one. */
const SEGMENT = 1448;

/**
 * Reads one message off a stream and the bytes that belong to it, at most `limit` of them (with the two length bytes).
 * What is left unread makes close(2) reset the connection, as it does for real.
 */
export function* readMessage(
  sys: Os,
  fd: number,
  limit: number,
  deadlineUs?: number,
): Task<{ readonly msg: DnsMsg; readonly len: number } | { readonly errno: string }> {
  let got: { msg: DnsMsg; len: number } | undefined;
  let bytes = 0;
  for (;;) {
    if (got && bytes >= Math.min(got.len + 2, limit)) return got;
    const left = deadlineUs === undefined ? undefined : Math.max(0, deadlineUs - sys.nowUs);
    if (!(yield* readable(fd, left))) return { errno: 'ETIMEDOUT' };
    if (got) {
      const r = sys.recv(fd);
      if (!r.ok) return r.errno === 'EAGAIN' ? { errno: 'EAGAIN' } : { errno: r.errno };
      if (r.value.data === '') return got;
      bytes += r.value.data.length;
      continue;
    }
    const r = recvMsg(sys, fd);
    if (r.kind === 'error') return { errno: r.errno };
    if (r.kind === 'eof') return { errno: 'EOF' };
    if (r.kind !== 'msg') continue;
    got = { msg: r.msg, len: r.len };
    bytes = Math.min(r.len + 2, SEGMENT);
  }
}
