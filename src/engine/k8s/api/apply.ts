import { canonicalJson, type Json } from '../../base/json';
import { err, ok, type Result } from '../../base/result';
import { kindOf, type Schema } from '../schema/index';
import type { KObject } from '../types';
import { getObject } from './objects';
import type { JsonObject } from './patch';
import type { ApiServer, WriteOptions } from './server';
import { type ApiStatus, badRequest } from './status';

export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

export interface ApplyOutcome {
  readonly what: 'created' | 'configured' | 'unchanged';
  readonly object: KObject;
  readonly warnings: readonly string[];
  /** The object was not made by apply: kubectl prints a warning. */
  readonly missingAnnotation: boolean;
}

const isObject = (v: unknown): v is JsonObject => typeof v === 'object' && v !== null && !Array.isArray(v);

/** Client-side `kubectl apply` of one object: create it, or three-way merge it with what was applied last. */
export function applyObject(api: ApiServer, raw: unknown, options: WriteOptions): Result<ApplyOutcome, ApiStatus> {
  if (!isObject(raw)) return err(badRequest('the body of the request is not an object'));
  const given = raw;
  const meta = isObject(given.metadata) ? given.metadata : {};
  const def = kindOf(String(given.apiVersion ?? ''), String(given.kind ?? ''));
  if (!def || typeof meta.name !== 'string') return plainCreate(api, given, options);
  const namespace = def.namespaced ? String(meta.namespace ?? options.namespace ?? 'default') : undefined;
  const modified = annotated(given, namespace);
  const current = getObject(api.ctx.world, def.kind, namespace, meta.name);
  if (!current) return plainCreate(api, modified, options);

  const last = current.metadata.annotations?.[LAST_APPLIED];
  const original = last === undefined ? {} : (parse(last) ?? {});
  const merged = threeWay(def.schema, original, modified, current as unknown as Json);
  // A PATCH carries no resourceVersion: nobody else's write can be in the way here.
  const written = api.update(merged, options);
  if (!written.ok) return written;
  const { object, warnings, changed } = written.value;
  return ok({
    what: changed ? 'configured' : 'unchanged',
    object,
    warnings,
    missingAnnotation: last === undefined,
  });
}

function plainCreate(api: ApiServer, raw: JsonObject, options: WriteOptions): Result<ApplyOutcome, ApiStatus> {
  const made = api.create(raw, options);
  if (!made.ok) return made;
  return ok({ what: 'created', object: made.value.object, warnings: made.value.warnings, missingAnnotation: false });
}

/** The object with the annotation that holds itself, as kubectl writes it (sorted keys, a newline at the end). */
function annotated(raw: JsonObject, namespace: string | undefined): JsonObject {
  const meta = isObject(raw.metadata) ? raw.metadata : {};
  const annotations = { ...(isObject(meta.annotations) ? meta.annotations : {}) } as Record<string, Json | undefined>;
  delete annotations[LAST_APPLIED];
  const metadata = { ...meta, ...(namespace === undefined ? {} : { namespace }), annotations };
  const text = `${canonicalJson({ ...raw, metadata })}\n`;
  return { ...raw, metadata: { ...metadata, annotations: { ...annotations, [LAST_APPLIED]: text } } } as JsonObject;
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Somebody edited the annotation by hand: nothing is known of the last apply.
    return undefined;
  }
}

/**
 * Three-way merge: what `original` had and `modified` has no more is deleted from `current`; what `modified` has is
 * set; everything else of `current` stays.
 */
export function threeWay(schema: Schema, original: Json | undefined, modified: Json, current: Json | undefined): Json {
  if (!isObject(modified)) {
    if (Array.isArray(modified) && schema.t === 'list' && schema.mergeKey !== undefined) {
      return threeWayList(schema.of, schema.mergeKey, original, modified, current);
    }
    return modified;
  }
  const out: Record<string, Json | undefined> = isObject(current) ? { ...current } : {};
  if (isObject(original)) {
    for (const key of Object.keys(original)) if (!Object.hasOwn(modified, key)) delete out[key];
  }
  for (const [key, value] of Object.entries(modified)) {
    if (value === undefined) continue;
    if (value === null) {
      delete out[key];
      continue;
    }
    const field: Schema =
      schema.t === 'obj' && Object.hasOwn(schema.fields, key)
        ? (schema.fields[key] as Schema)
        : schema.t === 'map'
          ? schema.of
          : { t: 'any' };
    const before = isObject(original) && Object.hasOwn(original, key) ? original[key] : undefined;
    const now = Object.hasOwn(out, key) ? out[key] : undefined;
    Object.defineProperty(out, key, {
      value: threeWay(field, before, value, now),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return out as Json;
}

function threeWayList(
  of: Schema,
  mergeKey: string,
  original: Json | undefined,
  modified: readonly Json[],
  current: Json | undefined,
): Json {
  const keyOf = (v: Json): string => canonicalJson(isObject(v) ? (v[mergeKey] ?? null) : v);
  const was = Array.isArray(original) ? original : [];
  const now = Array.isArray(current) ? current : [];
  const wanted = new Set(modified.map(keyOf));
  const dropped = new Set(was.map(keyOf).filter((k) => !wanted.has(k)));
  const merged = modified.map((m) => {
    const k = keyOf(m);
    return threeWay(
      of,
      was.find((v) => keyOf(v) === k),
      m,
      now.find((v) => keyOf(v) === k),
    );
  });
  const others = now.filter((v) => !wanted.has(keyOf(v)) && !dropped.has(keyOf(v)));
  return [...merged, ...others];
}
