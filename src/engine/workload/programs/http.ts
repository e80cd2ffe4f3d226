import { EPOCH_SECONDS, httpDate, unixSeconds } from '../../base/wallclock';
import { Tasks } from '../../dns/tasks';
import { accept, type Blocking, listenTcp } from '../blocking';
import { strerror } from '../errno';
import type { Program, Sys } from '../process';
import { goFlags, portList } from './args';
import { LineReader } from './lines';

interface Site {
  readonly server: string;
  /** Unix seconds. */
  readonly modified: number;
  readonly files: Readonly<Record<string, { readonly type: string; readonly body: string }>>;
}

/**
 * Web server as nginx answers: `/` names the pod, `/healthz` says ok, everything else is 404.
 * `http -name NAME -port 80,8080 [-modified UNIXSECONDS]`.
 */
export const http: Program = function* (sys) {
  const flags = goFlags(sys.argv);
  const name = flags.name ?? 'pod';
  const site: Site = {
    server: flags.server ?? 'nginx/1.22.1',
    modified: Number(flags.modified ?? EPOCH_SECONDS),
    files: {
      '/': { type: 'text/html', body: `hello from ${name}\n` },
      '/healthz': { type: 'text/plain', body: 'ok\n' },
    },
  };
  const tasks = new Tasks(sys);
  for (const port of portList(flags.port ?? '80')) {
    const l = listenTcp(sys, port, '0.0.0.0', 511);
    if (!l.ok) {
      const no = l.errno === 'EADDRINUSE' ? 98 : 13;
      sys.write(2, `nginx: [emerg] bind() to 0.0.0.0:${port} failed (${no}: ${strerror(l.errno)})\n`);
      return 1;
    }
    tasks.go(acceptLoop(sys, tasks, l.value, site));
  }
  tasks.onSignal(() => tasks.stop());
  yield* tasks.run();
  return 0;
};

function* acceptLoop(sys: Sys, tasks: Tasks, listener: number, site: Site): Blocking<void> {
  for (;;) {
    const c = yield* accept(sys, listener);
    if (!c.ok) return;
    tasks.go(connection(sys, c.value.fd, site));
  }
}

function* connection(sys: Sys, fd: number, site: Site): Blocking<void> {
  const lines = new LineReader(sys, fd);
  for (;;) {
    // What cannot start a request line (a TLS greeting) is refused without waiting for its end.
    const byte = yield* lines.peek();
    const first = byte === undefined || /[A-Z\r\n]/.test(byte) ? yield* lines.next() : byte;
    if (first === undefined) break;
    const request = /^([A-Z]+) (\S+) HTTP\/1\.([01])\r?\n$/.exec(first);
    const headers = new Map<string, string>();
    let complete = request !== null;
    while (complete) {
      const h = yield* lines.next();
      if (h === undefined) return sys.close(fd);
      if (h === '\r\n' || h === '\n') break;
      const colon = h.indexOf(':');
      if (colon <= 0) complete = false;
      else headers.set(h.slice(0, colon).toLowerCase(), h.slice(colon + 1).trim());
    }
    if (!request || !complete || (request[3] === '1' && !headers.has('host'))) {
      sys.send(fd, errorPage(sys, site, '400 Bad Request', 'GET', false));
      break;
    }
    const [, method = 'GET', target = '/', minor] = request;
    const length = Number(headers.get('content-length') ?? 0);
    for (let left = length; left > 0; ) {
      const part = lines.take(left).length;
      left -= part;
      if (part === 0 && !(yield* lines.more())) return sys.close(fd);
    }
    const said = headers.get('connection')?.toLowerCase();
    const keep = minor === '1' ? said !== 'close' : said === 'keep-alive';
    sys.send(fd, answer(sys, site, method, target, keep));
    if (!keep) break;
  }
  sys.close(fd);
}

function head(
  sys: Sys,
  site: Site,
  status: string,
  type: string,
  length: number,
  extra: string,
  keep: boolean,
): string {
  return [
    `HTTP/1.1 ${status}`,
    `Server: ${site.server}`,
    `Date: ${httpDate(unixSeconds(sys.nowUs))}`,
    `Content-Type: ${type}`,
    `Content-Length: ${length}`,
    ...(extra === '' ? [] : [extra]),
    `Connection: ${keep ? 'keep-alive' : 'close'}`,
  ].join('\r\n');
}

function answer(sys: Sys, site: Site, method: string, target: string, keep: boolean): string {
  const path = target.replace(/^https?:\/\/[^/]*/, '').replace(/\?.*$/, '') || '/';
  const file = Object.hasOwn(site.files, path) ? site.files[path] : undefined;
  if (method !== 'GET' && method !== 'HEAD') return errorPage(sys, site, '405 Not Allowed', method, keep);
  if (!file) return errorPage(sys, site, '404 Not Found', method, keep);
  const modified = `Last-Modified: ${httpDate(site.modified)}`;
  const etag = `ETag: "${site.modified.toString(16)}-${file.body.length.toString(16)}"`;
  const h = head(sys, site, '200 OK', file.type, file.body.length, modified, keep);
  return `${h}\r\n${etag}\r\nAccept-Ranges: bytes\r\n\r\n${method === 'HEAD' ? '' : file.body}`;
}

function errorPage(sys: Sys, site: Site, status: string, method: string, keep: boolean): string {
  const body = [
    '<html>',
    `<head><title>${status}</title></head>`,
    '<body>',
    `<center><h1>${status}</h1></center>`,
    `<hr><center>${site.server}</center>`,
    '</body>',
    '</html>',
    '',
  ].join('\r\n');
  return `${head(sys, site, status, 'text/html', body.length, '', keep)}\r\n\r\n${method === 'HEAD' ? '' : body}`;
}
