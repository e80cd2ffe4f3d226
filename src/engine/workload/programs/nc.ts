import { accept, type Blocking, connect, poll, recv, sleep } from '../blocking';
import { strerror } from '../errno';
import type { Program, SockAddr, Sys } from '../process';
import { gaiStrerror, resolve, reverse } from '../resolve';
import { NC_HELP, NC_USAGE } from './nc-text';
import { serviceName, servicePort } from './services';

interface NcOptions {
  zero: boolean;
  verbose: boolean;
  numeric: boolean;
  udp: boolean;
  listen: boolean;
  keep: boolean;
  detach: boolean;
  shutdown: boolean;
  crlf: boolean;
  /** -w, us. */
  timeoutUs: number | undefined;
  /** -q, us; negative: never. */
  quitUs: number | undefined;
  source: string | undefined;
  port: string | undefined;
  rest: string[];
}

const VALUE = 'IiMmOPpqsTVWwXx';
const FLAGS = '46bCDdFhklNnrStUuvZz';

/** Seconds between probes of a UDP scan (UDP_SCAN_TIMEOUT of Debian's nc). */
const UDP_SCAN_S = 3;

/** nc(1), OpenBSD flavour. */
export const nc: Program = function* (sys) {
  const o = parse(sys);
  if (typeof o === 'number') return o;
  if (o.listen) return yield* listen(sys, o);
  const [host, portArg] = o.rest;
  if (host === undefined) {
    sys.write(2, NC_USAGE);
    return 1;
  }
  if (portArg === undefined) return fatal(sys, 'missing port number');
  const ports = portRange(sys, portArg, o.udp);
  if (typeof ports === 'number') return ports;
  let exit = 1;
  for (const port of ports) {
    const r = yield* one(sys, o, host, port);
    if (r === 'stop') return 1;
    if (r) exit = 0;
    if (!o.zero) break;
  }
  return exit;
};

function fatal(sys: Sys, message: string): number {
  sys.write(2, `nc: ${message}\n`);
  return 1;
}

function parse(sys: Sys): NcOptions | number {
  const o: NcOptions = {
    zero: false,
    verbose: false,
    numeric: false,
    udp: false,
    listen: false,
    keep: false,
    detach: false,
    shutdown: false,
    crlf: false,
    timeoutUs: undefined,
    quitUs: undefined,
    source: undefined,
    port: undefined,
    rest: [],
  };
  const args = sys.argv.slice(1);
  if (args.length === 0) {
    sys.write(2, NC_USAGE);
    return 1;
  }
  for (let i = 0; i < args.length; i++) {
    const a = args[i] as string;
    if (!a.startsWith('-') || a === '-') {
      o.rest.push(a);
      continue;
    }
    for (let k = 1; k < a.length; k++) {
      const letter = a[k] as string;
      if (VALUE.includes(letter)) {
        const value = k + 1 < a.length ? a.slice(k + 1) : args[++i];
        if (value === undefined) {
          sys.write(2, `nc: option requires an argument -- '${letter}'\n${NC_USAGE}`);
          return 1;
        }
        const why = setValue(o, letter, value);
        if (why !== undefined) return fatal(sys, why);
        break;
      }
      if (!FLAGS.includes(letter)) {
        sys.write(2, `nc: invalid option -- '${letter}'\n${NC_USAGE}`);
        return 1;
      }
      if (letter === 'h') {
        sys.write(2, `OpenBSD netcat (Debian patchlevel 1.219-1)\n${NC_USAGE}${NC_HELP}`);
        return 0;
      }
      setFlag(o, letter);
    }
  }
  return o;
}

function setFlag(o: NcOptions, letter: string): void {
  switch (letter) {
    case 'z':
      o.zero = true;
      break;
    case 'v':
      o.verbose = true;
      break;
    case 'n':
      o.numeric = true;
      break;
    case 'u':
      o.udp = true;
      break;
    case 'l':
      o.listen = true;
      break;
    case 'k':
      o.keep = true;
      break;
    case 'd':
      o.detach = true;
      break;
    case 'N':
      o.shutdown = true;
      break;
    case 'C':
      o.crlf = true;
      break;
    default:
  }
}

function setValue(o: NcOptions, letter: string, value: string): string | undefined {
  const n = /^-?\d+$/.test(value) ? Number(value) : undefined;
  if (letter === 'w') {
    if (n === undefined || n < 0) return `timeout invalid: ${value}`;
    o.timeoutUs = n * 1_000_000;
  } else if (letter === 'q') {
    if (n === undefined) return `quit timer invalid: ${value}`;
    o.quitUs = n * 1_000_000;
  } else if (letter === 'p') o.port = value;
  else if (letter === 's') o.source = value;
  return undefined;
}

/** One port or `lo-hi`, by number or service name (build_ports). */
function portRange(sys: Sys, text: string, udp: boolean): number[] | number {
  const proto = udp ? 'udp' : 'tcp';
  const number = (t: string): number | string => {
    const named = servicePort(t, proto);
    if (named !== undefined) return named;
    if (!/^\d+$/.test(t)) return `service "${t}" unknown`;
    if (Number(t) < 1) return `port number too small: ${t}`;
    return Number(t) > 65535 ? `port number too large: ${t}` : Number(t);
  };
  const dash = text.indexOf('-');
  const isRange = dash > 0 && servicePort(text, proto) === undefined;
  const lo = number(isRange ? text.slice(0, dash) : text);
  const hi = isRange ? number(text.slice(dash + 1)) : lo;
  if (typeof lo === 'string') return fatal(sys, lo);
  if (typeof hi === 'string') return fatal(sys, hi);
  const [from, to] = lo <= hi ? [lo, hi] : [hi, lo];
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

/** Connects to one port; true when that worked, 'stop' when nothing further makes sense. */
function* one(sys: Sys, o: NcOptions, host: string, port: number): Blocking<boolean | 'stop'> {
  const found = yield* resolve(sys, host);
  if (!found.ok) {
    const why = found.error === 'deadline' ? '' : gaiStrerror[found.error];
    sys.write(2, `nc: getaddrinfo for host "${host}" port ${port}: ${why}\n`);
    return 'stop';
  }
  const proto = o.udp ? 'udp' : 'tcp';
  for (const ip of found.addrs) {
    const shown = o.numeric || ip === host ? '' : ` (${ip})`;
    const fd = sys.socket(proto);
    const bound = bindSource(sys, o, fd);
    if (bound !== undefined) {
      fatal(sys, bound);
      return 'stop';
    }
    const r = yield* connect(sys, fd, { ip, port }, o.udp ? undefined : o.timeoutUs);
    if (!r.ok) {
      const timedOut = r.errno === 'ETIMEDOUT' && o.timeoutUs !== undefined;
      const what = timedOut ? 'timed out: Operation now in progress' : `failed: ${strerror(r.errno)}`;
      if (o.verbose) sys.write(2, `nc: connect to ${host}${shown} port ${port} (${proto}) ${what}\n`);
      sys.close(fd);
      continue;
    }
    if (o.udp && (o.verbose || o.zero) && !(yield* udpTest(sys, o, fd))) {
      sys.close(fd);
      continue;
    }
    if (o.verbose) {
      const service = o.numeric ? undefined : serviceName(port, proto);
      sys.write(2, `Connection to ${host}${shown} ${port} port [${proto}/${service ?? '*'}] succeeded!\n`);
    }
    if (!o.zero) yield* readwrite(sys, o, fd);
    sys.close(fd);
    return true;
  }
  return false;
}

function bindSource(sys: Sys, o: NcOptions, fd: number): string | undefined {
  if (o.port === undefined && o.source === undefined) return undefined;
  sys.setsockopt(fd, 'SO_REUSEADDR', 1);
  const b = sys.bind(fd, { ip: o.source ?? '0.0.0.0', port: Number(o.port ?? 0) });
  return b.ok ? undefined : `bind failed: ${strerror(b.errno)}`;
}

/** udptest: sends a byte now and then; a refusal is heard at the next send. */
function* udpTest(sys: Sys, o: NcOptions, fd: number): Blocking<boolean> {
  if (!sys.send(fd, 'X').ok) return false;
  const second = sys.send(fd, 'X');
  if (!second.ok && second.errno === 'ECONNREFUSED') return false;
  const rounds = o.timeoutUs === undefined ? UDP_SCAN_S : Math.floor(o.timeoutUs / 1_000_000);
  for (let i = 0; i < rounds; i++) {
    yield* sleep(1_000_000);
    const r = sys.send(fd, 'X');
    if (!r.ok && r.errno === 'ECONNREFUSED') return false;
  }
  return true;
}

/** Standard input to the network and back until either side is done (readwrite). */
function* readwrite(sys: Sys, o: NcOptions, fd: number): Blocking<void> {
  let quitAt: number | undefined;
  if (sys.stdin !== undefined && !o.detach) {
    const data = o.crlf ? sys.stdin.replace(/\r?\n/g, '\r\n') : sys.stdin;
    if (data !== '') {
      const r = sys.send(fd, data);
      if (!r.ok) return;
    }
    if (o.shutdown && !o.udp) sys.shutdown(fd);
    if (o.quitUs !== undefined && o.quitUs >= 0) quitAt = sys.nowUs + o.quitUs;
  }
  for (;;) {
    const idle = o.timeoutUs;
    const quit = quitAt === undefined ? undefined : Math.max(0, quitAt - sys.nowUs);
    const limit = idle === undefined || quit === undefined ? (idle ?? quit) : Math.min(idle, quit);
    if (!(yield* poll(fd, 'in', limit))) return;
    const r = sys.recv(fd);
    if (!r.ok && r.errno === 'EAGAIN') continue;
    if (!r.ok || (r.value.len === 0 && !o.udp)) return;
    sys.write(1, r.value.data);
  }
}

function* listen(sys: Sys, o: NcOptions): Blocking<number> {
  const text = o.port ?? o.rest.at(-1);
  if (text === undefined) {
    sys.write(2, NC_USAGE);
    return 1;
  }
  const ports = portRange(sys, text, o.udp);
  if (typeof ports === 'number') return ports;
  const host = o.source ?? (o.port === undefined && o.rest.length > 1 ? (o.rest[0] as string) : '0.0.0.0');
  const at: SockAddr = { ip: host, port: ports[0] as number };
  const fd = sys.socket(o.udp ? 'udp' : 'tcp');
  sys.setsockopt(fd, 'SO_REUSEADDR', 1);
  const b = sys.bind(fd, at);
  const l = b.ok && !o.udp ? sys.listen(fd, 1) : b;
  if (!l.ok) return fatal(sys, strerror(l.errno));
  if (o.verbose) sys.write(2, `${o.udp ? 'Bound' : 'Listening'} on ${host} ${at.port}\n`);
  if (o.udp) return yield* udpListen(sys, o, fd);
  do {
    const c = yield* accept(sys, fd);
    if (!c.ok) return 1;
    if (o.verbose) yield* received(sys, o, c.value.peer);
    if (!o.keep) sys.close(fd);
    yield* readwrite(sys, o, c.value.fd);
    sys.close(c.value.fd);
  } while (o.keep);
  return 0;
}

function* received(sys: Sys, o: NcOptions, peer: SockAddr): Blocking<void> {
  const name = o.numeric ? peer.ip : ((yield* reverse(sys, peer.ip)) ?? peer.ip);
  sys.write(2, `Connection received on ${name} ${peer.port}\n`);
}

/** The first datagram decides the peer. */
function* udpListen(sys: Sys, o: NcOptions, fd: number): Blocking<number> {
  const first = yield* recv(sys, fd, o.timeoutUs);
  if (!first.ok || !first.value.from) return 1;
  sys.connect(fd, first.value.from);
  if (o.verbose) yield* received(sys, o, first.value.from);
  sys.write(1, first.value.data);
  yield* readwrite(sys, o, fd);
  return 0;
}
