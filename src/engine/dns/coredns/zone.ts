import type { RR } from '../message';
import { CLASSES, parseRR, TYPES } from '../message';
import { isSubDomain, joinLabels, labelsOf } from '../names';

export interface ZoneAnswer {
  readonly rcode: 'NOERROR' | 'NXDOMAIN';
  readonly authoritative: boolean;
  readonly answer: readonly RR[];
  readonly authority: readonly RR[];
  readonly additional: readonly RR[];
}

/** An authoritative zone: exact names, empty non-terminals, wildcards, aliases, delegations (RFC 1034 4.3.2). */
export class Zone {
  private readonly sets = new Map<string, RR[]>();
  private readonly parents = new Set<string>();
  private readonly soa: RR | undefined;

  constructor(
    readonly apex: string,
    private readonly records: readonly RR[],
  ) {
    for (const r of records) {
      const key = r.name.toLowerCase();
      const list = this.sets.get(key);
      if (list) list.push(r);
      else this.sets.set(key, [r]);
      const labels = labelsOf(key);
      for (let i = 1; i < labels.length; i++) this.parents.add(joinLabels(...labels.slice(i)));
    }
    this.soa = records.find((r) => r.type === 'SOA');
  }

  all(): RR[] {
    const rest = this.records.filter((r) => r.type !== 'SOA');
    return this.soa ? [this.soa, ...rest, this.soa] : [...rest];
  }

  /** SOA with the negative TTL: the lesser of its own TTL and its minimum field (RFC 2308). */
  private denial(): RR[] {
    return this.soa ? [this.soa] : [];
  }

  /** Records at a name, or those of the wildcard that covers it, owned by the name asked for. */
  private at(name: string): RR[] | undefined {
    const key = name.toLowerCase();
    const exact = this.sets.get(key);
    if (exact) return exact.map((r) => ({ ...r, name }));
    if (this.parents.has(key)) return [];
    const labels = labelsOf(key);
    for (let i = 1; i < labels.length; i++) {
      const parent = joinLabels(...labels.slice(i));
      const wild = this.sets.get(`*.${parent}`);
      if (wild) return wild.map((r) => ({ ...r, name }));
      // The closest name that exists ends the search for a wildcard.
      if (this.sets.has(parent) || this.parents.has(parent)) break;
    }
    return undefined;
  }

  private cut(name: string): RR[] | undefined {
    const labels = labelsOf(name.toLowerCase());
    const depth = labelsOf(this.apex).length;
    for (let i = labels.length - depth - 1; i >= 0; i--) {
      const ns = this.sets.get(joinLabels(...labels.slice(i)))?.filter((r) => r.type === 'NS');
      if (ns && ns.length > 0) return ns;
    }
    return undefined;
  }

  lookup(qname: string, type: string): ZoneAnswer {
    const answer: RR[] = [];
    let name = qname;
    for (let hops = 0; hops < 10; hops++) {
      const ns = this.cut(name);
      if (ns) {
        const glue = ns.flatMap((r) => (this.sets.get(r.rdata.toLowerCase()) ?? []).filter(isAddress));
        return { rcode: 'NOERROR', authoritative: answer.length > 0, answer, authority: ns, additional: glue };
      }
      const here = this.at(name);
      if (!here) return this.end('NXDOMAIN', answer);
      const wanted = here.filter((r) => type === 'ANY' || r.type === type);
      if (wanted.length > 0) {
        answer.push(...wanted);
        return { rcode: 'NOERROR', authoritative: true, answer, authority: [], additional: this.extra(wanted) };
      }
      const alias = here.find((r) => r.type === 'CNAME');
      if (!alias) return this.end('NOERROR', answer);
      answer.push(alias);
      name = alias.rdata;
      if (!isSubDomain(this.apex, name))
        return { rcode: 'NOERROR', authoritative: true, answer, authority: [], additional: [] };
    }
    return this.end('NOERROR', answer);
  }

  private end(rcode: ZoneAnswer['rcode'], answer: readonly RR[]): ZoneAnswer {
    return { rcode, authoritative: true, answer, authority: this.denial(), additional: [] };
  }

  /** Addresses of the names that MX, NS and SRV records point to, as far as this zone knows them. */
  private extra(wanted: readonly RR[]): RR[] {
    const names = wanted
      .filter((r) => r.type === 'MX' || r.type === 'NS' || r.type === 'SRV')
      .map((r) => r.rdata.split(' ').pop() ?? '');
    return names.flatMap((n) => (this.sets.get(n.toLowerCase()) ?? []).filter(isAddress));
  }
}

const isAddress = (r: RR): boolean => r.type === 'A' || r.type === 'AAAA';

/** Reads a master file: $ORIGIN, $TTL, `@`, names without a final dot, blank owners, parentheses, comments. */
export function parseZone(text: string, apex: string): Zone | string {
  let origin = apex;
  let ttl = 3600;
  let owner = apex;
  const records: RR[] = [];
  const flat = text
    .replace(/;[^\n"]*(?=\n|$)/g, '')
    .replace(/\(([^)]*)\)/g, (_m, inner: string) => inner.replace(/\n/g, ' '));
  const lines = flat.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string;
    if (line.trim() === '') continue;
    const words = line.trim().split(/\s+/);
    if (words[0] === '$ORIGIN') origin = words[1] ?? origin;
    else if (words[0] === '$TTL') ttl = seconds(words[1] ?? '');
    else {
      const fqdn = (n: string): string => (n === '@' ? origin : n.endsWith('.') ? n : joinLabels(n, origin));
      if (!/^\s/.test(line)) owner = fqdn(words.shift() as string);
      let own = ttl;
      for (let k = 0; k < 2 && words[0] !== undefined; k++) {
        if (/^[0-9]+[smhdw]?$/i.test(words[0])) own = seconds(words.shift() as string);
        else if (CLASSES[words[0]] !== undefined && words[0] !== 'ANY') words.shift();
      }
      const type = words.shift() ?? '';
      if (TYPES[type] === undefined) return `dns: unknown RR type: ${JSON.stringify(type)} at line: ${i + 1}:1`;
      const data =
        type === 'TXT'
          ? line.slice(line.indexOf(` ${words[0] ?? ''}`, line.indexOf(type)) + 1).trim()
          : names(type, words, fqdn);
      const rr = parseRR(`${owner} ${own} IN ${type} ${data}`);
      if (!rr) return `dns: bad record at line: ${i + 1}:1`;
      records.push(rr);
    }
  }
  if (!records.some((r) => r.type === 'SOA')) return `no SOA record in ${JSON.stringify(apex)}`;
  return new Zone(apex.toLowerCase(), records);
}

function names(type: string, words: string[], fqdn: (n: string) => string): string {
  const at: Readonly<Record<string, readonly number[]>> = {
    CNAME: [0],
    NS: [0],
    PTR: [0],
    MX: [1],
    SRV: [3],
    SOA: [0, 1],
  };
  return words
    .map((w, i) => (at[type]?.includes(i) ? fqdn(w) : type === 'SOA' && i > 2 ? String(seconds(w)) : w))
    .join(' ');
}

function seconds(text: string): number {
  const unit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86400, w: 604800 };
  const m = /^([0-9]+)([smhdw]?)$/i.exec(text);
  return m ? Number(m[1]) * (unit[(m[2] ?? '').toLowerCase()] ?? 1) : 0;
}
