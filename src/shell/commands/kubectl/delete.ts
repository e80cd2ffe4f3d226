import { type CommandResult, fail } from '../../command';
import { type Obj, objectOf } from '../../kube/api';
import { completeResources } from '../../kube/cli/complete';
import { flag, text } from '../../kube/cli/flags';
import { isBroken, loadManifests } from '../../kube/cli/manifest';
import { getObject, listObjects, targets } from '../../kube/cli/resolve';
import { type Kube, notFound, Output, type Verb } from '../../kube/cli/verb';
import { apiOf, DRY_RUN, dryRun, suffix } from '../../kube/cli/write';
import { nameOf, namespaceOf, num, str } from '../../kube/fields';
import { qualified, type Resource, singularName } from '../../kube/resources';

const NOTHING = `error: You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'`;

/** Simulated time that `delete` waits for objects to go, us; kubectl's own is a week. */
const WAIT_US = 600_000_000;

function run(k: Kube): CommandResult {
  const out = new Output();
  const files = k.flags.all('filename');
  const grace = k.flags.is('now')
    ? 1
    : k.flags.get('grace-period') === undefined
      ? undefined
      : Number(k.flags.get('grace-period'));
  const force = k.flags.is('force');
  if (files.length === 0 && k.args.length === 0) return fail(NOTHING);
  if (grace === 0 && !force) out.stderr += '';
  if (force) {
    out.warn(
      'Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.',
    );
  }
  const wanted: { resource: Resource; object: Obj }[] = [];
  if (files.length > 0) {
    const loaded = loadManifests(k.ctx, files, { recursive: k.flags.is('recursive') });
    if (!loaded.ok) return fail(loaded.error);
    for (const m of loaded.value) {
      if (isBroken(m)) {
        out.error(m.error);
        continue;
      }
      const name = str(m.object, 'metadata', 'name');
      const ns = m.resource.namespaced ? str(m.object, 'metadata', 'namespace') || k.namespace : '';
      const object = objectOf(k.ctx.reader, m.resource.kind, ns, name);
      if (object) wanted.push({ resource: m.resource, object });
      else if (!k.flags.is('ignore-not-found'))
        out.refused({
          ...notFound(qualified(m.resource), name),
          message: `error when deleting ${JSON.stringify(m.source)}: ${notFound(qualified(m.resource), name).message}`,
        });
    }
  } else {
    const t = targets(k.args);
    if (!t.ok) return fail(`error: ${t.error}`);
    for (const { resource, name } of t.value) {
      if (name !== undefined) {
        const object = getObject(k, resource, name, out);
        if (object) wanted.push({ resource, object });
        continue;
      }
      if (!k.flags.is('all') && k.flags.get('selector') === undefined && k.flags.get('field-selector') === undefined) {
        return fail('error: resource(s) were provided, but no name was specified');
      }
      for (const object of listObjects(k, resource, out) ?? []) wanted.push({ resource, object });
    }
    if (wanted.length === 0 && out.exit === 0 && t.value.every((x) => x.name === undefined))
      out.line('No resources found');
  }
  const gone: { resource: Resource; object: Obj }[] = [];
  for (const w of wanted) if (deleteOne(k, w.resource, w.object, force ? 0 : grace, out)) gone.push(w);
  const waits = k.flags.get('wait') !== 'false' && dryRun(k) === 'none' && !force;
  if (waits) waitGone(k, gone);
  return out.result();
}

function deleteOne(k: Kube, resource: Resource, object: Obj, grace: number | undefined, out: Output): boolean {
  const api = dryRun(k) === 'none' ? apiOf(k, out, 'delete', resource, nameOf(object)) : undefined;
  if (dryRun(k) === 'none') {
    if (!api) return false;
    const ns = namespaceOf(object);
    const r = api.delete(resource.kind, ns === '' ? undefined : ns, nameOf(object), {
      by: 'kubectl',
      ...(grace === undefined ? {} : { graceSeconds: grace }),
    });
    if (!r.ok) {
      out.refused(r.error);
      return false;
    }
  }
  if (k.flags.get('output') === 'name') {
    out.line(`${singularName(resource)}/${nameOf(object)}`);
    return true;
  }
  const from = resource.namespaced ? ` from ${namespaceOf(object)} namespace` : '';
  out.line(
    `${singularName(resource)} "${nameOf(object)}" ${grace === 0 ? 'force deleted' : 'deleted'}${from}${suffix(dryRun(k))}`,
  );
  return true;
}

/** kubectl waits until each object is gone or has another uid. */
function waitGone(k: Kube, gone: readonly { resource: Resource; object: Obj }[]): void {
  const there = (): boolean =>
    gone.some(({ resource, object }) => {
      const now = objectOf(k.ctx.reader, resource.kind, namespaceOf(object), nameOf(object));
      return now !== undefined && str(now, 'metadata', 'uid') === str(object, 'metadata', 'uid');
    });
  const seconds = gone.reduce((n, g) => Math.max(n, num(g.object, 'spec', 'terminationGracePeriodSeconds') ?? 0), 0);
  if (there()) k.ctx.world?.runUntil(() => !there(), Math.max(WAIT_US, seconds * 1_000_000));
}

export const deleteVerb: Verb = {
  name: 'delete',
  acts: true,
  flags: {
    ...DRY_RUN,
    filename: text('f'),
    kustomize: text('k'),
    recursive: flag('R'),
    selector: text('l'),
    'field-selector': text(),
    all: flag(),
    'all-namespaces': flag('A'),
    force: flag(),
    'grace-period': text(),
    now: flag(),
    wait: flag(),
    timeout: text(),
    cascade: flag(),
    'ignore-not-found': flag(),
    interactive: flag('i'),
    raw: text(),
  },
  run,
  complete: completeResources,
};
