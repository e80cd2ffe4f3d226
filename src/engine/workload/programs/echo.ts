import { Tasks } from '../../dns/tasks';
import { accept, type Blocking, listenTcp, recv } from '../blocking';
import { strerror } from '../errno';
import type { Program, Sys } from '../process';
import { goFlags, portList } from './args';
import { LineReader } from './lines';

/**
 * Echo server of the recording lab: answers every line with who it is and whom it sees. `echo -name NAME -tcp 80,8080
 * -udp 53`. A line that starts with `GET ` gets an HTTP answer.
 */
export const echo: Program = function* (sys) {
  const flags = goFlags(sys.argv);
  const name = flags.name ?? 'pod';
  const tasks = new Tasks(sys);
  for (const port of portList(flags.tcp ?? '8080')) {
    const l = listenTcp(sys, port);
    if (!l.ok) {
      sys.write(2, `listen tcp :${port}: bind: ${strerror(l.errno).toLowerCase()}\n`);
      return 1;
    }
    tasks.go(acceptLoop(sys, tasks, l.value, name));
  }
  for (const port of portList(flags.udp ?? '5353')) {
    const fd = sys.socket('udp');
    const b = sys.bind(fd, { ip: '0.0.0.0', port });
    if (!b.ok) {
      sys.write(2, `listen udp :${port}: bind: ${strerror(b.errno).toLowerCase()}\n`);
      return 1;
    }
    tasks.go(datagrams(sys, fd, name, port));
  }
  tasks.onSignal(() => tasks.stop());
  yield* tasks.run();
  return 0;
};

function* acceptLoop(sys: Sys, tasks: Tasks, listener: number, name: string): Blocking<void> {
  for (;;) {
    const c = yield* accept(sys, listener);
    if (!c.ok) return;
    tasks.go(connection(sys, c.value.fd, name));
  }
}

function* connection(sys: Sys, fd: number, name: string): Blocking<void> {
  const lines = new LineReader(sys, fd);
  const addr = (a: { ip: string; port: number } | undefined): string => (a ? `${a.ip}:${a.port}` : '');
  const body = `server=${name} local=${addr(sys.getsockname(fd))} peer=${addr(sys.getpeername(fd))}`;
  for (;;) {
    const line = yield* lines.next();
    if (line === undefined) break;
    if (line.startsWith('GET ')) {
      for (let h = yield* lines.next(); h !== undefined && h !== '\r\n' && h !== '\n'; h = yield* lines.next());
      const head = `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${body.length + 1}\r\n\r\n`;
      sys.send(fd, `${head}${body}\n`);
    } else sys.send(fd, `${body}\n`);
  }
  sys.close(fd);
}

function* datagrams(sys: Sys, fd: number, name: string, port: number): Blocking<void> {
  for (;;) {
    const r = yield* recv(sys, fd);
    if (!r.ok || !r.value.from) continue;
    const { from } = r.value;
    sys.send(fd, `server=${name} port=${port} peer=${from.ip}:${from.port}\n`, from);
  }
}
