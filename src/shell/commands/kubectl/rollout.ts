import { timestamp } from '../../../engine/k8s';
import { type CommandResult, fail, out as stdout } from '../../command';
import { type Obj, objectOf } from '../../kube/api';
import { completeResources } from '../../kube/cli/complete';
import { flag, text } from '../../kube/cli/flags';
import { getObject, targets } from '../../kube/cli/resolve';
import { type Kube, Output, objectName, type Verb } from '../../kube/cli/verb';
import { apiOf, DRY_RUN, told, writeOptions } from '../../kube/cli/write';
import { nameOf, namespaceOf, num } from '../../kube/fields';

/** Simulated time that `rollout status` waits at most, us. */
const WAIT_US = 600_000_000;

/** What still has to happen before a Deployment is rolled out (polymorphichelpers' DeploymentStatusViewer). */
function pending(o: Obj): string | undefined {
  const n = (...path: string[]): number => num(o, ...path) ?? 0;
  const want = n('spec', 'replicas');
  const name = JSON.stringify(nameOf(o));
  if (n('status', 'updatedReplicas') < want)
    return `Waiting for deployment ${name} rollout to finish: ${n('status', 'updatedReplicas')} out of ${want} new replicas have been updated...`;
  if (n('status', 'replicas') > n('status', 'updatedReplicas')) {
    return `Waiting for deployment ${name} rollout to finish: ${n('status', 'replicas') - n('status', 'updatedReplicas')} old replicas are pending termination...`;
  }
  const available = num(o, 'status', 'availableReplicas') ?? n('status', 'readyReplicas');
  if (available < n('status', 'updatedReplicas')) {
    return `Waiting for deployment ${name} rollout to finish: ${available} of ${n('status', 'updatedReplicas')} updated replicas are available...`;
  }
  return undefined;
}

function status(k: Kube, o: Obj): CommandResult {
  const out = new Output();
  const now = (): Obj => objectOf(k.ctx.reader, 'Deployment', namespaceOf(o), nameOf(o)) ?? o;
  let said = pending(now());
  if (said !== undefined) out.line(said);
  const end = k.ctx.reader.nowUs + WAIT_US;
  while (said !== undefined && k.ctx.world && k.ctx.reader.nowUs < end) {
    const before = said;
    if (!k.ctx.world.runUntil(() => pending(now()) !== before, end - k.ctx.reader.nowUs)) break;
    said = pending(now());
    if (said !== undefined) out.line(said);
  }
  if (said === undefined) out.line(`deployment ${JSON.stringify(nameOf(o))} successfully rolled out`);
  else out.error('error: timed out waiting for the condition');
  return out.result();
}

function run(k: Kube): CommandResult {
  const [sub, ...rest] = k.args;
  const t = targets(rest);
  if (sub === undefined) return stdout('Manage the rollout of one or many resources.\n');
  if (!t.ok) return fail(`error: ${t.error}`);
  const out = new Output();
  for (const { resource, name } of t.value) {
    const o = name === undefined ? undefined : getObject(k, resource, name, out);
    if (!o) continue;
    if (resource.kind !== 'Deployment') return fail(`error: no rollout for ${resource.kind}`);
    if (sub === 'status') return status(k, o);
    if (sub === 'restart') {
      const api = apiOf(k, out, 'patch', resource, nameOf(o));
      const at = timestamp(k.ctx.reader.nowUs);
      const body = { spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': at } } } } };
      const written =
        api && told(api.patch('Deployment', namespaceOf(o), nameOf(o), 'merge', body, writeOptions(k)), out);
      if (written) out.line(`${objectName(written)} restarted`);
    } else return fail(`error: unknown rollout command ${JSON.stringify(sub)}`);
  }
  return out.result();
}

export const rollout: Verb = {
  name: 'rollout',
  acts: true,
  flags: {
    ...DRY_RUN,
    filename: text('f'),
    recursive: flag('R'),
    selector: text('l'),
    watch: flag('w'),
    timeout: text(),
    revision: text(),
    'to-revision': text(),
  },
  run,
  complete: (c) =>
    c.words.length <= 2
      ? ['status', 'restart', 'history', 'undo']
      : completeResources({ ...c, words: c.words.filter((_, i) => i !== 2) }),
};
