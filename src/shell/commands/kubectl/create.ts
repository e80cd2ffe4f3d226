import { type CommandResult, fail } from '../../command';
import type { Obj } from '../../kube/api';
import { completeNothing } from '../../kube/cli/complete';
import { flag, text } from '../../kube/cli/flags';
import { isBroken, loadManifests } from '../../kube/cli/manifest';
import { type Kube, Output, type Verb } from '../../kube/cli/verb';
import { apiOf, DRY_RUN, dryRun, printResult, told, writeOptions } from '../../kube/cli/write';
import { put, str } from '../../kube/fields';

const USAGE = `Create a resource from a file or from stdin.

 JSON and YAML formats are accepted.

Examples:
  # Create a pod using the data in pod.json`;

function run(k: Kube): CommandResult {
  const files = k.flags.all('filename');
  if (files.length === 0) {
    if (k.args.length > 0)
      return fail(`error: Unexpected args: [${k.args.join(' ')}]\nSee 'kubectl create -h' for help and examples`);
    return { stdout: '', stderr: `Error: must specify one of -f and -k\n\n${USAGE}\n`, exit: 1 };
  }
  const out = new Output();
  const loaded = loadManifests(k.ctx, files, { recursive: k.flags.is('recursive') });
  if (!loaded.ok) return fail(loaded.error);
  if (loaded.value.length === 0) return fail('error: no objects passed to create');
  for (const m of loaded.value) {
    if (isBroken(m)) {
      out.error(m.error);
      continue;
    }
    const own = str(m.object, 'metadata', 'namespace');
    const wanted = k.flags.get('namespace');
    if (wanted !== undefined && own !== '' && own !== wanted && m.resource.namespaced) {
      out.error(
        `error: the namespace from the provided object ${JSON.stringify(own)} does not match the namespace ${JSON.stringify(wanted)}. You must pass '--namespace=${own}' to perform this operation.`,
      );
      continue;
    }
    if (dryRun(k) === 'client') {
      const o = m.resource.namespaced && own === '' ? put(m.object, ['metadata', 'namespace'], k.namespace) : m.object;
      printResult(k, out, o as Obj, 'created');
      continue;
    }
    // The refusal of a user without rules names the file, too.
    const refusal = new Output();
    const api = apiOf(k, refusal, 'create', m.resource);
    if (!api) {
      out.error(
        refusal.stderr
          .replace(/\n$/, '')
          .replace('(Forbidden): ', `(Forbidden): error when creating ${JSON.stringify(m.source)}: `),
      );
      continue;
    }
    const o = told(api.create(m.object, writeOptions(k)), out, 'creating', m.source, m.resource);
    if (o) printResult(k, out, o, 'created');
  }
  return out.result();
}

export const create: Verb = {
  name: 'create',
  acts: true,
  flags: {
    ...DRY_RUN,
    filename: text('f'),
    kustomize: text('k'),
    recursive: flag('R'),
    selector: text('l'),
    edit: flag(),
    raw: text(),
    'windows-line-endings': flag(),
  },
  run,
  complete: completeNothing,
};
