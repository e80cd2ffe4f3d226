import { type CommandResult, fail } from '../../command';
import { objectOf } from '../../kube/api';
import { completeNothing } from '../../kube/cli/complete';
import { flag, text } from '../../kube/cli/flags';
import { isBroken, loadManifests } from '../../kube/cli/manifest';
import { type Kube, Output, type Verb } from '../../kube/cli/verb';
import { apiOf, DRY_RUN, printResult, told, writeOptions } from '../../kube/cli/write';
import { put, str } from '../../kube/fields';
import { singularName } from '../../kube/resources';

function run(k: Kube): CommandResult {
  const files = k.flags.all('filename');
  if (files.length === 0) return fail('error: must specify one of -f and -k');
  const loaded = loadManifests(k.ctx, files, { recursive: k.flags.is('recursive') });
  if (!loaded.ok) return fail(loaded.error);
  if (loaded.value.length === 0) return fail('error: no objects passed to replace');
  const out = new Output();
  const deleting: string[] = [];
  for (const m of loaded.value) {
    if (isBroken(m)) {
      out.error(m.error);
      continue;
    }
    const name = str(m.object, 'metadata', 'name');
    const ns = m.resource.namespaced ? str(m.object, 'metadata', 'namespace') || k.namespace : '';
    const object = ns === '' ? m.object : put(m.object, ['metadata', 'namespace'], ns);
    const api = apiOf(k, out, 'update', m.resource, name);
    if (!api) continue;
    const exists = objectOf(k.ctx.reader, m.resource.kind, ns, name);
    if (k.flags.is('force') && exists) {
      api.delete(m.resource.kind, ns === '' ? undefined : ns, name, { by: 'kubectl' });
      deleting.push(`${singularName(m.resource)} "${name}" deleted${ns === '' ? '' : ` from ${ns} namespace`}\n`);
    }
    // A missing object is made: kubectl 1.37 falls back to create and still says "replaced".
    const r =
      exists && !k.flags.is('force') ? api.update(object, writeOptions(k)) : api.create(object, writeOptions(k));
    const o = told(r, out, 'replacing', m.source);
    if (o) printResult(k, out, o, 'replaced');
  }
  out.stdout = deleting.join('') + out.stdout;
  return out.result();
}

export const replace: Verb = {
  name: 'replace',
  acts: true,
  flags: {
    ...DRY_RUN,
    filename: text('f'),
    kustomize: text('k'),
    recursive: flag('R'),
    force: flag(),
    'grace-period': text(),
    timeout: text(),
    wait: flag(),
    cascade: flag(),
    raw: text(),
    subresource: text(),
  },
  run,
  complete: completeNothing,
};
