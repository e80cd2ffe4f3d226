import { ipFamily } from '../../base/ip';
import { unixSeconds } from '../../base/wallclock';
import { DIG_VERSION, type DigArgs, type DigLookup, ednsOf, parseDig } from '../cli/digargs';
import { type Asking, ask, illegalName, type Reply, resConf, searchNames } from '../cli/dighost';
import { MULTI, NARROW, questionLine, type RecordStyle, recordLine, WIDE } from '../cli/master';
import { digDate } from '../coredns/clock';
import { flagsOf, type Message, type RR } from '../message';
import type { Os, OsProgram } from '../os';
import { Glibc } from '../resolver/glibc';
import { EAI } from '../resolver/types';
import type { Task } from '../tasks';

/** Exit codes of dig: usage, no server answered, internal error. */
const NO_REPLY = 9;
const FATAL = 10;

/** dig(1) of BIND 9.18. */
export const dig: OsProgram = function* (sys) {
  const parsed = parseDig(sys.argv);
  if (parsed.kind === 'exit') {
    if (parsed.stdout) sys.write(1, parsed.stdout);
    if (parsed.stderr) sys.write(2, parsed.stderr);
    return parsed.code;
  }
  const { args } = parsed;
  let exit = 0;
  let first = true;
  for (const l of args.lookups) {
    const why = illegalName(l.name);
    if (why !== undefined) {
      sys.write(2, `dig: '${l.name}' is not a legal name (${why})\n`);
      return FATAL;
    }
    const r = yield* lookup(sys, args, l, first);
    if (typeof r === 'string') {
      sys.write(2, r);
      return 1;
    }
    exit = Math.max(exit, r);
    first = false;
  }
  return exit;
};

/** The lines that say what is asked; only once, for the first name. */
function greeting(sys: Os, args: DigArgs, l: DigLookup, first: boolean): string {
  if (!args.printCmd || !first) return '';
  const words = sys.argv.slice(1).map((w) => ` ${w}`);
  const found = l.servers.length > 0 ? `; (${l.servers.length} server${l.servers.length > 1 ? 's' : ''} found)\n` : '';
  return `\n; <<>> DiG ${DIG_VERSION} <<>>${words.join('')}\n${found};; global options: +cmd\n`;
}

/** Asks and prints; the exit code, or the text of what ends dig altogether. */
function* lookup(sys: Os, args: DigArgs, l: DigLookup, first: boolean): Task<number | string> {
  const conf = resConf(sys);
  const servers = yield* serverAddresses(sys, l.servers);
  if (typeof servers === 'string') return servers;
  const cookie = hex16(sys);
  const asking: Asking = {
    servers: servers.length > 0 ? servers : conf.nameservers,
    port: l.port,
    local: l.local,
    tries: l.tries ?? conf.tries,
    timeoutUs: l.timeUs ?? Math.max(1, conf.timeout) * 1_000_000,
    tcp: l.tcp,
    ignoreTc: l.ignoreTc,
    rd: l.rd,
    ad: l.ad,
    cd: l.cd,
    aa: l.aa,
    edns: ednsOf(l, cookie),
    servfailStops: l.servfailStops,
    checkRa: false,
  };
  const list = l.domain === undefined ? conf.search : [l.domain];
  const search = l.search && !l.trace;
  const names = l.trace ? ['.'] : searchNames(l.name, { search: list, ndots: l.ndots ?? conf.ndots }, search);
  for (const [i, name] of names.entries()) {
    const q = { name, type: l.trace ? 'NS' : l.type, cls: l.cls };
    const comment = (text: string): void => {
      if (l.comments || !text.startsWith('Truncated')) sys.write(1, `;; ${text}\n`);
    };
    const r = yield* ask(sys, asking, q, comment);
    const head = greeting(sys, args, l, first);
    if (!r) {
      sys.write(1, `${head};; no servers could be reached\n`);
      return NO_REPLY;
    }
    const more = r.msg.rcode === 'NXDOMAIN' && i < names.length - 1;
    if (more && !l.showSearch) continue;
    if (l.type === 'AXFR' || l.type === 'IXFR') {
      if (r.msg.rcode !== 'NOERROR') {
        sys.write(1, `${head}; Transfer failed.\n`);
        return 0;
      }
    }
    if (r.msg.answer.concat(r.msg.authority, r.msg.additional).some((rr) => rr.class !== l.cls && l.cls !== 'ANY'))
      sys.write(1, ';; Warning: Message parser reports malformed message packet.\n');
    sys.write(1, head + text(l, r, servers.length > 0 ? l.servers : [], cookie));
    if (!more) return 0;
  }
  return 0;
}

function* serverAddresses(sys: Os, servers: readonly string[]): Task<string[] | string> {
  const out: string[] = [];
  for (const s of servers) {
    if (ipFamily(s) !== undefined) {
      out.push(s);
      continue;
    }
    const r = yield* new Glibc(sys).getaddrinfo(s);
    if (!r.ok) {
      const why = r.code === EAI.NONAME || r.code === EAI.NODATA ? 'not found' : 'failure';
      return `dig: couldn't get address for '${s}': ${why}\n`;
    }
    out.push(...r.addrs.map((a) => a.ip));
  }
  return out;
}

const hex16 = (sys: Os): string =>
  [0, 1, 2, 3].map(() => sys.random('dns-cookie', 65536).toString(16).padStart(4, '0')).join('');

function text(l: DigLookup, r: Reply, names: readonly string[], cookie: string): string {
  const { msg } = r;
  if (l.short) return msg.answer.map((a) => `${a.rdata}\n`).join('');
  const columns = l.multiline || (!l.ttl && !l.cls_) ? MULTI : l.ttl && l.cls_ ? WIDE : NARROW;
  const style: RecordStyle = { columns, ttl: l.ttl, cls: l.cls_, multiline: l.multiline };
  let out = '';
  if (l.comments) out += headerText(msg) + optText(msg, cookie);
  if (l.question && msg.question.length > 0) {
    if (l.comments) out += ';; QUESTION SECTION:\n';
    for (const q of msg.question) out += `;${questionLine(q, columns, l.cls_)}\n`;
    if (l.comments) out += '\n';
  }
  const section = (on: boolean, name: string, rrs: readonly RR[]): void => {
    if (!on || rrs.length === 0) return;
    if (l.comments) out += `;; ${name} SECTION:\n`;
    for (const rr of rrs) out += `${recordLine(rr, style)}\n`;
    if (l.comments) out += '\n';
  };
  section(l.answer, 'ANSWER', msg.answer);
  section(l.authority, 'AUTHORITY', msg.authority);
  section(l.additional, 'ADDITIONAL', msg.additional);
  const ms = Math.floor(r.tookUs / 1000);
  const at = `${r.server}#${l.port}(${names[0] ?? r.server})`;
  if (l.stats) {
    out += `;; Query time: ${ms} msec\n;; SERVER: ${at} (${r.proto.toUpperCase()})\n`;
    out += `;; WHEN: ${digDate(unixSeconds(r.atUs))}\n;; MSG SIZE  rcvd: ${r.len}\n\n`;
  } else if (l.identify) out += `;; Received ${r.len} bytes from ${at} in ${ms} ms\n\n`;
  return out;
}

function headerText(m: Message): string {
  let out = ';; Got answer:\n';
  if (m.question.some((q) => /(^|\.)local\.$/i.test(q.name))) {
    out += ';; WARNING: .local is reserved for Multicast DNS\n';
    out += ';; You are currently testing what happens when an mDNS query is leaked to DNS\n';
  }
  out += `;; ->>HEADER<<- opcode: ${m.opcode}, status: ${m.rcode}, id: ${m.id}\n`;
  const counts = [m.question.length, m.answer.length, m.authority.length, m.additional.length + (m.edns ? 1 : 0)];
  const [q, an, ns, ar] = counts;
  const flags = flagsOf(m)
    .filter((f) => f !== 'z')
    .map((f) => ` ${f}`);
  const mbz = m.z ? '; MBZ: 0x4' : '';
  out += `;; flags:${flags.join('')}${mbz}; QUERY: ${q}, ANSWER: ${an}, AUTHORITY: ${ns}, ADDITIONAL: ${ar}\n`;
  if (m.rd && !m.ra) out += ';; WARNING: recursion requested but not available\n';
  return `${out}\n`;
}

function optText(m: Message, cookie: string): string {
  if (!m.edns) return '';
  const { version, udp, options } = m.edns;
  let out = ';; OPT PSEUDOSECTION:\n';
  out += `; EDNS: version: ${version}, flags:${m.edns.do ? ' do' : ''}; udp: ${udp}\n`;
  for (const o of options) {
    if (o.code === 10) {
      const value = o.text ?? cookie;
      const note = o.len === 8 ? ' (echoed)' : value.startsWith(cookie) ? ' (good)' : ' (bad)';
      out += `; COOKIE: ${value}${note}\n`;
    } else if (o.code === 15 && o.text !== undefined) out += `; EDE: ${o.text}\n`;
  }
  return out;
}
