import { type CommandResult, fail } from '../../command';
import { completeResources } from '../../kube/cli/complete';
import { flag, text } from '../../kube/cli/flags';
import { getObject, listObjects, targets } from '../../kube/cli/resolve';
import { type Kube, Output, type Verb } from '../../kube/cli/verb';
import { apiOf, DRY_RUN, dryRun, printResult, told, writeOptions } from '../../kube/cli/write';
import { nameOf, namespaceOf, num } from '../../kube/fields';

const SCALABLE = ['Deployment', 'ReplicaSet', 'StatefulSet', 'ReplicationController'];

function run(k: Kube): CommandResult {
  const text2 = k.flags.get('replicas');
  if (text2 === undefined) return fail('error: required flag(s) "replicas" not set');
  const replicas = Number(text2);
  if (!Number.isInteger(replicas) || replicas < 0) {
    return fail('error: The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0');
  }
  const t = targets(k.args);
  if (!t.ok) return fail(`error: ${t.error}`);
  const out = new Output();
  for (const { resource, name } of t.value) {
    const found = name === undefined ? listObjects(k, resource, out) : [getObject(k, resource, name, out)];
    for (const o of found ?? []) {
      if (!o) continue;
      if (!SCALABLE.includes(resource.kind)) {
        out.error('Error from server (NotFound): the server could not find the requested resource');
        continue;
      }
      const expected = k.flags.get('current-replicas');
      const now = num(o, 'spec', 'replicas') ?? 0;
      if (expected !== undefined && Number(expected) !== -1 && Number(expected) !== now) {
        out.error(`error: Expected replicas to be ${expected}, was ${now}`);
        continue;
      }
      if (dryRun(k) === 'client') {
        printResult(k, out, o, 'scaled');
        continue;
      }
      const api = apiOf(k, out, 'patch', resource, nameOf(o));
      const written =
        api &&
        told(
          api.patch(resource.kind, namespaceOf(o), nameOf(o), 'merge', { spec: { replicas } }, writeOptions(k)),
          out,
        );
      if (written) printResult(k, out, written, 'scaled');
    }
  }
  return out.result();
}

export const scale: Verb = {
  name: 'scale',
  acts: true,
  flags: {
    ...DRY_RUN,
    replicas: text(),
    'current-replicas': text(),
    'resource-version': text(),
    timeout: text(),
    filename: text('f'),
    recursive: flag('R'),
    selector: text('l'),
    all: flag(),
  },
  run,
  complete: completeResources,
};
