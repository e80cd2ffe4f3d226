import type { Json } from '../../base/json';
import { err, ok, type Result } from '../../base/result';
import { goType, type KindDef, type ObjectSchema, type Schema } from '../schema/schema';

/** What decoding found: unknown fields, in document order, as paths. */
export interface Decoded {
  readonly value: { readonly [key: string]: Json | undefined };
  readonly unknown: readonly string[];
}

/** Objects nest this deep at most. */
const MAX_DEPTH = 64;

interface Walk {
  readonly unknown: string[];
  readonly pkg: string;
}

class DecodeError {
  constructor(readonly message: string) {}
}

const jsonWord = (v: unknown): string =>
  Array.isArray(v)
    ? 'array'
    : v === null
      ? 'null'
      : typeof v === 'object'
        ? 'object'
        : typeof v === 'boolean'
          ? 'bool'
          : typeof v;

/**
 * Decodes JSON into a kind as Go's decoder does: wrong types are errors in its words, unknown fields are dropped and
 * told, nulls mean "not set". Fields come out in the order of the schema.
 */
export function decode(def: KindDef, raw: unknown): Result<Decoded, string> {
  const slash = def.apiVersion.lastIndexOf('/');
  const walk: Walk = { unknown: [], pkg: def.apiVersion.slice(slash + 1) };
  const out = object(def.schema, raw, '', '', walk, 0);
  if (out instanceof DecodeError) return err(out.message);
  return ok({ value: out, unknown: walk.unknown });
}

function mismatch(s: Schema, raw: unknown, parent: string, path: string, pkg: string): DecodeError {
  const word = typeof raw === 'number' && (s.t === 'int' || s.t === 'intstr') ? `number ${raw}` : jsonWord(raw);
  const field = parent === '' ? path : `${parent}.${path}`;
  return new DecodeError(`json: cannot unmarshal ${word} into Go struct field ${field} of type ${goType(s, pkg)}`);
}

type Obj = { [key: string]: Json | undefined };

function object(
  s: ObjectSchema,
  raw: unknown,
  goPath: string,
  path: string,
  walk: Walk,
  depth: number,
): Obj | DecodeError {
  const rec = raw as Record<string, unknown>;
  for (const key of Object.keys(rec)) {
    if (!Object.hasOwn(s.fields, key)) walk.unknown.push(path === '' ? key : `${path}.${key}`);
  }
  const out: Obj = {};
  for (const [key, fs] of Object.entries(s.fields)) {
    if (!Object.hasOwn(rec, key)) continue;
    const v = rec[key];
    if (v === null || v === undefined) continue;
    const at = path === '' ? key : `${path}.${key}`;
    const goAt = goPath === '' ? key : `${goPath}.${key}`;
    const value = decodeValue(fs, v, s.go, goAt, at, walk, depth + 1);
    if (value instanceof DecodeError) return value;
    out[key] = value;
  }
  return out;
}

/** `path` has indexes (for unknown fields), `goPath` has none (Go's errors name fields only). */
function decodeValue(
  s: Schema,
  raw: unknown,
  parent: string,
  goPath: string,
  path: string,
  walk: Walk,
  depth: number,
): Json | DecodeError {
  if (depth > MAX_DEPTH) return new DecodeError('json: exceeded max depth');
  const wrong = (): DecodeError => mismatch(s, raw, parent, goPath, walk.pkg);
  switch (s.t) {
    case 'any':
      return raw as Json;
    case 'string':
      return typeof raw === 'string' ? raw : wrong();
    case 'bool':
      return typeof raw === 'boolean' ? raw : wrong();
    case 'int':
      return typeof raw === 'number' && Number.isInteger(raw) && fits(raw, s.go) ? raw : wrong();
    case 'intstr':
      if (typeof raw === 'string') return raw;
      return typeof raw === 'number' && Number.isInteger(raw) && fits(raw, 'int32') ? raw : wrong();
    case 'obj':
      return isObject(raw) ? (object(s, raw, goPath, path, walk, depth) as Json | DecodeError) : wrong();
    case 'map': {
      if (!isObject(raw)) return wrong();
      const out: Obj = {};
      for (const [k, v] of Object.entries(raw as Record<string, unknown>)) {
        if (v === null) {
          if (s.of.t === 'string') out[k] = '';
          continue;
        }
        const value = decodeValue(s.of, v, parent, goPath, `${path}.${k}`, walk, depth + 1);
        if (value instanceof DecodeError) return value;
        // A key named __proto__ must stay a key.
        Object.defineProperty(out, k, { value, enumerable: true, configurable: true, writable: true });
      }
      return out as Json;
    }
    case 'list': {
      if (!Array.isArray(raw)) return wrong();
      const out: Json[] = [];
      for (let i = 0; i < raw.length; i++) {
        const value = decodeValue(s.of, raw[i], parent, goPath, `${path}[${i}]`, walk, depth + 1);
        if (value instanceof DecodeError) return value;
        out.push(value);
      }
      return out;
    }
  }
}

const isObject = (v: unknown): boolean => typeof v === 'object' && v !== null && !Array.isArray(v);
const fits = (n: number, go: 'int32' | 'int64'): boolean =>
  go === 'int32' ? n >= -2147483648 && n <= 2147483647 : Number.isSafeInteger(n);
