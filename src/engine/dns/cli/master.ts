import type { Question, RR } from '../message';
import { rdataWords } from '../message';

/** Columns of BIND's master file style (lib/dns/masterdump.c): where TTL, class, type and data begin. */
export interface Columns {
  readonly ttl: number;
  readonly cls: number;
  readonly type: number;
  readonly rdata: number;
}

/** dig, host -v: tabs of eight. */
export const WIDE: Columns = { ttl: 24, cls: 32, type: 40, rdata: 48 };
/** dig with +nottl or +noclass. */
export const NARROW: Columns = { ttl: 24, cls: 24, type: 32, rdata: 40 };
/** dig +multiline. */
export const MULTI: Columns = { ttl: 24, cls: 24, type: 24, rdata: 32 };

const TAB = 8;

/** indent(): at least one blank, then tabs as far as they go and blanks for the rest. */
class Line {
  text = '';
  column = 0;
  put(s: string): void {
    this.text += s;
    this.column += s.length;
  }
  to(wanted: number): void {
    const to = Math.max(wanted, this.column + 1);
    const tabs = Math.max(0, Math.floor(to / TAB) - Math.floor(this.column / TAB));
    const from = tabs > 0 ? Math.floor(to / TAB) * TAB : this.column;
    this.text += '\t'.repeat(tabs) + ' '.repeat(to - from);
    this.column = to;
  }
}

export interface RecordStyle {
  readonly columns: Columns;
  readonly ttl: boolean;
  readonly cls: boolean;
  readonly multiline: boolean;
}

export const DIG_STYLE: RecordStyle = { columns: WIDE, ttl: true, cls: true, multiline: false };

/** One record as dig prints it. */
export function recordLine(rr: RR, style: RecordStyle): string {
  const l = new Line();
  l.put(rr.name);
  if (style.ttl) {
    l.to(style.columns.ttl);
    l.put(String(rr.ttl));
  }
  if (style.cls) {
    l.to(style.columns.cls);
    l.put(rr.class);
  }
  l.to(style.columns.type);
  l.put(rr.type);
  l.to(style.columns.rdata);
  l.put(style.multiline && rr.type === 'SOA' ? multilineSoa(rr.rdata) : rr.rdata);
  return l.text;
}

/** One question, without the semicolon in front. */
export function questionLine(q: Question, columns: Columns, cls = true): string {
  const l = new Line();
  l.put(q.name);
  if (cls) {
    l.to(columns.cls);
    l.put(q.class);
  }
  l.to(columns.type);
  l.put(q.type);
  return l.text;
}

function multilineSoa(rdata: string): string {
  const [mname, rname, ...numbers] = rdataWords(rdata);
  const names = ['serial', 'refresh', 'retry', 'expire', 'minimum'];
  const lines = numbers.map((n, i) => {
    const spelled = i === 0 ? '' : ` (${durationWords(Number(n))})`;
    return `\t\t\t\t${n.padEnd(10)} ; ${names[i]}${spelled}`;
  });
  return `${mname} ${rname} (\n${lines.join('\n')}\n\t\t\t\t)`;
}

/** dns_ttl_totext: `1 day 2 hours`. */
export function durationWords(seconds: number): string {
  const units: readonly [string, number][] = [
    ['week', 604_800],
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
    ['second', 1],
  ];
  const out: string[] = [];
  let rest = seconds;
  for (const [name, size] of units) {
    const n = Math.floor(rest / size);
    rest -= n * size;
    if (n > 0) out.push(`${n} ${name}${n === 1 ? '' : 's'}`);
  }
  return out.length > 0 ? out.join(' ') : '0 seconds';
}
