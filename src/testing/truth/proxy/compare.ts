import { canonicalJson } from '../../../engine/base/json';

/** The first difference, in a line or two; undefined: equal under the rules of the truth folder's README. */
export type Difference = string | undefined;

interface SaveTable {
  readonly chains: Map<string, string>;
  readonly rules: Map<string, string[]>;
}

/** Chains whose Services stand in any order (kube-proxy ranges over a Go map). */
const UNORDERED = ['KUBE-SERVICES', 'KUBE-NODEPORTS', 'KUBE-EXTERNAL-SERVICES', 'KUBE-PROXY-FIREWALL'];

export function parseSave(text: string): Map<string, SaveTable> {
  const out = new Map<string, SaveTable>();
  let table: SaveTable | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith('*')) {
      table = { chains: new Map(), rules: new Map() };
      out.set(line.slice(1), table);
    } else if (line.startsWith(':')) {
      const [name = '', policy = ''] = line.slice(1).split(' ');
      table?.chains.set(name, policy);
    } else if (line.startsWith('-A ')) {
      const chain = line.split(' ')[1] ?? '';
      const list = table?.rules.get(chain) ?? [];
      list.push(line);
      table?.rules.set(chain, list);
    }
  }
  return out;
}

/** Two lists as sets; the first element that only one of them has. */
export function compareSets(what: string, actual: readonly string[], expected: readonly string[]): Difference {
  const left = [...actual];
  const missing: string[] = [];
  for (const e of expected) {
    const i = left.indexOf(e);
    if (i >= 0) left.splice(i, 1);
    else missing.push(e);
  }
  if (missing.length > 0) return `${what}: expected ${missing[0]}${left[0] === undefined ? '' : ` ; got ${left[0]}`}`;
  return left.length > 0 ? `${what}: not expected ${left[0]}` : undefined;
}

export function compareLists(what: string, actual: readonly string[], expected: readonly string[]): Difference {
  for (let i = 0; i < Math.max(actual.length, expected.length); i++) {
    if (actual[i] !== expected[i]) {
      return `${what} ${i + 1}: expected ${expected[i] ?? 'nothing'} ; got ${actual[i] ?? 'nothing'}`;
    }
  }
  return undefined;
}

/** iptables-save texts: tables, chains as sets, rules of a chain in order. */
export function compareSave(what: string, actual: string, expected: string): Difference {
  const a = parseSave(actual);
  const e = parseSave(expected);
  for (const [name, want] of e) {
    const got = a.get(name);
    if (!got) return `${what}: no table ${name}`;
    const chains = (t: SaveTable): string[] => [...t.chains].map(([c, p]) => `:${c} ${p}`);
    const d = compareSets(`${what} ${name}`, chains(got), chains(want));
    if (d) return d;
    for (const chain of want.chains.keys()) {
      const x = got.rules.get(chain) ?? [];
      const y = want.rules.get(chain) ?? [];
      const at = `${what} ${name} ${chain}`;
      const differs = UNORDERED.includes(chain) ? compareSets(at, x, y) : compareLists(at, x, y);
      if (differs) return differs;
      if (name === 'nat' && chain === 'KUBE-SERVICES' && !x.at(-1)?.endsWith('-j KUBE-NODEPORTS')) {
        if (y.at(-1)?.endsWith('-j KUBE-NODEPORTS')) return `${at}: the node-port rule is not the last one`;
      }
    }
  }
  for (const [name, got] of a) {
    if (!e.has(name) && [...got.rules.values()].some((r) => r.length > 0)) return `${what}: table ${name} not expected`;
  }
  return undefined;
}

interface NftBlock {
  readonly lines: string[];
  readonly elements: string[];
}

/** `ip set cluster-ips` → its lines and elements. */
function parseNft(text: string): Map<string, NftBlock> {
  const out = new Map<string, NftBlock>();
  let table = '';
  let block: NftBlock | undefined;
  let inElements = false;
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    const head = /^(set|map|chain) (\S+) \{$/.exec(line);
    if (raw.startsWith('table ')) {
      table = raw.split(' ')[1] ?? '';
      out.set(`${table} table`, { lines: [raw], elements: [] });
      block = out.get(`${table} table`);
    } else if (head && raw.startsWith('\t') && !raw.startsWith('\t\t')) {
      block = { lines: [], elements: [] };
      out.set(`${table} ${head[1]} ${head[2]}`, block);
    } else if (line === '}' && !inElements) block = out.get(`${table} table`);
    else if (line.startsWith('elements = {') || inElements) {
      const body = line.replace(/^elements = \{ /, '').replace(/ \}$/, '');
      inElements = !line.endsWith('}');
      block?.elements.push(...body.split(/,\s*/).filter((x) => x !== ''));
    } else if (line !== '') block?.lines.push(line);
  }
  return out;
}

/** `nft -s list ruleset` texts, as far as kube-proxy's tables go. */
export function compareNft(what: string, actual: string, expected: string): Difference {
  const a = parseNft(actual);
  const e = parseNft(expected);
  const names = compareSets(what, [...a.keys()], [...e.keys()]);
  if (names) return names;
  for (const [name, want] of e) {
    const got = a.get(name) as NftBlock;
    const at = `${what} ${name}`;
    const lines = name.includes(' chain ')
      ? compareLists(at, got.lines, want.lines)
      : compareSets(at, got.lines, want.lines);
    const d = lines ?? compareSets(`${at} elements`, got.elements, want.elements);
    if (d) return d;
  }
  return undefined;
}

type Rec = { readonly [key: string]: unknown };
const rec = (v: unknown): Rec => (typeof v === 'object' && v !== null ? (v as Rec) : {});
const arr = (v: unknown): readonly unknown[] => (Array.isArray(v) ? v : []);
const text = (v: unknown): string => canonicalJson(v);

const ownerOf = (slice: unknown): string => {
  const meta = rec(rec(slice).metadata);
  return `${String(meta.namespace)}/${String(rec(meta.labels)['kubernetes.io/service-name'] ?? '')}`;
};

function endpointText(e: unknown): string {
  const x = rec(e);
  const ref = rec(x.targetRef);
  return text({
    addresses: x.addresses,
    conditions: x.conditions,
    nodeName: x.nodeName,
    zone: x.zone,
    hints: x.hints,
    targetRef: x.targetRef ? { kind: ref.kind, namespace: ref.namespace, name: ref.name } : undefined,
  });
}

const sorted = (list: readonly string[]): string[] => [...list].sort();

/** Name without the random suffix, labels, address type, ports: what two slices of one group share. */
function headText(slice: unknown): string {
  const s = rec(slice);
  const meta = rec(s.metadata);
  const name = String(meta.name ?? '');
  return text({
    name: meta.generateName ? name.slice(0, -5) : name,
    labels: meta.labels,
    addressType: s.addressType,
    ports: s.ports === null ? null : sorted(arr(s.ports).map(text)),
  });
}

/** More endpoints than this in a Service: who is in which slice is not compared. */
const MANY = 100;

/** Slices, Service by Service. `sizes`: whether the sizes of slices with many endpoints count. */
export function compareSlices(
  what: string,
  actual: readonly unknown[],
  expected: readonly unknown[],
  sizes: boolean,
): Difference {
  const owners = [...new Set([...actual, ...expected].map(ownerOf))].sort();
  for (const owner of owners) {
    const a = actual.filter((s) => ownerOf(s) === owner);
    const e = expected.filter((s) => ownerOf(s) === owner);
    const at = `${what} slices of ${owner}`;
    const all = (list: readonly unknown[]): string[] => list.flatMap((s) => arr(rec(s).endpoints).map(endpointText));
    if (all(e).length > MANY) {
      const d =
        compareSets(at, all(a), all(e)) ??
        compareSets(at, [...new Set(a.map(headText))], [...new Set(e.map(headText))]);
      if (d) return d;
      const size = (list: readonly unknown[]): number[] =>
        list.map((s) => arr(rec(s).endpoints).length).sort((x, y) => x - y);
      if (size(a).some((n) => n > MANY)) return `${at}: a slice with more than ${MANY} endpoints`;
      if (sizes && size(a).join() !== size(e).join()) return `${at}: sizes ${size(e).join()} ; got ${size(a).join()}`;
      continue;
    }
    const whole = (s: unknown): string =>
      `${headText(s)} ${rec(s).endpoints === null ? 'null' : sorted(arr(rec(s).endpoints).map(endpointText)).join(' ')}`;
    const d = compareSets(at, a.map(whole), e.map(whole));
    if (d) return d;
  }
  return undefined;
}

/** Stored Services, exact but for the order of keys. */
export function compareServices(what: string, actual: readonly unknown[], expected: readonly unknown[]): Difference {
  return compareSets(`${what} services`, actual.map(text), expected.map(text));
}
