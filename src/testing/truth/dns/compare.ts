import type { WireEntry } from './capture';

/** How answers are compared in a record. */
export interface WireRules {
  /** The server shuffles: addresses are compared as sets. */
  readonly shuffled: boolean;
  /** TTLs of names outside the cluster do not count. */
  readonly freeTtl?: boolean;
  /** Order inside a pair of queries is free. */
  readonly freePairs?: boolean;
}

/** README: max(300 ms, 5 %) of the recorded value. */
export const nearMs = (want: number, got: number): boolean => Math.abs(want - got) <= Math.max(300, want * 0.05);

const maskSerial = (rr: string): string => rr.replace(/^(\S+ \d+ IN SOA ns\.dns\.\S+ \S+) \d+ /, '$1 SERIAL ');
const maskPort = (rr: string): string => rr.replace(/^(_(?:udp|tcp)\..* IN SRV 0 0) \d+ \.$/, '$1 PORT .');
const maskTtl = (rr: string): string => (/^\S*cluster\.local\. /.test(rr) ? rr : rr.replace(/^(\S+) \d+ /, '$1 TTL '));

const isFree = (rr: string): boolean => / IN (?:A|AAAA|PTR) /.test(rr);

function section(rrs: readonly string[] | undefined, rules: WireRules): string[] {
  const list = (rrs ?? []).map((r) => {
    const m = maskPort(maskSerial(r));
    return rules.freeTtl ? maskTtl(m) : m;
  });
  if (!rules.shuffled) return list;
  // Everything that is shuffled (or comes out of a map) in order of text, behind the rest in its own order.
  return [...list.filter((r) => !isFree(r)), ...list.filter(isFree).sort()];
}

const list = (xs: readonly string[]): string =>
  xs.length > 6 ? `${xs.slice(0, 6).join(' | ')} … (${xs.length})` : xs.join(' | ');

function entryDiff(want: WireEntry, got: WireEntry, rules: WireRules): string | undefined {
  const plain = [
    'event',
    'from',
    'to',
    'client',
    'server',
    'proto',
    'qname',
    'qtype',
    'qclass',
    'qsize',
    'opcode',
    'query_undecodable',
    'rcode',
    'rsize',
    'ip_fragments',
    'messages',
    'rqname',
  ] as const;
  for (const k of plain) {
    if ((want[k] ?? null) !== (got[k] ?? null)) return `${k}: want ${String(want[k])}, got ${String(got[k])}`;
  }
  for (const k of ['qflags', 'flags', 'qedns', 'redns'] as const) {
    const [a, b] = [JSON.stringify(want[k] ?? null), JSON.stringify(got[k] ?? null)];
    if (a !== b) return `${k}: want ${a}, got ${b}`;
  }
  for (const k of ['answers', 'authority', 'additional'] as const) {
    const cut = want.flags?.includes('tc') ?? false;
    if (cut && k === 'answers' && rules.shuffled && (want.answers ?? []).every(isFree)) {
      const [n, m] = [want.answers?.length ?? 0, got.answers?.length ?? 0];
      if (n !== m) return `answers: want ${n} records, got ${m}`;
      continue;
    }
    // A transfer comes out of maps in no order of its own.
    const transfer = want.qtype === 'AXFR' || want.qtype === 'IXFR';
    const put = (x: readonly string[] | undefined): string[] =>
      transfer ? section(x, rules).sort() : section(x, rules);
    const [a, b] = [put(want[k]), put(got[k])];
    if (JSON.stringify(a) !== JSON.stringify(b)) {
      const at = a.findIndex((x, i) => x !== b[i]);
      return `${k}: want ${list(a)}, got ${list(b)} (at ${at})`;
    }
  }
  return undefined;
}

/** First difference between two captures, or undefined. Entries with a role do not count. */
export function wireDiff(
  wantAll: readonly WireEntry[],
  gotAll: readonly WireEntry[],
  rules: WireRules,
): string | undefined {
  const asked = wantAll.filter((e) => !e.role);
  // Health checks that the recording does not mark count there, so they count here.
  const checks = asked.some((e) => e.client === '10.0.0.1' && e.qname === '.' && e.qtype === 'NS');
  const got = gotAll.filter((e) => !e.role || (checks && e.role === 'forward health check'));
  const brief = (e: WireEntry | undefined): string =>
    e ? (e.event ?? `${e.qname} ${e.qtype} ${e.client}>${e.server} ${e.proto} ${e.rcode} @${e.t_ms}`) : 'nothing';
  const want = rules.freePairs ? pairOrder(asked) : asked;
  const order = rules.freePairs ? pairOrder(got) : got;
  const socks = new Map<string, string>();
  const back = new Map<string, string>();
  for (let i = 0; i < Math.max(want.length, order.length); i++) {
    const [a, b] = [want[i], order[i]];
    if (!a || !b) return `wire ${i + 1}: want ${brief(a)}, got ${brief(b)}`;
    const d = entryDiff(a, b, rules);
    if (d) return `wire ${i + 1} (${brief(a)}): ${d}`;
    if (a.sock !== undefined && b.sock !== undefined) {
      if ((socks.get(a.sock) ?? b.sock) !== b.sock || (back.get(b.sock) ?? a.sock) !== a.sock)
        return `wire ${i + 1} (${brief(a)}): socket: want ${a.sock}, got ${b.sock} (${[...socks].join(' ')})`;
      socks.set(a.sock, b.sock);
      back.set(b.sock, a.sock);
    }
    if (!nearMs(a.t_ms, b.t_ms)) return `wire ${i + 1} (${brief(a)}): t_ms: want ${a.t_ms}, got ${b.t_ms}`;
    if (a.rtt_ms !== undefined && !nearMs(a.rtt_ms, b.rtt_ms ?? 0))
      return `wire ${i + 1} (${brief(a)}): rtt_ms: want ${a.rtt_ms}, got ${b.rtt_ms}`;
  }
  return undefined;
}

const PAIR_MS = 100;

/** Puts what two goroutines do at the same time for one name into one order: A, then AAAA, then refusals and the like. */
export function pairOrder(entries: readonly WireEntry[]): WireEntry[] {
  const rank = (e: WireEntry): number => (e.event !== undefined ? 2 : e.qtype === 'AAAA' ? 1 : 0);
  const groups: WireEntry[][] = [];
  for (const e of entries) {
    const group = groups[groups.length - 1];
    const first = group?.find((g) => g.qname !== undefined);
    const together =
      group !== undefined &&
      (first === undefined || e.qname === undefined || e.qname === first.qname) &&
      e.t_ms - (group[0]?.t_ms ?? 0) <= PAIR_MS;
    if (together) group.push(e);
    else groups.push([e]);
  }
  return groups
    .flatMap((g) => g.map((e, i) => ({ e, i })).sort((x, y) => rank(x.e) - rank(y.e) || x.i - y.i))
    .map((x) => x.e);
}

/** README: what of a CoreDNS log line is not compared. */
export function maskLog(line: string): string {
  return line
    .replace(/^(\[INFO\] [\d.]+):\d+ - \d+ /, '$1:PORT - ID ')
    .replace(/(read (?:udp|tcp) [\d.]+):\d+->/, '$1:PORT->')
    .replace(/\d+(?:\.\d+)?(?:e-\d+)?s$/, 'DURATION')
    .replace(/(\d+(?:\.\d+)?(?:e-\d+)?s)( "\d+")$/, 'DURATION$2')
    .replace(/SHA512 = [0-9a-f]+/, 'SHA512 = HEX')
    .replace(/GOMAXPROCS=\d+/, 'GOMAXPROCS=N')
    .replace(/HINFO \d+\.\d+/, 'HINFO N.N')
    .replace(/Outgoing transfer of \d+ records/, 'Outgoing transfer of N records')
    .replace(/for \d+ SOA serial/, 'for N SOA serial');
}

export function linesDiff(what: string, want: readonly string[], got: readonly string[]): string | undefined {
  for (let i = 0; i < Math.max(want.length, got.length); i++) {
    if (want[i] !== got[i])
      return `${what} line ${i + 1}: want ${JSON.stringify(want[i])}, got ${JSON.stringify(got[i])}`;
  }
  return undefined;
}
