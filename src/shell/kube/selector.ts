import { err, ok, type Result } from '../../engine/base';
import type { Obj } from './api';
import { str } from './fields';

/** One requirement of a label selector (k8s.io/apimachinery/pkg/labels). */
interface Requirement {
  readonly key: string;
  readonly op: '=' | '!=' | 'in' | 'notin' | '>' | '<' | 'exists' | 'absent';
  readonly values: readonly string[];
}
export type LabelSelector = readonly Requirement[];

interface Token {
  readonly text: string;
  readonly kind: 'word' | 'op' | 'end';
}

function* lex(text: string): Generator<Token> {
  const pattern = /\s*(==|!=|=|!|,|\(|\)|>|<|[^\s=!,()<>]+)/gy;
  let m = pattern.exec(text);
  while (m) {
    const t = m[1] as string;
    yield { text: t, kind: /^[=!,()<>]/.test(t) ? 'op' : 'word' };
    m = pattern.exec(text);
  }
  for (;;) yield { text: '', kind: 'end' };
}

/** Parses `a=b,c!=d,e in (x,y),!f`; the error is the text of the API server's parser. */
export function parseLabelSelector(text: string): Result<LabelSelector> {
  const tokens = lex(text);
  let look = tokens.next().value as Token;
  const take = (): Token => {
    const t = look;
    look = tokens.next().value as Token;
    return t;
  };
  const reqs: Requirement[] = [];
  while (look.kind !== 'end') {
    let absent = false;
    if (look.text === '!') {
      take();
      absent = true;
    }
    const key = take();
    if (key.kind !== 'word') return err(`found '${key.text}', expected: identifier`);
    if (absent) reqs.push({ key: key.text, op: 'absent', values: [] });
    else if (look.text === '=' || look.text === '==' || look.text === '!=') {
      const op = take().text === '!=' ? '!=' : '=';
      // An empty value is allowed: `app==` selects objects whose label is empty.
      const value = (look as Token).kind === 'word' ? take().text : '';
      reqs.push({ key: key.text, op, values: [value] });
    } else if (look.text === '>' || look.text === '<') {
      const op = take().text as '>' | '<';
      reqs.push({ key: key.text, op, values: [(look as Token).kind === 'word' ? take().text : ''] });
    } else if (look.text === 'in' || look.text === 'notin') {
      const op = take().text as 'in' | 'notin';
      if ((look as Token).text !== '(') return err(`found '${look.text}' expected: '('`);
      take();
      const values: string[] = [];
      while ((look as Token).text !== ')') {
        const t = take();
        if (t.kind === 'end') return err(`found '', expected: ',', ')' or identifier`);
        if (t.kind === 'word') values.push(t.text);
      }
      take();
      reqs.push({ key: key.text, op, values });
    } else reqs.push({ key: key.text, op: 'exists', values: [] });
    const sep = take();
    if (sep.kind === 'end') break;
    if (sep.text !== ',') return err(`found '${sep.text}', expected: ',' or 'end of string'`);
  }
  return ok(reqs);
}

export function matchesLabels(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  return selector.every((r) => {
    const v = Object.hasOwn(labels, r.key) ? labels[r.key] : undefined;
    switch (r.op) {
      case '=':
        return v === r.values[0];
      case '!=':
        return v !== r.values[0];
      case 'in':
        return v !== undefined && r.values.includes(v);
      case 'notin':
        return v === undefined || !r.values.includes(v);
      case '>':
        return v !== undefined && Number(v) > Number(r.values[0]);
      case '<':
        return v !== undefined && Number(v) < Number(r.values[0]);
      case 'exists':
        return v !== undefined;
      default:
        return v === undefined;
    }
  });
}

/** Field selectors that the API server knows for each kind, beside metadata.name and metadata.namespace. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  Pod: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  Service: ['spec.clusterIP', 'spec.type'],
  Namespace: ['status.phase'],
  Node: ['spec.unschedulable'],
  Event: ['involvedObject.kind', 'involvedObject.name', 'involvedObject.namespace', 'reason', 'type', 'source'],
};

export type FieldSelector = readonly { readonly path: string; readonly equal: boolean; readonly value: string }[];

export function parseFieldSelector(text: string, kind: string): Result<FieldSelector> {
  const known = ['metadata.name', 'metadata.namespace', ...(FIELDS[kind] ?? [])];
  const out = [];
  for (const part of text.split(',').filter((p) => p !== '')) {
    const m = /^([^=!]+)(==|!=|=)(.*)$/.exec(part);
    if (!m) return err(`invalid selector: '${part}'; can't understand '${part}'`);
    const path = m[1] as string;
    if (!known.includes(path)) return err(`field label not supported: ${path}`);
    out.push({ path, equal: m[2] !== '!=', value: m[3] as string });
  }
  return ok(out);
}

export function matchesFields(selector: FieldSelector, object: Obj): boolean {
  return selector.every((s) => (str(object, ...s.path.split('.')) === s.value) === s.equal);
}
