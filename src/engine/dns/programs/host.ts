import { ipFamily, parseIpv4, parseIpv6 } from '../../base/ip';
import { typeWord } from '../cli/digargs';
import { type Asking, ask, illegalName, type Reply, resConf, searchNames } from '../cli/dighost';
import { DIG_STYLE, questionLine, recordLine } from '../cli/master';
import { chase, unrooted } from '../cli/names';
import { flagsOf, type RR, rcodeNumber } from '../message';
import { reverseName } from '../names';
import type { Os, OsProgram } from '../os';
import { Glibc } from '../resolver/glibc';
import type { Task } from '../tasks';

const USAGE = `Usage: host [-aCdilrTvVw] [-c class] [-N ndots] [-t type] [-W time]
            [-R number] [-m flag] [-p port] hostname [server]
       -a is equivalent to -v -t ANY
       -A is like -a but omits RRSIG, NSEC, NSEC3
       -c specifies query class for non-IN data
       -C compares SOA records on authoritative nameservers
       -d is equivalent to -v
       -l lists all hosts in a domain, using AXFR
       -m set memory debugging flag (trace|record|usage)
       -N changes the number of dots allowed before root lookup is done
       -p specifies the port on the server to query
       -r disables recursive processing
       -R specifies number of retries for UDP packets
       -s a SERVFAIL response should stop query
       -t specifies the query type
       -T enables TCP/IP mode
       -U enables UDP mode
       -v enables verbose output
       -V print version number and exit
       -w specifies to wait forever for a reply
       -W specifies how long to wait for a reply
       -4 use IPv4 query transport only
       -6 use IPv6 query transport only
`;

interface HostArgs {
  type: string | undefined;
  cls: string;
  verbose: boolean;
  tcp: boolean;
  rd: boolean;
  servfailStops: boolean;
  tries: number;
  timeUs: number | undefined;
  ndots: number | undefined;
  port: number;
  readonly rest: string[];
}

/** Options with a value, as getopt(3) reads them. */
const VALUED = 'cmNptRW';

function parse(argv: readonly string[]): HostArgs | undefined {
  const a: HostArgs = {
    type: undefined,
    cls: 'IN',
    verbose: false,
    tcp: false,
    rd: true,
    servfailStops: false,
    tries: 2,
    timeUs: undefined,
    ndots: undefined,
    port: 53,
    rest: [],
  };
  const words = argv.slice(1);
  for (let i = 0; i < words.length; i++) {
    const w = words[i] as string;
    if (!w.startsWith('-') || w === '-') {
      a.rest.push(w);
      continue;
    }
    for (let k = 1; k < w.length; k++) {
      const o = w[k] as string;
      if (!VALUED.includes(o)) {
        if (!flag(a, o)) return undefined;
        continue;
      }
      const value = k + 1 < w.length ? w.slice(k + 1) : words[++i];
      if (value === undefined) return undefined;
      valued(a, o, value);
      break;
    }
  }
  return a.rest.length === 0 ? undefined : a;
}

function flag(a: HostArgs, o: string): boolean {
  if (o === 'a' || o === 'A') {
    a.type = 'ANY';
    a.tcp = true;
    a.verbose = true;
  } else if (o === 'v' || o === 'd') a.verbose = true;
  else if (o === 'T') a.tcp = true;
  else if (o === 'U') a.tcp = false;
  else if (o === 'r') a.rd = false;
  else if (o === 's') a.servfailStops = true;
  else if (o === 'w') a.timeUs = 2_000_000_000;
  else if (o === 'l') {
    a.type = 'AXFR';
    a.tcp = true;
  } else return 'Ci46'.includes(o);
  return true;
}

function valued(a: HostArgs, o: string, value: string): void {
  const n = Number.parseInt(value, 10) || 0;
  if (o === 't') {
    a.type = typeWord(value) ?? 'A';
    a.tcp ||= a.type === 'ANY' || a.type === 'AXFR';
  } else if (o === 'c') a.cls = value.toUpperCase();
  else if (o === 'N') a.ndots = n;
  else if (o === 'R') a.tries = Math.max(1, n) + 1;
  else if (o === 'W') a.timeUs = Math.max(1, n) * 1_000_000;
  else if (o === 'p') a.port = n;
}

/** host(1) of BIND 9.18. */
export const host: OsProgram = function* (sys) {
  const a = sys.argv.includes('-V') ? undefined : parse(sys.argv);
  if (!a) {
    sys.write(2, sys.argv.includes('-V') ? 'host 9.18.49-1~deb12u3-Debian\n' : USAGE);
    return sys.argv.includes('-V') ? 0 : 1;
  }
  const [name = '', server] = a.rest;
  const conf = resConf(sys);
  let servers: readonly string[] = conf.nameservers;
  if (server !== undefined) {
    const r = yield* new Glibc(sys).getaddrinfo(server);
    if (!r.ok) {
      sys.write(2, `host: couldn't get address for '${server}': not found\n`);
      return 1;
    }
    servers = r.addrs.map((x) => x.ip);
    sys.write(1, `Using domain server:\nName: ${server}\nAddress: ${servers[0]}#${a.port}\nAliases: \n\n`);
  }
  const why = illegalName(name);
  if (why !== undefined) {
    sys.write(2, `host: '${name}' is not a legal name (${why})\n`);
    return 1;
  }
  const asking: Asking = {
    servers,
    port: a.port,
    tries: a.tries,
    timeoutUs: a.timeUs ?? Math.max(1, conf.timeout) * 1_000_000,
    tcp: a.tcp,
    ignoreTc: false,
    rd: a.rd,
    ad: false,
    cd: false,
    aa: false,
    edns: undefined,
    servfailStops: true,
    checkRa: false,
  };
  const reverse = ipFamily(name) !== undefined;
  const first = reverse ? reverseName(parseIpv6(name), parseIpv4(name)) : name;
  const names = searchNames(first, { search: conf.search, ndots: a.ndots ?? conf.ndots }, !reverse);
  const type = a.type ?? (reverse ? 'PTR' : 'A');
  const byDefault = a.type === undefined && !reverse;
  const r = yield* tryNames(sys, asking, a, names, type, unrooted(first), byDefault);
  if (typeof r === 'number') return r;
  if (!byDefault) return 0;
  // The other types are asked for the name at the end of the aliases.
  const target = chase(r.msg, r.msg.question[0]?.name ?? first);
  let exit = 0;
  for (const t of ['AAAA', 'MX']) {
    const more = yield* tryNames(sys, asking, a, [target], t, unrooted(target), true);
    if (typeof more === 'number') exit = Math.max(exit, more);
  }
  return exit;
};

/** Asks the names until one is not NXDOMAIN and prints that answer; an exit code for failures. */
function* tryNames(
  sys: Os,
  asking: Asking,
  a: HostArgs,
  names: readonly string[],
  type: string,
  given: string,
  byDefault: boolean,
): Task<Reply | number> {
  for (const [i, name] of names.entries()) {
    if (a.verbose) sys.write(1, `Trying "${unrooted(name)}"\n`);
    const r = yield* ask(sys, asking, { name, type, cls: a.cls }, (text) => sys.write(1, `;; ${text}\n`));
    if (!r) {
      sys.write(1, ';; no servers could be reached\n');
      return 1;
    }
    const { msg } = r;
    if (msg.rcode === 'NXDOMAIN' && i < names.length - 1) continue;
    const received = `Received ${r.len} bytes from ${r.server}#${a.port} in ${Math.floor(r.tookUs / 1000)} ms\n`;
    if (msg.rcode !== 'NOERROR') {
      const shown = msg.rcode === 'NXDOMAIN' ? given : unrooted(name);
      sys.write(1, `Host ${shown} not found: ${rcodeNumber(msg.rcode)}(${msg.rcode})\n`);
      if (a.verbose) sys.write(1, received);
      return 1;
    }
    if (a.verbose) sys.write(1, full(r) + received);
    else if (msg.answer.length > 0) for (const rr of msg.answer) sys.write(1, `${sentence(rr)}\n`);
    else if (!byDefault) sys.write(1, `${unrooted(name)} has no ${type} record\n`);
    return r;
  }
  return 1;
}

/** The message in full, as -v prints it. */
function full(r: Reply): string {
  const m = r.msg;
  const flags = flagsOf(m).map((f) => ` ${f}`);
  const additional = m.additional.length + (m.edns ? 1 : 0);
  const counts = `QUERY: ${m.question.length}, ANSWER: ${m.answer.length}, AUTHORITY: ${m.authority.length}, ADDITIONAL: ${additional}`;
  let out = `;; ->>HEADER<<- opcode: ${m.opcode}, status: ${m.rcode}, id: ${m.id}\n;; flags:${flags.join('')}; ${counts}\n`;
  const section = (title: string, lines: readonly string[]): void => {
    if (lines.length > 0) out += `\n;; ${title} SECTION:\n${lines.map((x) => `${x}\n`).join('')}`;
  };
  section(
    'QUESTION',
    m.question.map((q) => `;${questionLine(q, DIG_STYLE.columns)}`),
  );
  const text = (rr: RR): string => recordLine(rr, DIG_STYLE);
  section('ANSWER', m.answer.map(text));
  section('AUTHORITY', m.authority.map(text));
  section('ADDITIONAL', m.additional.map(text));
  return `${out}\n`;
}

/** What host says of one record (rtypetext in host.c). */
const SAYS: Readonly<Record<string, string>> = {
  A: 'has address',
  NS: 'name server',
  CNAME: 'is an alias for',
  SOA: 'has SOA record',
  PTR: 'domain name pointer',
  HINFO: 'host information',
  MX: 'mail is handled by',
  TXT: 'descriptive text',
  AAAA: 'has IPv6 address',
  DNAME: 'has DNAME record',
};

const sentence = (rr: RR): string => `${unrooted(rr.name)} ${SAYS[rr.type] ?? `has ${rr.type} record`} ${rr.rdata}`;
