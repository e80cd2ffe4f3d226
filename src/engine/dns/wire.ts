import { formatIpv4, formatIpv6 } from '../base/ip';
import {
  className,
  type DnsMsg,
  type Edns,
  newMsg,
  opcodeName,
  type Question,
  type RR,
  rcodeName,
  rcodeNumber,
  typeName,
} from './message';

/** The header of a message as bits, before anything else is believed. */
export interface WireHeader {
  readonly id: number;
  readonly bits: number;
  readonly qd: number;
  readonly an: number;
  readonly ns: number;
  readonly ar: number;
}

export type Unpacked =
  | { readonly ok: true; readonly msg: DnsMsg /** OPT records found; the last one counts. */; readonly opts: number }
  | { readonly ok: false; readonly why: string };

const QR = 0x8000;

/** Bytes as text, one character a byte. */
const u8 = (b: string, i: number): number => b.charCodeAt(i) & 255;
const u16 = (b: string, i: number): number => (u8(b, i) << 8) | u8(b, i + 1);
const u32 = (b: string, i: number): number => u16(b, i) * 65536 + u16(b, i + 2);

/** Reads the 12-byte header, or undefined when the datagram is shorter. */
export function unpackHeader(b: string): WireHeader | undefined {
  if (b.length < 12) return undefined;
  return { id: u16(b, 0), bits: u16(b, 2), qd: u16(b, 4), an: u16(b, 6), ns: u16(b, 8), ar: u16(b, 10) };
}

/** The message with the header's fields only. */
export function headerMsg(h: WireHeader): DnsMsg {
  const m = newMsg();
  m.id = h.id;
  m.qr = (h.bits & QR) !== 0;
  m.opcode = opcodeName((h.bits >> 11) & 15);
  m.aa = (h.bits & 0x400) !== 0;
  m.tc = (h.bits & 0x200) !== 0;
  m.rd = (h.bits & 0x100) !== 0;
  m.ra = (h.bits & 0x80) !== 0;
  m.z = (h.bits & 0x40) !== 0;
  m.ad = (h.bits & 0x20) !== 0;
  m.cd = (h.bits & 0x10) !== 0;
  m.rcode = rcodeName(h.bits & 15);
  return m;
}

class Bad extends Error {}

interface Cursor {
  readonly b: string;
  off: number;
}

/** Reads a name; pointers may lead anywhere before (at most 126 of them), labels are at most 63 bytes. */
function name(c: Cursor): string {
  const labels: string[] = [];
  let off = c.off;
  let after = -1;
  let hops = 0;
  let budget = 255;
  for (;;) {
    if (off >= c.b.length) throw new Bad('FormError');
    const n = u8(c.b, off++);
    if (n === 0) break;
    if ((n & 0xc0) === 0xc0) {
      if (off >= c.b.length) throw new Bad('FormError');
      const to = ((n & 63) << 8) | u8(c.b, off++);
      if (after < 0) after = off;
      // A pointer that leads to itself or forward can never end.
      if (++hops > 126 || to >= off - 2) throw new Bad('BadPointer');
      off = to;
      continue;
    }
    if (n > 63) throw new Bad('BadLabelType');
    if (off + n > c.b.length) throw new Bad('FormError');
    budget -= n + 1;
    if (budget <= 0) throw new Bad('NameTooLong');
    let label = '';
    for (let i = off; i < off + n; i++) label += printable(u8(c.b, i));
    labels.push(label);
    off += n;
  }
  c.off = after < 0 ? off : after;
  return labels.length === 0 ? '.' : `${labels.join('.')}.`;
}

function printable(byte: number): string {
  if (byte === 46 || byte === 92 || byte === 34 || byte === 40 || byte === 41 || byte === 59 || byte === 64)
    return `\\${String.fromCharCode(byte)}`;
  return byte < 32 || byte > 126 ? `\\${String(byte).padStart(3, '0')}` : String.fromCharCode(byte);
}

function need(c: Cursor, n: number): void {
  if (c.off + n > c.b.length) throw new Bad('FormError');
}

function question(c: Cursor): Question {
  const n = name(c);
  // A question cut off after its name or type is taken as it is (miekg unpackQuestion).
  if (c.off === c.b.length) return { name: n, type: typeName(0), class: className(0) };
  need(c, 2);
  const type = typeName(u16(c.b, c.off));
  c.off += 2;
  if (c.off === c.b.length) return { name: n, type, class: className(0) };
  need(c, 2);
  const cls = className(u16(c.b, c.off));
  c.off += 2;
  return { name: n, type, class: cls };
}

function rdata(c: Cursor, type: string, len: number): string {
  const { b } = c;
  const start = c.off;
  const end = start + len;
  const at = (skip: number): string => {
    const sub = { b, off: start + skip };
    return name(sub);
  };
  switch (type) {
    case 'A':
      return formatIpv4(u32(b, start));
    case 'AAAA':
      return formatIpv6(Array.from({ length: 8 }, (_, i) => u16(b, start + 2 * i)));
    case 'CNAME':
    case 'NS':
    case 'PTR':
    case 'DNAME':
      return at(0);
    case 'MX':
      return `${u16(b, start)} ${at(2)}`;
    case 'SRV':
      return `${u16(b, start)} ${u16(b, start + 2)} ${u16(b, start + 4)} ${at(6)}`;
    case 'SOA': {
      const sub = { b, off: start };
      const names = [name(sub), name(sub)];
      const nums = [0, 4, 8, 12, 16].map((i) => u32(b, sub.off + i));
      return [...names, ...nums].join(' ');
    }
    case 'TXT': {
      const out: string[] = [];
      for (let i = start; i < end; i += 1 + u8(b, i)) out.push(`"${b.slice(i + 1, i + 1 + u8(b, i))}"`);
      return out.join(' ');
    }
    default: {
      let hex = '';
      for (let i = start; i < end; i++) hex += u8(b, i).toString(16).padStart(2, '0');
      return `\\# ${len} ${hex}`;
    }
  }
}

function records(c: Cursor, count: number, opt: (e: Edns, extendedRcode: number) => void): RR[] {
  const out: RR[] = [];
  for (let i = 0; i < count; i++) {
    const n = name(c);
    need(c, 10);
    const type = typeName(u16(c.b, c.off));
    const cls = u16(c.b, c.off + 2);
    const ttl = u32(c.b, c.off + 4);
    const len = u16(c.b, c.off + 8);
    c.off += 10;
    need(c, len);
    if (type === 'OPT') {
      opt({ udp: cls, do: (ttl & 0x8000) !== 0, version: (ttl >>> 16) & 255, options: options(c, len) }, ttl >>> 24);
    } else out.push({ name: n, ttl, class: className(cls), type, rdata: rdata(c, type, len) });
    c.off += len;
  }
  return out;
}

function options(c: Cursor, len: number): Edns['options'] {
  const out: { code: number; len: number; text: string }[] = [];
  for (let i = c.off; i + 4 <= c.off + len; ) {
    const n = u16(c.b, i + 2);
    let hex = '';
    for (let j = i + 4; j < i + 4 + n; j++) hex += u8(c.b, j).toString(16).padStart(2, '0');
    out.push({ code: u16(c.b, i), len: n, text: hex });
    i += 4 + n;
  }
  return out;
}

/** Reads everything after the header into `m`. A message that ends with its header has no sections at all. */
export function unpackBody(b: string, h: WireHeader): Unpacked {
  const m = headerMsg(h);
  let opts = 0;
  if (b.length === 12) return { ok: true, msg: m, opts };
  const c: Cursor = { b, off: 12 };
  const opt = (e: Edns, ext: number): void => {
    opts++;
    m.edns = e;
    m.rcode = rcodeName(rcodeNumber(m.rcode) | (ext << 4));
  };
  try {
    m.question = Array.from({ length: h.qd }, () => question(c));
    m.answer = records(c, h.an, opt);
    m.authority = records(c, h.ns, opt);
    m.additional = records(c, h.ar, opt);
  } catch (e) {
    if (e instanceof Bad) return { ok: false, why: e.message };
    throw e;
  }
  return { ok: true, msg: m, opts };
}

/** Hex digits → bytes as text. */
export function hexBytes(hex: string): string {
  let out = '';
  for (let i = 0; i + 1 < hex.length; i += 2) out += String.fromCharCode(Number.parseInt(hex.slice(i, i + 2), 16));
  return out;
}
