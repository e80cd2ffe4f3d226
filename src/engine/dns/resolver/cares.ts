import { ipow } from '../../base/int';
import { recvMsg, sendMsg } from '../io';
import { matchesQuery } from '../match';
import type { Message } from '../message';
import { newQuery } from '../message';
import { fqdn } from '../names';
import type { Os } from '../os';
import { readable, type Task } from '../tasks';
import { glibcConf } from './glibcconf';
import { tellAnswer, tellLookup, tellQuery } from './notice';
import { connectTcp, readMessage } from './stream';

/** ares_status_t as Node names it. */
export type CaresResult =
  | { readonly ok: true; readonly msg: Message }
  | {
      readonly ok: false;
      readonly code:
        | 'ENOTFOUND'
        | 'ENODATA'
        | 'ESERVFAIL'
        | 'EREFUSED'
        | 'ENOTIMP'
        | 'EFORMERR'
        | 'ETIMEOUT'
        | 'ECONNREFUSED'
        | 'EBADNAME';
    };

/** Defaults of c-ares 1.20: time for the first try (ms) and tries per server. */
const TIMEOUT_MS = 5000;
const TRIES = 4;

/** ares_query as in Node's dns.resolve*: the name as it is, without search list and hosts file. */
export function* caresQuery(sys: Os, name: string, type: string): Task<CaresResult> {
  const conf = glibcConf(sys.readFile('/etc/resolv.conf') ?? '', sys.env);
  const qname = fqdn(name);
  const bare = qname.slice(0, -1);
  if (bare.length > 253 || (bare !== '' && bare.split('.').some((l) => l === '' || l.length > 63)))
    return { ok: false, code: 'EBADNAME' };
  tellLookup(sys, name, [qname]);
  const q = newQuery(sys.random('dns-id', 65536), qname, type);
  let code: 'ETIMEOUT' | 'ECONNREFUSED' | 'ESERVFAIL' | 'EREFUSED' | 'ENOTIMP' = 'ETIMEOUT';
  for (let t = 0; t < TRIES; t++) {
    for (const server of conf.nameservers) {
      tellQuery(sys, q, server);
      const r = yield* ask(sys, server, q, TIMEOUT_MS * 1000 * ipow(2, t));
      if (r === 'ETIMEOUT' || r === 'ECONNREFUSED') {
        code = r;
        continue;
      }
      tellAnswer(sys, r);
      if (r.rcode === 'SERVFAIL' || r.rcode === 'REFUSED' || r.rcode === 'NOTIMP') {
        code = `E${r.rcode}`;
        continue;
      }
      if (r.rcode === 'NXDOMAIN') return { ok: false, code: 'ENOTFOUND' };
      if (r.rcode !== 'NOERROR') return { ok: false, code: 'EFORMERR' };
      return r.answer.some((a) => a.type === type) ? { ok: true, msg: r } : { ok: false, code: 'ENODATA' };
    }
  }
  return { ok: false, code };
}

function* ask(sys: Os, server: string, q: Message, timeoutUs: number): Task<Message | 'ETIMEOUT' | 'ECONNREFUSED'> {
  const deadline = sys.nowUs + timeoutUs;
  const fd = sys.socket('udp');
  const end = <T>(r: T): T => {
    sys.close(fd);
    return r;
  };
  if (!sys.connect(fd, { ip: server, port: 53 }).ok) return end('ECONNREFUSED');
  if (sendMsg(sys, fd, q, 'udp') !== undefined) return end('ECONNREFUSED');
  while (yield* readable(fd, Math.max(0, deadline - sys.nowUs))) {
    const r = recvMsg(sys, fd);
    if (r.kind === 'error') return end('ECONNREFUSED');
    if (r.kind !== 'msg' || r.msg.id !== q.id || !matchesQuery(q, r.msg)) continue;
    if (!r.msg.tc) return end(r.msg);
    return end(yield* overTcp(sys, server, q, deadline));
  }
  return end('ETIMEOUT');
}

function* overTcp(sys: Os, server: string, q: Message, deadline: number): Task<Message | 'ETIMEOUT' | 'ECONNREFUSED'> {
  const fd = sys.socket('tcp');
  const errno = yield* connectTcp(sys, fd, server, Math.max(0, deadline - sys.nowUs));
  const failed = errno ?? sendMsg(sys, fd, q, 'tcp');
  const r = failed === undefined ? yield* readMessage(sys, fd, 65537, deadline) : { errno: failed };
  sys.close(fd);
  if ('msg' in r) return r.msg;
  return r.errno === 'ETIMEDOUT' ? 'ETIMEOUT' : 'ECONNREFUSED';
}
