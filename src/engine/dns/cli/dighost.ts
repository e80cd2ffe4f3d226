import { recvMsg, sendMsg } from '../io';
import { matchesQuery } from '../match';
import type { Edns, Message } from '../message';
import { newQuery } from '../message';
import { isDomainName, labelsOf } from '../names';
import type { Os } from '../os';
import { type GlibcConf, glibcConf } from '../resolver/glibcconf';
import { tellAnswer, tellQuery } from '../resolver/notice';
import { connectTcp, readMessage } from '../resolver/stream';
import { readable, type Task } from '../tasks';

/** What dig, host and nslookup of BIND 9.18 share (bin/dig/dighost.c): servers, tries, search list, TCP after a cut answer. */
export interface Asking {
  readonly servers: readonly string[];
  readonly port: number;
  /** Where to ask from; undefined: anywhere. */
  readonly local?: { readonly ip: string; readonly port: number } | undefined;
  /** Times that each server is asked over UDP. */
  tries: number;
  timeoutUs: number;
  tcp: boolean;
  /** Take a cut answer as it is. */
  ignoreTc: boolean;
  rd: boolean;
  ad: boolean;
  cd: boolean;
  aa: boolean;
  edns: Edns | undefined;
  /** Whether SERVFAIL is an answer or makes the next server be asked. */
  servfailStops: boolean;
  /** Goes on to the next server when recursion is not available, and says so. */
  checkRa: boolean;
}

export interface Reply {
  readonly msg: Message;
  /** Bytes of the message. */
  readonly len: number;
  readonly server: string;
  readonly proto: 'udp' | 'tcp';
  /** us */
  readonly tookUs: number;
  readonly atUs: number;
}

/** Hears `;; text` lines, such as errors of sockets. */
export type Comment = (text: string) => void;

const errnoText = (errno: string): string => {
  switch (errno) {
    case 'ECONNREFUSED':
      return 'connection refused';
    case 'ENETUNREACH':
      return 'network unreachable';
    case 'EHOSTUNREACH':
      return 'host unreachable';
    case 'ECONNRESET':
      return 'connection reset';
    case 'EOF':
      return 'end of file';
    case 'EPERM':
      return 'permission denied';
    default:
      return 'timed out';
  }
};

/** Asks the servers in order until one has answered; undefined when none did. */
export function* ask(
  sys: Os,
  a: Asking,
  q: { name: string; type: string; cls: string },
  comment: Comment,
): Task<Reply | undefined> {
  const query = newQuery(sys.random('dns-id', 65536), q.name, q.type, a.edns);
  query.question = [{ name: q.name, type: q.type, class: q.cls }];
  query.rd = a.rd;
  query.ad = a.ad;
  query.cd = a.cd;
  query.aa = a.aa;
  for (const [i, server] of a.servers.entries()) {
    const last = i === a.servers.length - 1;
    const r = yield* askServer(sys, a, query, server, comment);
    if (!r) continue;
    const failed = r.msg.rcode === 'SERVFAIL' && !a.servfailStops;
    if (failed || (a.checkRa && !r.msg.ra && a.rd)) {
      const what = r.msg.rcode === 'SERVFAIL' ? 'SERVFAIL reply' : 'recursion not available';
      comment(`Got ${what} from ${server}${last ? '' : ', trying next server'}`);
      if (!last) continue;
    }
    return r;
  }
  return undefined;
}

function* askServer(sys: Os, a: Asking, q: Message, server: string, comment: Comment): Task<Reply | undefined> {
  let { tcp } = a;
  for (let t = 0; t < Math.max(1, a.tries); t++) {
    const r: Reply | string = yield* tcp ? overTcp(sys, a, q, server) : overUdp(sys, a, q, server);
    if (typeof r === 'string') {
      const at = `${server}#${a.port}`;
      if (tcp && r.startsWith('connect '))
        comment(`Connection to ${at}(${server}) for ${bareName(q)} failed: ${errnoText(r.slice(8))}.`);
      else comment(`communications error to ${at}: ${errnoText(r)}`);
      continue;
    }
    if (!r.msg.tc || tcp || a.ignoreTc) return r;
    comment('Truncated, retrying in TCP mode.');
    tcp = true;
    t = -1;
  }
  return undefined;
}

const bareName = (q: Message): string => (q.question[0]?.name ?? '').replace(/(.)\.$/, '$1');

function* overUdp(sys: Os, a: Asking, q: Message, server: string): Task<Reply | string> {
  const start = sys.nowUs;
  const fd = sys.socket('udp');
  const end = <T>(r: T): T => {
    sys.close(fd);
    return r;
  };
  const bound = a.local && sys.bind(fd, a.local);
  if (bound && !bound.ok) return end(bound.errno);
  const c = sys.connect(fd, { ip: server, port: a.port });
  if (!c.ok) return end(c.errno);
  tellQuery(sys, q, server);
  const errno = sendMsg(sys, fd, q, 'udp');
  if (errno !== undefined) return end(errno);
  while (yield* readable(fd, Math.max(0, start + a.timeoutUs - sys.nowUs))) {
    const r = recvMsg(sys, fd);
    if (r.kind === 'error') return end(r.errno);
    if (r.kind !== 'msg' || r.msg.id !== q.id || !matchesQuery(q, r.msg)) continue;
    tellAnswer(sys, r.msg);
    const { msg, len } = r;
    return end({ msg, len, server, proto: 'udp', tookUs: sys.nowUs - start, atUs: sys.nowUs });
  }
  return end('ETIMEDOUT');
}

function* overTcp(sys: Os, a: Asking, q: Message, server: string): Task<Reply | string> {
  const start = sys.nowUs;
  const fd = sys.socket('tcp');
  const end = <T>(r: T): T => {
    sys.close(fd);
    return r;
  };
  const errno = yield* connectTcp(sys, fd, server, a.timeoutUs, a.port);
  if (errno !== undefined) return end(`connect ${errno}`);
  tellQuery(sys, q, server);
  const sent = sendMsg(sys, fd, q, 'tcp');
  if (sent !== undefined) return end(sent);
  const r = yield* readMessage(sys, fd, 65537, sys.nowUs + a.timeoutUs);
  if ('errno' in r) return end(r.errno);
  tellAnswer(sys, r.msg);
  return end({ msg: r.msg, len: r.len, server, proto: 'tcp', tookUs: sys.nowUs - start, atUs: sys.nowUs });
}

/** resolv.conf as irs_resconf reads it: what glibc knows, with three tries where no `attempts` is given. */
export function resConf(sys: Os): GlibcConf & { readonly tries: number } {
  const text = sys.readFile('/etc/resolv.conf') ?? '';
  const c = glibcConf(text, {});
  const given = /^options\b.*\battempts:\d/m.test(text);
  return { ...c, tries: given ? Math.max(1, c.attempts) : 3 };
}

/** Why a name is none, in BIND's words; undefined when it is one. */
export function illegalName(name: string): string | undefined {
  const bare = name.replace(/\.$/, '');
  if (bare === '') return undefined;
  if (name.startsWith('.') || bare.includes('..') || bare.endsWith('.')) return 'empty label';
  if (labelsOf(bare).some((l) => l.length > 63)) return 'label too long';
  return isDomainName(bare) ? undefined : 'ran out of space';
}

/**
 * Names that are tried as long as the answer is NXDOMAIN: the name itself first when it has enough dots, then the
 * search list, then the name itself.
 */
export function searchNames(name: string, c: { search: readonly string[]; ndots: number }, search: boolean): string[] {
  const absolute = name.endsWith('.') ? name : `${name}.`;
  if (!search || name.endsWith('.')) return [absolute];
  const listed = c.search.map((d) => (d === '.' ? absolute : `${name}.${d.replace(/\.?$/, '.')}`));
  const enough = name.split('.').length - 1 >= c.ndots;
  return enough ? [absolute, ...listed] : [...listed, absolute];
}
