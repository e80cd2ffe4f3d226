import type { Json } from '../../../engine/base';
import { err, ok, type Result } from '../../../engine/base';
import { nowSeconds } from '../../format/clock';
import { tabulate } from '../../format/tabwriter';
import type { Obj } from '../api';
import { formatLabels, list, nameOf, namespaceOf, put, rec, str } from '../fields';
import { goTemplate } from '../gotemplate';
import { toJson, toKyaml } from '../json';
import { jsonPath, pathValues, plain } from '../jsonpath';
import { type Resource, singularName } from '../resources';
import { ageAt, tableOf } from '../tables';
import { toYaml } from '../yaml';
import type { Kube } from './verb';

export interface Group {
  readonly resource: Resource;
  readonly objects: readonly Obj[];
}

const FORMATS =
  'custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml';

/** `-o` split into its format and its argument. */
export function outputOf(k: Kube): { format: string; argument: string } {
  const o = k.flags.get('output') ?? '';
  const eq = o.indexOf('=');
  const format = eq < 0 ? o : o.slice(0, eq);
  const template = k.flags.get('template');
  if (template !== undefined && (format === '' || eq < 0)) {
    return { format: format || 'go-template', argument: template };
  }
  return { format, argument: eq < 0 ? '' : o.slice(eq + 1) };
}

export function badFormat(format: string, formats = FORMATS): string {
  return `error: unable to match a printer suitable for the output format ${JSON.stringify(format)}, allowed formats are: ${formats}`;
}

/** One table with its header; `prefix` puts the kind before the names (several kinds in one answer). */
export function table(k: Kube, g: Group, prefix: boolean): string {
  const spec = tableOf(g.resource.kind);
  const wide = outputOf(k).format === 'wide';
  const allNamespaces = k.flags.is('all-namespaces') && g.resource.namespaced;
  const labelColumns = (k.flags.all('label-columns') ?? []).flatMap((c) => c.split(',')).filter((c) => c !== '');
  const showLabels = k.flags.is('show-labels');
  const age = ageAt(nowSeconds(k.ctx.reader));
  const head = [...spec.columns, ...(wide ? spec.wide : [])];
  const extra = labelColumns.map((c) => c.slice(c.lastIndexOf('/') + 1).toUpperCase());
  const header = [...(allNamespaces ? ['NAMESPACE'] : []), ...head, ...extra, ...(showLabels ? ['LABELS'] : [])];
  const lines = k.flags.is('no-headers') ? [] : [header.join('\t')];
  for (const o of g.objects) {
    const cells = spec.row(o, age).slice(0, head.length).map(oneLine);
    if (prefix || k.flags.is('show-kind')) cells[0] = `${singularName(g.resource)}/${cells[0]}`;
    const labels = rec(o, 'metadata', 'labels');
    lines.push(
      [
        ...(allNamespaces ? [namespaceOf(o)] : []),
        ...cells,
        ...labelColumns.map((c) => str(labels, c)),
        ...(showLabels ? [formatLabels(labels)] : []),
      ].join('\t'),
    );
  }
  return tabulate(`${lines.join('\n')}\n`, 6, 3);
}

/** Cells end at their first line break (tableprinter's truncation). */
const oneLine = (cell: string): string => (cell.includes('\n') ? `${cell.slice(0, cell.indexOf('\n'))}...` : cell);

/** Fields that the server's JSON always has although nobody set them (no omitempty in the Go type). */
function asServed(o: Obj): Obj {
  if (o.kind !== 'Pod') return o;
  const conditions = list(o, 'status', 'conditions').map((c) => ({ lastProbeTime: null, ...(c as object) }));
  const statuses = list(o, 'status', 'containerStatuses').map((c) => ({ lastState: {}, ...(c as object) }));
  let out = o;
  if (conditions.length > 0) out = put(out, ['status', 'conditions'], conditions as Json);
  if (statuses.length > 0) out = put(out, ['status', 'containerStatuses'], statuses as Json);
  return out;
}

/** Objects for output: kubectl hides the managed fields, and a list is wrapped in a List. */
function shown(groups: readonly Group[], single: boolean): Json {
  const all = groups.flatMap((g) => g.objects.map(asServed));
  if (single && all.length === 1) return all[0] as Json;
  return { apiVersion: 'v1', items: all as readonly Json[], kind: 'List', metadata: { resourceVersion: '' } };
}

/** Prints objects in any format but the tables. `single`: one object was asked for by name. */
export function printObjects(k: Kube, groups: readonly Group[], single: boolean): Result<string> {
  const { format, argument } = outputOf(k);
  const all = groups.flatMap((g) => g.objects);
  switch (format) {
    case 'yaml':
      return ok(all.length === 0 && single ? '' : toYaml(shown(groups, single)));
    case 'json':
      return ok(all.length === 0 && single ? '' : `${toJson(shown(groups, single))}\n`);
    case 'kyaml':
      return ok(toKyaml(shown(groups, single)));
    case 'name':
      return ok(groups.flatMap((g) => g.objects.map((o) => `${singularName(g.resource)}/${nameOf(o)}\n`)).join(''));
    case 'jsonpath': {
      if (argument === '') return err('error: template format specified but no template given');
      const r = jsonPath(argument, shown(groups, single));
      return r.ok ? r : err(`error: error parsing jsonpath ${argument}, ${r.error}`);
    }
    case 'jsonpath-as-json': {
      const r = pathValues(argument, shown(groups, single));
      return r.ok ? ok(`${toJson(r.value)}\n`) : err(`error: error parsing jsonpath ${argument}, ${r.error}`);
    }
    case 'go-template':
    case 'template': {
      if (argument === '') return err('error: template format specified but no template given');
      const r = goTemplate(argument, shown(groups, single));
      return r.ok ? r : err(`error: error parsing template ${argument}, template: output:1: ${r.error}`);
    }
    case 'custom-columns':
      return customColumns(k, argument, all);
    default:
      return err(badFormat(format));
  }
}

function customColumns(k: Kube, spec: string, objects: readonly Obj[]): Result<string> {
  if (spec === '') return err('error: custom-columns format specified but no custom columns given');
  const columns: { head: string; path: string }[] = [];
  for (const part of spec.split(',')) {
    const colon = part.indexOf(':');
    if (colon < 0) return err(`error: unexpected custom-columns spec: ${part}, expected <header>:<json-path-expr>`);
    columns.push({ head: part.slice(0, colon), path: part.slice(colon + 1) });
  }
  const lines = k.flags.is('no-headers') ? [] : [columns.map((c) => c.head).join('\t')];
  for (const o of objects) {
    const cells: string[] = [];
    for (const c of columns) {
      const values = pathValues(c.path, o as Json);
      if (!values.ok) return err(`error: ${values.error}`);
      cells.push(values.value.length === 0 ? '<none>' : values.value.map(plain).join(','));
    }
    lines.push(cells.join('\t'));
  }
  return ok(tabulate(`${lines.join('\n')}\n`, 6, 3));
}

/** Natural order of strings: runs of digits by their value (sigs.k8s.io/structured... sortorder.NaturalLess). */
export function naturalLess(a: string, b: string): boolean {
  const pa = a.match(/\d+|\D+/g) ?? [];
  const pb = b.match(/\d+|\D+/g) ?? [];
  for (let i = 0; i < Math.min(pa.length, pb.length); i++) {
    const x = pa[i] as string;
    const y = pb[i] as string;
    if (x === y) continue;
    if (/^\d/.test(x) && /^\d/.test(y) && Number(x) !== Number(y)) return Number(x) < Number(y);
    return x < y;
  }
  return pa.length < pb.length;
}

/** --sort-by: insertion sort with kubectl's comparison, in which a missing value comes before everything. */
export function sortBy(objects: readonly Obj[], path: string): Result<readonly Obj[]> {
  const out = [...objects];
  const values = new Map<Obj, Json | undefined>();
  for (const o of objects) {
    const v = pathValues(path, o as Json);
    if (!v.ok) return err(v.error);
    values.set(o, v.value[0]);
  }
  const less = (a: Obj, b: Obj): boolean => {
    const x = values.get(a);
    const y = values.get(b);
    if (x === undefined) return true;
    if (y === undefined) return false;
    return typeof x === 'number' && typeof y === 'number' ? x < y : naturalLess(plain(x), plain(y));
  };
  for (let i = 1; i < out.length; i++) {
    for (let j = i; j > 0 && less(out[j] as Obj, out[j - 1] as Obj); j--) {
      [out[j], out[j - 1]] = [out[j - 1] as Obj, out[j] as Obj];
    }
  }
  return ok(out);
}
