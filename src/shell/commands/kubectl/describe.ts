import { type CommandResult, fail } from '../../command';
import { nowSeconds } from '../../format/clock';
import { objectsOf } from '../../kube/api';
import { completeResources } from '../../kube/cli/complete';
import { flag, text } from '../../kube/cli/flags';
import { listObjects, resolve, targets } from '../../kube/cli/resolve';
import { type Kube, Output, type Verb } from '../../kube/cli/verb';
import { type DescribeCtx, describerOf } from '../../kube/describe';
import { nameOf } from '../../kube/fields';
import { ageAt } from '../../kube/tables';

function run(k: Kube): CommandResult {
  if (k.args.length === 0 && k.flags.all('filename').length === 0) {
    return fail(
      'error: You must specify the type of resource to describe. Use "kubectl api-resources" for a complete list of supported resources.',
    );
  }
  const out = new Output();
  const ctx: DescribeCtx = {
    list: (kind, namespace) => objectsOf(k.ctx.reader, kind, namespace),
    age: ageAt(nowSeconds(k.ctx.reader)),
  };
  const groups = resolvePrefix(k, out);
  const texts = (groups ?? []).flatMap((g) => g.objects.map((o) => describerOf(g.resource.kind)(o, ctx)));
  out.stdout = texts.join('\n\n');
  if (groups && texts.length === 0 && out.exit === 0) {
    const namespaced = groups.some((g) => g.resource.namespaced) && !k.flags.is('all-namespaces');
    out.stderr += namespaced ? `No resources found in ${k.namespace} namespace.\n` : 'No resources found\n';
  }
  return out.result();
}

/** A name that no object has stands for all objects whose names it starts (DescribeMatchingResources). */
function resolvePrefix(k: Kube, out: Output): ReturnType<typeof resolve> {
  const t = targets(k.args);
  const target = t.ok && t.value.length === 1 ? t.value[0] : undefined;
  if (!target || target.name === undefined) return resolve(k, out);
  const quiet = new Output();
  const exact = resolve(k, quiet);
  if (exact?.some((g) => g.objects.length > 0)) {
    out.stderr += quiet.stderr;
    return exact;
  }
  const prefix = target.name;
  const silent = new Output();
  const all = (listObjects(k, target.resource, silent) ?? []).filter((o) => nameOf(o).startsWith(prefix));
  out.stderr += quiet.stderr
    .split('\n')
    .filter((l) => l.startsWith('Warning: '))
    .map((l) => `${l}\n`)
    .join('');
  if (all.length > 0) return [{ resource: target.resource, objects: all }];
  out.stderr = quiet.stderr;
  out.exit = quiet.exit;
  return undefined;
}

export const describe: Verb = {
  name: 'describe',
  acts: false,
  flags: {
    selector: text('l'),
    'all-namespaces': flag('A'),
    filename: text('f'),
    recursive: flag('R'),
    'show-events': flag(),
    'chunk-size': text(),
    kustomize: text('k'),
  },
  run,
  complete: completeResources,
};
