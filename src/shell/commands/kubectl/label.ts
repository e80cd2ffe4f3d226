import type { Json } from '../../../engine/base';
import { isLabelValue } from '../../../engine/k8s';
import { type CommandResult, fail } from '../../command';
import type { Obj } from '../../kube/api';
import { completeResources } from '../../kube/cli/complete';
import { flag, text } from '../../kube/cli/flags';
import { getObject, listObjects, targets } from '../../kube/cli/resolve';
import { type Kube, Output, type Verb } from '../../kube/cli/verb';
import { apiOf, DRY_RUN, dryRun, printResult, told, writeOptions } from '../../kube/cli/write';
import { nameOf, namespaceOf, rec } from '../../kube/fields';
import type { Resource } from '../../kube/resources';

interface Change {
  readonly set: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
}

/** Words with `=` or a final `-` are changes; the ones before are the objects. */
function split(args: readonly string[]): { objects: readonly string[]; changes: readonly string[] } {
  const first = args.findIndex((a, i) => i > 0 && (a.includes('=') || a.endsWith('-')));
  return first < 0 ? { objects: args, changes: [] } : { objects: args.slice(0, first), changes: args.slice(first) };
}

function parseChanges(words: readonly string[], what: 'label' | 'annotation'): Change | string {
  const set = new Map<string, string>();
  const remove: string[] = [];
  for (const w of words) {
    const eq = w.indexOf('=');
    if (eq > 0) {
      const value = w.slice(eq + 1);
      const wrong = what === 'label' ? isLabelValue(value)[0] : undefined;
      if (wrong !== undefined) return `error: invalid label value: ${JSON.stringify(w)}: ${wrong}`;
      set.set(w.slice(0, eq), value);
    } else if (w.endsWith('-') && w.length > 1) remove.push(w.slice(0, -1));
    else return `error: unknown ${what} spec: ${w}`;
  }
  return { set, remove };
}

function runOn(field: 'labels' | 'annotations'): (k: Kube) => CommandResult {
  const what = field === 'labels' ? 'label' : 'annotation';
  return (k) => {
    const { objects, changes } = split(k.args);
    const fromFile = k.flags.all('filename').length > 0;
    if (objects.length === 0 && !fromFile)
      return fail('error: one or more resources must be specified as <resource> <name> or <resource>/<name>');
    if (changes.length === 0 && !k.flags.is('list')) return fail(`error: at least one ${what} update is required`);
    const change = parseChanges(changes, what);
    if (typeof change === 'string') return fail(change);
    const t = targets(objects);
    if (!t.ok) return fail(`error: ${t.error}`);
    const out = new Output();
    for (const { resource, name } of t.value) {
      const found = name === undefined ? listObjects(k, resource, out) : [getObject(k, resource, name, out)];
      for (const o of found ?? []) if (o) changeOne(k, resource, o, field, change, out);
    }
    return out.result();
  };
}

function changeOne(
  k: Kube,
  resource: Resource,
  o: Obj,
  field: 'labels' | 'annotations',
  change: Change,
  out: Output,
): void {
  const now = rec(o, 'metadata', field) as Readonly<Record<string, string>>;
  if (k.flags.is('list')) {
    for (const key of Object.keys(now).sort()) out.line(`${key}=${now[key]}`);
    return;
  }
  if (!k.flags.is('overwrite')) {
    for (const [key, value] of change.set) {
      if (Object.hasOwn(now, key) && now[key] !== value) {
        out.error(`error: '${key}' already has a value (${now[key]}), and --overwrite is false`);
        return;
      }
    }
  }
  const patch: Record<string, Json> = {};
  for (const [key, value] of change.set) patch[key] = value;
  const lost: string[] = [];
  for (const key of change.remove) {
    if (!Object.hasOwn(now, key)) lost.push(key);
    patch[key] = null;
  }
  for (const key of lost) out.line(`${field === 'labels' ? 'label' : 'annotation'} "${key}" not found.`);
  const same =
    [...change.set].every(([key, value]) => now[key] === value) && change.remove.every((key) => lost.includes(key));
  const verb = field === 'labels' ? sentence(change, same) : 'annotated';
  if (dryRun(k) === 'client' || (same && field === 'labels')) {
    printResult(k, out, o, verb);
    return;
  }
  const api = apiOf(k, out, 'patch', resource, nameOf(o));
  if (!api) return;
  const ns = namespaceOf(o);
  const written = told(
    api.patch(
      resource.kind,
      ns === '' ? undefined : ns,
      nameOf(o),
      'merge',
      { metadata: { [field]: patch } },
      writeOptions(k),
    ),
    out,
  );
  if (written) printResult(k, out, written, verb);
}

function sentence(change: Change, same: boolean): string {
  if (same) return 'not labeled';
  return change.set.size === 0 ? 'unlabeled' : 'labeled';
}

const FLAGS = {
  ...DRY_RUN,
  overwrite: flag(),
  selector: text('l'),
  'field-selector': text(),
  all: flag(),
  'all-namespaces': flag('A'),
  list: flag(),
  local: flag(),
  filename: text('f'),
  recursive: flag('R'),
  'resource-version': text(),
};

export const label: Verb = {
  name: 'label',
  acts: true,
  flags: FLAGS,
  run: runOn('labels'),
  complete: completeResources,
};
export const annotate: Verb = {
  name: 'annotate',
  acts: true,
  flags: FLAGS,
  run: runOn('annotations'),
  complete: completeResources,
};
