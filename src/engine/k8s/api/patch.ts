import type { Json } from '../../base/json';
import { canonicalJson } from '../../base/json';
import type { ListSchema, Schema } from '../schema/schema';

export type JsonObject = { readonly [key: string]: Json | undefined };

const isObject = (v: unknown): v is JsonObject => typeof v === 'object' && v !== null && !Array.isArray(v);

/** Sets a key as an own property, whatever its name. */
function put(target: Record<string, Json | undefined>, key: string, value: Json | undefined): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** JSON merge patch (RFC 7386). */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const out: Record<string, Json | undefined> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete out[key];
    else put(out, key, mergePatch(Object.hasOwn(out, key) ? out[key] : undefined, value));
  }
  return out as Json;
}

/** Strategic merge patch: lists with a merge key are merged item by item ($patch: delete|replace, $deleteFromPrimitiveList). */
export function strategicMerge(target: Json | undefined, patch: Json, schema: Schema): Json {
  if (!isObject(patch)) return patch;
  if (patch.$patch === 'replace') {
    const { $patch: _, ...rest } = patch;
    return rest as Json;
  }
  const out: Record<string, Json | undefined> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$deleteFromPrimitiveList/')) {
      const name = key.slice('$deleteFromPrimitiveList/'.length);
      const gone = new Set(Array.isArray(value) ? value.map(canonicalJson) : []);
      const had = out[name];
      if (Array.isArray(had)) out[name] = had.filter((v) => !gone.has(canonicalJson(v)));
      continue;
    }
    if (key.startsWith('$')) continue;
    const field = fieldSchema(schema, key);
    const before = Object.hasOwn(out, key) ? out[key] : undefined;
    if (value === null || value === undefined) delete out[key];
    else if (isObject(value) && value.$patch === 'delete') delete out[key];
    else if (Array.isArray(value) && field?.t === 'list') put(out, key, mergeList(before, value, field));
    else put(out, key, strategicMerge(before, value, field ?? { t: 'any' }));
  }
  return out as Json;
}

const fieldSchema = (s: Schema, key: string): Schema | undefined =>
  s.t === 'obj' ? (Object.hasOwn(s.fields, key) ? s.fields[key] : undefined) : s.t === 'map' ? s.of : undefined;

function mergeList(target: Json | undefined, patch: readonly Json[], schema: ListSchema): Json {
  const before = Array.isArray(target) ? target : [];
  if (schema.set) {
    const seen = new Set(before.map(canonicalJson));
    return [...before, ...patch.filter((v) => !seen.has(canonicalJson(v)))];
  }
  const key = schema.mergeKey;
  if (key === undefined) return patch;
  const keyOf = (v: Json): string | undefined =>
    isObject(v) && v[key] !== undefined ? canonicalJson(v[key]) : undefined;
  if (patch.some((p) => isObject(p) && p.$patch === 'replace')) {
    return patch.filter((p) => !(isObject(p) && p.$patch === 'replace'));
  }
  const out: Json[] = [...before];
  const added: Json[] = [];
  for (const item of patch) {
    const k = keyOf(item);
    const i = k === undefined ? -1 : out.findIndex((v) => keyOf(v) === k);
    if (isObject(item) && item.$patch === 'delete') {
      if (i >= 0) out.splice(i, 1);
    } else if (i >= 0) out[i] = strategicMerge(out[i], item, schema.of);
    else added.push(item);
  }
  // New items go before the ones that the patch did not name (seen on a real server: the patch's order leads).
  const named = new Set(patch.map(keyOf));
  const touched = out.filter((v) => named.has(keyOf(v)));
  const rest = out.filter((v) => !named.has(keyOf(v)));
  if (added.length === 0) return out;
  const ordered = patch
    .map((p) => [...touched, ...added].find((v) => keyOf(v) === keyOf(p)))
    .filter((v): v is Json => v !== undefined);
  return [...ordered, ...rest];
}

/** One operation of a JSON patch (RFC 6902). */
export interface JsonPatchOp {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: Json;
}

/** Applies a JSON patch; undefined when an operation cannot be applied. */
export function jsonPatch(target: Json, ops: readonly JsonPatchOp[]): Json | undefined {
  let doc: Json | undefined = target;
  for (const op of ops) {
    if (doc === undefined) return undefined;
    const path = pointer(op.path);
    if (!path) return undefined;
    switch (op.op) {
      case 'add':
      case 'replace':
      case 'remove':
        doc = edit(doc, path, op.op, op.value);
        break;
      case 'test':
        if (canonicalJson(at(doc, path)) !== canonicalJson(op.value)) return undefined;
        break;
      case 'copy':
      case 'move': {
        const from = pointer(op.from ?? '');
        const value = from && at(doc, from);
        if (!from || value === undefined) return undefined;
        const cut: Json | undefined = op.op === 'move' ? edit(doc, from, 'remove', undefined) : doc;
        doc = cut === undefined ? undefined : edit(cut, path, 'add', value);
        break;
      }
      default:
        return undefined;
    }
  }
  return doc;
}

function pointer(text: string): string[] | undefined {
  if (text === '') return [];
  if (!text.startsWith('/')) return undefined;
  return text
    .slice(1)
    .split('/')
    .map((p) => p.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function at(doc: Json, path: readonly string[]): Json | undefined {
  let v: Json | undefined = doc;
  for (const p of path) {
    if (Array.isArray(v)) v = /^(0|[1-9][0-9]*)$/.test(p) ? (v[Number(p)] as Json | undefined) : undefined;
    else if (isObject(v)) v = Object.hasOwn(v, p) ? v[p] : undefined;
    else return undefined;
  }
  return v;
}

function edit(
  doc: Json,
  path: readonly string[],
  op: 'add' | 'replace' | 'remove',
  value: Json | undefined,
): Json | undefined {
  const [head, ...rest] = path;
  if (head === undefined) return op === 'remove' ? undefined : value;
  if (Array.isArray(doc)) {
    const out = [...doc];
    const last = rest.length === 0;
    const i = head === '-' && last && op === 'add' ? out.length : /^(0|[1-9][0-9]*)$/.test(head) ? Number(head) : -1;
    if (i < 0 || i > out.length || (i === out.length && !(last && op === 'add'))) return undefined;
    if (last) {
      if (op === 'add') out.splice(i, 0, value as Json);
      else if (op === 'replace') out[i] = value as Json;
      else out.splice(i, 1);
      return out;
    }
    const inner = edit(out[i] as Json, rest, op, value);
    if (inner === undefined) return undefined;
    out[i] = inner;
    return out;
  }
  if (!isObject(doc)) return undefined;
  const had = Object.hasOwn(doc, head);
  const out: Record<string, Json | undefined> = { ...doc };
  if (rest.length === 0) {
    if (op !== 'add' && !had) return undefined;
    if (op === 'remove') delete out[head];
    else put(out, head, value);
    return out as Json;
  }
  const inner = had ? edit(doc[head] as Json, rest, op, value) : undefined;
  if (inner === undefined) return undefined;
  put(out, head, inner);
  return out as Json;
}
