import type { Os } from '../os';
import { readable, type Task, type Tasks } from '../tasks';

export interface HttpReply {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
}

const REASON: Readonly<Record<number, string>> = { 200: 'OK', 404: 'Not Found', 503: 'Service Unavailable' };
const NOT_FOUND: HttpReply = { status: 404, body: '404 page not found\n' };

/** A Go net/http server of a plugin: /health, /ready, /metrics. */
export class HttpServer {
  private readonly fd: number;
  private readonly strands: number[] = [];
  readonly error: string | undefined;

  constructor(
    private readonly sys: Os,
    private readonly tasks: Tasks,
    readonly addr: string,
    private readonly routes: Readonly<Record<string, () => HttpReply>>,
    /** RFC 1123 date of the Date header. */
    private readonly date: () => string,
  ) {
    const colon = addr.lastIndexOf(':');
    const ip = addr.slice(0, colon) || '0.0.0.0';
    const port = Number(addr.slice(colon + 1));
    this.fd = sys.socket('tcp');
    sys.setsockopt(this.fd, 'SO_REUSEADDR', 1);
    const bound = sys.bind(this.fd, { ip, port });
    const listening = bound.ok ? sys.listen(this.fd) : bound;
    if (!listening.ok) {
      this.error = `listen tcp ${addr}: bind: address already in use`;
      sys.close(this.fd);
      return;
    }
    this.strands.push(tasks.go(this.accept()));
  }

  private *accept(): Task {
    for (;;) {
      yield* readable(this.fd);
      const c = this.sys.accept(this.fd);
      if (c.ok) this.tasks.go(this.connection(c.value.fd));
    }
  }

  private *connection(fd: number): Task {
    let text = '';
    while (!text.includes('\r\n\r\n')) {
      if (!(yield* readable(fd, 5_000_000))) break;
      const got = this.sys.recv(fd);
      if (!got.ok) {
        if (got.errno === 'EAGAIN') continue;
        break;
      }
      if (got.value.data === '') break;
      text += got.value.data;
    }
    const path = /^[A-Z]+ (\S+) HTTP/.exec(text)?.[1]?.replace(/\?.*$/, '');
    if (path !== undefined)
      this.sys.send(fd, this.respond((this.routes[path] ?? (() => NOT_FOUND))(), / HTTP\/1\.1\r/.test(text)));
    this.sys.close(fd);
  }

  private respond(r: HttpReply, modern: boolean): string {
    const type = r.type ?? 'text/plain; charset=utf-8';
    const head = [`HTTP/1.${modern ? 1 : 0} ${r.status} ${REASON[r.status] ?? ''}`];
    if (r.status === 404) head.push(`Content-Type: ${type}`, 'X-Content-Type-Options: nosniff');
    head.push(`Date: ${this.date()}`, `Content-Length: ${r.body.length}`);
    if (r.status !== 404) head.push(`Content-Type: ${type}`);
    // An HTTP/1.0 client expects the end of the connection anyway.
    if (modern) head.push('Connection: close');
    return `${head.join('\r\n')}\r\n\r\n${r.body}`;
  }

  /** What a request for `path` would get, without a connection. */
  answer(path: string): HttpReply {
    return (this.routes[path] ?? (() => NOT_FOUND))();
  }

  close(): void {
    for (const s of this.strands) this.tasks.cancel(s);
    this.sys.close(this.fd);
  }
}
