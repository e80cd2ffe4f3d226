import { type CommandResult, fail } from '../../command';
import { type Obj, objectsOf } from '../../kube/api';
import { completeResources } from '../../kube/cli/complete';
import { flag, text } from '../../kube/cli/flags';
import { getObject } from '../../kube/cli/resolve';
import { type Kube, Output, usage, type Verb } from '../../kube/cli/verb';
import { apiOf, DRY_RUN, dryRun, suffix, told, writeOptions } from '../../kube/cli/write';
import { list, nameOf, namespaceOf, rec, str } from '../../kube/fields';
import { findResource, type Resource } from '../../kube/resources';

const NODES = findResource('nodes') as Resource;

function mark(k: Kube, name: string, unschedulable: boolean, out: Output): Obj | undefined {
  const node = getObject(k, NODES, name, out);
  if (!node) return undefined;
  const word = unschedulable ? 'cordoned' : 'uncordoned';
  const now = rec(node, 'spec').unschedulable === true;
  if (now === unschedulable) {
    out.line(`node/${name} already ${word}${suffix(dryRun(k))}`);
    return node;
  }
  if (dryRun(k) === 'none') {
    const api = apiOf(k, out, 'patch', NODES, name);
    if (
      !api ||
      !told(
        api.patch(
          'Node',
          undefined,
          name,
          'merge',
          { spec: { unschedulable: unschedulable ? true : null } },
          writeOptions(k),
        ),
        out,
      )
    )
      return undefined;
  }
  out.line(`node/${name} ${word}${suffix(dryRun(k))}`);
  return node;
}

const cordonVerb = (name: 'cordon' | 'uncordon'): Verb => ({
  name,
  acts: true,
  flags: { ...DRY_RUN, selector: text('l') },
  run: (k) => {
    if (k.args.length === 0) return usage(k, 'node name is required');
    const out = new Output();
    for (const n of k.args) mark(k, n, name === 'cordon', out);
    return out.result();
  },
  complete: (c) => objectsOf(c.reader, 'Node', '').map(nameOf),
});

export const cordon = cordonVerb('cordon');
export const uncordon = cordonVerb('uncordon');

function runDrain(k: Kube): CommandResult {
  const name = k.args[0];
  if (name === undefined) return fail("error: USAGE: drain NODE [flags]\nSee 'kubectl drain -h' for help and examples");
  const out = new Output();
  const node = mark(k, name, true, out);
  if (!node) return out.result();
  const pods = objectsOf(k.ctx.reader, 'Pod', '').filter((p) => str(p, 'spec', 'nodeName') === name);
  const bare = pods.filter((p) => !list(p, 'metadata', 'ownerReferences').some((r) => rec(r).controller === true));
  if (bare.length > 0 && !k.flags.is('force')) {
    const names = bare.map((p) => `${namespaceOf(p)}/${nameOf(p)}`).join(', ');
    const why = `cannot delete Pods that declare no controller (use --force to override): ${names}`;
    out.error(
      `error: unable to drain node ${JSON.stringify(name)} due to error: ${why}, continuing command...\nThere are pending nodes to be drained:\n ${name}\n${why}`,
    );
    return out.result();
  }
  for (const p of pods) {
    if (dryRun(k) === 'none') k.ctx.world?.api.delete('Pod', namespaceOf(p), nameOf(p), { by: 'kubectl' });
    out.line(`evicting pod ${namespaceOf(p)}/${nameOf(p)}${suffix(dryRun(k))}`);
  }
  out.line(`node/${name} drained${suffix(dryRun(k))}`);
  return out.result();
}

export const drain: Verb = {
  name: 'drain',
  acts: true,
  flags: {
    ...DRY_RUN,
    force: flag(),
    'ignore-daemonsets': flag(),
    'delete-emptydir-data': flag(),
    'grace-period': text(),
    timeout: text(),
    selector: text('l'),
    'pod-selector': text(),
    'disable-eviction': flag(),
    'skip-wait-for-delete-timeout': text(),
  },
  run: runDrain,
  complete: completeResources,
};
