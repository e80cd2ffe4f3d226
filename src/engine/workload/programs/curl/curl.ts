import { ipow } from '../../../base/int';
import { type Blocking, poll, recv, sleep } from '../../blocking';
import { strerror } from '../../errno';
import type { Program, SockAddr, Sys } from '../../process';
import { resolve } from '../../resolve';
import { base64 } from '../base64';
import { type CurlOptions, parseCurl } from './args';
import { dechunk, type Head, scanHead } from './http';
import { METER_HEAD, meter, type TransferInfo, writeOut } from './report';
import { CURL_7, CURL_8, type CurlRelease, HELP, TRY } from './text';
import { parseUrl, redirectTarget, type Url } from './url';

/** curl polls for at most this long at a time, in whole milliseconds rounded up (curl_multi_poll in easy_transfer). */
const POLL_US = 1_000_000;
/** How late a sleeping process is woken on a busy machine, us: the first time, and once it has slept for a second. */
const LATE_US = [550, 1000] as const;

/** Why a transfer failed: exit status and the words after `curl: (N) `. */
interface Failure {
  readonly code: number;
  readonly message: string;
}

/** curl(1) for HTTP: what its user sees on success and on every way in which a connection can fail. */
function curlProgram(release: CurlRelease): Program {
  return function* (sys) {
    const parsed = parseCurl(sys.argv);
    if (!parsed.ok) {
      sys.write(2, parsed.message);
      return 2;
    }
    const o = parsed.options;
    if (o.help) sys.write(1, `${HELP}\n`);
    else if (o.version) sys.write(1, `${release.version}\n`);
    if (o.help || o.version) return 0;
    if (o.urls.length === 0) {
      sys.write(2, release.modern ? `curl: (2) no URL specified\n${TRY}` : TRY);
      return 2;
    }
    let exit = 0;
    for (const url of o.urls) exit = yield* new Transfer(sys, o, release, url).run();
    return exit;
  };
}

export const curl: Program = curlProgram(CURL_7);
export const curl8: Program = curlProgram(CURL_8);

/** One URL, with its redirects and retries. */
class Transfer {
  private readonly info: TransferInfo;
  private deadline: number | undefined;
  private headShown = '';
  private body = '';
  private expected: number | undefined;
  private conn = 0;
  /** A redirect is followed: its own text is not wanted. */
  private ignoreBody = false;
  private started = false;

  constructor(
    private readonly sys: Sys,
    private readonly o: CurlOptions,
    private readonly release: CurlRelease,
    private readonly text: string,
  ) {
    this.info = {
      url: text,
      code: 0,
      contentType: '',
      startUs: sys.nowUs,
      nameUs: 0,
      connectUs: 0,
      preUs: 0,
      firstUs: 0,
      totalUs: 0,
      sizeDownload: 0,
      sizeUpload: 0,
      sizeHeader: 0,
      remote: undefined,
      local: undefined,
      connects: 0,
      redirects: 0,
      redirectUrl: '',
      method: o.method ?? (o.head ? 'HEAD' : o.data.length > 0 && !o.get ? 'POST' : 'GET'),
      exit: 0,
      error: '',
    };
  }

  private get elapsed(): number {
    return this.sys.nowUs - this.info.startUs;
  }
  private get ms(): number {
    return Math.floor(this.elapsed / 1000);
  }

  private log(line: string): void {
    if (this.o.verbose) this.sys.write(2, `${line}\n`);
  }
  /** Lines about a failure: the error buffer is echoed into the verbose log. */
  private failed(code: number, message: string): Failure {
    this.log(`* ${message}`);
    return { code, message };
  }
  private closing(): void {
    this.log(this.release.modern ? `* closing connection #${this.conn}` : `* Closing connection ${this.conn}`);
  }

  private get toFile(): boolean {
    return this.o.output !== undefined || this.o.remoteName;
  }
  private get showMeter(): boolean {
    return !this.o.silent && (this.toFile ? this.o.output !== '-' : !this.sys.tty);
  }

  *run(): Blocking<number> {
    let failure: Failure | undefined;
    for (let left = this.o.retry; ; left--) {
      failure = yield* this.attempt();
      if (left <= 0 || !this.worthRetry(failure)) break;
      const waitUs = this.o.retryDelayUs || 1_000_000 * ipow(2, this.o.retry - left);
      if (!this.o.silent) {
        const why = failure?.code === 7 ? 'connection refused' : failure?.code === 28 ? 'timeout' : 'HTTP error';
        const s = Math.floor(waitUs / 1_000_000);
        this.sys.write(2, `Warning: Problem: ${why}. Will retry in ${s} seconds. ${left} retries left.\n`);
      }
      yield* sleep(waitUs);
    }
    const { info, o } = this;
    info.exit = failure?.code ?? 0;
    info.error = failure?.message ?? '';
    if (this.toFile && o.output !== '-' && (failure === undefined || this.body !== '')) this.save();
    if (failure && (!o.silent || o.showError)) this.sys.write(2, `curl: (${failure.code}) ${failure.message}\n`);
    if (o.writeOut !== undefined) {
      const w = writeOut(o.writeOut, info);
      this.sys.write(1, w.stdout);
      for (const name of w.unknown) this.sys.write(2, `curl: unknown --write-out variable: '${name}'\n`);
    }
    return info.exit;
  }

  private worthRetry(f: Failure | undefined): boolean {
    if (f === undefined) return [408, 429, 500, 502, 503, 504].includes(this.info.code);
    return f.code === 28 || f.code === 6 || (f.code === 7 && this.o.retryConnRefused);
  }

  private save(): void {
    const name = this.o.output ?? this.info.url.replace(/[?#].*$/, '').replace(/^.*\//, '');
    if (name !== '/dev/null') this.sys.writeFile(name, this.headShown + this.body);
  }

  private *attempt(): Blocking<Failure | undefined> {
    const { info, o } = this;
    info.startUs = this.sys.nowUs;
    info.code = 0;
    this.body = '';
    this.deadline = o.maxTimeUs > 0 ? this.sys.nowUs + o.maxTimeUs : undefined;
    let next = this.text;
    for (let hops = 0; ; hops++) {
      const parsed = parseUrl(next, this.release.modern);
      if (!parsed.ok) return { code: parsed.code, message: parsed.message };
      info.url = parsed.url.text;
      if (this.showMeter && !this.started) this.sys.write(2, METER_HEAD);
      if (this.showMeter && !this.started) this.sys.write(2, meter(0, 0, 0));
      this.started = true;
      this.body = '';
      this.expected = undefined;
      const r = yield* this.request(parsed.url);
      info.totalUs = this.elapsed;
      const done = typeof r !== 'string';
      if (this.showMeter && done && info.nameUs > 0)
        this.sys.write(2, `${meter(this.body.length, this.expected, info.totalUs)}\n`);
      if (done) return r;
      info.redirectUrl = r;
      if (!o.location) return undefined;
      if (hops >= o.maxRedirs) {
        info.redirects = hops;
        return { code: 47, message: `Maximum (${o.maxRedirs}) redirects followed` };
      }
      info.redirects = hops + 1;
      info.redirectUrl = '';
      this.log(`* Issue another request to this URL: '${r}'`);
      this.conn++;
      next = r;
    }
  }

  /** One request and its answer: failure, nothing, or where it redirects to. */
  private *request(url: Url): Blocking<Failure | undefined | string> {
    const addrs = yield* this.addresses(url);
    if ('code' in addrs) {
      if (this.o.verbose) {
        const word = this.release.modern ? `shutting down connection #${this.conn}` : `Closing connection ${this.conn}`;
        this.sys.write(2, `* ${addrs.message}\n* ${word}\n`);
      }
      return addrs;
    }
    const c = yield* this.connect(url, addrs.list);
    if (typeof c !== 'number') {
      this.closing();
      return c;
    }
    const r = yield* url.scheme === 'telnet'
      ? this.telnet(c)
      : url.scheme === 'https'
        ? this.handshake(url, c)
        : this.exchange(url, c);
    this.sys.close(c);
    return r;
  }

  private *addresses(url: Url): Blocking<{ list: readonly string[] } | Failure> {
    const fixed = this.o.resolve.map((r) => r.split(':')).find(([h, p]) => h === url.host && Number(p) === url.port);
    if (fixed?.[2] !== undefined) {
      this.info.nameUs = Math.max(1, this.elapsed);
      return { list: fixed[2].split(',') };
    }
    const limit = this.connectDeadline();
    const r = yield* resolve(this.sys, url.host, limit);
    if (r.ok) {
      this.info.nameUs = Math.max(1, this.elapsed);
      return { list: r.addrs };
    }
    if (r.error === 'deadline') return { code: 28, message: `Resolving timed out after ${this.ms} milliseconds` };
    return { code: 6, message: `Could not resolve host: ${url.host}` };
  }

  private connectDeadline(): number | undefined {
    const own = this.o.connectTimeoutUs > 0 ? this.info.startUs + this.o.connectTimeoutUs : undefined;
    if (own === undefined || this.deadline === undefined) return own ?? this.deadline;
    return Math.min(own, this.deadline);
  }

  /** Waits as curl's transfer loop does: in polls of a second, each of which ends a little late. */
  private *waitFor(fd: number, events: 'in' | 'out', limit: number | undefined): Blocking<boolean> {
    const { sys } = this;
    if (limit === undefined) return yield* poll(fd, events);
    for (let n = 0; sys.nowUs < limit; n++) {
      const us = Math.min(POLL_US, Math.ceil((limit - sys.nowUs) / 1000) * 1000);
      if (yield* poll(fd, events, us + (n === 0 ? LATE_US[0] : LATE_US[1]))) return true;
    }
    return false;
  }

  /** Tries the addresses in turn (happy eyeballs has one family here). */
  private *connect(url: Url, addrs: readonly string[]): Blocking<number | Failure> {
    const { sys, info, o } = this;
    // curl gives up on its own after 300 s.
    const limit = this.connectDeadline() ?? info.startUs + 300_000_000;
    for (const [i, ip] of addrs.entries()) {
      this.log(`*   Trying ${ip}:${url.port}...`);
      const fd = sys.socket('tcp');
      const bound = this.bind(fd);
      if (bound) return bound;
      const more = addrs.length - 1 - i;
      const left = Math.max(1, limit - sys.nowUs);
      const share = more > 0 ? Math.floor(left / 2) : left;
      const from = (): string => {
        const a = sys.getsockname(fd);
        return this.release.modern && a ? ` from ${a.ip} port ${a.port}` : '';
      };
      const c = sys.connect(fd, { ip, port: url.port });
      if (!c.ok && c.errno !== 'EINPROGRESS') {
        this.log(`* Immediate connect fail for ${ip}: ${strerror(c.errno)}`);
        sys.close(fd);
        continue;
      }
      if (!(yield* this.waitFor(fd, 'out', sys.nowUs + share))) {
        sys.close(fd);
        if (this.deadline !== undefined && sys.nowUs >= this.deadline) {
          return this.failed(28, `Connection timed out after ${this.ms} milliseconds`);
        }
        const ms = Math.floor(share / 1000);
        if (this.release.modern && more === 0)
          return this.failed(28, `Connection timed out after ${this.ms} milliseconds`);
        this.log(`* ipv4 connect timeout after ${ms}ms, move on!`);
        if (more === 0) {
          return this.failed(
            28,
            `Failed to connect to ${url.host} port ${url.port} after ${this.ms} ms: Timeout was reached`,
          );
        }
        continue;
      }
      const errno = sys.sockError(fd);
      if (errno === undefined) {
        const name = { host: url.host, ip, port: url.port };
        this.connected(fd, name);
        return fd;
      }
      this.log(`* connect to ${ip} port ${url.port}${from()} failed: ${strerror(errno)}`);
      sys.close(fd);
    }
    const target = `${url.host} port ${url.port}`;
    if (o.connectTimeoutUs > 0 && sys.nowUs >= limit) {
      return this.failed(28, `Failed to connect to ${target} after ${this.ms} ms: Timeout was reached`);
    }
    return this.failed(7, `Failed to connect to ${target} after ${this.ms} ms: ${this.release.couldNotConnect}`);
  }

  private connected(fd: number, to: { host: string; ip: string; port: number }): void {
    const { sys, info } = this;
    info.connectUs = this.elapsed;
    info.preUs = this.elapsed;
    info.connects++;
    info.remote = { ip: to.ip, port: to.port };
    info.local = sys.getsockname(fd);
    const tail = this.release.modern ? '' : ` (#${this.conn})`;
    this.log(`* Connected to ${to.host} (${to.ip}) port ${to.port}${tail}`);
    if (this.release.modern) this.log('* using HTTP/1.x');
  }

  private bind(fd: number): Failure | undefined {
    const { sys, o } = this;
    const port = o.localPort;
    if (o.bindTo === undefined && port === 0) return undefined;
    let addr: SockAddr = { ip: '0.0.0.0', port };
    if (o.bindTo !== undefined && /^[\d.]+$/.test(o.bindTo)) addr = { ip: o.bindTo, port };
    else if (o.bindTo !== undefined) {
      if (sys.readFile(`/sys/class/net/${o.bindTo}/ifindex`) === undefined) {
        return this.failed(45, `Couldn't bind to '${o.bindTo}'`);
      }
      sys.setsockopt(fd, 'SO_BINDTODEVICE', o.bindTo);
    }
    sys.setsockopt(fd, 'SO_REUSEADDR', 1);
    const b = sys.bind(fd, addr);
    return b.ok ? undefined : this.failed(45, `bind failed with errno 98: ${strerror(b.errno)}`);
  }

  /** telnet:// sends nothing here and waits for the other side. */
  private *telnet(fd: number): Blocking<Failure | undefined> {
    for (;;) {
      const left = this.deadline === undefined ? undefined : this.deadline - this.sys.nowUs;
      const r = left !== undefined && left <= 0 ? undefined : yield* recv(this.sys, fd, left);
      if (!r || (!r.ok && r.errno === 'EAGAIN')) return { code: 28, message: 'Time-out' };
      if (!r.ok || r.value.len === 0) return undefined;
      this.sys.write(1, r.value.data);
    }
  }

  /**
   * The TLS greeting to a server that speaks none: no machine of this world has certificates, so every way through it is
   * a failure as OpenSSL words it.
   */
  private *handshake(url: Url, fd: number): Blocking<Failure> {
    const { o, sys, release } = this;
    const version = o.insecure ? [] : ['*  CAfile: /etc/ssl/certs/ca-certificates.crt', '*  CApath: /etc/ssl/certs'];
    for (const l of ['* ALPN: offers h2,http/1.1', '* TLSv1.3 (OUT), TLS handshake, Client hello (1):', ...version])
      this.log(l);
    sys.send(fd, `\x16\x03\x01\x02\x00${'\x01'.repeat(512)}`);
    const r = yield* this.read(fd);
    let failure: Failure;
    if (r === 'timeout') failure = this.failed(28, `SSL connection timeout`);
    else if (!r.ok || r.value.len === 0) {
      const why = r.ok ? 'SSL_ERROR_SYSCALL' : strerror(r.errno);
      failure = this.failed(35, `OpenSSL SSL_connect: ${why} in connection to ${url.host}:${url.port} `);
    } else failure = this.failed(35, `${release.tlsPrefix}error:0A00010B:SSL routines::wrong version number`);
    this.closing();
    return failure;
  }

  private requestText(url: Url): string {
    const { o, info } = this;
    const data = o.data.join('&');
    const target = o.get && data !== '' ? `${url.path}${url.path.includes('?') ? '&' : '?'}${data}` : url.path;
    const custom = (name: string): boolean =>
      o.headers.some((h) => h.toLowerCase().startsWith(`${name.toLowerCase()}:`));
    const standard = (name: string, value: string): string[] => (custom(name) ? [] : [`${name}: ${value}`]);
    const defaultPort = url.port === (url.scheme === 'https' ? 443 : 80);
    const host = defaultPort && !url.explicitPort ? url.host : `${url.host}:${url.port}`;
    const hostLine = o.headers.find((h) => /^host:/i.test(h));
    const own = o.headers.filter((h) => h !== hostLine && !/^[^:]+:\s*$/.test(h));
    const lines = [
      `${info.method} ${target} HTTP/${o.http10 ? '1.0' : '1.1'}`,
      hostLine ?? `Host: ${defaultPort ? url.host : host}`,
      ...(o.user === undefined ? [] : [`Authorization: Basic ${base64(o.user.includes(':') ? o.user : `${o.user}:`)}`]),
      ...standard('User-Agent', o.agent ?? this.release.agent),
      ...standard('Accept', '*/*'),
      ...(o.referer === undefined ? [] : [`Referer: ${o.referer}`]),
      ...own,
      ...(o.data.length > 0 && !o.get
        ? [
            ...standard('Content-Length', String(data.length)),
            ...standard('Content-Type', 'application/x-www-form-urlencoded'),
          ]
        : []),
    ];
    for (const l of [...lines, '']) this.log(`> ${l}\r`);
    info.sizeUpload = o.get ? 0 : data.length;
    return `${lines.join('\r\n')}\r\n\r\n${o.get ? '' : data}`;
  }

  private *exchange(url: Url, fd: number): Blocking<Failure | undefined | string> {
    const sent = this.sys.send(fd, this.requestText(url));
    if (this.release.modern && sent.ok) this.log('* Request completely sent off');
    let buffer = '';
    let head: Head | undefined;
    for (;;) {
      const r = yield* this.read(fd);
      if (r === 'timeout') return this.timedOut();
      if (!r.ok) {
        this.failed(56, `Recv failure: ${strerror(r.errno)}`);
        this.closing();
        return { code: 56, message: `Recv failure: ${strerror(r.errno)}` };
      }
      const eof = r.value.len === 0;
      buffer += r.value.data;
      if (!head) {
        if (eof) return this.emptyReply();
        const scan = scanHead(buffer);
        if (scan.kind === 'more') continue;
        if (scan.kind === 'other') {
          if (!this.o.http09) {
            const f = this.failed(1, 'Received HTTP/0.9 when not allowed');
            this.closing();
            return f;
          }
          this.deliver(buffer);
          buffer = '';
          yield* this.drain(fd);
          this.closing();
          return undefined;
        }
        if (this.info.firstUs === 0) this.info.firstUs = this.elapsed;
        if (scan.head.code >= 100 && scan.head.code < 200) {
          buffer = scan.rest;
          continue;
        }
        head = scan.head;
        const stop = this.gotHead(head, scan.blank);
        if (stop) return stop;
        buffer = scan.rest;
      }
      const end = this.consume(head, buffer, eof);
      buffer = end.rest;
      if (end.done) return this.finish(url, head, end.failure);
    }
  }

  private *drain(fd: number): Blocking<void> {
    for (;;) {
      const r = yield* this.read(fd);
      if (r === 'timeout' || !r.ok || r.value.len === 0) return;
      this.deliver(r.value.data);
    }
  }

  private *read(fd: number): Blocking<ReturnType<Sys['recv']> | 'timeout'> {
    for (;;) {
      const r = this.sys.recv(fd);
      if (r.ok || r.errno !== 'EAGAIN') return r;
      if (!(yield* this.waitFor(fd, 'in', this.deadline))) return 'timeout';
    }
  }

  private timedOut(): Failure {
    const got = this.body.length;
    const of = this.expected === undefined ? '' : ` out of ${this.expected}`;
    const f = this.failed(28, `Operation timed out after ${this.ms} milliseconds with ${got}${of} bytes received`);
    this.closing();
    return f;
  }

  private emptyReply(): Failure {
    const f = this.failed(52, 'Empty reply from server');
    this.closing();
    return f;
  }

  private gotHead(head: Head, blank: string): Failure | undefined {
    const { o, info } = this;
    info.code = head.code;
    info.contentType = head.get('content-type') ?? '';
    const length = head.get('content-length');
    this.expected = length === undefined || head.get('transfer-encoding') !== undefined ? undefined : Number(length);
    const to = head.get('location');
    this.ignoreBody = o.location && to !== undefined && head.code >= 300 && head.code < 400;
    const show = o.include || o.head;
    if (!show) this.headShown = '';
    for (const l of [...head.lines, blank]) {
      info.sizeHeader += l.length;
      // The end of the head is written before it is told of (Curl_http_readwrite_headers).
      const told = (): void => (o.verbose ? this.sys.write(2, `< ${l}`) : undefined);
      if (l !== blank) told();
      if (show) this.header(l);
      if (l === blank) told();
    }
    if (this.ignoreBody && this.expected !== 0) this.log('* Ignoring the response-body');
    if (o.fail && head.code >= 400) {
      const f = this.failed(22, `The requested URL returned error: ${head.code}`);
      this.closing();
      return f;
    }
    return undefined;
  }

  /** A header for standard output: names in bold on a terminal, Location as a link (src/tool_cb_hdr.c). */
  private header(line: string): void {
    if (this.toFile) {
      this.headShown += line;
      return;
    }
    const colon = line.indexOf(':');
    if (!this.sys.tty || colon < 0 || line.startsWith('HTTP/')) {
      this.sys.write(1, line);
      return;
    }
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1);
    const url = value.trim();
    if (name.toLowerCase() === 'location' && /^https?:\/\//.test(url)) {
      this.sys.write(1, `\x1b[1m${name}\x1b[0m:\x1b]8;;${url}\x1b\\${value}\x1b]8;;\x1b\\`);
    } else this.sys.write(1, `\x1b[1m${name}\x1b[0m:${value}`);
  }

  private deliver(data: string): void {
    this.body += data;
    if (this.ignoreBody) return;
    this.info.sizeDownload = this.body.length;
    if (!this.toFile || this.o.output === '-') this.sys.write(1, data);
  }

  /** Takes body bytes; tells whether the answer is complete. */
  private consume(head: Head, buffer: string, eof: boolean): { rest: string; done: boolean; failure?: Failure } {
    if (this.o.head || this.info.method === 'HEAD' || head.code === 204 || head.code === 304)
      return { rest: '', done: true };
    if (head.get('transfer-encoding')?.toLowerCase() === 'chunked') {
      const whole = dechunk(buffer);
      if (whole === undefined) {
        const broken = { code: 18, message: 'transfer closed with outstanding read data remaining' };
        return eof ? { rest: '', done: true, failure: broken } : { rest: buffer, done: false };
      }
      this.deliver(whole);
      return { rest: '', done: true };
    }
    const want = this.expected === undefined ? buffer.length : Math.max(0, this.expected - this.body.length);
    if (buffer !== '') this.deliver(buffer.slice(0, want));
    const missing = (this.expected ?? 0) - this.body.length;
    if (this.expected !== undefined && missing <= 0) return { rest: '', done: true };
    if (!eof) return { rest: '', done: false };
    if (this.expected === undefined) return { rest: '', done: true };
    const words = this.release.modern
      ? `end of response with ${missing} bytes missing`
      : `transfer closed with ${missing} bytes remaining to read`;
    return { rest: '', done: true, failure: { code: 18, message: words } };
  }

  private finish(url: Url, head: Head, failure: Failure | undefined): Failure | undefined | string {
    if (failure) {
      this.failed(failure.code, failure.message);
      this.closing();
      return failure;
    }
    const said = head.get('connection')?.toLowerCase();
    const keep = head.minor === 1 ? said !== 'close' : said === 'keep-alive';
    const known = this.expected !== undefined || head.get('transfer-encoding') !== undefined || this.o.head;
    if (keep && known) this.log(`* Connection #${this.conn} to host ${url.host} left intact`);
    else this.closing();
    const to = head.get('location');
    if (to !== undefined && head.code >= 300 && head.code < 400) return redirectTarget(url, to);
    return undefined;
  }
}
