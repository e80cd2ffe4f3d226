import type { Json } from '../../engine/base';
import { sortedKeys } from './fields';

/** YAML as sigs.k8s.io/yaml prints it: keys sorted, lists not indented below their key, quotes only where needed. */
export function toYaml(value: Json): string {
  return `${block(value, 0).replace(/^\n/, '')}\n`;
}

function block(value: Json | undefined, indent: number): string {
  const pad = ' '.repeat(indent);
  if (Array.isArray(value)) {
    if (value.length === 0) return ' []';
    return value
      .map((item: Json) => {
        if (item !== null && typeof item === 'object' && !isEmpty(item)) {
          // The first line of a nested block stands after the dash.
          return `\n${pad}- ${block(item, indent + 2).slice(1 + indent + 2)}`;
        }
        return `\n${pad}-${block(item, indent + 2)}`;
      })
      .join('');
  }
  if (value !== null && typeof value === 'object') {
    const map = value as Readonly<Record<string, Json>>;
    const keys = sortedKeys(map);
    if (keys.length === 0) return ' {}';
    return keys
      .map((k) => {
        const v = map[k] as Json;
        // Lists stand at the indentation of their key.
        return `\n${pad}${scalar(k, indent)}:${block(v, Array.isArray(v) ? indent : indent + 2)}`;
      })
      .join('');
  }
  return ` ${typeof value === 'string' ? scalar(value, indent) : value === undefined ? 'null' : String(value)}`;
}

const isEmpty = (v: Json): boolean =>
  v !== null && typeof v === 'object' && (Array.isArray(v) ? v.length === 0 : Object.keys(v).length === 0);

/** Plain words that YAML 1.1 reads as something other than a string. */
const WORDS =
  /^(?:~|null|Null|NULL|true|True|TRUE|false|False|FALSE|y|Y|yes|Yes|YES|n|N|no|No|NO|on|On|ON|off|Off|OFF|<<|=)$/;
const NUMBER =
  /^[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0o?[0-7_]+|[0-9][0-9_]*(?::[0-5]?[0-9])*|(?:[0-9][0-9_]*)?\.?[0-9_]+(?:[eE][-+]?[0-9]+)?|[0-9][0-9_]*\.(?:[eE][-+]?[0-9]+)?|\.inf|\.Inf|\.INF)$|^\.(?:nan|NaN|NAN)$/;
const DATE = /^\d{4}-\d\d?-\d\d?(?:$|[Tt ])/;

/** Whether a text has control characters other than tab and newline: a literal block cannot hold them. */
function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if ((c < 32 && c !== 9 && c !== 10) || c === 127) return true;
  }
  return false;
}

/** A string as a YAML scalar: plain, double-quoted or (with newlines) a literal block. */
function scalar(text: string, indent: number): string {
  if (text === '') return '""';
  if (text.includes('\n') && !/^[ \n\t]/.test(text) && !hasControl(text) && !/ \n/.test(text)) {
    const chomp = !text.endsWith('\n') ? '|-' : text.endsWith('\n\n') ? '|+' : '|';
    const pad = ' '.repeat(indent);
    const body = text.replace(/\n$/, '').split('\n');
    return `${chomp}\n${body.map((l) => (l === '' ? '' : pad + l)).join('\n')}`;
  }
  // biome wants no control characters in a class, so they are tested by code.
  if ([...text].some((c) => c < ' ' || c === '\u007f') || / \n/.test(text)) return JSON.stringify(text);
  if (WORDS.test(text) || NUMBER.test(text) || DATE.test(text)) return `"${text}"`;
  if (
    /^[-?:,[\]{}#&*!|>'"%@`]/.test(text) && !/^[-?:][^ ]/.test(text)
      ? true
      : /^ | $|: |:$| #|^---|^\.\.\.$|^- |^\? /.test(text)
  ) {
    return text.includes("'") && !/["\\]/.test(text) ? `"${text}"` : `'${text.replaceAll("'", "''")}'`;
  }
  return text;
}
