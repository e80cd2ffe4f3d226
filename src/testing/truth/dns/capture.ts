import { flagsOf, type Message, rrText } from '../../../engine/dns/message';
import { unpackBody, unpackHeader } from '../../../engine/dns/wire';
import type { Seen } from './lab';

/** One entry of `wire` in a record. */
export interface WireEntry {
  t_ms: number;
  event?: string;
  from?: string;
  to?: string;
  role?: string;
  client?: string;
  server?: string;
  proto?: string;
  sock?: string;
  qname?: string | null;
  qtype?: string | null;
  qclass?: string | null;
  qflags?: string[] | null;
  qedns?: { udp: number; do: boolean; options?: string[] };
  qsize?: number;
  opcode?: string;
  query_undecodable?: string;
  rqname?: string | null;
  rcode?: string | null;
  flags?: string[] | null;
  redns?: { udp: number; do: boolean; options?: string[] };
  rsize?: number;
  rtt_ms?: number;
  answers?: string[];
  authority?: string[];
  additional?: string[];
  ip_fragments?: number;
  messages?: number;
  q_authority?: string[];
}

interface Decoded {
  readonly id: number | null;
  readonly qr: boolean;
  readonly undecodable?: string;
  readonly msg?: Message;
}

function decode(s: Seen & { kind: 'dns' }): Decoded {
  if (s.msg) return { id: s.msg.id, qr: s.msg.qr, msg: s.msg };
  const bytes = s.bytes ?? '';
  const h = unpackHeader(bytes);
  if (!h) return { id: null, qr: false, undecodable: 'short' };
  const qr = (h.bits & 0x8000) !== 0;
  if (bytes.length === 12 && h.qd > 0) return { id: h.id, qr, undecodable: 'FormError' };
  const body = unpackBody(bytes, h);
  if (body.ok && body.opts > 1) return { id: h.id, qr, undecodable: 'BadEDNS' };
  return body.ok ? { id: h.id, qr, msg: body.msg } : { id: h.id, qr, undecodable: body.why };
}

const ednsOf = (m: Message): WireEntry['qedns'] => {
  if (!m.edns) return undefined;
  const options = m.edns.options.map((o) => String(o.code)).sort();
  return { udp: m.edns.udp, do: m.edns.do, ...(options.length > 0 ? { options } : {}) };
};

/** Names as the recorder's library writes them. */
const dnspython = (name: string): string => name.replace(/\\ /g, '\\032');

const ms = (us: number): number => Math.round(us / 100) / 10;

/** Pairs queries with answers in the order in which the queries were seen, as the recorder does. */
export function transactions(seen: readonly Seen[]): WireEntry[] {
  const out: (WireEntry & { port?: number })[] = [];
  const open = new Map<string, WireEntry[]>();
  const t0 = seen[0]?.atUs ?? 0;
  for (const s of seen) {
    const t_ms = ms(s.atUs - t0);
    if (s.kind === 'icmp') {
      out.push({ t_ms, event: 'icmp unreachable code 3', from: s.src });
      continue;
    }
    if (s.kind !== 'dns') {
      out.push({ t_ms, event: s.kind === 'syn' ? 'tcp SYN' : 'tcp RST', from: s.src.ip, to: s.dst.ip });
      continue;
    }
    const d = decode(s);
    const m = d.msg;
    const q = m?.question[0];
    if (s.dst.port === 53) {
      const e: WireEntry & { port?: number } = {
        t_ms,
        client: s.src.ip,
        server: s.dst.ip,
        proto: s.proto,
        port: s.src.port,
        qname: q ? dnspython(q.name) : null,
        qtype: q?.type ?? null,
        qclass: q?.class ?? null,
        qflags: m ? flagsOf(m) : null,
        qsize: s.len,
        rcode: null,
        flags: null,
        answers: [],
        authority: [],
        additional: [],
      };
      const edns = m && ednsOf(m);
      if (edns) e.qedns = edns;
      if (m && m.opcode !== 'QUERY') e.opcode = m.opcode;
      if (d.undecodable) e.query_undecodable = d.undecodable;
      if (m && m.authority.length > 0) e.q_authority = m.authority.map(rrText);
      out.push(e);
      const key = `${s.src.ip} ${s.src.port} ${s.dst.ip} ${d.id}`;
      open.set(key, [...(open.get(key) ?? []), e]);
      continue;
    }
    const list = open.get(`${s.dst.ip} ${s.dst.port} ${s.src.ip} ${d.id}`) ?? [];
    const waiting = list.filter((x) => x.rcode === null);
    const e = waiting.find((x) => !q || x.qtype === q.type) ?? waiting[0];
    const last = list[list.length - 1];
    if (!e && last && s.proto === 'tcp' && m) {
      last.messages = (last.messages ?? 1) + 1;
      last.answers?.push(...m.answer.map(rrText));
      last.authority?.push(...m.authority.map(rrText));
      last.additional?.push(...m.additional.map(rrText));
      continue;
    }
    if (!e || !m) {
      out.push({ t_ms, event: 'unmatched answer', server: s.src.ip });
      continue;
    }
    e.rtt_ms = Math.round((t_ms - e.t_ms) * 10) / 10;
    e.rcode = m.rcode;
    e.flags = flagsOf(m);
    e.rsize = s.len;
    const edns = ednsOf(m);
    if (edns) e.redns = edns;
    e.rqname = q ? dnspython(q.name) : null;
    e.answers = m.answer.map(rrText);
    e.authority = m.authority.map(rrText);
    e.additional = m.additional.map(rrText);
    if (s.proto === 'udp' && s.len + 8 > 1480) e.ip_fragments = Math.ceil((s.len + 8) / 1480);
  }
  const socks = new Map<string, string>();
  for (const x of out) {
    if (x.client === '10.0.0.1') {
      if (x.qtype === 'HINFO' && /^[0-9]+\./.test(x.qname ?? '')) x.role = 'loop plugin probe';
      else if (x.qname === '.' && x.qtype === 'NS') x.role = 'forward health check';
    }
    if (x.port !== undefined) {
      const key = `${x.client} ${x.proto} ${x.port}`;
      const sock = socks.get(key) ?? `s${socks.size + 1}`;
      socks.set(key, sock);
      x.sock = sock;
      delete x.port;
    }
    if (x.rqname !== undefined && x.rqname === x.qname) delete x.rqname;
  }
  return out;
}
