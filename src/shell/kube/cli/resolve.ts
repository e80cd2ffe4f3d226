import { err, ok, type Result } from '../../../engine/base';
import { type Obj, objectOf, objectsOf } from '../api';
import { labelsOf } from '../fields';
import { ALL, findResource, qualified, type Resource } from '../resources';
import {
  type FieldSelector,
  type LabelSelector,
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
} from '../selector';
import { forbidden, type Kube, notFound, type Output } from './verb';

/** What the words of a command name: a resource and, where given, one object of it. */
export interface Target {
  readonly resource: Resource;
  readonly name: string | undefined;
}

const unknownType = (word: string): string => `the server doesn't have a resource type ${JSON.stringify(word)}`;

/** `svc web`, `svc,pods`, `svc/web ep/web`, `all` → targets, or the text of the mistake. */
export function targets(args: readonly string[]): Result<readonly Target[]> {
  const [first, ...rest] = args;
  if (first === undefined) return ok([]);
  if (args.some((a) => a.includes('/'))) {
    const out: Target[] = [];
    for (const a of args) {
      const parts = a.split('/');
      if (parts.length !== 2) {
        return err(
          parts.length > 2
            ? `arguments in resource/name form may not have more than one slash`
            : `there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'`,
        );
      }
      const [type, name] = parts as [string, string];
      if (type === '' || name === '')
        return err(`arguments in resource/name form must have a single resource and name`);
      const resource = findResource(type);
      if (!resource) return err(unknownType(type));
      out.push({ resource, name });
    }
    return ok(out);
  }
  const resources: Resource[] = [];
  for (const type of first.split(',')) {
    if (type === 'all') {
      for (const plural of ALL) resources.push(findResource(plural) as Resource);
      continue;
    }
    const resource = findResource(type);
    if (!resource) return err(unknownType(type));
    resources.push(resource);
  }
  if (rest.length === 0) return ok(resources.map((resource) => ({ resource, name: undefined })));
  return ok(resources.flatMap((resource) => rest.map((name) => ({ resource, name }))));
}

/** `-l` and `--field-selector` of a call, already parsed; the error is told as the server tells it. */
export interface Selection {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
}

export function selection(k: Kube, resource: Resource): Result<Selection> {
  const l = k.flags.get('selector') ?? '';
  const f = k.flags.get('field-selector') ?? '';
  const wrong = (why: string): Result<never> =>
    err(
      `Error from server (BadRequest): Unable to find ${JSON.stringify(`${resource.group}/${resource.version}, Resource=${resource.plural}`)} that match label selector ${JSON.stringify(l)}, field selector ${JSON.stringify(f)}: ${why}`,
    );
  const labels = parseLabelSelector(l);
  if (!labels.ok) return wrong(labels.error);
  const fields = parseFieldSelector(f, resource.kind);
  if (!fields.ok) return wrong(fields.error);
  return ok({ labels: labels.value, fields: fields.value });
}

const DEPRECATED: Readonly<Record<string, string>> = {
  Endpoints: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  ComponentStatus: 'v1 ComponentStatus is deprecated in v1.19+',
};

/** The warning that the server sends with each answer about a deprecated kind; kubectl prints it once. */
export function deprecation(resource: Resource, out: Output): void {
  const w = DEPRECATED[resource.kind];
  if (w !== undefined && !out.stderr.includes(`Warning: ${w}\n`)) out.warn(w);
}

/** Lists a resource in the call's namespace (or all), with its selectors. */
export function listObjects(k: Kube, resource: Resource, out: Output): readonly Obj[] | undefined {
  const namespace = !resource.namespaced || k.flags.is('all-namespaces') ? '' : k.namespace;
  if (k.as !== undefined) {
    out.refused(
      forbidden(k.as, 'list', resource.plural, resource.group, resource.namespaced ? k.namespace : undefined),
    );
    return undefined;
  }
  const s = selection(k, resource);
  if (!s.ok) {
    out.error(s.error);
    return undefined;
  }
  deprecation(resource, out);
  return objectsOf(k.ctx.reader, resource.kind, namespace).filter(
    (o) => matchesLabels(s.value.labels, labelsOf(o)) && matchesFields(s.value.fields, o),
  );
}

/** One object by name; a missing one is told on stderr unless --ignore-not-found. */
export function getObject(
  k: Kube,
  resource: Resource,
  name: string,
  out: Output,
  namespace = k.namespace,
): Obj | undefined {
  if (k.as !== undefined) {
    out.refused(
      forbidden(k.as, 'get', resource.plural, resource.group, resource.namespaced ? namespace : undefined, name),
    );
    return undefined;
  }
  deprecation(resource, out);
  const o = objectOf(k.ctx.reader, resource.kind, resource.namespaced ? namespace : '', name);
  if (!o && !k.flags.is('ignore-not-found')) out.refused(notFound(qualified(resource), name));
  return o;
}

/** All objects that the words of a command name, in order. `undefined`: a mistake that ends the command, told in `out`. */
export function resolve(k: Kube, out: Output): { resource: Resource; objects: readonly Obj[] }[] | undefined {
  const t = targets(k.args);
  if (!t.ok) {
    out.error(`error: ${t.error}`);
    return undefined;
  }
  const groups: { resource: Resource; objects: Obj[] }[] = [];
  for (const { resource, name } of t.value) {
    const found = name === undefined ? listObjects(k, resource, out) : [getObject(k, resource, name, out)];
    let group = groups.find((g) => g.resource === resource);
    if (!group) {
      group = { resource, objects: [] };
      groups.push(group);
    }
    for (const o of found ?? []) if (o) group.objects.push(o);
  }
  return groups;
}
