/**
 * DNS messages as values (RFC 1035, 6891). Record data is presentation text, as dig prints it, so that a message reads
 * and compares the same everywhere; exact sizes are computed from it in size.ts.
 */
export interface Question {
  readonly name: string;
  readonly type: string;
  readonly class: string;
}

export interface RR {
  readonly name: string;
  /** Seconds. */
  readonly ttl: number;
  readonly class: string;
  readonly type: string;
  readonly rdata: string;
}

export interface EdnsOption {
  readonly code: number;
  /** Bytes of the option's value, without its code and length. */
  readonly len: number;
  /** Value where a tool prints it (extended error text, cookie in hex). */
  readonly text?: string;
}

/** The OPT pseudo record. */
export interface Edns {
  /** Requestor's UDP payload size in bytes. */
  readonly udp: number;
  readonly do: boolean;
  readonly version: number;
  readonly options: readonly EdnsOption[];
}

export interface DnsMsg {
  id: number;
  qr: boolean;
  opcode: string;
  aa: boolean;
  tc: boolean;
  rd: boolean;
  ra: boolean;
  z: boolean;
  ad: boolean;
  cd: boolean;
  rcode: string;
  question: readonly Question[];
  answer: readonly RR[];
  authority: readonly RR[];
  additional: readonly RR[];
  edns?: Edns;
  /** Pack with name compression. */
  compress: boolean;
}

export type Message = Readonly<DnsMsg>;

/** Response codes by the names that dig prints (RFC 6895). */
export const RCODES: Readonly<Record<string, number>> = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  YXDOMAIN: 6,
  YXRRSET: 7,
  NXRRSET: 8,
  NOTAUTH: 9,
  NOTZONE: 10,
  BADVERS: 16,
  BADKEY: 17,
  BADTIME: 18,
  BADMODE: 19,
  BADNAME: 20,
  BADALG: 21,
  BADTRUNC: 22,
  BADCOOKIE: 23,
};
export const rcodeNumber = (name: string): number => RCODES[name] ?? Number(name.replace(/^RCODE/, ''));
export const rcodeName = (n: number): string => Object.keys(RCODES).find((k) => RCODES[k] === n) ?? `RCODE${n}`;

export const OPCODES: Readonly<Record<string, number>> = { QUERY: 0, IQUERY: 1, STATUS: 2, NOTIFY: 4, UPDATE: 5 };
export const opcodeNumber = (name: string): number => OPCODES[name] ?? Number(name.replace(/^OPCODE/, ''));
export const opcodeName = (n: number): string => Object.keys(OPCODES).find((k) => OPCODES[k] === n) ?? `OPCODE${n}`;

/** Record types that the model knows by name (IANA numbers). Others are `TYPEnnn`. */
export const TYPES: Readonly<Record<string, number>> = {
  A: 1,
  NS: 2,
  MD: 3,
  MF: 4,
  CNAME: 5,
  SOA: 6,
  MB: 7,
  MG: 8,
  MR: 9,
  NULL: 10,
  PTR: 12,
  HINFO: 13,
  MINFO: 14,
  MX: 15,
  TXT: 16,
  RP: 17,
  AFSDB: 18,
  X25: 19,
  ISDN: 20,
  RT: 21,
  SIG: 24,
  KEY: 25,
  AAAA: 28,
  LOC: 29,
  SRV: 33,
  NAPTR: 35,
  KX: 36,
  CERT: 37,
  DNAME: 39,
  OPT: 41,
  DS: 43,
  SSHFP: 44,
  RRSIG: 46,
  NSEC: 47,
  DNSKEY: 48,
  DHCID: 49,
  NSEC3: 50,
  NSEC3PARAM: 51,
  TLSA: 52,
  SMIMEA: 53,
  CDS: 59,
  CDNSKEY: 60,
  OPENPGPKEY: 61,
  CSYNC: 62,
  ZONEMD: 63,
  SVCB: 64,
  HTTPS: 65,
  SPF: 99,
  EUI48: 108,
  EUI64: 109,
  TKEY: 249,
  TSIG: 250,
  IXFR: 251,
  AXFR: 252,
  MAILB: 253,
  MAILA: 254,
  ANY: 255,
  URI: 256,
  CAA: 257,
};
const TYPE_NAMES = new Map(Object.entries(TYPES).map(([k, v]) => [v, k]));
export const typeName = (n: number): string => TYPE_NAMES.get(n) ?? `TYPE${n}`;
export const typeNumber = (name: string): number => TYPES[name] ?? Number(name.replace(/^TYPE/, ''));

export const CLASSES: Readonly<Record<string, number>> = { IN: 1, CH: 3, HS: 4, NONE: 254, ANY: 255 };
export const className = (n: number): string => Object.keys(CLASSES).find((k) => CLASSES[k] === n) ?? `CLASS${n}`;

/** An empty message. */
export function newMsg(): DnsMsg {
  return {
    id: 0,
    qr: false,
    opcode: 'QUERY',
    aa: false,
    tc: false,
    rd: false,
    ra: false,
    z: false,
    ad: false,
    cd: false,
    rcode: 'NOERROR',
    question: [],
    answer: [],
    authority: [],
    additional: [],
    compress: false,
  };
}

/** A query as resolvers make them: one question, RD set. */
export function newQuery(id: number, name: string, type: string, edns?: Edns): DnsMsg {
  const m = newMsg();
  m.id = id;
  m.rd = true;
  m.question = [{ name, type, class: 'IN' }];
  if (edns) m.edns = edns;
  return m;
}

/** The answer's header and question for a query (miekg Msg.SetReply). */
export function replyTo(q: Message, rcode = 'NOERROR'): DnsMsg {
  const m = newMsg();
  m.id = q.id;
  m.qr = true;
  m.opcode = q.opcode;
  if (q.opcode === 'QUERY') {
    m.rd = q.rd;
    m.cd = q.cd;
  }
  m.rcode = rcode;
  m.question = q.question.slice(0, 1);
  return m;
}

/** The one header flags list of a message in wire order, by dig's names. */
export function flagsOf(m: Message): string[] {
  const out: string[] = [];
  if (m.qr) out.push('qr');
  if (m.aa) out.push('aa');
  if (m.tc) out.push('tc');
  if (m.rd) out.push('rd');
  if (m.ra) out.push('ra');
  if (m.z) out.push('z');
  if (m.ad) out.push('ad');
  if (m.cd) out.push('cd');
  return out;
}

/** `name ttl class type rdata`. */
export const rrText = (r: RR): string => `${r.name} ${r.ttl} ${r.class} ${r.type} ${r.rdata}`;

/** Reads `name ttl class type rdata`; undefined for text that is no record. TTL and class may be left out or swapped. */
export function parseRR(text: string): RR | undefined {
  const words = text.trim().split(/\s+/);
  const name = words.shift();
  if (!name) return undefined;
  let ttl = 3600;
  let cls = 'IN';
  for (let i = 0; i < 2; i++) {
    const w = words[0];
    if (w === undefined) return undefined;
    if (/^[0-9]+$/.test(w)) ttl = Number(words.shift());
    else if (CLASSES[w.toUpperCase()] !== undefined && w.toUpperCase() !== 'ANY')
      cls = (words.shift() as string).toUpperCase();
    else break;
  }
  const type = words.shift()?.toUpperCase();
  if (!type || Number.isNaN(typeNumber(type))) return undefined;
  const at = text.toUpperCase().indexOf(` ${type} `, name.length);
  const rdata = at < 0 ? words.join(' ') : text.slice(at + type.length + 2).trim();
  return { name: name.endsWith('.') ? name : `${name}.`, ttl, class: cls, type, rdata };
}

/** Words of record data; quoted strings keep their quotes and blanks. */
export function rdataWords(rdata: string): string[] {
  return rdata.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
}

/** The domain name inside a record's data, where the type has one that points elsewhere. */
export function targetOf(r: RR): string {
  switch (r.type) {
    case 'CNAME':
    case 'NS':
    case 'PTR':
    case 'DNAME':
      return r.rdata;
    case 'MX':
      return rdataWords(r.rdata)[1] ?? '';
    case 'SRV':
      return rdataWords(r.rdata)[3] ?? '';
    case 'SOA':
      return rdataWords(r.rdata)[0] ?? '';
    case 'NAPTR':
      return rdataWords(r.rdata)[5] ?? '';
    default:
      return '';
  }
}

export const isRcodeName = (name: string): boolean => RCODES[name] !== undefined;
