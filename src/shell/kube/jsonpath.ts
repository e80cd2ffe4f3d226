import type { Json } from '../../engine/base';
import { err, ok, type Result } from '../../engine/base';
import { sortedKeys } from './fields';
import { compactJson } from './json';

/** kubectl's JSONPath (k8s.io/client-go/util/jsonpath): text with {…} actions: fields, [], *, .., filters, range, quotes. */
type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly steps: readonly Step[] }
  | { readonly kind: 'range'; readonly steps: readonly Step[]; readonly body: readonly Node[] };

type Step =
  | { readonly kind: 'root' }
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'wild' }
  | { readonly kind: 'recurse' }
  /** `['a','b']`, `[0,2]`: all of the first, then all of the second. */
  | { readonly kind: 'union'; readonly parts: readonly (readonly Step[])[] }
  | {
      readonly kind: 'slice';
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly step: number;
    }
  | {
      readonly kind: 'filter';
      readonly left: readonly Step[];
      readonly op: string;
      readonly right: Operand | undefined;
    };

type Operand = { readonly literal: Json } | { readonly steps: readonly Step[] };

/** Evaluates a template over one value; the text, or kubectl's own error text. */
export function jsonPath(template: string, value: Json, allowMissing = true): Result<string> {
  const parsed = parse(template);
  if (!parsed.ok) return parsed;
  return render(parsed.value, [value], value, allowMissing);
}

/** Values at one relaxed path (`.metadata.name`, `{.a.b}`, `a.b`) for custom columns and sorting. */
export function pathValues(path: string, value: Json): Result<readonly Json[]> {
  const parsed = parse(relaxed(path));
  if (!parsed.ok) return parsed;
  const node = parsed.value.find((n) => n.kind === 'path');
  if (node?.kind !== 'path') return ok([]);
  return walk(node.steps, [value], value, true);
}

/** `x.y`, `.x.y` and `{x.y}` all mean `{.x.y}` (get.RelaxedJSONPathExpression). */
export function relaxed(path: string): string {
  const inner = path.startsWith('{') && path.endsWith('}') ? path.slice(1, -1) : path;
  return `{${inner.startsWith('.') || inner.startsWith('[') || inner.startsWith('$') ? inner : `.${inner}`}}`;
}

function parse(template: string): Result<readonly Node[]> {
  const out: Node[] = [];
  const stack: { steps: readonly Step[]; body: Node[] }[] = [];
  const push = (n: Node): void => void (stack.at(-1)?.body ?? out).push(n);
  let i = 0;
  while (i < template.length) {
    const open = template.indexOf('{', i);
    if (open < 0) {
      push({ kind: 'text', text: template.slice(i) });
      break;
    }
    if (open > i) push({ kind: 'text', text: template.slice(i, open) });
    const close = closing(template, open + 1);
    if (close < 0) return err('unclosed action');
    const action = template.slice(open + 1, close).trim();
    i = close + 1;
    if (action.startsWith('range')) {
      const steps = parseSteps(action.slice(5).trim());
      if (!steps.ok) return steps;
      stack.push({ steps: steps.value, body: [] });
    } else if (action === 'end') {
      const range = stack.pop();
      if (!range) return err('not in range, nothing to end');
      push({ kind: 'range', steps: range.steps, body: range.body });
    } else if (action.startsWith('"') || action.startsWith("'")) {
      push({ kind: 'text', text: unquote(action) });
    } else {
      const steps = parseSteps(action);
      if (!steps.ok) return steps;
      push({ kind: 'path', steps: steps.value });
    }
  }
  if (stack.length > 0) return err('unterminated range');
  return ok(out);
}

/** Index of the `}` that ends an action which starts at `from`; quotes hide braces. */
function closing(text: string, from: number): number {
  let quote = '';
  for (let i = from; i < text.length; i++) {
    const c = text[i] as string;
    if (quote) {
      if (c === '\\') i++;
      else if (c === quote) quote = '';
    } else if (c === '"' || c === "'") quote = c;
    else if (c === '}') return i;
  }
  return -1;
}

function unquote(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/g, (_, c: string) => ({ n: '\n', t: '\t', r: '\r' })[c] ?? c);
}

function parseSteps(text: string): Result<readonly Step[]> {
  const steps: Step[] = [];
  let i = 0;
  if (text[i] === '$' || text[i] === '@') {
    if (text[i] === '$') steps.push({ kind: 'root' });
    i++;
  }
  while (i < text.length) {
    if (text.startsWith('..', i)) {
      steps.push({ kind: 'recurse' });
      i += 1;
      if (text[i + 1] === '[' || text[i + 1] === undefined) i++;
    } else if (text[i] === '.') {
      const m = /^\.((?:\\.|[^.[\]\\{}\s])*)/.exec(text.slice(i)) as RegExpExecArray;
      const name = (m[1] as string).replace(/\\(.)/g, '$1');
      i += m[0].length;
      if (name === '*') steps.push({ kind: 'wild' });
      else if (name !== '') steps.push({ kind: 'field', name });
    } else if (text[i] === '[') {
      const end = bracketEnd(text, i);
      if (end < 0) return err('unterminated array');
      const inner = text.slice(i + 1, end).trim();
      i = end + 1;
      const step = bracket(inner);
      if (!step.ok) return step;
      steps.push(step.value);
    } else {
      const m = /^[^.[\s]+/.exec(text.slice(i));
      if (!m) return err(`unrecognized character in action: ${JSON.stringify(text[i])}`);
      // A bare word is an identifier of Go's template, which kubectl does not know.
      return err(`unrecognized identifier ${m[0]}`);
    }
  }
  return ok(steps);
}

function bracketEnd(text: string, open: number): number {
  let depth = 0;
  let quote = '';
  for (let i = open; i < text.length; i++) {
    const c = text[i] as string;
    if (quote) {
      if (c === '\\') i++;
      else if (c === quote) quote = '';
    } else if (c === '"' || c === "'") quote = c;
    else if (c === '[') depth++;
    else if (c === ']' && --depth === 0) return i;
  }
  return -1;
}

function bracketSteps(inner: string): Result<readonly Step[]> {
  const step = bracket(inner);
  return step.ok ? ok([step.value]) : step;
}

/** The parts between commas outside of quotes. */
function commaParts(text: string): string[] {
  const parts = text.match(/(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^,'"])+/g) ?? [];
  return parts.map((p) => p.trim());
}

function bracket(inner: string): Result<Step> {
  if (inner === '*') return ok({ kind: 'wild' });
  const parts = commaParts(inner);
  if (parts.length > 1 && !inner.startsWith('?(')) {
    const all: (readonly Step[])[] = [];
    for (const p of parts) {
      const quoted = /^'(.*)'$/.exec(p)?.[1];
      const steps = quoted === undefined ? bracketSteps(p) : parseSteps(`.${quoted}`);
      if (!steps.ok) return steps;
      all.push(steps.value);
    }
    return ok({ kind: 'union', parts: all });
  }
  if (/^(['"]).*\1$/.test(inner)) return ok({ kind: 'field', name: unquote(inner) });
  if (inner.startsWith('?(') && inner.endsWith(')')) return filter(inner.slice(2, -1));
  const m = /^(-?\d*)(?:(:)(-?\d*))?(?::(\d+))?$/.exec(inner);
  if (!m || inner === '') return err(`invalid array index ${inner}`);
  const from = m[1] === '' ? undefined : Number(m[1]);
  if (m[2] === undefined && from !== undefined) {
    return ok({ kind: 'slice', from, to: from === -1 ? undefined : from + 1, step: 1 });
  }
  return ok({ kind: 'slice', from, to: m[3] ? Number(m[3]) : undefined, step: m[4] ? Number(m[4]) : 1 });
}

function filter(text: string): Result<Step> {
  const m = /^\s*(@[^=!<>]*?|\S+?)\s*(?:(==|!=|<=|>=|<|>)\s*(.+?))?\s*$/.exec(text);
  if (!m) return err(`invalid filter ${text}`);
  const left = parseSteps(m[1] as string);
  if (!left.ok) return left;
  if (!m[2]) return ok({ kind: 'filter', left: left.value, op: 'exists', right: undefined });
  const raw = m[3] as string;
  if (/^['"]/.test(raw)) return ok({ kind: 'filter', left: left.value, op: m[2], right: { literal: unquote(raw) } });
  if (/^-?\d+(\.\d+)?$/.test(raw))
    return ok({ kind: 'filter', left: left.value, op: m[2], right: { literal: Number(raw) } });
  if (raw === 'true' || raw === 'false') {
    return ok({ kind: 'filter', left: left.value, op: m[2], right: { literal: raw === 'true' } });
  }
  const right = parseSteps(raw);
  return right.ok ? ok({ kind: 'filter', left: left.value, op: m[2], right: { steps: right.value } }) : right;
}

function render(nodes: readonly Node[], here: readonly Json[], root: Json, allowMissing: boolean): Result<string> {
  let text = '';
  for (const node of nodes) {
    if (node.kind === 'text') {
      text += node.text;
      continue;
    }
    const values = walk(node.steps, here, root, allowMissing);
    if (!values.ok) return values;
    if (node.kind === 'path') text += values.value.map(plain).join(' ');
    else {
      for (const v of values.value) {
        const inner = render(node.body, [v], root, allowMissing);
        if (!inner.ok) return inner;
        text += inner.value;
      }
    }
  }
  return ok(text);
}

/** A value as the printer shows it: objects and lists as JSON, the rest as plain text. */
export function plain(v: Json): string {
  return v !== null && typeof v === 'object' ? compactJson(v) : v === null ? 'null' : String(v);
}

function walk(
  steps: readonly Step[],
  start: readonly Json[],
  root: Json,
  allowMissing: boolean,
): Result<readonly Json[]> {
  let values = start;
  for (const step of steps) {
    const next: Json[] = [];
    if (step.kind === 'union') {
      for (const part of step.parts) {
        const found = walk(part, values, root, allowMissing);
        if (!found.ok) return found;
        next.push(...found.value);
      }
      values = next;
      continue;
    }
    for (const v of values) {
      switch (step.kind) {
        case 'root':
          next.push(root);
          break;
        case 'field': {
          const f =
            v !== null && typeof v === 'object' && !Array.isArray(v)
              ? (v as Record<string, Json>)[step.name]
              : undefined;
          if (f !== undefined) next.push(f);
          else if (!allowMissing) return err(`${step.name} is not found`);
          break;
        }
        case 'wild':
          next.push(...children(v));
          break;
        case 'recurse':
          next.push(...descend(v));
          break;
        case 'slice': {
          if (!Array.isArray(v)) break;
          const n = v.length;
          const bound = (x: number): number => (x < 0 ? x + n : x);
          const from = Math.max(0, bound(step.from ?? 0));
          const to = Math.min(n, step.to === undefined ? n : bound(step.to));
          if (from >= n && step.to !== undefined && !allowMissing) {
            return err(`array index out of bounds: index ${from}, length ${n}`);
          }
          for (let i = from; i < to; i += step.step) next.push(v[i] as Json);
          break;
        }
        case 'filter':
          for (const c of Array.isArray(v) ? v : children(v)) if (holds(step, c, root)) next.push(c);
          break;
      }
    }
    values = next;
  }
  return ok(values);
}

function holds(step: Extract<Step, { kind: 'filter' }>, item: Json, root: Json): boolean {
  const left = walk(step.left, [item], root, true);
  const l = left.ok ? left.value[0] : undefined;
  if (step.op === 'exists') return l !== undefined;
  const right = step.right;
  const rv =
    right === undefined
      ? undefined
      : 'literal' in right
        ? right.literal
        : firstOf(walk(right.steps, [item], root, true));
  if (l === undefined || rv === undefined) return false;
  const [a, b] = typeof l === 'number' && typeof rv === 'number' ? [l, rv] : [plain(l), plain(rv)];
  switch (step.op) {
    case '==':
      return a === b;
    case '!=':
      return a !== b;
    case '<':
      return a < b;
    case '>':
      return a > b;
    case '<=':
      return a <= b;
    default:
      return a >= b;
  }
}

const firstOf = (r: Result<readonly Json[]>): Json | undefined => (r.ok ? r.value[0] : undefined);

function children(v: Json): Json[] {
  if (Array.isArray(v)) return [...v];
  if (v === null || typeof v !== 'object') return [];
  const map = v as Record<string, Json>;
  return sortedKeys(map).map((k) => map[k] as Json);
}

function descend(v: Json): Json[] {
  return [v, ...children(v).flatMap(descend)];
}
