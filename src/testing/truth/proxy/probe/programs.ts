import { type Blocking, connect, recv, sleep } from '../../../../engine/workload/blocking';
import type { Program, SockAddr, Sys } from '../../../../engine/workload/process';
import type { Attempt } from './types';

const MS = 1000;

const addr = (a: SockAddr | undefined): string | undefined =>
  a && (a.ip.includes(':') ? `[${a.ip}]:${a.port}` : `${a.ip}:${a.port}`);

const parseTo = (to: string): SockAddr => {
  const colon = to.lastIndexOf(':');
  return { ip: to.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(to.slice(colon + 1)) };
};

/** What the recorder's echo server says about itself. */
function replyFacts(line: string): Partial<Attempt> {
  const get = (key: string): string | undefined => new RegExp(`(?:^| )${key}=(\\S+)`).exec(line)?.[1];
  const out: Record<string, string> = {};
  const put = (key: string, value: string | undefined): void => {
    if (value !== undefined) out[key] = value;
  };
  put('backend', get('server'));
  put('peerSeenByBackend', get('peer'));
  put('localAddrAtBackend', get('local'));
  put('udpPortAtBackend', get('port'));
  return out;
}

export interface Dial {
  readonly proto: 'tcp' | 'udp';
  readonly to: string;
  readonly sourcePort?: number | undefined;
  readonly timeoutUs: number;
}

type Opened = { readonly fd: number } | { readonly failed: Attempt };

function* dial(sys: Sys, d: Dial): Blocking<Opened> {
  const start = sys.nowUs;
  const ms = (): number => (sys.nowUs - start) / MS;
  const fd = sys.socket(d.proto);
  sys.setsockopt(fd, 'SO_REUSEADDR', 1);
  if (d.sourcePort) {
    const bound = sys.bind(fd, { ip: '0.0.0.0', port: d.sourcePort });
    if (!bound.ok) return { failed: { ok: false, timeMs: ms(), errno: bound.errno, phase: 'connect' } };
  }
  const r = yield* connect(sys, fd, parseTo(d.to), d.timeoutUs);
  if (r.ok) return { fd };
  const timedOut = r.errno === 'ETIMEDOUT' && sys.nowUs - start >= d.timeoutUs;
  sys.close(fd);
  return { failed: { ok: false, timeMs: ms(), errno: timedOut ? 'TIMEOUT(tool)' : r.errno, phase: 'connect' } };
}

type Line = { readonly ok: true; readonly line: string } | { readonly ok: false; readonly errno: string };

/** Sends a line and waits for one. */
function* ask(sys: Sys, fd: number, text: string, timeoutUs: number): Blocking<Line> {
  const sent = sys.send(fd, text);
  if (!sent.ok) return { ok: false, errno: sent.errno };
  const until = sys.nowUs + timeoutUs;
  let got = '';
  for (;;) {
    const r = yield* recv(sys, fd, Math.max(0, until - sys.nowUs));
    if (!r.ok) return { ok: false, errno: r.errno === 'EAGAIN' ? 'TIMEOUT(tool)' : r.errno };
    if (r.value.data === '') return { ok: false, errno: 'EOF' };
    got += r.value.data;
    if (got.includes('\n')) return { ok: true, line: got.trim() };
  }
}

const ends = (sys: Sys, fd: number): Partial<Attempt> => {
  const local = addr(sys.getsockname(fd));
  const remote = addr(sys.getpeername(fd));
  return { ...(local ? { clientLocalAddr: local } : {}), ...(remote ? { clientRemoteAddr: remote } : {}) };
};

/** One connect, one line, one answer; `done` gets the outcome. */
export const echoOnce = (d: Dial, done: (a: Attempt) => void): Program =>
  function* (sys) {
    const start = sys.nowUs;
    const opened = yield* dial(sys, d);
    if ('failed' in opened) {
      done(opened.failed);
      return 0;
    }
    const { fd } = opened;
    const own = ends(sys, fd);
    const r = yield* ask(sys, fd, 'hello\n', Math.max(0, start + d.timeoutUs - sys.nowUs));
    const timeMs = (sys.nowUs - start) / MS;
    sys.close(fd);
    done(
      r.ok
        ? { ok: true, timeMs, ...replyFacts(r.line), ...own }
        : { ok: false, timeMs, ...own, errno: r.errno, phase: 'read' },
    );
    return 0;
  };

/** One socket, many lines; a TCP socket ends at the first error that is no timeout. */
export const hold = (d: Dial, lines: number, gapUs: number, each: (a: Attempt) => void): Program =>
  function* (sys) {
    const start = sys.nowUs;
    const opened = yield* dial(sys, { ...d, timeoutUs: 3_000_000 });
    if ('failed' in opened) {
      each(opened.failed);
      return 0;
    }
    const { fd } = opened;
    const own = ends(sys, fd);
    for (let i = 0; i < lines; i++) {
      const atMs = Math.floor((sys.nowUs - start) / MS);
      const r = yield* ask(sys, fd, `line${i}\n`, d.timeoutUs);
      each(
        r.ok
          ? { ok: true, timeMs: atMs, ...replyFacts(r.line), ...own, atMs }
          : { ok: false, timeMs: atMs, ...own, errno: r.errno, phase: 'line', atMs },
      );
      if (!r.ok && d.proto === 'tcp' && r.errno !== 'TIMEOUT(tool)') return 0;
      yield* sleep(gapUs);
    }
    sys.close(fd);
    return 0;
  };
