import type { Json } from '../../engine/base';
import { sortedKeys } from './fields';

/** JSON with sorted keys and an indentation of four blanks, as kubectl -o json prints; HTML characters are not escaped. */
export function toJson(value: Json | undefined, indent = 4, pad = ''): string {
  if (value === undefined || value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  const inner = pad + ' '.repeat(indent);
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((v: Json) => inner + toJson(v, indent, inner)).join(',\n')}\n${pad}]`;
  }
  const map = value as Readonly<Record<string, Json>>;
  const keys = sortedKeys(map);
  if (keys.length === 0) return '{}';
  return `{\n${keys.map((k) => `${inner}${JSON.stringify(k)}: ${toJson(map[k], indent, inner)}`).join(',\n')}\n${pad}}`;
}

/** One-line JSON with sorted keys (last-applied annotations, jsonpath of an object). */
export function compactJson(value: Json | undefined): string {
  if (value === undefined || value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map(compactJson).join(',')}]`;
  const map = value as Readonly<Record<string, Json>>;
  return `{${sortedKeys(map)
    .map((k) => `${JSON.stringify(k)}:${compactJson(map[k])}`)
    .join(',')}}`;
}

/** KYAML (kubectl -o kyaml, KEP-5295): YAML in flow style with quoted values and trailing commas. */
export function toKyaml(value: Json): string {
  return `---\n${kyaml(value, '')}\n`;
}

const KEY = /^[A-Za-z][A-Za-z0-9_./-]*$/;
const AMBIGUOUS = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/i;

function kyaml(value: Json | undefined, pad: string): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === undefined || value === null || typeof value !== 'object') return String(value ?? null);
  const inner = `${pad}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    // Lists of objects cuddle their brackets.
    if (value.every((v) => v !== null && typeof v === 'object' && !Array.isArray(v) && Object.keys(v).length > 0)) {
      return `[${value.map((v: Json) => kyaml(v, pad)).join(', ')}]`;
    }
    return `[\n${value.map((v: Json) => `${inner}${kyaml(v, inner)},\n`).join('')}${pad}]`;
  }
  const map = value as Readonly<Record<string, Json>>;
  const keys = sortedKeys(map);
  if (keys.length === 0) return '{}';
  const key = (k: string): string => (KEY.test(k) && !AMBIGUOUS.test(k) ? k : JSON.stringify(k));
  return `{\n${keys.map((k) => `${inner}${key(k)}: ${kyaml(map[k], inner)},\n`).join('')}${pad}}`;
}
