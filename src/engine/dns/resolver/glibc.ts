import { ipow } from '../../base/int';
import { recvMsg, sendMsg } from '../io';
import { matchesQuery } from '../match';
import type { Edns, Message } from '../message';
import { newQuery } from '../message';
import { fqdn } from '../names';
import type { Os } from '../os';
import { readable, type Task } from '../tasks';
import { type Answers, addresses, encodable, gaiError, type HErr, type QType, validHostname } from './glibcanswer';
import { type GlibcConf, glibcCandidates, glibcConf } from './glibcconf';
import { type HostsAnswer as HostEnt, lookupHosts } from './hosts';
import { tellAnswer, tellLookup, tellQuery } from './notice';
import { literal } from './numeric';
import { connectTcp, readMessage } from './stream';
import { EAI, type Family, type GaiResult, sortAddrs } from './types';

type SendResult = ({ readonly ok: true } & Answers) | { readonly ok: false; readonly errno: string };
type SearchResult =
  | ({ readonly ok: true } & Answers)
  | { readonly ok: false; readonly herr: HErr; readonly errno: string };

/** UDP size that `options edns0` advertises (RESOLV_EDNS_BUFFER_SIZE). */
const EDNS: Edns = { udp: 1200, do: false, version: 0, options: [] };
/** Largest name as text (NS_MAXDNAME). */
const MAX_NAME = 1025;
/** First size of getaddrinfo's scratch buffer (bytes). */
const SCRATCH = 1024;

/** The resolver of glibc 2.36 in one process: getaddrinfo, gethostbyname2, with the state that a process keeps. */
export class Glibc {
  private conf: GlibcConf | undefined;
  private confText: string | undefined;
  private single = false;
  private reopen = false;
  private rotation = 0;
  private rotated = false;
  private sockets = new Map<number, number>();
  private vc: { fd: number; ns: number } | undefined;
  /** rcode in the caller's first answer buffer; res_search looks at it after a failure. */
  private bufferRcode = 'NOERROR';

  constructor(private readonly sys: Os) {}

  private config(): GlibcConf {
    const text = this.sys.readFile('/etc/resolv.conf') ?? '';
    if (this.conf === undefined || text !== this.confText) {
      this.confText = text;
      this.conf = glibcConf(text, this.sys.env);
      this.single = this.conf.singleRequest;
      this.reopen = this.conf.singleRequestReopen;
    }
    return this.conf;
  }

  /** getaddrinfo(3) with SOCK_STREAM and no service. */
  *getaddrinfo(name: string, family: Family = 'unspec'): Task<GaiResult> {
    const lit = literal(name, family);
    if (lit === 'none') return { ok: false, code: -9 };
    if (lit) return { ok: true, addrs: [lit], canon: name };
    const hosts = this.files(name, family);
    if (hosts) return { ok: true, addrs: sortAddrs(hosts.addrs, this.sys), canon: hosts.canon };
    if (!validHostname(name)) return { ok: false, code: EAI.NONAME };
    const type: QType = family === 'inet' ? 'A' : family === 'inet6' ? 'AAAA' : 'BOTH';
    for (let size = SCRATCH; ; size *= 2) {
      const r = yield* this.search(name, type === 'BOTH' && this.config().noAaaa ? 'A' : type);
      if (!r.ok) return { ok: false, code: gaiError(r.herr) };
      const got = addresses(r, size, type === 'BOTH');
      if (got.status === 'ERANGE') continue;
      if (got.status === 'SUCCESS') return { ok: true, addrs: sortAddrs(got.addrs, this.sys), canon: got.canon };
      return { ok: false, code: gaiError(got.herr) };
    }
  }

  /** gethostbyname2(3): one family, addresses as they came. */
  *gethostbyname2(name: string, family: 'inet' | 'inet6'): Task<HostEnt | { herr: HErr }> {
    const lit = literal(name, family);
    if (lit === 'none') return { herr: 'HOST_NOT_FOUND' };
    if (lit) return { canon: name, aliases: [], addrs: [lit] };
    const hosts = this.files(name, family);
    if (hosts) return hosts;
    if (!validHostname(name)) return { herr: 'HOST_NOT_FOUND' };
    const r = yield* this.search(name, family === 'inet' ? 'A' : 'AAAA');
    if (!r.ok) return { herr: r.herr };
    const got = addresses(r, 1 << 20, false);
    if (got.status !== 'SUCCESS') return { herr: got.herr };
    const aliases = (r.first?.answer ?? []).filter((a) => a.type === 'CNAME').map((a) => a.name.replace(/\.$/, ''));
    return { canon: got.canon, aliases, addrs: got.addrs };
  }

  /** The PTR name of an address, by DNS. */
  *reverse(arpa: string): Task<string | undefined> {
    const r = yield* this.query(arpa, 'PTR');
    return r.ok ? r.first?.answer.find((a) => a.type === 'PTR')?.rdata.replace(/\.$/, '') : undefined;
  }

  private files(name: string, family: Family): HostEnt | undefined {
    return lookupHosts(this.sys.readFile('/etc/hosts') ?? '', name, family, false);
  }

  /** res_search: the list of candidates and the errors that end it. */
  *search(name: string, type: QType): Task<SearchResult> {
    const c = this.config();
    tellLookup(this.sys, name, glibcCandidates(name, c));
    const dots = name.split('.').length - 1;
    const trailing = name.endsWith('.');
    let saved: HErr | undefined;
    let triedAsIs = false;
    let last: SearchResult = { ok: false, herr: 'HOST_NOT_FOUND', errno: '' };
    if (dots >= c.ndots || trailing) {
      last = yield* this.queryDomain(name, undefined, type);
      if (last.ok || trailing) return last;
      saved = last.herr;
      triedAsIs = true;
    }
    let nodata = false;
    let servfail = false;
    let root = false;
    let searched = false;
    for (const domain of c.search) {
      searched = true;
      const bare = domain.replace(/^\./, '');
      if (bare === '') root = true;
      last = yield* this.queryDomain(name, bare, type);
      if (last.ok) return last;
      // No server there at all: nothing more is tried.
      if (last.errno === 'ECONNREFUSED') return { ok: false, herr: 'TRY_AGAIN', errno: last.errno };
      if (last.herr === 'NO_DATA') nodata = true;
      else if (last.herr === 'TRY_AGAIN' && this.bufferRcode === 'SERVFAIL') servfail = true;
      // Any other failure ends the list; the name itself is still tried below.
      else if (last.herr !== 'HOST_NOT_FOUND') break;
    }
    if ((dots > 0 || !searched || !c.noTldQuery) && !triedAsIs && !root) {
      last = yield* this.queryDomain(name, undefined, type);
      if (last.ok) return last;
    }
    const herr = saved ?? (nodata ? 'NO_DATA' : servfail ? 'TRY_AGAIN' : last.ok ? 'HOST_NOT_FOUND' : last.herr);
    return { ok: false, herr, errno: last.ok ? '' : last.errno };
  }

  private *queryDomain(name: string, domain: string | undefined, type: QType): Task<SearchResult> {
    const full = domain === undefined ? name : `${name}.${domain}`;
    if (full.length >= MAX_NAME) return { ok: false, herr: 'NO_RECOVERY', errno: '' };
    return yield* this.query(full, type);
  }

  /** res_query: one name; tells from the rcodes whether that is an answer. */
  *query(name: string, type: QType): Task<SearchResult> {
    this.bufferRcode = 'NOERROR';
    const qname = fqdn(name);
    if (!encodable(qname)) return { ok: false, herr: 'NO_RECOVERY', errno: '' };
    const make = (t: string): Message => {
      const m = newQuery(this.sys.random('dns-id', 65536), qname, t, this.config().edns0 ? EDNS : undefined);
      m.ad = this.config().trustAd;
      return m;
    };
    const q1 = make(type === 'BOTH' ? 'A' : type);
    const q2 = type === 'BOTH' ? make('AAAA') : undefined;
    const r = yield* this.send(q1, q2);
    if (!r.ok) return { ok: false, herr: 'TRY_AGAIN', errno: r.errno };
    const a = r.first ?? r.second;
    const b = r.second ?? r.first;
    if (!a || !b) return { ok: false, herr: 'TRY_AGAIN', errno: '' };
    const empty = (m: Message): boolean => m.rcode !== 'NOERROR' || m.answer.length === 0;
    if (!empty(a) || !empty(b)) return r;
    const rcode = a.rcode === 'NOERROR' ? b.rcode : a.rcode;
    const herr: HErr =
      rcode === 'NXDOMAIN'
        ? 'HOST_NOT_FOUND'
        : rcode === 'SERVFAIL'
          ? 'TRY_AGAIN'
          : rcode === 'NOERROR'
            ? 'NO_DATA'
            : 'NO_RECOVERY';
    return { ok: false, herr, errno: '' };
  }

  /** __res_context_send: all servers, all attempts, until one has answered. */
  private *send(q1: Message, q2: Message | undefined): Task<SendResult> {
    const c = this.config();
    const n = c.nameservers.length;
    let circuit = c.useVc;
    let somewhere = false;
    let terrno = 'ETIMEDOUT';
    const offset = this.offset(c);
    for (let attempt = 0; attempt < c.attempts; attempt++) {
      for (let shift = 0; shift < n; shift++) {
        const ns = (shift + offset) % n;
        if (!circuit) {
          const r = yield* this.datagram(q1, q2, ns);
          somewhere ||= r.somewhere;
          if (r.kind === 'next') continue;
          if (r.kind === 'done') {
            this.closeAll();
            return { ok: true, first: r.first, second: r.second };
          }
          circuit = true;
        }
        // Over a stream every server is asked once.
        attempt = c.attempts;
        const r = yield* this.stream(q1, q2, ns);
        if ('errno' in r) {
          terrno = r.errno;
          continue;
        }
        this.closeAll();
        return { ok: true, ...r };
      }
    }
    this.closeAll();
    return { ok: false, errno: circuit ? terrno : somewhere ? 'ETIMEDOUT' : 'ECONNREFUSED' };
  }

  /** nameserver_offset: `rotate` starts at a random server and goes on by one with every query. */
  private offset(c: GlibcConf): number {
    const n = c.nameservers.length;
    if (!c.rotate || n < 2) return 0;
    if (!this.rotated) {
      this.rotated = true;
      this.rotation = this.sys.random('res-rotate', n);
    }
    const at = this.rotation % n;
    this.rotation++;
    return at;
  }

  private closeAll(): void {
    for (const fd of this.sockets.values()) this.sys.close(fd);
    this.sockets.clear();
    if (this.vc) this.sys.close(this.vc.fd);
    this.vc = undefined;
  }

  private socket(ns: number): number {
    let fd = this.sockets.get(ns);
    if (fd === undefined) {
      fd = this.sys.socket('udp');
      this.sys.connect(fd, { ip: this.config().nameservers[ns] as string, port: 53 });
      this.sockets.set(ns, fd);
    }
    return fd;
  }

  private tell(q: Message, ns: number): void {
    tellQuery(this.sys, q, this.config().nameservers[ns] as string);
  }

  /** send_dg: A and AAAA over one socket, both at once unless told (or taught) otherwise. */
  private *datagram(
    q1: Message,
    q2: Message | undefined,
    ns: number,
  ): Task<
    | { readonly kind: 'next' | 'truncated'; readonly somewhere: boolean }
    | ({ readonly kind: 'done'; readonly somewhere: boolean } & Answers)
  > {
    const { sys } = this;
    const c = this.config();
    const n = c.nameservers.length;
    let seconds = c.timeout * ipow(2, ns);
    if (ns > 0) seconds = Math.floor(seconds / n);
    if (seconds <= 0) seconds = 1;
    let somewhere = false;
    let first: Message | undefined;
    let second: Message | undefined;
    const fail = (): { kind: 'next'; somewhere: boolean } => {
      this.closeAll();
      return { kind: 'next', somewhere };
    };
    retry: for (;;) {
      let fd = this.socket(ns);
      const finish = sys.nowUs + seconds * 1_000_000;
      let got1 = false;
      let got2 = q2 === undefined;
      let failedFirst = false;
      let sent2 = q2 === undefined;
      const send = (m: Message): string | undefined => {
        this.tell(m, ns);
        return sendMsg(sys, fd, m, 'udp');
      };
      if (send(q1)) return fail();
      if (q2 && !this.single && !this.reopen) {
        sent2 = true;
        // An error that the first datagram met is told by the next call; it is then sent once more.
        if (send(q2) && send(q2)) return fail();
      }
      for (;;) {
        const left = finish - sys.nowUs;
        const ready = left > 0 && (yield* readable(fd, left));
        if (!ready) {
          if (first && (got1 || (q2 !== undefined && got2))) {
            // One answer came and the other did not: some servers cannot take two questions at once.
            if (!this.single && !this.reopen) {
              this.single = true;
              continue retry;
            }
            if (!this.reopen) {
              this.reopen = true;
              this.closeAll();
              continue retry;
            }
            return { kind: 'done', somewhere: true, first, second: undefined };
          }
          return { kind: 'next', somewhere: true };
        }
        const r = recvMsg(sys, fd);
        if (r.kind === 'none') continue;
        if (r.kind !== 'msg') return fail();
        somewhere = true;
        const m = r.msg;
        const which =
          !got1 && m.id === q1.id && matchesQuery(q1, m)
            ? 1
            : q2 && !got2 && m.id === q2.id && matchesQuery(q2, m)
              ? 2
              : 0;
        if (which === 0) continue;
        tellAnswer(sys, m);
        const slotFirst = !got1 && (q2 === undefined || !got2) && !failedFirst;
        if (slotFirst) this.bufferRcode = m.rcode;
        const lame =
          m.rcode === 'NOERROR' && m.answer.length === 0 && !m.aa && !m.ra && m.additional.length === 0 && !m.edns;
        if (m.rcode === 'SERVFAIL' || m.rcode === 'NOTIMP' || m.rcode === 'REFUSED' || lame) {
          if (got1 || (q2 !== undefined && got2)) {
            if (first) return { kind: 'done', somewhere, first, second: undefined };
            return { kind: 'next', somewhere };
          }
          if (q2 !== undefined) {
            first = undefined;
            failedFirst = true;
            if (which === 1) got1 = true;
            else got2 = true;
            // One question at a time: the other one follows only a good answer, so this waits for the timeout.
            continue;
          }
          return fail();
        }
        if (m.tc) {
          this.closeAll();
          return { kind: 'truncated', somewhere };
        }
        if (slotFirst) first = m;
        else second = m;
        if (which === 1) got1 = true;
        else got2 = true;
        if (got1 && got2) return { kind: 'done', somewhere, first, second };
        if (q2 && !sent2) {
          sent2 = true;
          if (this.reopen) {
            this.closeAll();
            fd = this.socket(ns);
          }
          if (send(which === 1 ? q2 : q1)) return fail();
        }
      }
    }
  }

  /** send_vc: both questions behind each other over one connection. */
  private *stream(q1: Message, q2: Message | undefined, ns: number): Task<Answers | { readonly errno: string }> {
    const { sys } = this;
    if (!this.vc || this.vc.ns !== ns) {
      this.closeAll();
      const fd = sys.socket('tcp');
      const errno = yield* connectTcp(sys, fd, this.config().nameservers[ns] as string);
      if (errno !== undefined) {
        sys.close(fd);
        return { errno };
      }
      this.vc = { fd, ns };
    }
    const { fd } = this.vc;
    for (const q of q2 ? [q1, q2] : [q1]) {
      this.tell(q, ns);
      const errno = sendMsg(sys, fd, q, 'tcp');
      if (errno) {
        this.closeAll();
        return { errno };
      }
    }
    let first: Message | undefined;
    let second: Message | undefined;
    let waiting = [q1, ...(q2 ? [q2] : [])];
    while (waiting.length > 0) {
      const r = yield* readMessage(sys, fd, 65537);
      if ('errno' in r) {
        this.closeAll();
        return r;
      }
      const hit = waiting.find((q) => q.id === r.msg.id);
      if (!hit) continue;
      tellAnswer(sys, r.msg);
      waiting = waiting.filter((q) => q !== hit);
      if (!first) {
        first = r.msg;
        this.bufferRcode = r.msg.rcode;
      } else second = r.msg;
    }
    return { first, second };
  }
}
