import { plainDate, unixSeconds } from '../../base/wallclock';
import { type Blocking, connect, recv, sleep } from '../blocking';
import { strerror } from '../errno';
import type { Program, Sys } from '../process';
import { gaiStrerror, resolve } from '../resolve';
import { type Head, scanHead } from './curl/http';
import { parseUrl, redirectTarget, type Url } from './curl/url';

interface Options {
  quiet: boolean;
  spider: boolean;
  serverResponse: boolean;
  output: string | undefined;
  timeoutUs: number | undefined;
  tries: number;
  agent: string;
  headers: string[];
  method: string;
  noVerbose: boolean;
}

const USAGE = "Usage: wget [OPTION]... [URL]...\n\nTry `wget --help' for more options.\n";
/** Exit codes (wget(1)). */
const NETWORK = 4;
const SERVER = 8;
const READ_TIMEOUT_US = 900_000_000;

/** GNU wget for HTTP, log format of a terminal without progress bar. */
const release = (version: string): Program =>
  function* (sys) {
    const o: Options = {
      quiet: false,
      spider: false,
      serverResponse: false,
      output: undefined,
      timeoutUs: undefined,
      tries: 20,
      agent: `Wget/${version}`,
      headers: [],
      method: 'GET',
      noVerbose: false,
    };
    const urls = parse(sys, o, version);
    if (typeof urls === 'number') return urls;
    if (urls.length === 0) {
      sys.write(2, `wget: missing URL\n${USAGE}`);
      return 1;
    }
    let exit = 0;
    for (const u of urls) {
      const r = yield* new Fetch(sys, o).run(u);
      if (r !== 0 && (exit === 0 || r < exit)) exit = r;
    }
    return exit;
  };

/** 1.21.3 of Debian 12. */
export const wget: Program = release('1.21.3');
/** 1.25.0 of Debian 13. */
export const wget125: Program = release('1.25.0');

function parse(sys: Sys, o: Options, version: string): string[] | number {
  const urls: string[] = [];
  const args = sys.argv.slice(1);
  const seconds = (v: string): number => Math.floor(Number(v) * 1_000_000);
  for (let i = 0; i < args.length; i++) {
    const a = args[i] as string;
    if (!a.startsWith('-') || a === '-') {
      urls.push(a);
      continue;
    }
    if (a.startsWith('--')) {
      const eq = a.indexOf('=');
      const name = eq < 0 ? a : a.slice(0, eq);
      const value = (): string => (eq < 0 ? (args[++i] ?? '') : a.slice(eq + 1));
      if (name === '--quiet') o.quiet = true;
      else if (name === '--spider') o.spider = true;
      else if (name === '--server-response') o.serverResponse = true;
      else if (name === '--output-document') o.output = value();
      else if (name === '--timeout' || name === '--connect-timeout' || name === '--read-timeout')
        o.timeoutUs = seconds(value());
      else if (name === '--tries') o.tries = Number(value());
      else if (name === '--header') o.headers.push(value());
      else if (name === '--user-agent') o.agent = value();
      else if (name === '--method') o.method = value();
      else if (name === '--version') {
        sys.write(1, `GNU Wget ${version} built on linux-gnu.\n`);
        return 0;
      } else if (!['--no-verbose', '--no-check-certificate', '--no-cache', '--no-proxy'].includes(name)) {
        sys.write(2, `wget: unrecognized option '${a}'\n${USAGE}`);
        return 2;
      } else if (name === '--no-verbose') o.noVerbose = true;
      continue;
    }
    for (let k = 1; k < a.length; k++) {
      const letter = a[k] as string;
      if ('OTtUPoYewQl'.includes(letter)) {
        const value = k + 1 < a.length ? a.slice(k + 1) : (args[++i] ?? '');
        if (letter === 'O') o.output = value;
        else if (letter === 'T') o.timeoutUs = seconds(value);
        else if (letter === 't') o.tries = Number(value);
        else if (letter === 'U') o.agent = value;
        break;
      }
      if (letter === 'q') o.quiet = true;
      else if (letter === 'S') o.serverResponse = true;
      else if (letter === 'n') {
        if (a[k + 1] === 'v') o.noVerbose = true;
        break;
      } else if (!'c46drkK'.includes(letter)) {
        sys.write(2, `wget: invalid option -- '${letter}'\n${USAGE}`);
        return 2;
      }
    }
  }
  return urls;
}

class Fetch {
  constructor(
    private readonly sys: Sys,
    private readonly o: Options,
  ) {}

  private log(text: string): void {
    if (!this.o.quiet) this.sys.write(2, text);
  }
  private get stamp(): string {
    return plainDate(unixSeconds(this.sys.nowUs));
  }
  /** Quotation marks of the locale. */
  private quote(name: string): string {
    const { LC_ALL, LANG } = this.sys.env;
    const locale = LC_ALL ?? LANG ?? 'C.UTF-8';
    return /utf-?8/i.test(locale) ? `‘${name}’` : `'${name}'`;
  }

  *run(text: string): Blocking<number> {
    const { o } = this;
    if (o.spider) this.log('Spider mode enabled. Check if remote file exists.\n');
    let target = text;
    for (let redirects = 0; redirects <= 20; redirects++) {
      const parsed = parseUrl(target, false);
      if (!parsed.ok || parsed.url.scheme === 'telnet') {
        this.sys.write(
          2,
          `${target}: ${parsed.ok || parsed.code === 1 ? 'Unsupported scheme' : 'Invalid host name'}.\n`,
        );
        return 1;
      }
      const r = yield* this.tries(parsed.url);
      if (typeof r === 'number') return r;
      target = r;
    }
    this.log('20 redirections exceeded.\n');
    return SERVER;
  }

  /** One URL, again and again while the failure is worth it. */
  private *tries(url: Url): Blocking<number | string> {
    for (let n = 1; ; n++) {
      const label = n === 1 ? '' : `(try:${String(n).padStart(2)})  `;
      this.log(`--${this.stamp}--  ${label}${url.text}\n`);
      const r = yield* this.once(url);
      if (r !== 'again') return r;
      if (this.o.tries > 0 && n >= this.o.tries) {
        this.log('Giving up.\n\n');
        return NETWORK;
      }
      this.log('Retrying.\n\n');
      yield* sleep(Math.min(n, 10) * 1_000_000);
    }
  }

  private *once(url: Url): Blocking<number | string | 'again'> {
    const { sys, o } = this;
    const numeric = /^[\d.]+$/.test(url.host);
    if (!numeric) this.log(`Resolving ${url.host} (${url.host})... `);
    const found = yield* resolve(sys, url.host);
    if (!found.ok) {
      const why = found.error === 'deadline' ? '' : gaiStrerror[found.error];
      this.log(`failed: ${why}.\nwget: unable to resolve host address ${this.quote(url.host)}\n`);
      return NETWORK;
    }
    if (!numeric) this.log(`${found.addrs.join(', ')}\n`);
    let fd = -1;
    for (const ip of found.addrs) {
      this.log(`Connecting to ${numeric ? ip : `${url.host} (${url.host})|${ip}|`}:${url.port}... `);
      const s = sys.socket('tcp');
      const c = yield* connect(sys, s, { ip, port: url.port }, o.timeoutUs);
      if (c.ok) {
        fd = s;
        break;
      }
      sys.close(s);
      this.log(`failed: ${strerror(c.errno)}.\n`);
      const last = ip === found.addrs.at(-1);
      if (last) return ['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH'].includes(c.errno) ? NETWORK : 'again';
    }
    this.log('connected.\n');
    const r = yield* this.request(url, fd);
    sys.close(fd);
    return r;
  }

  private *request(url: Url, fd: number): Blocking<number | string | 'again'> {
    const { sys, o } = this;
    const method = o.spider ? 'HEAD' : o.method;
    const host = url.port === 80 ? url.host : `${url.host}:${url.port}`;
    const headers = [
      `Host: ${host}`,
      `User-Agent: ${o.agent}`,
      'Accept: */*',
      'Accept-Encoding: identity',
      'Connection: Keep-Alive',
      ...o.headers,
    ];
    sys.send(fd, `${method} ${url.path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
    this.log('HTTP request sent, awaiting response... ');
    let buffer = '';
    for (;;) {
      const r = yield* recv(sys, fd, o.timeoutUs ?? READ_TIMEOUT_US);
      if (!r.ok) {
        const errno = r.errno === 'EAGAIN' ? 'ETIMEDOUT' : r.errno;
        this.log(`Read error (${strerror(errno)}) in headers.\n`);
        return 'again';
      }
      if (r.value.len === 0) {
        this.log('No data received.\n');
        return 'again';
      }
      buffer += r.value.data;
      const scan = scanHead(buffer);
      if (scan.kind === 'more') continue;
      if (scan.kind === 'other') {
        this.log('200 No headers, assuming HTTP/0.9\n');
        return yield* this.body(url, fd, undefined, buffer);
      }
      return yield* this.answered(url, fd, scan.head, scan.rest);
    }
  }

  private *answered(url: Url, fd: number, head: Head, rest: string): Blocking<number | string | 'again'> {
    const { o } = this;
    const status = (head.lines[0] ?? '').replace(/^\S+ /, '').trim();
    const reason = status.replace(/^\d+ ?/, '');
    if (o.serverResponse) this.log(`\n${head.lines.map((l) => `  ${l.trimEnd()}\n`).join('')}`);
    else this.log(`${status}\n`);
    const location = head.get('location');
    if (head.code >= 300 && head.code < 400 && location !== undefined) {
      this.log(`Location: ${location} [following]\n`);
      return redirectTarget(url, location);
    }
    if (o.spider) {
      if (head.code >= 400) {
        this.log('Remote file does not exist -- broken link!!!\n\n');
        return SERVER;
      }
      this.length(head);
      const html = (head.get('content-type') ?? '').startsWith('text/html');
      this.log(
        html
          ? 'Remote file exists and could contain further links,\nbut recursion is disabled -- not retrieving.\n\n'
          : 'Remote file exists.\n\n',
      );
      return 0;
    }
    if (head.code >= 400) {
      this.log(`${this.stamp} ERROR ${head.code}: ${reason}.\n\n`);
      return SERVER;
    }
    this.length(head);
    return yield* this.body(url, fd, head, rest);
  }

  private length(head: Head): void {
    const type = (head.get('content-type') ?? '').replace(/;.*$/, '').trim();
    const n = head.get('content-length');
    const shown = n === undefined ? 'unspecified' : Number(n) > 1024 ? `${n} (${human(Number(n))})` : n;
    this.log(`Length: ${shown}${type === '' ? '' : ` [${type}]`}\n`);
  }

  private *body(url: Url, fd: number, head: Head | undefined, start: string): Blocking<number | 'again'> {
    const { sys, o } = this;
    const name = o.output ?? (url.path.replace(/\?.*$/, '').replace(/^.*\//, '') || 'index.html');
    const toStdout = o.output === '-';
    this.log(`Saving to: ${this.quote(toStdout ? 'STDOUT' : name)}\n\n`);
    const bar = sys.ttyErr;
    const length = head?.get('content-length');
    const want = length === undefined ? undefined : Number(length);
    const began = sys.nowUs;
    this.log(bar ? `\r${barLine(toStdout ? '-' : name, 0, want, sys.cols, undefined)}` : '     0K');
    let data = start;
    while (want === undefined || data.length < want) {
      const r = yield* recv(sys, fd, o.timeoutUs ?? READ_TIMEOUT_US);
      if (!r.ok || r.value.len === 0) break;
      data += r.value.data;
    }
    const us = Math.max(1, sys.nowUs - began);
    const speed = rate(data.length, us);
    if (bar) this.log(`\r${barLine(toStdout ? '-' : name, data.length, want, sys.cols, us)}\n\n`);
    else this.log(`${dots(data.length)}${percentOf(data.length, want)} ${speed.short}=${duration(us)}\n\n`);
    if (toStdout) sys.write(1, data);
    else if (name !== '/dev/null') sys.writeFile(name, data);
    if (want !== undefined && data.length < want) {
      this.log(`${this.stamp} (${speed.long}) - Connection closed at byte ${data.length}. `);
      return 'again';
    }
    const size = want === undefined ? `[${data.length}]` : `[${data.length}/${want}]`;
    const done = toStdout ? 'written to stdout' : `${this.quote(name)} saved`;
    this.log(`${this.stamp} (${speed.long}) - ${done} ${size}\n\n`);
    return 0;
  }
}

const percentOf = (got: number, want: number | undefined): string =>
  want === undefined ? '' : `${want === 0 ? 100 : Math.floor((got * 100) / want)}%`.padStart(4);

/** The dot area of a progress line: five groups of ten dots of 1 KiB; earlier full lines come before it. */
function dots(bytes: number): string {
  const n = Math.floor(bytes / 1024);
  let out = '';
  for (let at = 0; ; at += 50) {
    for (let i = 0; i < 50; i++) out += `${i % 10 === 0 ? ' ' : ''}${at + i < n ? '.' : ' '}`;
    if (n <= at + 50) return out;
    out += `\n${String(at + 50).padStart(6)}K`;
  }
}

function rate(bytes: number, us: number): { short: string; long: string } {
  const perSecond = Math.floor((bytes * 1_000_000) / us);
  const units: readonly (readonly [number, string, string])[] = [
    [1_073_741_824, 'G', 'GB/s'],
    [1_048_576, 'M', 'MB/s'],
    [1024, 'K', 'KB/s'],
  ];
  for (const [unit, short, long] of units) {
    if (perSecond < unit) continue;
    const text = threeFigures(Math.floor((perSecond * 1000) / unit));
    return { short: `${text}${short}`, long: `${text} ${long}` };
  }
  return { short: `${perSecond}B`, long: `${perSecond} B/s` };
}

/** A rate in thousandths with about three figures: 2.86, 16.2, 237. */
function threeFigures(thousandths: number): string {
  if (thousandths >= 99_950) return String(Math.floor((thousandths + 500) / 1000));
  if (thousandths >= 9_995) {
    const tenths = Math.floor((thousandths + 50) / 100);
    return `${Math.floor(tenths / 10)}.${tenths % 10}`;
  }
  const h = Math.floor((thousandths + 5) / 10);
  return `${Math.floor(h / 100)}.${String(h % 100).padStart(2, '0')}`;
}

/**
 * One state of the progress bar (src/progress.c, create_image). `us`: time taken, at the end. Transfers shorter than
 * 150 ms have no current rate.
 */
function barLine(name: string, got: number, want: number | undefined, cols: number, us: number | undefined): string {
  const nameCols = Math.floor(cols / 4);
  const width = cols - 1 - nameCols - 4 - 2 - 8 - 10 - 15;
  const percent = want === undefined ? '' : `${want === 0 ? 100 : Math.floor((got * 100) / want)}%`;
  const filled = want === undefined ? 0 : want === 0 ? width : Math.floor((got * width) / want);
  const bar = filled > 0 ? `${'='.repeat(filled - 1)}>` : '';
  const size = got >= 1024 ? human(got) : String(got);
  const speed = us === undefined || us < 150_000 ? '--.-KB/s' : rate(got, us).long.replace(' ', '').padStart(8);
  const tail = us === undefined ? '' : `    in ${duration(us)}`;
  const shown = name.slice(0, nameCols).padEnd(nameCols);
  return `${shown}${percent.padStart(4)}[${bar.padEnd(width)}] ${size.padStart(7)}  ${speed}${tail.padEnd(15)}`;
}

function duration(us: number): string {
  const ms = Math.floor(us / 1000);
  if (ms === 0) return '0s';
  return ms < 1000 ? `0.${String(ms).padStart(3, '0').replace(/0+$/, '')}s` : `${Math.floor(ms / 1000)}s`;
}

const human = (n: number): string => {
  if (n >= 1_048_576) return `${Math.floor((n * 10) / 1_048_576) / 10}M`;
  const tenths = Math.floor((n * 10) / 1024);
  return tenths < 100 ? `${Math.floor(tenths / 10)}.${tenths % 10}K` : `${Math.floor(tenths / 10)}K`;
};
