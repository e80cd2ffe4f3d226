import { isMap, isNode, isPair, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import type * as z from 'zod/mini';
import { type Scenario, scenarioSchema } from './schema';
import { crossCheck } from './validate';

/** What is wrong with a scenario, where, and what was expected. */
export interface ScenarioError {
  readonly code: string;
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Dotted path of the field. */
  readonly field: string;
  readonly expected: string;
}

export type Loaded =
  | { readonly ok: true; readonly scenario: Scenario }
  | { readonly ok: false; readonly errors: readonly ScenarioError[] };

type Path = readonly (string | number)[];

/** Longest scenario that is read, in characters: a file of somebody else's must not hang the page. */
const MAX_CHARS = 400_000;

/** Reads and checks the text of a scenario. Every error names file, line and field; an unknown field is one. */
export function loadScenario(file: string, text: string): Loaded {
  const fail = (e: Omit<ScenarioError, 'file'>): Loaded => ({ ok: false, errors: [{ file, ...e }] });
  if (text.length > MAX_CHARS) {
    return fail({
      code: 'scenario.long',
      message: `the file has ${text.length} characters`,
      line: 1,
      column: 1,
      field: '',
      expected: `at most ${MAX_CHARS} characters`,
    });
  }
  const lines = new LineCounter();
  const doc = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const broken = doc.errors[0];
  if (broken) {
    const { line, col } = lines.linePos(broken.pos[0]);
    return fail({
      code: 'scenario.yaml',
      message: broken.message,
      line,
      column: col,
      field: '',
      expected: 'YAML that parses',
    });
  }
  let value: unknown;
  try {
    value = doc.toJS({ maxAliasCount: 100 });
  } catch (e) {
    const message = e instanceof Error ? e.message : String(e);
    return fail({
      code: 'scenario.yaml',
      message,
      line: 1,
      column: 1,
      field: '',
      expected: 'aliases that resolve, and few of them',
    });
  }
  const where = (path: Path, key?: string): Pick<ScenarioError, 'line' | 'column' | 'field'> => {
    const node = nodeAt(doc.contents, path, key);
    const { line, col } = lines.linePos(node?.range?.[0] ?? 0);
    return { line, column: col, field: [...path, ...(key === undefined ? [] : [key])].join('.') };
  };
  const parsed = scenarioSchema.safeParse(value);
  if (!parsed.success) {
    return { ok: false, errors: parsed.error.issues.flatMap((i) => issueErrors(i as Issue, value, file, where)) };
  }
  const errors = crossCheck(parsed.data).map(
    (p): ScenarioError => ({
      code: 'scenario.reference',
      message: p.message,
      file,
      ...where(p.path),
      expected: p.expected,
    }),
  );
  return errors.length > 0 ? { ok: false, errors } : { ok: true, scenario: parsed.data };
}

/** `scenarios/x.yaml:12:3: questions.0.ask: … (expected …)` */
export const errorLine = (e: ScenarioError): string =>
  `${e.file}:${e.line}:${e.column}: ${e.field === '' ? '' : `${e.field}: `}${e.message} (expected ${e.expected})`;

/** The node at a path; where the path leaves the document, the last one on it. `key`: the key's own node. */
function nodeAt(root: unknown, path: Path, key?: string): Node | undefined {
  let node: unknown = root;
  for (const step of path) {
    const next =
      isNode(node) && 'get' in node ? (node as { get(k: unknown, keep: boolean): unknown }).get(step, true) : undefined;
    if (!isNode(next)) break;
    node = next;
  }
  if (key !== undefined && isMap(node)) {
    const pair = node.items.find((p) => isPair(p) && isScalar(p.key) && p.key.value === key);
    if (pair && isNode(pair.key)) return pair.key;
  }
  return isNode(node) ? node : undefined;
}

type Issue = z.core.$ZodIssue & { readonly path: PropertyKey[] };

function issueErrors(
  issue: Issue,
  root: unknown,
  file: string,
  where: (path: Path, key?: string) => Pick<ScenarioError, 'line' | 'column' | 'field'>,
): ScenarioError[] {
  const path = issue.path.map((p) => (typeof p === 'number' ? p : String(p)));
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        code: 'scenario.unknown-field',
        message: `unknown field ${key}`,
        file,
        ...where(path, key),
        expected: 'a field of the scenario format',
      }));
    case 'invalid_union': {
      // The branch that came furthest says what was meant: the one with the deepest or fewest complaints.
      const best = bestBranch(issue.errors as Issue[][]);
      if (best.length > 0) {
        return best.flatMap((inner) =>
          issueErrors({ ...inner, path: [...issue.path, ...inner.path] } as Issue, root, file, where),
        );
      }
      return [
        {
          code: 'scenario.value',
          message: 'no form of this field fits',
          file,
          ...where(path),
          expected: 'one of its forms',
        },
      ];
    }
    case 'invalid_type': {
      const missing = valueAt(root, path) === undefined;
      return [
        {
          code: missing ? 'scenario.missing' : 'scenario.type',
          message: missing ? 'the field is missing' : `the value is of type ${typeName(valueAt(root, path))}`,
          file,
          ...where(path),
          expected: `a value of type ${issue.expected}`,
        },
      ];
    }
    case 'invalid_value':
      return [
        {
          code: 'scenario.value',
          message: `the value is ${JSON.stringify(valueAt(root, path)) ?? 'missing'}`,
          file,
          ...where(path),
          expected: issue.values.map((v) => JSON.stringify(v)).join(' or '),
        },
      ];
    default:
      return [{ code: 'scenario.value', message: issue.message, file, ...where(path), expected: issue.message }];
  }
}

function bestBranch(branches: readonly Issue[][]): Issue[] {
  let best: Issue[] = [];
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const issues of branches) {
    const unknown = issues.filter((i) => i.code === 'unrecognized_keys').length;
    const typed = issues.some((i) => i.code === 'invalid_type' && i.path.length === 0);
    const score = (typed ? -1000 : 0) - issues.length * 10 - unknown;
    if (score > bestScore) {
      best = issues;
      bestScore = score;
    }
  }
  return best;
}

function valueAt(root: unknown, path: Path): unknown {
  let v: unknown = root;
  for (const step of path) {
    if (typeof v !== 'object' || v === null) return undefined;
    v = (v as Record<string, unknown>)[step];
  }
  return v;
}

const typeName = (v: unknown): string => (v === null ? 'null' : Array.isArray(v) ? 'array' : typeof v);
