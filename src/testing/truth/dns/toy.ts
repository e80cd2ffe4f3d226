import type { PrngStream } from '../../../engine/base/prng';
import { type DnsMsg, type Message, parseRR, type Question, type RR, replyTo } from '../../../engine/dns/message';
import { isSubDomain, labelsOf } from '../../../engine/dns/names';
import { messageLen } from '../../../engine/dns/size';
import type { Toy } from './lab';

/** The upstream servers of the recording (README: lab), by what they do. */
export type ToyMode = 'upstream' | 'consul' | 'servfail' | 'refused' | 'drop' | 'notimp' | 'script';

interface ToyZone {
  readonly apex: string;
  readonly soa: RR;
  readonly nodes: ReadonlyMap<string, readonly RR[]>;
}

function zone(apex: string, lines: readonly string[]): ToyZone {
  const abs = (n: string): string => (n === '@' ? apex : n.endsWith('.') ? n : `${n}.${apex}`);
  const soaText = `@ 3600 SOA ns1.${apex} hostmaster.${apex} 2026010101 7200 3600 1209600 300`;
  const all = [soaText, `@ 3600 NS ns1.${apex}`, 'ns1 3600 A 203.0.113.2', ...lines];
  const nodes = new Map<string, RR[]>();
  for (const line of all) {
    const [owner, ttl, type, ...rest] = line.split(' ');
    const rr = parseRR(`${abs(owner as string)} ${ttl} IN ${type} ${rest.join(' ')}`) as RR;
    const list = nodes.get(rr.name.toLowerCase()) ?? [];
    list.push(rr);
    nodes.set(rr.name.toLowerCase(), list);
  }
  return { apex, soa: nodes.get(apex)?.[0] as RR, nodes };
}

const ZONES: readonly ToyZone[] = [
  zone('example.com.', [
    '@ 300 A 203.0.113.10',
    '@ 300 MX 10 mail.example.com.',
    '@ 300 TXT "v=spf1 -all"',
    'mail 300 A 203.0.113.25',
    'www 300 A 203.0.113.80',
    'www 300 AAAA 2001:db8::80',
    'api 60 CNAME lb.example.net.',
    'db 300 A 203.0.113.50',
    'short 5 A 203.0.113.5',
    'ten 10 A 203.0.113.11',
    'long 86400 A 203.0.113.86',
    'zero 0 A 203.0.113.1',
    'v4only 300 A 203.0.113.4',
    'v6only 300 AAAA 2001:db8::6',
    'nodata 300 TXT "only text here"',
    '_http._tcp 300 SRV 10 5 8080 www.example.com.',
    'loop1 300 CNAME loop2.example.com.',
    'loop2 300 CNAME loop1.example.com.',
    'dangling 300 CNAME nothere.example.com.',
    'a.b.c.d.e.f 300 A 203.0.113.66',
    '*.wild 300 A 203.0.113.42',
    'my_host 300 A 203.0.113.90',
    ...Array.from({ length: 60 }, (_, i) => `big 300 A 198.51.100.${i + 1}`),
    ...Array.from({ length: 8 }, (_, i) => `bigtxt 300 TXT "0${i}${'x'.repeat(198)}"`),
  ]),
  zone('example.net.', [
    'lb 30 A 203.0.113.21',
    'lb 30 A 203.0.113.22',
    'lb 30 A 203.0.113.23',
    'www 300 A 203.0.113.81',
  ]),
  zone('example.org.', ['@ 300 A 203.0.113.30', '@ 300 AAAA 2001:db8::30', 'www 300 A 203.0.113.31']),
  zone('113.0.203.in-addr.arpa.', ['80 300 PTR www.example.com.']),
  zone('d.e.f.', ['a.b.c 300 A 203.0.113.67']),
];
const CONSUL = zone('consul.local.', ['web.service 0 A 172.16.5.10', 'web.service 0 A 172.16.5.11']);
const ROOT_SOA = parseRR(
  '. 86400 IN SOA a.root-servers.net. nstld.verisign-grs.com. 2026113000 1800 900 604800 86400',
) as RR;

/** Names below example.com with a behaviour of their own; numbers are seconds. */
const ACTS: Readonly<Record<string, string | number>> = {
  servfail: 'SERVFAIL',
  refused: 'REFUSED',
  notimp: 'NOTIMP',
  formerr: 'FORMERR',
  drop: 'drop',
  slow1: 1,
  slow3: 3,
  slow7: 7,
  slow300ms: 0.3,
};

/** Answers out of a zone, one alias followed into the other zones. */
function fromZone(m: DnsMsg, first: ToyZone, q: Question): void {
  m.aa = true;
  let z = first;
  let name = q.name;
  const answer: RR[] = [];
  for (let hops = 0; ; ) {
    let node = z.nodes.get(name.toLowerCase());
    if (!node) {
      for (const [n, rrs] of z.nodes) {
        const parent = n.slice(2);
        if (n.startsWith('*.') && isSubDomain(parent, name) && parent !== name.toLowerCase()) node = rrs;
      }
    }
    if (!node) {
      if (![...z.nodes.keys()].some((n) => isSubDomain(name, n))) m.rcode = 'NXDOMAIN';
      m.authority = [z.soa];
      break;
    }
    const hit = node.filter((r) => q.type === 'ANY' || r.type === q.type);
    answer.push(...hit.map((r) => ({ ...r, name })));
    if (hit.length > 0) break;
    const alias = node.find((r) => r.type === 'CNAME');
    if (!alias) {
      m.authority = [z.soa];
      break;
    }
    answer.push({ ...alias, name });
    name = alias.rdata;
    if (++hops > 1) break;
    const next = ZONES.find((o) => isSubDomain(o.apex, name));
    if (!next) break;
    z = next;
  }
  m.answer = answer;
}

const SEARCH = ['default.svc.cluster.local.', 'svc.cluster.local.', 'cluster.local.'];

/** The scripted server: `q-a-b-c-d` tells what each search domain and the absolute name get. */
function script(m: DnsMsg, q: Question, proto: 'udp' | 'tcp'): number | 'drop' {
  const name = q.name.toLowerCase();
  const letters = /^q-([a-z0-9])-([a-z0-9])-([a-z0-9])-([a-z0-9])$/.exec(labelsOf(name)[0] ?? '');
  const found = SEARCH.findIndex((s) => name.endsWith(`.${s}`));
  const idx = found < 0 ? 3 : found;
  const owner = idx < 3 ? 'cluster.local.' : '.';
  const rdata = 'ns.dns.cluster.local. hostmaster.cluster.local. 1700000000 7200 1800 86400 30';
  const soa: RR = { name: owner, ttl: 30, class: 'IN', type: 'SOA', rdata };
  const isA = q.type === 'A';
  const rr = (type: string, value: string): RR => ({ name: q.name, ttl: 30, class: 'IN', type, rdata: value });
  const ok = (v4 = true, v6 = true): void => {
    if (isA && v4) m.answer = [rr('A', `10.96.9.${idx + 1}`)];
    else if (q.type === 'AAAA' && v6) m.answer = [rr('AAAA', `fd00:10:96::9:${idx + 1}`)];
    else m.authority = [soa];
  };
  const nx = (): void => {
    m.rcode = 'NXDOMAIN';
    m.authority = [soa];
  };
  switch (letters?.[idx + 1] ?? 'n') {
    case 'o':
      ok();
      return 0;
    case '4':
      ok(true, false);
      return 0;
    case '6':
      ok(false, true);
      return 0;
    case 'd':
      m.authority = [soa];
      return 0;
    case 'm':
      if (isA) ok();
      else m.rcode = 'SERVFAIL';
      return 0;
    case 'k':
      if (isA) ok();
      else nx();
      return 0;
    case 'u':
      if (!isA) return 'drop';
      ok();
      return 0;
    case 'w':
      if (isA) return 'drop';
      ok();
      return 0;
    case 'j':
      if (isA) m.rcode = 'SERVFAIL';
      else ok();
      return 0;
    case 'l':
      ok();
      return 0.3;
    case 's':
      m.rcode = 'SERVFAIL';
      return 0;
    case 'r':
      m.rcode = 'REFUSED';
      return 0;
    case 'i':
      m.rcode = 'NOTIMP';
      return 0;
    case 'f':
      m.rcode = 'FORMERR';
      return 0;
    case 't':
      return 'drop';
    case 'c':
      if (proto === 'udp') m.tc = true;
      else if (isA) m.answer = [rr('A', '10.96.9.77')];
      return 0;
    default:
      nx();
      return 0;
  }
}

function shuffle(rrs: readonly RR[], prng: PrngStream): RR[] {
  // The real one writes each record set in random order.
  const out: RR[] = [];
  for (let i = 0; i < rrs.length; ) {
    const r = rrs[i] as RR;
    let j = i;
    while (j < rrs.length && rrs[j]?.name === r.name && rrs[j]?.type === r.type) j++;
    const set = rrs.slice(i, j);
    for (let k = set.length - 1; k > 0; k--) {
      const p = prng.below(k + 1);
      [set[k], set[p]] = [set[p] as RR, set[k] as RR];
    }
    out.push(...set);
    i = j;
  }
  return out;
}

/** A server of the recording's lab. */
export function toyServer(mode: ToyMode, prng: PrngStream): Toy {
  return (query, proto) => {
    const q = query.question[0];
    const base = (): DnsMsg => {
      const m = replyTo(query);
      m.ra = true;
      m.compress = true;
      m.question = query.question;
      m.cd = false;
      if (query.edns) m.edns = { udp: 1232, do: false, version: 0, options: [] };
      return m;
    };
    const m = base();
    let delay: number | 'drop' = 0;
    if (mode === 'servfail') m.rcode = 'SERVFAIL';
    else if (mode === 'refused') m.rcode = 'REFUSED';
    else if (mode === 'notimp') m.rcode = 'NOTIMP';
    else if (mode === 'drop' || !q) delay = 'drop';
    else if (mode === 'script') delay = script(m, q, proto);
    else if (mode === 'consul') {
      if (isSubDomain(CONSUL.apex, q.name)) fromZone(m, CONSUL, q);
      else m.rcode = 'REFUSED';
    } else delay = upstream(m, q);
    if (delay === 'drop') return undefined;
    m.answer = shuffle(m.answer, prng);
    const limit = proto === 'tcp' ? 65535 : Math.max(512, Math.min(query.edns?.udp ?? 512, 1232));
    let reply: Message = m;
    if (messageLen(m) > limit) {
      const cut = base();
      cut.tc = true;
      cut.aa = m.aa;
      cut.rcode = m.rcode;
      reply = cut;
    }
    return { reply, delayUs: 300 + delay * 1_000_000 };
  };
}

function upstream(m: DnsMsg, q: Question): number | 'drop' {
  const labels = labelsOf(q.name.toLowerCase());
  const act = labels.slice(1).join('.') === 'example.com' ? ACTS[labels[0] as string] : undefined;
  if (act === 'drop') return 'drop';
  if (typeof act === 'string') {
    m.rcode = act;
    return 0;
  }
  if (typeof act === 'number') {
    m.aa = true;
    if (q.type === 'A') m.answer = [{ name: q.name, ttl: 300, class: 'IN', type: 'A', rdata: '203.0.113.99' }];
    else m.authority = [(ZONES[0] as ToyZone).soa];
    return act;
  }
  const best = ZONES.filter((z) => isSubDomain(z.apex, q.name)).sort((a, b) => b.apex.length - a.apex.length)[0];
  if (best) fromZone(m, best, q);
  else {
    m.rcode = 'NXDOMAIN';
    m.authority = [ROOT_SOA];
  }
  return 0;
}
