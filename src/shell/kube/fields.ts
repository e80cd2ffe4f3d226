import type { Json } from '../../engine/base';
import type { Obj } from './api';

/** Reads of plain API objects by path; what is missing or of another type reads as undefined, '' or empty. */
export function at(value: unknown, ...path: readonly (string | number)[]): Json | undefined {
  let v: unknown = value;
  for (const step of path) {
    if (v === null || typeof v !== 'object') return undefined;
    v = (v as Record<string | number, unknown>)[step];
  }
  return v as Json | undefined;
}

/** Text at a path; numbers and booleans as text; '' when missing. */
export function str(value: unknown, ...path: readonly (string | number)[]): string {
  const v = at(value, ...path);
  return v === undefined || v === null || typeof v === 'object' ? '' : String(v);
}

export function num(value: unknown, ...path: readonly (string | number)[]): number | undefined {
  const v = at(value, ...path);
  return typeof v === 'number' ? v : undefined;
}

export function list(value: unknown, ...path: readonly (string | number)[]): readonly Json[] {
  const v = at(value, ...path);
  return Array.isArray(v) ? v : [];
}

export function rec(value: unknown, ...path: readonly (string | number)[]): Readonly<Record<string, Json>> {
  const v = at(value, ...path);
  return v !== null && typeof v === 'object' && !Array.isArray(v) ? (v as Readonly<Record<string, Json>>) : {};
}

/** Keys of a JSON object in code-unit order, as Go sorts map keys. */
export function sortedKeys(value: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(value)
    .filter((k) => value[k] !== undefined)
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

export const nameOf = (o: Obj): string => str(o, 'metadata', 'name');
export const namespaceOf = (o: Obj): string => str(o, 'metadata', 'namespace');
export const labelsOf = (o: Obj): Readonly<Record<string, string>> =>
  rec(o, 'metadata', 'labels') as Record<string, string>;

/** `a=b,c=d` in key order, as labels.FormatLabels; `<none>` when empty. */
export function formatLabels(labels: Readonly<Record<string, Json>>): string {
  const keys = sortedKeys(labels);
  return keys.length === 0 ? '<none>' : keys.map((k) => `${k}=${String(labels[k])}`).join(',');
}

/** A copy with a value put at a path (objects on the way are copied or made; undefined deletes). */
export function put<T>(value: T, path: readonly string[], leaf: Json | undefined): T {
  const [head, ...rest] = path;
  if (head === undefined) return leaf as T;
  const copy: Record<string, unknown> = { ...((value ?? {}) as Record<string, unknown>) };
  if (rest.length === 0 && leaf === undefined) delete copy[head];
  else copy[head] = put(copy[head], rest, leaf);
  return copy as T;
}
