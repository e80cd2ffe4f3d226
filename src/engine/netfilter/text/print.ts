import { listAddr, protocolName, saveAddr } from '../args';
import { findMatch } from '../known-matches';
import { findTarget } from '../known-targets';
import { bang } from '../match-util';
import type { CounterRecord, RuleRecord, RuleSpec } from '../model';
import type { PrintCtx } from '../xt';

export const printCtx = (r: RuleSpec, o: Pick<PrintCtx, 'numeric' | 'family' | 'version' | 'backend'>): PrintCtx => ({
  ...o,
  proto: r.proto?.num ?? 0,
});

/** Arguments of a rule as -S prints them after `-A CHAIN`, with counters in front of the target when given. */
export function ruleText(r: RuleRecord | RuleSpec, ctx: PrintCtx, counters?: CounterRecord): string {
  if (r.unsupported && 'text' in r) return r.text;
  const out: string[] = [];
  if (r.src) out.push(`${bang(r.src.not)}-s ${saveAddr(r.src.addr, r.src.mask)}`);
  if (r.dst) out.push(`${bang(r.dst.not)}-d ${saveAddr(r.dst.addr, r.dst.mask)}`);
  if (r.in) out.push(`${bang(r.in.not)}-i ${r.in.name}`);
  if (r.out) out.push(`${bang(r.out.not)}-o ${r.out.name}`);
  if (r.proto) out.push(`${bang(r.proto.not)}-p ${protocolName(r.proto.num)}`);
  if (r.frag) out.push(`${bang(r.frag.not)}-f`);
  for (const m of r.matches) {
    const body = findMatch(m.name)?.print(m.data, ctx) ?? '';
    out.push(body === '' ? `-m ${m.name}` : `-m ${m.name} ${body}`);
  }
  if (counters) out.push(`-c ${counters.packets} ${counters.bytes}`);
  const target = targetText(r, ctx);
  if (target !== '') out.push(target);
  return out.join(' ');
}

export function targetText(r: RuleSpec, ctx: PrintCtx): string {
  const t = r.target;
  if (!t) return '';
  if (t.kind === 'verdict') return `-j ${t.name}`;
  if (t.kind === 'jump') return `-j ${t.chain}`;
  if (t.kind === 'goto') return `-g ${t.chain}`;
  const body = findTarget(t.name)?.print(t.data, ctx) ?? '';
  return body === '' ? `-j ${t.name}` : `-j ${t.name} ${body}`;
}

export interface ListFormat {
  readonly numeric: boolean;
  readonly verbose: boolean;
  readonly exact: boolean;
  readonly lineNumbers: boolean;
}

/** Header lines of -L, without the chain's own. */
export function listHeader(f: ListFormat): string {
  let out = '';
  if (f.lineNumbers) out += 'num  ';
  if (f.verbose)
    out += f.exact ? `${'pkts'.padStart(8)} ${'bytes'.padStart(10)} ` : `${'pkts'.padStart(5)} ${'bytes'.padStart(5)} `;
  out += `${'target'.padEnd(9)} `;
  out += ' prot opt';
  if (f.verbose) out += ` ${'in'.padEnd(6)} ${'out'.padEnd(6)} `;
  return `${out} ${'source'.padEnd(19)}  ${'destination'.padEnd(19)} `;
}

/** xtables_print_num: K, M, G, T above 99999 unless exact. */
export function countText(n: number, exact: boolean, brief = false): string {
  const pad = (t: string, w: number): string => (brief ? t : t.padStart(w));
  if (exact) return `${pad(String(n), 8)} `;
  if (n <= 99999) return `${pad(String(n), 5)} `;
  let v = n;
  for (const unit of ['K', 'M', 'G']) {
    v = Math.floor((v + 500) / 1000);
    if (v <= 9999) return `${pad(String(v), 4)}${unit} `;
  }
  v = Math.floor((v + 500) / 1000);
  return `${pad(String(v), 4)}T `;
}

/** One rule as -L prints it; `brief`: the form that -v shows after an edit. */
export function listRule(
  r: RuleSpec,
  num: number,
  c: CounterRecord,
  f: ListFormat,
  ctx: PrintCtx,
  hosts?: (addr: string) => string | undefined,
  brief = false,
): string {
  const pad = (t: string, w: number): string => (brief ? t : t.padEnd(w));
  let out = '';
  if (f.lineNumbers) out += `${String(num).padEnd(4)} `;
  if (f.verbose && !brief) out += countText(c.packets, f.exact) + countText(c.bytes, f.exact);
  out += `${pad(targetName(r), 9)} `;
  out += r.proto?.not ? '!' : ' ';
  out += `${pad(protoText(r, f, ctx, brief), 4)} `;
  out += brief ? 'opt ' : '';
  out += r.frag ? (r.frag.not ? '!f ' : '-f ') : '-- ';
  if (f.verbose || brief) {
    const any = f.numeric || brief ? '*' : 'any';
    const i = r.in ? (r.in.not ? '!' : '') + r.in.name : any;
    const o = r.out ? (r.out.not ? '!' : '') + r.out.name : any;
    out += brief ? ` in ${i} out ${o} ` : ` ${i.padEnd(6)} ${o.padEnd(6)} `;
  }
  const num4 = f.numeric || brief;
  const addr = (a: RuleSpec['src']): string => {
    if (!a) return num4 ? (ctx.family === 4 ? '0.0.0.0/0' : '::/0') : 'anywhere';
    const text = listAddr(a.addr, a.mask);
    return num4 ? text : namedAddr(text, ctx.version === '1.8.9', hosts);
  };
  out += `${r.src?.not ? '!' : ' '}${pad(addr(r.src), 19)} `;
  out += brief ? `${r.dst?.not ? '!' : ' '}-> ${addr(r.dst)}  ` : `${r.dst?.not ? '!' : ' '}${pad(addr(r.dst), 19)} `;
  if (r.target?.kind === 'goto') out += '[goto] ';
  for (const m of r.matches) {
    const t = findMatch(m.name)?.list(m.data, ctx) ?? `[${m.name}: unsupported]`;
    if (t !== '') out += ` ${t}`;
  }
  if (r.target?.kind === 'ext') {
    const t = findTarget(r.target.name)?.list(r.target.data, ctx) ?? '';
    if (t !== '') out += ` ${t}`;
  }
  return out;
}

/** /etc/networks of Debian 12; Debian 13 has none. */
const NETWORKS: Readonly<Record<string, string>> = { '127.0.0.0': 'loopback', '169.254.0.0': 'link-local' };

/** ipaddr_to_anyname: the host's name, else the network's. */
function namedAddr(text: string, networks: boolean, hosts?: (addr: string) => string | undefined): string {
  const slash = text.indexOf('/');
  const addr = slash < 0 ? text : text.slice(0, slash);
  const name = hosts?.(addr) ?? (networks ? NETWORKS[addr] : undefined);
  return name === undefined ? text : name + text.slice(addr.length);
}

function protoText(r: RuleSpec, f: ListFormat, ctx: PrintCtx, brief: boolean): string {
  const n = r.proto?.num ?? 0;
  // 1.8.9 prints numbers with -n; 1.8.11 prints the built-in names again.
  if (f.numeric && !brief && ctx.version === '1.8.9') return String(n);
  return n === 0 ? 'all' : protocolName(n);
}

export function targetName(r: RuleSpec): string {
  const t = r.target;
  if (!t) return '';
  if (t.kind === 'verdict') return t.name;
  if (t.kind === 'ext') return findTarget(t.name)?.listName ?? t.name;
  return t.chain;
}
