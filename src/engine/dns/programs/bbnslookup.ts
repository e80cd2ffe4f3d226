import { canonicalIp, ipFamily, parseIpv4, parseIpv6 } from '../../base/ip';
import { unrooted } from '../cli/names';
import { recvMsg, sendMsg } from '../io';
import { type DnsMsg, type Message, newQuery, type RR, rdataWords } from '../message';
import { fqdn, reverseName } from '../names';
import type { Os, OsProgram } from '../os';
import { Glibc } from '../resolver/glibc';
import { tellAnswer, tellLookup, tellQuery } from '../resolver/notice';
import { readable, type Task } from '../tasks';

const TYPES = ['SOA', 'NS', 'A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SRV', 'PTR', 'ANY'];
/** Bytes that the applet reads of an answer. */
const REPLY_BYTES = 512;
const USAGE = `BusyBox v1.35.0 (Debian 1:1.35.0-4+b7) multi-call binary.

Usage: nslookup [-type=QUERY_TYPE] [-debug] HOST [DNS_SERVER]

Query DNS about HOST

QUERY_TYPE: soa,ns,a,aaaa,cname,mx,txt,ptr,srv,any
`;

interface Query {
  readonly name: string;
  readonly msg: Message;
  answered: boolean;
}
interface Args {
  readonly types: readonly string[];
  readonly debug: boolean;
  readonly retry: number;
  readonly timeoutMs: number;
  readonly port: number;
  readonly name: string;
  readonly server: string | undefined;
}

function parse(argv: readonly string[], fail: (text: string) => void): Args | undefined {
  const types = new Set<string>();
  let debug = false;
  let retry = 2;
  let seconds = 5;
  let port = 53;
  const words = argv.slice(1);
  while (words[0]?.startsWith('-')) {
    const [option = '', value = ''] = (words.shift() as string).slice(1).split('=', 2);
    if (option === '') return undefined;
    if ('type'.startsWith(option) || 'querytype'.startsWith(option)) {
      const t = value.toUpperCase();
      if (option !== 't' && !TYPES.includes(t)) {
        fail(`nslookup: invalid query type "${value}"\n`);
        return undefined;
      }
      if (option === 't') seconds = Number.parseInt(value, 10);
      else types.add(t);
    } else if ('port'.startsWith(option)) port = Number.parseInt(value, 10);
    else if ('retry'.startsWith(option)) retry = Math.max(1, Number.parseInt(value, 10) || 1);
    else if ('debug'.startsWith(option)) debug = true;
    else if ('timeout'.startsWith(option)) seconds = Number.parseInt(value, 10);
    else return undefined;
  }
  const [name, server, more] = words;
  if (name === undefined || more !== undefined) return undefined;
  const ordered = TYPES.filter((t) => types.has(t));
  return { types: ordered, debug, retry, timeoutMs: seconds * 1000, port, name, server };
}

/** nslookup of busybox 1.35 (networking/nslookup.c, the larger one): its own resolver, all questions at once. */
export const bbNslookup: OsProgram = function* (sys) {
  let told = false;
  const a = parse(sys.argv, (text) => {
    told = true;
    sys.write(2, text);
  });
  if (!a) {
    if (!told) sys.write(2, USAGE);
    return 1;
  }
  const conf = resolvConf(sys.readFile('/etc/resolv.conf') ?? '');
  let servers = conf.servers.length > 0 ? conf.servers : ['127.0.0.1'];
  if (a.server !== undefined) {
    const r = yield* new Glibc(sys).getaddrinfo(a.server);
    if (!r.ok) {
      sys.write(2, `nslookup: bad address '${a.server}'\n`);
      return 1;
    }
    servers = [a.server];
  }
  const queries = questions(sys, a, conf.search);
  tellLookup(sys, a.name, [...new Set(queries.map((q) => q.name))]);
  const state = { exit: 0 };
  for (const server of servers) {
    const ip = canonicalIp(server) ?? server;
    if ((yield* sendQueries(sys, a, queries, server, ip, state)) <= 0) continue;
    const silent = queries.filter((q) => !q.answered);
    for (const q of silent) sys.write(1, `*** Can't find ${q.name}: No answer\n`);
    if (silent.length > 0) sys.write(1, '\n');
    return state.exit;
  }
  sys.write(1, ';; connection timed out; no servers could be reached\n\n');
  return 1;
};

function resolvConf(text: string): { servers: string[]; search: string[] } {
  const servers: string[] = [];
  let search: string[] = [];
  let directive = false;
  for (const line of text.split('\n')) {
    const m = /^[ \t]*(\S+)[ \t]+(.*)$/.exec(line);
    if (m?.[1] === 'nameserver') servers.push((m[2] as string).trim());
    else if (m?.[1] === 'search' || (m?.[1] === 'domain' && !directive)) {
      directive ||= m[1] === 'search';
      search = (m[2] as string).split(/\s+/).filter((w) => w !== '');
    }
  }
  return { servers, search: search.length === 1 && search[0] === '.' ? [] : search };
}

/** The questions of a command line; only names without a dot go through the search list. */
function questions(sys: Os, a: Args, search: readonly string[]): Query[] {
  const make = (type: string, name: string): Query => ({
    name,
    msg: newQuery(sys.random('dns-id', 65536), fqdn(name), type),
    answered: false,
  });
  const searched = (type: string): Query[] =>
    type === 'PTR' || search.length === 0 || a.name.includes('.')
      ? [make(type, a.name)]
      : search.map((d) => make(type, `${a.name}.${d}`));
  if (a.types.length > 0) return a.types.flatMap(searched);
  if (ipFamily(a.name) !== undefined) return [make('PTR', unrooted(reverseName(parseIpv6(a.name), parseIpv4(a.name))))];
  return [...searched('A'), ...searched('AAAA')];
}

/** send_queries: number of answers, or -1 when the server cannot be written to. */
function* sendQueries(
  sys: Os,
  a: Args,
  queries: readonly Query[],
  server: string,
  ip: string,
  state: { exit: number },
): Task<number> {
  const fd = sys.socket('udp');
  sys.bind(fd, { ip: '0.0.0.0', port: 0 });
  sys.connect(fd, { ip, port: a.port });
  const ms = (): number => Math.floor(sys.nowUs / 1000);
  const start = ms();
  const interval = Math.floor(a.timeoutMs / a.retry);
  let sent: number | undefined;
  let now = start;
  let replies = 0;
  let shown = false;
  let servfails = 0;
  const end = (n: number): number => {
    sys.close(fd);
    return n;
  };
  while (now - start < a.timeoutMs) {
    if (sent === undefined || now - sent >= interval) {
      for (const q of queries) {
        if (q.answered) continue;
        tellQuery(sys, q.msg, server);
        const errno = sendMsg(sys, fd, q.msg, 'udp');
        if (errno !== undefined) {
          sys.write(2, `nslookup: write to '${server}': ${ERRNO[errno] ?? errno}\n`);
          return end(-1);
        }
      }
      sent = now;
      servfails = 2 * queries.length;
    }
    const ready = yield* readable(fd, Math.max(0, interval - (now - sent)) * 1000);
    now = ms();
    if (!ready) continue;
    const r = recvMsg(sys, fd);
    if (r.kind === 'error') sys.write(2, `nslookup: read: ${ERRNO[r.errno] ?? r.errno}\n`);
    if (r.kind !== 'msg') continue;
    if (!shown) {
      shown = true;
      const at = ip.includes(':') ? `[${ip}]:${a.port}` : `${ip}:${a.port}`;
      sys.write(1, `Server:\t\t${server}\nAddress:\t${at}\n\n`);
    }
    const q = queries.find((x) => x.msg.id === r.msg.id);
    if (!q || q.answered) continue;
    tellAnswer(sys, r.msg);
    if (r.msg.rcode === 'SERVFAIL' && servfails > 0) {
      servfails--;
      sendMsg(sys, fd, q.msg, 'udp');
      continue;
    }
    q.answered = true;
    if (a.debug) sys.write(1, `Query #${queries.indexOf(q)} completed in ${now - start}ms:\n`);
    sys.write(1, `${text(r.msg, r.len, q.name, a.debug, state)}\n`);
    replies++;
    if (replies >= queries.length) return end(replies);
  }
  return end(replies);
}

const ERRNO: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Connection refused',
  ENETUNREACH: 'Network is unreachable',
  EHOSTUNREACH: 'No route to host',
  EPERM: 'Operation not permitted',
};

function text(m: DnsMsg, len: number, name: string, debug: boolean, state: { exit: number }): string {
  if (m.rcode !== 'NOERROR') {
    state.exit = 1;
    return `** server can't find ${name}: ${m.rcode}\n`;
  }
  const head = !m.aa ? 'Non-authoritative answer:\n' : debug ? 'authoritative answer:\n' : '';
  // A longer datagram is cut by the applet's own buffer, and what is left cannot be read.
  if (len > REPLY_BYTES) {
    state.exit = 1;
    return `${head}*** Can't find ${name}: Parse error\n`;
  }
  return head + m.answer.map(record).join('');
}

function record(rr: RR): string {
  const name = unrooted(rr.name);
  const words = rdataWords(rr.rdata).map(unrooted);
  switch (rr.type) {
    case 'A':
    case 'AAAA':
      return `Name:\t${name}\nAddress: ${rr.rdata}\n`;
    case 'NS':
      return `${name}\tnameserver = ${words[0]}\n`;
    case 'CNAME':
      return `${name}\tcanonical name = ${words[0]}\n`;
    case 'PTR':
      return `${name}\tname = ${words[0]}\n`;
    case 'MX':
      return `${name}\tmail exchanger = ${words[0]} ${words[1]}\n`;
    case 'TXT':
      return `${name}\ttext = ${rdataWords(rr.rdata)[0]}\n`;
    case 'SRV':
      return `${name}\tservice = ${words.join(' ')}\n`;
    case 'SOA': {
      const [mname, rname, serial, refresh, retry, expire, minimum] = words;
      const numbers = `\tserial = ${serial}\n\trefresh = ${refresh}\n\tretry = ${retry}\n\texpire = ${expire}\n`;
      return `${name}\n\torigin = ${mname}\n\tmail addr = ${rname}\n${numbers}\tminimum = ${minimum}\n`;
    }
    default:
      return '';
  }
}
