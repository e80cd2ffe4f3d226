import { canonicalIp } from '../../base/ip';
import { recvMsg, sendMsg } from '../io';
import { type DnsMsg, type Message, newQuery } from '../message';
import { labelsOf, presented } from '../names';
import type { Os } from '../os';
import type { Task } from '../tasks';
import { lookupHosts } from './hosts';
import { tellAnswer, tellLookup, tellQuery } from './notice';
import { literal } from './numeric';
import { type Addr, EAI, type Family, type GaiResult, sortAddrs } from './types';

export type MuslVersion = '1.2.3' | '1.2.5';

/** resolv.conf as musl reads it (resolvconf.c). */
export interface MuslConf {
  readonly nameservers: readonly string[];
  /** The search line as one text; '' when it did not fit into 256 bytes. */
  readonly search: string;
  readonly ndots: number;
  /** Seconds for a name altogether. */
  readonly timeout: number;
  readonly attempts: number;
}

/** Addresses at most (MAXADDRS), bytes of an answer that are read (ABUF_SIZE) and of a name. */
const MAX_ADDRS = 48;
const ABUF = { '1.2.3': 512, '1.2.5': 4800 } as const;
const MAX_NAME = 256;
const LINE = 256;

export function muslConf(text: string): MuslConf {
  const servers: string[] = [];
  let search = '';
  let ndots = 1;
  let timeout = 5;
  let attempts = 2;
  const option = (line: string, name: string): number | undefined => {
    const m = new RegExp(`${name}:([0-9]+)`).exec(line);
    return m ? Number(m[1]) : undefined;
  };
  const lines = text.split('\n');
  lines.forEach((line, i) => {
    // Lines that fgets cannot take whole are left out.
    if (line.length + 1 >= LINE && i < lines.length - 1) return;
    if (/^options\s/.test(line)) {
      ndots = Math.min(option(line, 'ndots') ?? ndots, 15);
      attempts = Math.min(option(line, 'attempts') ?? attempts, 10);
      timeout = Math.min(option(line, 'timeout') ?? timeout, 60);
    } else if (/^nameserver\s/.test(line)) {
      const ip = canonicalIp(line.slice(11).trim().split(/\s/)[0] ?? '');
      if (servers.length < 3 && ip !== undefined) servers.push(ip);
    } else if (/^(domain|search)\s/.test(line)) {
      const rest = line.slice(7).replace(/^\s+/, '');
      if (rest.length + 1 < MAX_NAME) search = rest;
    }
  });
  return { nameservers: servers.length > 0 ? servers : ['127.0.0.1'], search, ndots, timeout, attempts };
}

/** Names in the order in which musl tries them as long as every one is NXDOMAIN (name_from_dns_search). */
export function muslCandidates(name: string, c: Pick<MuslConf, 'search' | 'ndots'>): string[] {
  const dots = name.split('.').length - 1;
  const bare = name.endsWith('.') ? name.slice(0, -1) : name;
  const list = dots >= c.ndots || name.endsWith('.') ? [] : c.search.split(/\s+/).filter((d) => d !== '');
  const fits = list.filter((d) => d.length < MAX_NAME - bare.length - 1);
  return [...fits.map((d) => `${bare}.${d}`), name];
}

/** One question: a message, or bytes that are none where musl packs a name wrongly. */
interface Query {
  readonly msg: Message;
  readonly raw: string | undefined;
}

/** The resolver of musl: every server asked at once, A and AAAA from one socket, five seconds for a name. */
export class Musl {
  constructor(
    private readonly sys: Os,
    private readonly version: MuslVersion,
  ) {}

  *getaddrinfo(name: string, family: Family = 'unspec'): Task<GaiResult> {
    if (name.length === 0 || name.length >= 255) return { ok: false, code: EAI.NONAME };
    const lit = literal(name, family);
    if (lit === 'none') return { ok: false, code: EAI.NONAME };
    if (lit) return { ok: true, addrs: [lit], canon: name };
    const hosts = lookupHosts(this.sys.readFile('/etc/hosts') ?? '', name, family, true);
    const found = hosts ? { addrs: [...hosts.addrs], canon: hosts.canon } : yield* this.searchNames(name, family);
    if (typeof found === 'number') return { ok: false, code: found };
    const { addrs, canon } = found;
    const mixed = addrs.length > 1 && addrs.some((a) => a.family === 6);
    return { ok: true, addrs: mixed ? sortAddrs(addrs, this.sys) : addrs, canon };
  }

  private *searchNames(name: string, family: Family): Task<{ addrs: Addr[]; canon: string } | number> {
    const conf = muslConf(this.sys.readFile('/etc/resolv.conf') ?? '');
    const bare = name.endsWith('.') ? name.slice(0, -1) : name;
    if (bare === '' || bare.endsWith('.')) return EAI.NONAME;
    const candidates = muslCandidates(name, conf);
    tellLookup(this.sys, name, candidates);
    for (const c of candidates) {
      const canon = c === name ? bare : c;
      const r = yield* this.fromDns(c, canon, family, conf);
      if (r !== 0) return r;
    }
    return EAI.NONAME;
  }

  /** name_from_dns: 0 means NXDOMAIN, so that the next name is tried. */
  private *fromDns(
    name: string,
    canonName: string,
    family: Family,
    conf: MuslConf,
  ): Task<{ addrs: Addr[]; canon: string } | number> {
    const types = family === 'inet' ? ['A'] : family === 'inet6' ? ['AAAA'] : ['A', 'AAAA'];
    const queries: Query[] = [];
    for (const t of types) {
      const q = this.makeQuery(name, t);
      if (!q) return this.version === '1.2.3' ? EAI.NONAME : 0;
      queries.push(q);
    }
    const answers = yield* this.msend(queries, conf);
    for (const a of answers) {
      if (!a || a.rcode === 'SERVFAIL') return EAI.AGAIN;
      if (a.rcode === 'NXDOMAIN') return 0;
      if (a.rcode !== 'NOERROR') return EAI.FAIL;
    }
    const addrs: Addr[] = [];
    let canon = canonName;
    const order = this.version === '1.2.3' ? [...answers] : [...answers].reverse();
    for (const a of order) {
      for (const r of a?.answer ?? []) {
        if (r.type === 'CNAME') canon = r.rdata.replace(/\.$/, '');
        else if ((r.type === 'A' || r.type === 'AAAA') && addrs.length < MAX_ADDRS)
          addrs.push({ family: r.type === 'A' ? 4 : 6, ip: r.rdata });
      }
    }
    if (addrs.length > 0) return { addrs, canon };
    return this.version === '1.2.3' ? EAI.NONAME : EAI.NODATA;
  }

  /** res_mkquery; undefined for names that cannot be packed. */
  private makeQuery(name: string, type: string): Query | undefined {
    let bare = name.endsWith('.') ? name.slice(0, -1) : name;
    const doubled = bare.endsWith('.');
    if (doubled && this.version !== '1.2.3') return undefined;
    if (bare.length > 253) return undefined;
    if (doubled) bare = bare.slice(0, -1);
    if (bare !== '' && bare.split('.').some((l) => l.length === 0 || l.length > 63)) return undefined;
    const msg = newQuery(this.sys.random('dns-id', 65536), bare === '' ? '.' : `${presented(bare)}.`, type);
    // 1.2.3 takes off one final dot only; the other one stays as the length of a label that is not there.
    return { msg, raw: doubled ? packBadly(bare, type) : undefined };
  }

  /** __res_msend_rc. */
  private *msend(queries: readonly Query[], conf: MuslConf): Task<(DnsMsg | undefined)[]> {
    const { sys } = this;
    const fd = sys.socket('udp');
    sys.bind(fd, { ip: '0.0.0.0', port: 0 });
    const answers: (DnsMsg | undefined)[] = queries.map(() => undefined);
    const done = queries.map(() => false);
    const streams: (number | undefined)[] = queries.map(() => undefined);
    const sent = queries.map(() => false);
    const tcpServers: string[] = [];
    const unread = queries.map(() => 0);
    const ids = new Set<number>();
    const unique = queries.map((q) => {
      let { id } = q.msg;
      while (ids.has(id)) id = (id + 256) % 65536;
      ids.add(id);
      return { ...q, msg: { ...q.msg, id } };
    });
    const send = (q: Query, server: string): void => {
      const to = { ip: server, port: 53 };
      tellQuery(sys, q.msg, server);
      if (q.raw === undefined) sendMsg(sys, fd, q.msg, 'udp', to);
      else sys.send(fd, withId(q.raw, q.msg.id), to);
    };
    const timeoutUs = conf.timeout * 1_000_000;
    // Milliseconds are whole in musl.
    const intervalUs = Math.floor((conf.timeout * 1000) / Math.max(1, conf.attempts)) * 1000;
    const t0 = sys.nowUs;
    let t1 = t0 - intervalUs;
    let retries = 0;
    const finish = (): (DnsMsg | undefined)[] => {
      sys.close(fd);
      for (const s of streams) if (s !== undefined) sys.close(s);
      return answers.map((a, i) => (done[i] ? a : undefined));
    };
    while (sys.nowUs - t0 < timeoutUs) {
      if (done.every((d) => d)) break;
      if (sys.nowUs - t1 >= intervalUs) {
        unique.forEach((q, i) => {
          if (answers[i] || streams[i] !== undefined) return;
          for (const s of conf.nameservers) send(q, s);
        });
        t1 = sys.nowUs;
        retries = 2 * queries.length;
      }
      const open = streams.flatMap((s, i) =>
        s === undefined ? [] : [{ fd: s, events: sent[i] ? ('in' as const) : ('out' as const) }],
      );
      const udp = answers.some((a) => !a) ? [{ fd, events: 'in' as const }] : [];
      const wake = yield { kind: 'poll', fds: [...open, ...udp], timeoutUs: late(t1 + intervalUs - sys.nowUs) };
      if (wake.kind !== 'ready') continue;
      for (;;) {
        if (answers.every((a) => a)) break;
        const r = recvMsg(sys, fd);
        if (r.kind === 'error') continue;
        if (r.kind !== 'msg') break;
        const { msg, from } = r;
        if (!from || !conf.nameservers.includes(from.ip)) continue;
        const i = unique.findIndex((q) => q.msg.id === msg.id);
        if (i < 0 || answers[i]) continue;
        tellAnswer(sys, msg);
        if (msg.rcode === 'SERVFAIL') {
          if (retries > 0) {
            retries--;
            send(unique[i] as Query, from.ip);
          }
          continue;
        }
        if (msg.rcode !== 'NOERROR' && msg.rcode !== 'NXDOMAIN') continue;
        answers[i] = r.len > ABUF[this.version] ? cutTo(msg, ABUF[this.version]) : msg;
        if (msg.tc && this.version === '1.2.5') {
          const tcp = sys.socket('tcp');
          sys.connect(tcp, { ip: from.ip, port: 53 });
          streams[i] = tcp;
          tcpServers[i] = from.ip;
        } else done[i] = true;
      }
      for (let i = 0; i < streams.length; i++) {
        const s = streams[i];
        if (s === undefined || !wake.fds.includes(s)) continue;
        if (!sent[i]) {
          if (sys.sockError(s)) return finish();
          tellQuery(sys, (unique[i] as Query).msg, tcpServers[i] ?? '');
          if (sendMsg(sys, s, (unique[i] as Query).msg, 'tcp')) return finish();
          sent[i] = true;
          continue;
        }
        if (unread[i] === 0) {
          const r = recvMsg(sys, s);
          if (r.kind === 'none') continue;
          if (r.kind !== 'msg' || (r.msg.rcode !== 'NOERROR' && r.msg.rcode !== 'NXDOMAIN')) return finish();
          answers[i] = r.msg;
          // No more than the buffer takes is read; closing with the rest unread resets the connection.
          unread[i] = Math.max(0, Math.min(r.len, ABUF[this.version]) + 2 - SEGMENT);
        } else {
          const r = sys.recv(s);
          if (!r.ok) continue;
          unread[i] = Math.max(0, (unread[i] ?? 0) - Math.max(1, r.value.data.length));
        }
        if (unread[i] === 0) {
          done[i] = true;
          sys.close(s);
          streams[i] = undefined;
        }
      }
    }
    return finish();
  }
}

const SEGMENT = 1448;

/** poll(2) wakes up to a thousandth of its timeout late (select_estimate_accuracy in fs/select.c), and 50 us. */
const late = (us: number): number => (us <= 0 ? 0 : us + Math.floor(us / 1000) + 50);

/** The records of an answer that lie within the first bytes of it. */
function cutTo(m: DnsMsg, bytes: number): DnsMsg {
  const each = 16;
  const room = Math.floor((bytes - 12 - (m.question[0]?.name.length ?? 0) - 5) / each);
  return { ...m, answer: m.answer.slice(0, Math.max(0, room)) };
}

/** The bytes that 1.2.3 sends for a name with two final dots. */
function packBadly(bare: string, type: string): string {
  const number = type === 'A' ? 1 : 28;
  let out = '\0\0\x01\0\0\x01\0\0\0\0\0\0';
  for (const l of labelsOf(`${bare}.`)) out += String.fromCharCode(l.length) + l;
  return `${out}.\0\0${String.fromCharCode(number)}\0\x01`;
}

const withId = (raw: string, id: number): string => String.fromCharCode(id >> 8, id & 255) + raw.slice(2);
