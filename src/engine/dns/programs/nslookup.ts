import { ipFamily, parseIpv4, parseIpv6 } from '../../base/ip';
import { typeWord } from '../cli/digargs';
import { type Asking, ask, illegalName, type Reply, resConf, searchNames } from '../cli/dighost';
import { chase, unrooted } from '../cli/names';
import { type RR, rdataWords, typeNumber } from '../message';
import { reverseName } from '../names';
import type { Os, OsProgram } from '../os';
import { Glibc } from '../resolver/glibc';
import type { Task } from '../tasks';

interface NslookupArgs {
  type: string | undefined;
  cls: string;
  tries: number | undefined;
  timeUs: number | undefined;
  port: number;
  debug: boolean;
  tcp: boolean;
  rd: boolean;
  search: boolean;
  domain: string | undefined;
  servfailStops: boolean;
  readonly rest: string[];
}

function parse(argv: readonly string[], warn: (text: string) => void): NslookupArgs {
  const a: NslookupArgs = {
    type: undefined,
    cls: 'IN',
    tries: undefined,
    timeUs: undefined,
    port: 53,
    debug: false,
    tcp: false,
    rd: true,
    search: true,
    domain: undefined,
    servfailStops: false,
    rest: [],
  };
  for (const w of argv.slice(1)) {
    if (!w.startsWith('-') || w === '-') a.rest.push(w);
    else if (!option(a, w.slice(1), warn)) warn(`*** Invalid option: ${w.slice(1)}\n`);
  }
  return a;
}

function option(a: NslookupArgs, text: string, warn: (text: string) => void): boolean {
  const [name = '', value = ''] = text.toLowerCase().split('=', 2);
  const n = Number.parseInt(value, 10) || 0;
  if (['type', 'ty', 'querytype', 'query', 'qu', 'q'].includes(name)) {
    const t = typeWord(value);
    if (t) a.type = t;
    else warn(`unknown query type: ${value}\n`);
  } else if (name === 'class' || name === 'cl') a.cls = value.toUpperCase();
  else if (name === 'retry' || name === 'ret') a.tries = Math.max(1, n);
  else if (name === 'timeout' || name === 't') a.timeUs = Math.max(1, n) * 1_000_000;
  else if (name === 'port' || name === 'po') a.port = n;
  else if (name === 'domain' || name === 'do') {
    a.domain = value;
    a.search = true;
  } else if (/^(no)?(deb|debug|d2)$/.test(name)) a.debug = !name.startsWith('no');
  else if (/^(no)?vc$/.test(name)) a.tcp = name === 'vc';
  else if (/^(no)?rec(urse)?$/.test(name)) a.rd = !name.startsWith('no');
  else if (/^(no)?(sea(rch)?|def(name)?)$/.test(name)) a.search = !name.startsWith('no');
  else if (/^(no)?fail$/.test(name)) a.servfailStops = name === 'nofail';
  else return false;
  return true;
}

/** nslookup(1) of BIND 9.18, asked for one name on its command line. */
export const nslookup: OsProgram = function* (sys) {
  const say = (text: string): void => sys.write(1, text);
  if (sys.argv[1] === '-version' || sys.argv[1] === '-ver') {
    say('nslookup 9.18.49-1~deb12u3-Debian\n');
    return 0;
  }
  const a = parse(sys.argv, say);
  const [given, server] = a.rest;
  if (given === undefined) {
    sys.write(2, 'nslookup: the interactive mode needs a terminal; name what to look up\n');
    return 1;
  }
  const conf = resConf(sys);
  let servers = conf.nameservers.map((ip) => ({ ip, name: ip }));
  if (server !== undefined) {
    const r = yield* new Glibc(sys).getaddrinfo(server);
    if (!r.ok) {
      sys.write(2, `nslookup: couldn't get address for '${server}': not found\n`);
      return 1;
    }
    servers = r.addrs.map((x) => ({ ip: x.ip, name: server }));
  }
  const why = illegalName(given);
  if (why !== undefined) {
    sys.write(2, `nslookup: '${given}' is not a legal name (${why})\n`);
    return 10;
  }
  const asking: Asking = {
    servers: servers.map((s) => s.ip),
    port: a.port,
    tries: a.tries ?? conf.tries,
    timeoutUs: a.timeUs ?? Math.max(1, conf.timeout) * 1_000_000,
    tcp: a.tcp,
    ignoreTc: false,
    rd: a.rd,
    ad: false,
    cd: false,
    aa: false,
    edns: undefined,
    servfailStops: a.servfailStops,
    checkRa: true,
  };
  const run = new Run(sys, a, asking, (ip) => servers.find((s) => s.ip === ip)?.name ?? ip);
  const failed = yield* run.main(given, {
    search: a.domain === undefined ? conf.search : [a.domain],
    ndots: conf.ndots,
  });
  say('\n');
  return failed ? 1 : 0;
};

class Run {
  private failed = false;
  /** The A look-up had no record. */
  private noAddress = false;

  constructor(
    private readonly sys: Os,
    private readonly a: NslookupArgs,
    private readonly asking: Asking,
    private readonly serverName: (ip: string) => string,
  ) {}

  *main(given: string, conf: { search: readonly string[]; ndots: number }): Task<boolean> {
    const reverse = ipFamily(given) !== undefined;
    const first = reverse ? reverseName(parseIpv6(given), parseIpv4(given)) : given;
    const names = searchNames(first, conf, this.a.search && !reverse);
    const byDefault = this.a.type === undefined;
    const type = this.a.type ?? (reverse ? 'PTR' : 'A');
    const r = yield* this.tryNames(names, type, byDefault, given);
    if (r && byDefault && type === 'A' && r.msg.rcode === 'NOERROR')
      yield* this.tryNames([chase(r.msg, r.msg.question[0]?.name ?? first)], 'AAAA', true, given);
    return this.failed;
  }

  private *tryNames(
    names: readonly string[],
    type: string,
    byDefault: boolean,
    given: string,
  ): Task<Reply | undefined> {
    for (const [i, name] of names.entries()) {
      const comment = (text: string): void => this.say(`;; ${text}\n`);
      const r = yield* ask(this.sys, this.asking, { name, type, cls: this.a.cls }, comment);
      if (!r) {
        this.say(';; no servers could be reached\n');
        this.failed = true;
        return undefined;
      }
      const more = r.msg.rcode === 'NXDOMAIN' && i < names.length - 1;
      // With -debug every step of the search list is shown.
      if (!more || this.a.debug) this.print(r, name, type, byDefault, given);
      if (!more) return r;
    }
    return undefined;
  }

  private say(text: string): void {
    this.sys.write(1, text);
  }

  private print(r: Reply, name: string, type: string, byDefault: boolean, given: string): void {
    const { msg } = r;
    const heads = !byDefault || type === 'A';
    if (heads) this.say(`Server:\t\t${this.serverName(r.server)}\nAddress:\t${r.server}#${this.a.port}\n\n`);
    if (this.a.debug) this.say(details(r));
    if (msg.rcode !== 'NOERROR') {
      this.say(`** server can't find ${unrooted(name)}: ${msg.rcode}\n`);
      this.failed = true;
      return;
    }
    if (!msg.aa && heads) this.say('Non-authoritative answer:\n');
    if (msg.answer.length > 0) this.say(msg.answer.map((rr) => short(rr, true)).join(''));
    else if (byDefault && type === 'A') this.noAddress = true;
    else if (!byDefault || (type === 'AAAA' && this.noAddress)) this.say(`*** Can't find ${given}: No answer\n`);
    if (!msg.aa && type !== 'A' && type !== 'AAAA') {
      this.say('\nAuthoritative answers can be found from:\n');
      this.say([...msg.authority, ...msg.additional].map((rr) => short(rr, false)).join(''));
    }
  }
}

/** rtypetext of nslookup.c. */
const TEXT: Readonly<Record<string, string>> = {
  A: 'internet address = ',
  NS: 'nameserver = ',
  CNAME: 'canonical name = ',
  SOA: 'soa = ',
  PTR: 'name = ',
  HINFO: 'hinfo = ',
  MX: 'mail exchanger = ',
  TXT: 'text = ',
  AAAA: 'has AAAA address ',
  SRV: 'service = ',
  NAPTR: 'naptr = ',
  DNAME: 'dname = ',
};
const typeText = (t: string): string => TEXT[t] ?? `rdata_${typeNumber(t)} = `;

function soaLines(rdata: string): string {
  const [mname = '', rname = '', serial, refresh, retry, expire, minimum] = rdataWords(rdata);
  const numbers = `\tserial = ${serial}\n\trefresh = ${refresh}\n\tretry = ${retry}\n\texpire = ${expire}\n`;
  return `\torigin = ${unrooted(mname)}\n\tmail addr = ${unrooted(rname)}\n${numbers}\tminimum = ${minimum}\n`;
}

/** One record in the short form. */
function short(rr: RR, answer: boolean): string {
  const name = unrooted(rr.name);
  if (answer && (rr.type === 'A' || rr.type === 'AAAA')) return `Name:\t${name}\nAddress: ${rr.rdata}\n`;
  if (rr.type === 'SOA') return `${name}\n${soaLines(rr.rdata)}`;
  return `${name}\t${typeText(rr.type)}${rr.rdata}\n`;
}

/** The whole message, as -debug shows it. */
function details(r: Reply): string {
  const m = r.msg;
  const records = (rrs: readonly RR[]): string =>
    rrs
      .map((rr) => {
        const data = rr.type === 'SOA' ? soaLines(rr.rdata) : `\t${typeText(rr.type)}${rr.rdata}\n`;
        return `    ->  ${unrooted(rr.name)}\n${data}\tttl = ${rr.ttl}\n`;
      })
      .join('');
  const questions = m.question.map((q) => `\t${unrooted(q.name)}, type = ${q.type}, class = ${q.class}\n`).join('');
  const parts = `    ANSWERS:\n${records(m.answer)}    AUTHORITY RECORDS:\n${records(m.authority)}`;
  const rule = '------------\n';
  return `${rule}    QUESTIONS:\n${questions}${parts}    ADDITIONAL RECORDS:\n${records(m.additional)}${rule}`;
}
