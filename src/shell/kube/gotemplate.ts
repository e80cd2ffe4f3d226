import type { Json } from '../../engine/base';
import { err, ok, type Result } from '../../engine/base';
import { rec, sortedKeys } from './fields';

/** The part of Go's text/template that kubectl users write: fields, range, if, with, variables, index, len, printf, comparisons. */
type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly pipe: string }
  | {
      readonly kind: 'block';
      readonly verb: 'range' | 'if' | 'with';
      readonly pipe: string;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    };

type Value = Json | undefined;
type Scope = { dot: Value; readonly vars: Map<string, Value>; readonly root: Value };

/** Evaluates a template over one object. */
export function goTemplate(template: string, value: Json): Result<string> {
  const tokens = tokenize(template);
  const last = tokens.at(-1);
  if (last && !last.action && last.text.includes('{{')) return err('unclosed action');
  const at = { i: 0 };
  const nodes = parse(tokens, at, []);
  if (!nodes.ok) return nodes;
  try {
    return ok(run(nodes.value, { dot: value, vars: new Map<string, Value>([['$', value]]), root: value }));
  } catch (e) {
    if (e instanceof TemplateError) return err(e.message);
    throw e;
  }
}

class TemplateError extends Error {}

interface Token {
  readonly action: boolean;
  readonly text: string;
}

function tokenize(template: string): Token[] {
  const out: Token[] = [];
  const pattern = /\{\{(-\s)?((?:"(?:\\.|[^"\\])*"|`[^`]*`|[^}"`]|\}(?!\}))*?)(\s-)?\}\}/g;
  let last = 0;
  let trimNext = false;
  const pushText = (text: string, trimEnd: boolean): void => {
    let t = trimNext ? text.replace(/^\s+/, '') : text;
    if (trimEnd) t = t.replace(/\s+$/, '');
    if (t !== '') out.push({ action: false, text: t });
  };
  for (const m of template.matchAll(pattern)) {
    pushText(template.slice(last, m.index), m[1] !== undefined);
    trimNext = m[3] !== undefined;
    out.push({ action: true, text: (m[2] as string).trim() });
    last = m.index + m[0].length;
  }
  pushText(template.slice(last), false);
  return out;
}

function parse(tokens: readonly Token[], at: { i: number }, ends: readonly string[]): Result<Node[]> {
  const out: Node[] = [];
  while (at.i < tokens.length) {
    const t = tokens[at.i++] as Token;
    if (!t.action) {
      out.push({ kind: 'text', text: t.text });
      continue;
    }
    const word = t.text.split(/\s/)[0] as string;
    if (ends.includes(word)) {
      at.i--;
      return ok(out);
    }
    if (word === 'range' || word === 'if' || word === 'with') {
      const body = parse(tokens, at, ['end', 'else']);
      if (!body.ok) return body;
      let otherwise: readonly Node[] = [];
      const closer = tokens[at.i++];
      if (closer?.text.startsWith('else')) {
        const chained = closer.text.slice(4).trim();
        if (chained !== '') {
          // `else if` is an if inside the else.
          const rest = [{ action: true, text: chained }, ...tokens.slice(at.i)];
          const inner = { i: 0 };
          const nested = parse(rest, inner, []);
          if (!nested.ok) return nested;
          otherwise = nested.value.slice(0, 1);
          at.i = tokens.length;
        } else {
          const alt = parse(tokens, at, ['end']);
          if (!alt.ok) return alt;
          otherwise = alt.value;
          at.i++;
        }
      } else if (closer === undefined) return err('unexpected EOF');
      out.push({ kind: 'block', verb: word, pipe: t.text.slice(word.length).trim(), body: body.value, otherwise });
    } else if (word === 'end' || word === 'else') return err(`unexpected {{${word}}}`);
    else if (!t.text.startsWith('/*')) out.push({ kind: 'action', pipe: t.text });
  }
  return ends.length > 0 ? err('unexpected EOF') : ok(out);
}

function run(nodes: readonly Node[], s: Scope): string {
  let text = '';
  for (const n of nodes) {
    if (n.kind === 'text') text += n.text;
    else if (n.kind === 'action') {
      const assign = /^(\$\w*)\s*:?=\s*(.+)$/.exec(n.pipe);
      if (assign) s.vars.set(assign[1] as string, evalPipe(assign[2] as string, s));
      else text += show(evalPipe(n.pipe, s));
    } else text += runBlock(n, s);
  }
  return text;
}

function runBlock(n: Extract<Node, { kind: 'block' }>, s: Scope): string {
  const named = /^(\$\w+)(?:\s*,\s*(\$\w+))?\s*:=\s*(.+)$/.exec(n.pipe);
  const value = evalPipe(named ? (named[3] as string) : n.pipe, s);
  const inner = (dot: Value, key?: Value): string => {
    const vars = new Map(s.vars);
    if (named?.[2] !== undefined) {
      vars.set(named[1] as string, key);
      vars.set(named[2], dot);
    } else if (named) vars.set(named[1] as string, dot);
    return run(n.body, { dot, vars, root: s.root });
  };
  if (n.verb !== 'range') {
    if (!truth(value)) return run(n.otherwise, s);
    return n.verb === 'with' ? inner(value) : run(n.body, s);
  }
  const items: [Value, Value][] = Array.isArray(value)
    ? value.map((v: Json, i) => [v, i] as [Value, Value])
    : value !== null && typeof value === 'object'
      ? sortedKeys(rec(value)).map((k) => [rec(value)[k], k] as [Value, Value])
      : [];
  return items.length === 0 ? run(n.otherwise, s) : items.map(([v, k]) => inner(v, k)).join('');
}

const truth = (v: Value): boolean =>
  !(v === undefined || v === null || v === false || v === 0 || v === '' || (Array.isArray(v) && v.length === 0)) &&
  !(typeof v === 'object' && !Array.isArray(v) && Object.keys(v as object).length === 0);

function evalPipe(pipe: string, s: Scope): Value {
  let value: Value;
  split(pipe, '|').forEach((cmd, i) => {
    value = evalCommand(words(cmd), s, i === 0 ? [] : [value]);
  });
  return value;
}

/** Splits outside of quotes and parentheses. */
function split(text: string, at: string): string[] {
  const out = [''];
  let depth = 0;
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if (quote) {
      if (c === '\\' && quote === '"') {
        out[out.length - 1] += c + (text[++i] ?? '');
        continue;
      }
      if (c === quote) quote = '';
    } else if (c === '"' || c === '`') quote = c;
    else if (c === '(') depth++;
    else if (c === ')') depth--;
    else if (depth === 0 && (at === ' ' ? /\s/.test(c) : c === at)) {
      out.push('');
      continue;
    }
    out[out.length - 1] += c;
  }
  return out.map((x) => x.trim()).filter((x) => x !== '');
}
const words = (text: string): string[] => split(text, ' ');

function evalCommand(parts: readonly string[], s: Scope, piped: readonly Value[]): Value {
  const [head, ...rest] = parts;
  if (head === undefined) throw new TemplateError('missing value for command');
  const args = (): Value[] => [...rest.map((r) => operand(r, s)), ...piped];
  const f = FUNCTIONS[head];
  if (f) return f(args());
  if (rest.length > 0) throw new TemplateError(`function ${JSON.stringify(head)} not defined`);
  return operand(head, s);
}

function operand(text: string, s: Scope): Value {
  if (text.startsWith('(') && text.endsWith(')')) return evalPipe(text.slice(1, -1), s);
  if (text.startsWith('"')) return JSON.parse(text) as string;
  if (text.startsWith('`')) return text.slice(1, -1);
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'nil') return null;
  let value: Value;
  let path: string;
  if (text.startsWith('$')) {
    const m = /^(\$\w*)(.*)$/.exec(text) as RegExpExecArray;
    value = s.vars.get(m[1] as string);
    path = m[2] as string;
  } else if (text.startsWith('.')) {
    value = s.dot;
    path = text === '.' ? '' : text;
  } else throw new TemplateError(`function ${JSON.stringify(text)} not defined`);
  for (const field of path.split('.').slice(1))
    value = value !== null && typeof value === 'object' ? rec(value)[field] : undefined;
  return value;
}

const FUNCTIONS: Readonly<Record<string, (args: Value[]) => Value>> = {
  len: ([v]) =>
    Array.isArray(v)
      ? v.length
      : typeof v === 'string'
        ? v.length
        : v !== null && typeof v === 'object'
          ? Object.keys(v).length
          : 0,
  index: ([v, ...keys]) =>
    keys.reduce<Value>((x, k) => (Array.isArray(x) ? (x[Number(k)] as Value) : rec(x)[String(k)]), v),
  eq: ([a, ...b]) => b.some((x) => x === a),
  ne: ([a, b]) => a !== b,
  lt: ([a, b]) => (a as number) < (b as number),
  le: ([a, b]) => (a as number) <= (b as number),
  gt: ([a, b]) => (a as number) > (b as number),
  ge: ([a, b]) => (a as number) >= (b as number),
  not: ([a]) => !truth(a),
  and: (args) => args.find((a) => !truth(a)) ?? args.at(-1),
  or: (args) => args.find((a) => truth(a)) ?? args.at(-1),
  print: (args) => args.map(show).join(''),
  println: (args) => `${args.map(show).join(' ')}\n`,
  printf: ([format, ...args]) => {
    let i = 0;
    return String(format).replace(/%(-?\d*)([sdvq%])/g, (_, width: string, verb: string) => {
      if (verb === '%') return '%';
      const v = show(args[i++]);
      const shown = verb === 'q' ? JSON.stringify(v) : v;
      const w = Number(width);
      return w < 0 ? shown.padEnd(-w) : w > 0 ? shown.padStart(w) : shown;
    });
  },
};

/** A value as fmt's %v prints it. */
function show(v: Value): string {
  if (v === undefined || v === null) return '<no value>';
  if (Array.isArray(v)) return `[${v.map(show).join(' ')}]`;
  if (typeof v === 'object') {
    const map = rec(v);
    return `map[${sortedKeys(map)
      .map((k) => `${k}:${show(map[k])}`)
      .join(' ')}]`;
  }
  return String(v);
}
