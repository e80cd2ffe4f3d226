import { Tasks } from '../../dns/tasks';
import { accept, type Blocking, listenTcp, recv, sleep } from '../blocking';
import type { Program, Sys } from '../process';

/** What one port of the misbehaving server does with a connection after it was accepted. */
type Behaviour = (sys: Sys, fd: number) => Blocking<void>;

function* readOnce(sys: Sys, fd: number): Blocking<void> {
  yield* recv(sys, fd);
}
const reset = (sys: Sys, fd: number): void => {
  sys.setsockopt(fd, 'SO_LINGER0', 1);
  sys.close(fd);
};
/** Reads a request, sends `text`, closes. */
const says = (text: string): Behaviour =>
  function* (sys, fd) {
    yield* readOnce(sys, fd);
    sys.send(fd, text);
    sys.close(fd);
  };
const page = (status: string, headers: string, body: string): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\n${headers}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;

/** Ways in which a server can let its client down, by port. */
const BEHAVIOURS: readonly (readonly [number, Behaviour])[] = [
  [
    9000,
    function* echoes(sys, fd) {
      for (;;) {
        const r = yield* recv(sys, fd);
        if (!r.ok || r.value.len === 0) break;
        sys.send(fd, r.value.data);
      }
      sys.close(fd);
    },
  ],
  [
    9001,
    function* resetsAfterRequest(sys, fd) {
      yield* readOnce(sys, fd);
      reset(sys, fd);
    },
  ],
  [9002, says('')],
  [
    9003,
    function* neverAnswers(sys, fd) {
      for (let open = true; open; ) {
        const r = yield* recv(sys, fd);
        open = r.ok && r.value.len > 0;
      }
      sys.close(fd);
    },
  ],
  [9004, says('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nonly this')],
  [
    9005,
    function* slow(sys, fd) {
      yield* readOnce(sys, fd);
      yield* sleep(2_000_000);
      sys.send(fd, page('200 OK', '', 'slow\n'));
      sys.close(fd);
    },
  ],
  [9006, says('SSH-2.0-lab\n')],
  [
    9007,
    function* resetsAtOnce(sys, fd) {
      yield* sleep(0);
      reset(sys, fd);
    },
  ],
  [
    9008,
    function* holds(sys, fd) {
      yield* sleep(600_000_000);
      sys.close(fd);
    },
  ],
  [9302, says(page('302 Found', 'Location: http://10.244.1.20:8080/\r\n', '302 Found\n'))],
  [9404, says(page('404 Not Found', '', '404 Not Found\n'))],
  [9503, says(page('503 Service Unavailable', '', '503 Service Unavailable\n'))],
];

/** Server with one kind of failure a port (and a UDP echo on 9053), for lessons and tests about errors. */
export const faulty: Program = function* (sys) {
  const tasks = new Tasks(sys);
  for (const [port, behaviour] of BEHAVIOURS) {
    const l = listenTcp(sys, port);
    if (l.ok) tasks.go(acceptLoop(sys, tasks, l.value, behaviour));
  }
  const udp = sys.socket('udp');
  if (sys.bind(udp, { ip: '0.0.0.0', port: 9053 }).ok) tasks.go(udpEcho(sys, udp));
  tasks.onSignal(() => tasks.stop());
  yield* tasks.run();
  return 0;
};

function* acceptLoop(sys: Sys, tasks: Tasks, listener: number, behaviour: Behaviour): Blocking<void> {
  for (;;) {
    const c = yield* accept(sys, listener);
    if (!c.ok) return;
    tasks.go(behaviour(sys, c.value.fd));
  }
}

function* udpEcho(sys: Sys, fd: number): Blocking<void> {
  for (;;) {
    const r = yield* recv(sys, fd);
    if (r.ok && r.value.from) sys.send(fd, r.value.data, r.value.from);
  }
}
