import { type Blocking, connect, recv } from '../../blocking';
import { strerror } from '../../errno';
import type { Sys } from '../../process';
import { resolve } from '../../resolve';
import { scanHead } from '../curl/http';
import { parseUrl } from '../curl/url';
import { type BusyboxRelease, usage } from './text';

interface Options {
  quiet: boolean;
  spider: boolean;
  server: boolean;
  output: string | undefined;
  agent: string;
  timeoutUs: number | undefined;
  headers: string[];
  post: string | undefined;
}

/** wget of busybox. */
export function* bbWget(sys: Sys, release: BusyboxRelease): Blocking<number> {
  const o: Options = {
    quiet: false,
    spider: false,
    server: false,
    output: undefined,
    agent: 'Wget',
    timeoutUs: release.wgetTimeout ? 900_000_000 : undefined,
    headers: [],
    post: undefined,
  };
  const urls = parse(sys, release, o);
  if (typeof urls === 'number') return urls;
  if (urls.length === 0) {
    sys.write(2, usage(release, 'wget'));
    return 1;
  }
  for (const u of urls) {
    const r = yield* fetch(sys, o, u);
    if (r !== undefined) {
      sys.write(2, `wget: ${r}\n`);
      return 1;
    }
  }
  return 0;
}

function parse(sys: Sys, release: BusyboxRelease, o: Options): string[] | number {
  const urls: string[] = [];
  const args = sys.argv.slice(1);
  const invalid = (what: string): number => {
    sys.write(2, `wget: ${what}\n${usage(release, 'wget')}`);
    return 1;
  };
  for (let i = 0; i < args.length; i++) {
    const a = args[i] as string;
    if (a === '--help') {
      sys.write(2, usage(release, 'wget'));
      return 0;
    }
    if (a.startsWith('--')) {
      const [name = '', inline] = a.split('=', 2);
      if (name === '--spider') o.spider = true;
      else if (name === '--quiet') o.quiet = true;
      else if (name === '--header') o.headers.push(inline ?? args[++i] ?? '');
      else if (name === '--post-data') o.post = inline ?? args[++i] ?? '';
      else if (name === '--output-document') o.output = inline ?? args[++i];
      else if (name !== '--no-check-certificate' && name !== '--continue') return invalid(`unrecognized option '${a}'`);
      continue;
    }
    if (!a.startsWith('-') || a === '-') {
      urls.push(a);
      continue;
    }
    for (let k = 1; k < a.length; k++) {
      const letter = a[k] as string;
      if ('OoUPYT'.includes(letter) && (letter !== 'T' || release.wgetTimeout)) {
        const value = k + 1 < a.length ? a.slice(k + 1) : (args[++i] ?? '');
        if (letter === 'O') o.output = value;
        else if (letter === 'U') o.agent = value;
        else if (letter === 'T') o.timeoutUs = Number(value) * 1_000_000;
        break;
      }
      if (letter === 'q') o.quiet = true;
      else if (letter === 'S') o.server = true;
      else if (letter !== 'c') return invalid(`invalid option -- '${letter}'`);
    }
  }
  return urls;
}

/** Words of the failure, or undefined. */
function* fetch(sys: Sys, o: Options, text: string): Blocking<string | undefined> {
  const parsed = parseUrl(text, false);
  if (!parsed.ok || parsed.url.scheme !== 'http') return `not an http or ftp url: ${text}`;
  const { url } = parsed;
  const name = o.output ?? (url.path.replace(/^.*\//, '') || 'index.html');
  const say = (line: string): void => {
    if (!o.quiet) sys.write(2, line);
  };
  const found = yield* resolve(sys, url.host);
  if (!found.ok) return `bad address '${url.host}'`;
  const ip = found.addrs[0] as string;
  const host = url.explicitPort ? `${url.host}:${url.port}` : url.host;
  say(`Connecting to ${host} (${ip}:${url.port})\n`);
  const fd = sys.socket('tcp');
  const c = yield* connect(sys, fd, { ip, port: url.port }, o.timeoutUs);
  if (!c.ok) {
    if (c.errno === 'ETIMEDOUT' && o.timeoutUs !== undefined) return 'download timed out';
    return `can't connect to remote host (${ip}): ${strerror(c.errno)}`;
  }
  const method = o.post !== undefined ? 'POST' : o.spider ? 'HEAD' : 'GET';
  const body = o.post ?? '';
  const post = o.post === undefined ? [] : [`Content-Length: ${body.length}`];
  const lines = [`Host: ${host}`, `User-Agent: ${o.agent}`, 'Connection: close', ...o.headers, ...post];
  sys.send(fd, `${method} ${url.path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  let buffer = '';
  let scan = scanHead(buffer);
  while (scan.kind === 'more') {
    const r = yield* recv(sys, fd, o.timeoutUs);
    if (!r.ok && r.errno === 'EAGAIN') return 'download timed out';
    if (!r.ok || r.value.len === 0) return 'error getting response';
    buffer += r.value.data;
    scan = scanHead(buffer);
  }
  if (scan.kind === 'other') return `bad response line: ${buffer.split('\n')[0]?.trimEnd() ?? ''}`;
  const { head } = scan;
  if (o.server)
    say(
      head.lines
        .concat('')
        .map((l) => `  ${l.trimEnd()}\n`)
        .join(''),
    );
  const to = head.get('location');
  if (head.code >= 300 && head.code < 400 && to !== undefined) {
    sys.close(fd);
    return yield* fetch(sys, o, to);
  }
  if (head.code >= 300) return `server returned error: ${(head.lines[0] ?? '').trimEnd()}`;
  if (o.spider) {
    say('remote file exists\n');
    return undefined;
  }
  const stdout = name === '-';
  if (!stdout && o.output === undefined && sys.readFile(name) !== undefined) return `can't open '${name}': File exists`;
  say(stdout ? 'writing to stdout\n' : `saving to '${name}'\n`);
  const length = head.get('content-length');
  const want = length === undefined ? undefined : Number(length);
  let data = scan.rest;
  let failure: string | undefined;
  while (want === undefined || data.length < want) {
    const r = yield* recv(sys, fd, o.timeoutUs);
    if (!r.ok && r.errno === 'EAGAIN') failure = 'download timed out';
    else if (!r.ok || (r.value.len === 0 && want !== undefined)) failure = 'connection closed prematurely';
    if (failure !== undefined || !r.ok || r.value.len === 0) break;
    data += r.value.data;
  }
  if (stdout) sys.write(1, data);
  if (failure !== undefined) return failure;
  if (!stdout && name !== '/dev/null') sys.writeFile(name, data);
  say(`${sys.ttyErr ? '\r' : ''}${bar(name, data.length)}\n${stdout ? 'written to stdout' : `'${name}' saved`}\n`);
  sys.close(fd);
  return undefined;
}

/** Progress line of a finished transfer in 80 columns (libbb/progress.c). */
function bar(name: string, bytes: number): string {
  const short = name.replace(/^.*\//, '').slice(0, 20);
  const size = bytes >= 100_000 ? `${String(Math.floor(bytes / 1024)).padStart(5)}k` : String(bytes).padStart(6);
  return `${short.padEnd(20)} 100% |${'*'.repeat(32)}|${size}  0:00:00 ETA`;
}
