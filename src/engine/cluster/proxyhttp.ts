import type { WorldReader } from '../base';
import { httpDate, unixSeconds } from '../base/wallclock';
import { METRICS_PORT, proxyPage } from '../kubeproxy';
import type { Program, Sys } from '../workload';
import { accept, type Blocking, listenTcp } from '../workload/blocking';
import { LineReader } from '../workload/programs/lines';

/** One of kube-proxy's HTTP servers: healthz, metrics or the health check of a Service. */
export const proxyHttp = (reader: WorldReader, node: string, port: number): Program =>
  function* (sys) {
    const l = listenTcp(sys, port, port === METRICS_PORT ? '127.0.0.1' : '0.0.0.0');
    if (!l.ok) return 1;
    for (;;) {
      const c = yield* accept(sys, l.value);
      if (!c.ok) return 1;
      yield* serve(sys, c.value.fd, reader, node, port);
    }
  };

/** Requests of one connection, one after the other, until the client has gone. */
function* serve(sys: Sys, fd: number, reader: WorldReader, node: string, port: number): Blocking<void> {
  const lines = new LineReader(sys, fd);
  for (;;) {
    const first = yield* lines.next();
    const request = first === undefined ? null : /^GET (\S+) HTTP\/1\.[01]\r?\n$/.exec(first);
    if (!request) break;
    for (let h = yield* lines.next(); h !== undefined && h !== '\r\n' && h !== '\n'; h = yield* lines.next());
    const page = proxyPage(reader, node, port, request[1] ?? '/');
    if (!page) break;
    const head = [
      `HTTP/1.1 ${page.status}`,
      ...page.headers.map(([k, v]) => `${k}: ${v}`),
      `Date: ${httpDate(unixSeconds(sys.nowUs))}`,
      `Content-Length: ${page.body.length}`,
    ];
    sys.send(fd, `${head.join('\r\n')}\r\n\r\n${page.body}`);
  }
  sys.close(fd);
}
