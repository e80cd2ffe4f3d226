import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments, type Tags } from 'yaml';
import type { Json } from '../engine/base';

/** Where something stands in a manifest; both counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface ManifestError {
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Path of the field, where one is meant. */
  readonly field?: string;
  readonly expected?: string;
}

/** One document of a manifest: plain JSON, and where each of its fields stands. */
export interface ManifestDocument {
  readonly value: Json;
  /** First line of the document. */
  readonly line: number;
  /** Position of a field by its path as the API server names it (`spec.ports[0].port`), or of its nearest parent. */
  positionOf(field: string): Position;
  /** Keys that stand twice in one mapping; the last one counts, as kubectl reads it. */
  readonly duplicates: readonly { readonly field: string; readonly at: Position }[];
}

export type ManifestResult =
  | { readonly ok: true; readonly documents: readonly ManifestDocument[] }
  | { readonly ok: false; readonly error: ManifestError };

/** Caps for hostile input: characters of a text, documents in it, nodes of a document, depth of nesting, aliases followed. */
const MAX_CHARS = 4 * 1024 * 1024;
const MAX_DOCUMENTS = 5000;
const MAX_NODES = 500_000;
const MAX_DEPTH = 64;
const MAX_ALIASES = 100;

class TooMuch extends Error {}

/** kubectl's YAML is 1.1 without dates and base-60 numbers: yes, no, on and off are booleans. */
const kubectlTags = (tags: Tags): Tags =>
  tags.filter((t) => {
    const tag = typeof t === 'string' ? t : t.tag;
    const format = typeof t === 'string' ? undefined : 'format' in t ? t.format : undefined;
    return !tag.includes('timestamp') && format !== 'TIME' && !tag.includes('merge') && !tag.endsWith('binary');
  });

/**
 * Reads a manifest (YAML or JSON, several documents). Empty documents are left out. Nothing in the text can name a
 * type, run code or grow beyond the caps.
 */
export function readManifest(text: string, file = 'manifest.yaml'): ManifestResult {
  const fail = (message: string, at: Position, extra: Partial<ManifestError> = {}): ManifestResult => ({
    ok: false,
    error: { message, file, ...at, ...extra },
  });
  const start: Position = { line: 1, column: 1 };
  if (text.length > MAX_CHARS) {
    return fail(`the manifest has ${text.length} characters`, start, { expected: `at most ${MAX_CHARS}` });
  }
  const deep = nesting(text);
  if (deep !== undefined) return fail('brackets nest too deep', deep, { expected: `at most ${MAX_DEPTH} levels` });
  const lines = new LineCounter();
  const posAt = (offset: number): Position => {
    const p = lines.linePos(offset);
    return { line: Math.max(1, p.line), column: Math.max(1, p.col) };
  };
  const parsed = parseAllDocuments(text, {
    lineCounter: lines,
    version: '1.1',
    customTags: kubectlTags,
    uniqueKeys: false,
    logLevel: 'silent',
    prettyErrors: false,
    stringKeys: false,
  });
  const docs = Array.isArray(parsed) ? parsed : [];
  if (docs.length > MAX_DOCUMENTS) {
    return fail(`${docs.length} documents`, start, { expected: `at most ${MAX_DOCUMENTS}` });
  }
  const documents: ManifestDocument[] = [];
  const budget = { nodes: MAX_NODES, aliases: MAX_ALIASES };
  for (const doc of docs) {
    const bad = doc.errors[0];
    if (bad) return fail(bad.message, posAt(bad.pos[0]));
    if (!doc.contents) continue;
    const anchors = new Map<string, Node>();
    const at = new Map<string, Position>();
    const duplicates: { field: string; at: Position }[] = [];
    try {
      const value = convert(doc.contents as Node, '', 0, { anchors, at, duplicates, budget, posAt });
      if (value === null) continue;
      const line = posAt(doc.contents.range?.[0] ?? doc.range[0]).line;
      documents.push({ value, line, positionOf: (f) => nearest(at, f, { line, column: 1 }), duplicates });
    } catch (e) {
      if (e instanceof TooMuch) return fail(e.message, posAt(doc.contents.range?.[0] ?? 0));
      throw e;
    }
  }
  return { ok: true, documents };
}

/** Depth of flow brackets, found before the parser (which recurses) sees them. */
function nesting(text: string): Position | undefined {
  let depth = 0;
  let line = 1;
  let lineStart = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 10) {
      line++;
      lineStart = i + 1;
    } else if (c === 91 || c === 123) {
      if (++depth > MAX_DEPTH) return { line, column: i - lineStart + 1 };
    } else if ((c === 93 || c === 125) && depth > 0) depth--;
  }
  return undefined;
}

interface Walk {
  readonly anchors: Map<string, Node>;
  readonly at: Map<string, Position>;
  readonly duplicates: { field: string; at: Position }[];
  readonly budget: { nodes: number; aliases: number };
  readonly posAt: (offset: number) => Position;
}

function convert(node: Node, path: string, depth: number, w: Walk): Json {
  if (--w.budget.nodes < 0) throw new TooMuch(`the manifest has more than ${MAX_NODES} values`);
  if (depth > MAX_DEPTH) throw new TooMuch(`values nest deeper than ${MAX_DEPTH} levels`);
  if (!w.at.has(path) && node.range) w.at.set(path, w.posAt(node.range[0]));
  if (isAlias(node)) {
    if (--w.budget.aliases < 0) throw new TooMuch(`more than ${MAX_ALIASES} aliases`);
    const target = w.anchors.get(node.source);
    if (!target) throw new TooMuch(`unknown anchor '${node.source}' referenced`);
    return convert(target, path, depth + 1, w);
  }
  if (isMap(node)) {
    const out: Record<string, Json> = {};
    for (const pair of node.items) {
      const key = keyText(pair.key);
      const field = join(path, key);
      const keyNode = pair.key as Node | null;
      const at = w.posAt(keyNode?.range?.[0] ?? node.range?.[0] ?? 0);
      if (Object.hasOwn(out, key)) w.duplicates.push({ field, at });
      w.at.set(field, at);
      const value = pair.value === null ? null : convert(pair.value as Node, field, depth + 1, w);
      // A key named __proto__ must stay a key.
      Object.defineProperty(out, key, { value, enumerable: true, configurable: true, writable: true });
    }
    if (node.anchor) w.anchors.set(node.anchor, node);
    return out;
  }
  if (isSeq(node)) {
    const out = node.items.map((item, i) => convert(item as Node, `${path}[${i}]`, depth + 1, w));
    if (node.anchor) w.anchors.set(node.anchor, node);
    return out;
  }
  if (isScalar(node)) {
    if (node.anchor) w.anchors.set(node.anchor, node);
    return scalar(node.value);
  }
  return null;
}

function scalar(v: unknown): Json {
  if (typeof v === 'bigint') return Number(v);
  if (typeof v === 'number') return Number.isFinite(v) ? v : String(v);
  if (typeof v === 'string' || typeof v === 'boolean') return v;
  return null;
}

const keyText = (key: unknown): string => {
  const v = isScalar(key) ? key.value : key;
  return typeof v === 'string' ? v : v === null || v === undefined ? 'null' : String(v);
};

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

/** The position of a field, of the nearest parent that has one, or of the document. */
function nearest(at: ReadonlyMap<string, Position>, field: string, start: Position): Position {
  for (let f = field; f !== ''; ) {
    const p = at.get(f);
    if (p) return p;
    const cut = Math.max(f.lastIndexOf('.'), f.lastIndexOf('['));
    f = cut <= 0 ? '' : f.slice(0, cut);
  }
  return start;
}
