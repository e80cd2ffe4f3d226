import { ipFamily } from '../base/ip';
import { recvMsg, sendMsg } from '../dns/io';
import { type Message, newQuery } from '../dns/message';
import { type Blocking, wait } from './blocking';
import type { Sys } from './process';

/** getaddrinfo(3) failures by their constants. */
export type EaiError = 'EAI_NONAME' | 'EAI_AGAIN' | 'EAI_NODATA';

/** gai_strerror(3) of glibc. */
export const gaiStrerror: Readonly<Record<EaiError, string>> = {
  EAI_NONAME: 'Name or service not known',
  EAI_AGAIN: 'Temporary failure in name resolution',
  EAI_NODATA: 'No address associated with hostname',
};

export type Resolved =
  | { readonly ok: true; readonly addrs: readonly string[]; readonly canonical: string }
  | { readonly ok: false; readonly error: EaiError }
  /** The caller's deadline passed first. */
  | { readonly ok: false; readonly error: 'deadline' };

interface ResolvConf {
  readonly servers: readonly string[];
  readonly search: readonly string[];
  readonly ndots: number;
  /** Seconds. */
  readonly timeout: number;
  readonly attempts: number;
}

/** resolv.conf(5): at most 3 servers; ndots capped at 15, timeout at 30 s, attempts at 5. */
export function parseResolvConf(text: string | undefined): ResolvConf {
  const servers: string[] = [];
  let search: string[] = [];
  let ndots = 1;
  let timeout = 5;
  let attempts = 2;
  for (const line of (text ?? '').split('\n')) {
    const [word, ...rest] = line.trim().split(/[ \t]+/);
    if (word === 'nameserver' && rest[0] !== undefined && servers.length < 3) servers.push(rest[0]);
    else if (word === 'search') search = rest;
    else if (word === 'domain' && rest[0] !== undefined) search = [rest[0]];
    else if (word === 'options') {
      for (const o of rest) {
        const [name, value] = o.split(':');
        const n = Number.parseInt(value ?? '', 10);
        if (Number.isNaN(n)) continue;
        if (name === 'ndots') ndots = Math.min(n, 15);
        else if (name === 'timeout') timeout = Math.min(n, 30);
        else if (name === 'attempts') attempts = Math.min(n, 5);
      }
    }
  }
  return { servers: servers.length > 0 ? servers : ['127.0.0.1'], search, ndots, timeout, attempts };
}

/** Candidates in the order of res_search: as it stands first when it has enough dots, else last. */
export function candidates(name: string, conf: Pick<ResolvConf, 'search' | 'ndots'>): string[] {
  if (name.endsWith('.')) return [name];
  const dots = name.split('.').length - 1;
  const searched = conf.search.map((s) => `${name}.${s === '.' ? '' : s.replace(/\.$/, '')}`.replace(/\.?$/, '.'));
  return dots >= conf.ndots ? [`${name}.`, ...searched] : [...searched, `${name}.`];
}

function hostsFile(text: string | undefined, name: string): { addrs: string[]; canonical: string } | undefined {
  const addrs: string[] = [];
  let canonical: string | undefined;
  for (const line of (text ?? '').split('\n')) {
    const words = line
      .replace(/#.*/, '')
      .trim()
      .split(/[ \t]+/);
    const ip = words[0];
    if (ip === undefined || ipFamily(ip) !== 4) continue;
    if (!words.slice(1).some((w) => w.toLowerCase() === name.toLowerCase())) continue;
    addrs.push(ip);
    canonical ??= words[1];
  }
  return canonical === undefined ? undefined : { addrs, canonical };
}

/**
 * getaddrinfo(3) of glibc for IPv4 addresses: number, hosts file, then DNS with A and AAAA in one go from one socket per
 * candidate name. `deadlineUs`: absolute time at which the caller gives up.
 */
export function* resolve(sys: Sys, name: string, deadlineUs?: number): Blocking<Resolved> {
  if (ipFamily(name) !== undefined) return { ok: true, addrs: [name], canonical: name };
  const host = hostsFile(sys.readFile('/etc/hosts'), name);
  if (host) return { ok: true, ...host };
  const conf = parseResolvConf(sys.readFile('/etc/resolv.conf'));
  const names = candidates(name, conf);
  sys.lookup({ kind: 'lookup', facts: { name, candidates: names } });
  let noData = false;
  let servfail = false;
  for (const candidate of names) {
    const r = yield* queryBoth(sys, candidate, conf, deadlineUs);
    if (r === 'deadline') return { ok: false, error: 'deadline' };
    if (r === 'timeout') return { ok: false, error: 'EAI_AGAIN' };
    if (r === 'nodata') noData = true;
    else if (r === 'servfail') servfail = true;
    else if (r !== 'nxdomain') return { ok: true, ...r };
  }
  return { ok: false, error: noData ? 'EAI_NODATA' : servfail ? 'EAI_AGAIN' : 'EAI_NONAME' };
}

type Outcome = { addrs: string[]; canonical: string } | 'nxdomain' | 'nodata' | 'servfail' | 'timeout' | 'deadline';

/** __res_context_send for the pair A and AAAA: every server in turn, `attempts` times. */
function* queryBoth(sys: Sys, name: string, conf: ResolvConf, deadlineUs: number | undefined): Blocking<Outcome> {
  let servfail = false;
  for (let attempt = 0; attempt < conf.attempts; attempt++) {
    for (let i = 0; i < conf.servers.length; i++) {
      // The first round waits the whole timeout for each server, later ones share a doubled one.
      const base = conf.timeout * 2 ** attempt;
      const seconds = attempt > 0 ? Math.floor(base / conf.servers.length) : base;
      const waitUs = Math.max(1, seconds) * 1_000_000;
      const r = yield* ask(sys, name, conf.servers[i] as string, waitUs, deadlineUs);
      if (r === 'servfail') servfail = true;
      else if (r !== 'timeout') return r;
    }
  }
  return servfail ? 'servfail' : 'timeout';
}

function* ask(
  sys: Sys,
  name: string,
  server: string,
  waitUs: number,
  deadlineUs: number | undefined,
): Blocking<Outcome> {
  const fd = sys.socket('udp');
  const stop = (o: Outcome): Outcome => {
    sys.close(fd);
    return o;
  };
  if (!sys.connect(fd, { ip: server, port: 53 }).ok) return stop('timeout');
  const queries = ['A', 'AAAA'].map((type) => ({ type, id: sys.random('dns-id', 65536) }));
  for (const q of queries) {
    const bare = name.replace(/\.$/, '');
    sys.lookup({ kind: 'query', facts: { name: bare, type: q.type, server, id: q.id } });
    if (sendMsg(sys, fd, newQuery(q.id, name, q.type), 'udp') !== undefined) return stop('timeout');
  }
  const until = sys.nowUs + waitUs;
  const got: Message[] = [];
  while (got.length < 2) {
    const end = deadlineUs === undefined ? until : Math.min(until, deadlineUs);
    const left = end - sys.nowUs;
    const fds = [{ fd, events: 'in' as const }];
    const wake = left <= 0 ? { kind: 'timeout' as const } : yield* wait({ kind: 'poll', fds, timeoutUs: left });
    if (wake.kind === 'timeout') return stop(end === until ? 'timeout' : 'deadline');
    const r = recvMsg(sys, fd);
    if (r.kind === 'error') return stop('timeout');
    if (r.kind !== 'msg' || !queries.some((q) => q.id === r.msg.id) || got.some((m) => m.id === r.msg.id)) continue;
    got.push(r.msg);
    tell(sys, r.msg);
  }
  return stop(combine(got, name));
}

function tell(sys: Sys, m: Message): void {
  const q = m.question[0];
  sys.lookup({
    kind: 'answer',
    facts: {
      name: (q?.name ?? '').replace(/\.$/, ''),
      type: q?.type ?? '',
      rcode: m.rcode,
      answers: m.answer.map((a) => a.rdata),
      id: m.id,
    },
  });
}

function combine(got: readonly Message[], name: string): Outcome {
  const records = got.flatMap((m) => m.answer);
  const addrs = records.filter((r) => r.type === 'A').map((r) => r.rdata);
  if (addrs.length > 0) {
    const owner = records.find((r) => r.type === 'A')?.name ?? name;
    return { addrs, canonical: owner.replace(/\.$/, '') };
  }
  if (got.some((m) => m.rcode === 'NOERROR')) return 'nodata';
  return got.every((m) => m.rcode === 'NXDOMAIN') ? 'nxdomain' : 'servfail';
}

/** getnameinfo(3): the name of an IPv4 address by hosts file and PTR record, or undefined. */
export function* reverse(sys: Sys, ip: string): Blocking<string | undefined> {
  for (const line of (sys.readFile('/etc/hosts') ?? '').split('\n')) {
    const words = line
      .replace(/#.*/, '')
      .trim()
      .split(/[ \t]+/);
    if (words[0] === ip && words[1] !== undefined) return words[1];
  }
  const conf = parseResolvConf(sys.readFile('/etc/resolv.conf'));
  const name = `${ip.split('.').reverse().join('.')}.in-addr.arpa.`;
  for (let attempt = 0; attempt < conf.attempts; attempt++) {
    for (const server of conf.servers) {
      const fd = sys.socket('udp');
      const id = sys.random('dns-id', 65536);
      const sent =
        sys.connect(fd, { ip: server, port: 53 }).ok &&
        sendMsg(sys, fd, newQuery(id, name, 'PTR'), 'udp') === undefined;
      const fds = [{ fd, events: 'in' as const }];
      const wake = sent ? yield* wait({ kind: 'poll', fds, timeoutUs: conf.timeout * 1_000_000 }) : undefined;
      const r = wake?.kind === 'ready' ? recvMsg(sys, fd) : undefined;
      sys.close(fd);
      if (r?.kind !== 'msg' || r.msg.id !== id) continue;
      return r.msg.answer.find((a) => a.type === 'PTR')?.rdata.replace(/\.$/, '');
    }
  }
  return undefined;
}
