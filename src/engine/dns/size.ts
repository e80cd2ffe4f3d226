import { parseIpv4 } from '../base/ip';
import { type DnsMsg, type Edns, type Message, type Question, type RR, rdataWords } from './message';
import { labelBytes, labelsOf } from './names';

/** Names already written to a message; the key is the rest of a name from a label on. Absent: no compression. */
export type Compression = Set<string>;

const HEADER = 12;
/** Pointers reach 14 bits far (RFC 1035 4.1.4). */
const MAX_POINTER = 0x4000;

/**
 * Bytes of a name at offset `off`. `compress`: a pointer may stand for a known tail; the name's own tails are
 * remembered either way, as miekg/dns does (case matters there).
 */
function nameLen(name: string, off: number, known: Compression | undefined, compress: boolean): number {
  if (name === '' || name === '.') return 1;
  if (known && (compress || off < MAX_POINTER)) {
    const labels = labelsOf(name);
    let at = 0;
    for (let i = 0; i < labels.length; i++) {
      const rest = `${labels.slice(i).join('.')}.`;
      if (known.has(rest)) {
        if (compress) return at + 2;
        break;
      }
      if (off + at < MAX_POINTER) known.add(rest);
      at += 1 + labelBytes(labels[i] as string);
    }
  }
  return plainNameLen(name);
}

/** Uncompressed bytes of a name. */
export function plainNameLen(name: string): number {
  if (name === '' || name === '.') return 1;
  if (name.indexOf('\\') < 0) return (name.endsWith('.') ? name.length : name.length + 1) + 1;
  return labelsOf(name).reduce((n, l) => n + 1 + labelBytes(l), 1);
}

const stringLen = (quoted: string): number => 1 + labelBytes(quoted.replace(/^"|"$/g, ''));

function rdataLen(r: RR, off: number, known: Compression | undefined): number {
  switch (r.type) {
    case 'A':
      return 4;
    case 'AAAA':
      return 16;
    case 'CNAME':
    case 'NS':
    case 'PTR':
    case 'MB':
    case 'MG':
    case 'MR':
      return nameLen(r.rdata, off, known, true);
    case 'DNAME':
      return nameLen(r.rdata, off, known, false);
    case 'MX':
      return 2 + nameLen(rdataWords(r.rdata)[1] ?? '.', off + 2, known, true);
    case 'SRV':
      return 6 + nameLen(rdataWords(r.rdata)[3] ?? '.', off + 6, known, false);
    case 'SOA': {
      const w = r.rdata.split(' ');
      const a = nameLen(w[0] ?? '.', off, known, true);
      return a + nameLen(w[1] ?? '.', off + a, known, true) + 20;
    }
    case 'TXT':
    case 'SPF':
    case 'HINFO':
      return rdataWords(r.rdata).reduce((n, w) => n + stringLen(w), 0);
    case 'CAA': {
      const w = rdataWords(r.rdata);
      return 2 + (w[1]?.length ?? 0) + labelBytes((w[2] ?? '').replace(/^"|"$/g, ''));
    }
    case 'NAPTR': {
      const w = rdataWords(r.rdata);
      const strings = w.slice(2, 5).reduce((n, s) => n + stringLen(s), 0);
      return 4 + strings + nameLen(w[5] ?? '.', off + 4 + strings, known, false);
    }
    default:
      return r.rdata.startsWith('\\# ') ? Number(r.rdata.split(' ')[1]) : unknownLen(r.rdata);
  }
}

function unknownLen(text: string): number {
  return parseIpv4(text) === undefined ? text.length : 4;
}

function questionLen(q: Question, off: number, known: Compression | undefined): number {
  return nameLen(q.name, off, known, true) + 4;
}
function rrLen(r: RR, off: number, known: Compression | undefined): number {
  const owner = nameLen(r.name, off, known, true);
  return owner + 10 + rdataLen(r, off + owner + 10, known);
}

/** Bytes of one record alone, without compression (miekg dns.Len). */
export const plainRRLen = (r: RR): number => rrLen(r, 0, undefined);

/** Bytes of the OPT record: root name, fixed part, options. */
export function ednsLen(e: Edns | undefined): number {
  return e ? 11 + e.options.reduce((n, o) => n + 4 + o.len, 0) : 0;
}

function sectionsLen(m: Message, known: Compression | undefined): number {
  let l = HEADER;
  for (const q of m.question) l += questionLen(q, l, known);
  for (const r of m.answer) l += rrLen(r, l, known);
  for (const r of m.authority) l += rrLen(r, l, known);
  for (const r of m.additional) l += rrLen(r, l, known);
  return l + ednsLen(m.edns);
}

/** Bytes of a message on the wire; with compression when `compress` is set. */
export function messageLen(m: Message): number {
  return sectionsLen(m, m.compress ? new Set() : undefined);
}

/** Bytes without compression, whatever the flag. */
export const plainLen = (m: Message): number => sectionsLen(m, undefined);

/**
 * Cuts a reply to `size` bytes (at least 512), as miekg/dns Msg.Truncate: plain if it fits, else compressed, else as
 * many records as fit, with TC.
 */
export function truncate(m: DnsMsg, size: number): void {
  let limit = Math.max(size, 512);
  if (plainLen(m) <= limit) {
    m.compress = false;
    return;
  }
  m.compress = true;
  limit -= ednsLen(m.edns);
  const known: Compression = new Set();
  let l = HEADER;
  for (const q of m.question) l += questionLen(q, l, known);
  const cut = (rrs: readonly RR[]): readonly RR[] => {
    if (l >= limit) return [];
    for (let i = 0; i < rrs.length; i++) {
      const next = l + rrLen(rrs[i] as RR, l, known);
      if (next > limit) {
        l = limit;
        return rrs.slice(0, i);
      }
      l = next;
      if (l === limit) return rrs.slice(0, i + 1);
    }
    return rrs;
  };
  const before = m.answer.length + m.authority.length + m.additional.length;
  m.answer = cut(m.answer);
  m.authority = cut(m.authority);
  m.additional = cut(m.additional);
  if (m.answer.length + m.authority.length + m.additional.length < before) m.tc = true;
}
