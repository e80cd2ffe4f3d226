import { parse } from 'yaml';
import type { Json } from '../../../engine/base';
import { type CommandResult, fail } from '../../command';
import type { Obj } from '../../kube/api';
import { completeResources } from '../../kube/cli/complete';
import { flag, text } from '../../kube/cli/flags';
import { getObject, targets } from '../../kube/cli/resolve';
import { type Kube, Output, type Verb } from '../../kube/cli/verb';
import { apiOf, DRY_RUN, printResult, writeOptions } from '../../kube/cli/write';
import { nameOf, namespaceOf } from '../../kube/fields';

const TYPES = { strategic: 'strategic-merge', merge: 'merge', json: 'json' } as const;

function run(k: Kube): CommandResult {
  const type = (k.flags.get('type') ?? 'strategic') as keyof typeof TYPES;
  if (!Object.hasOwn(TYPES, type)) {
    return fail(
      `error: --type must be one of [json merge strategic], not ${JSON.stringify(type)}\nSee 'kubectl patch -h' for help and examples`,
    );
  }
  const given = k.flags.get('patch');
  const file = k.flags.get('patch-file');
  if (given === undefined && file === undefined)
    return fail('error: must specify --patch or --patch-file containing the contents of the patch');
  let textOf = given ?? '';
  if (file !== undefined) {
    const read = k.ctx.files.read(file);
    if (!('text' in read)) return fail(`error: unable to read patch file: open ${file}: no such file or directory`);
    textOf = read.text;
  }
  let patch: Json;
  try {
    patch = parse(textOf, { maxAliasCount: 50 }) as Json;
  } catch {
    return fail(`error: unable to parse ${JSON.stringify(textOf)}: yaml: did not find expected node content`);
  }
  const t = targets(k.args);
  if (!t.ok) return fail(`error: ${t.error}`);
  if (t.value.length === 0) return fail('error: You must provide one or more resources by argument or filename.');
  const out = new Output();
  for (const { resource, name } of t.value) {
    if (name === undefined) {
      out.error('error: resource(s) were provided, but no name was specified');
      continue;
    }
    const o = getObject(k, resource, name, out);
    const api = o && apiOf(k, out, 'patch', resource, name);
    if (!o || !api) continue;
    const ns = namespaceOf(o);
    const subresource = k.flags.get('subresource') === 'status' ? ({ subresource: 'status' } as const) : {};
    const r = api.patch(resource.kind, ns === '' ? undefined : ns, nameOf(o), TYPES[type], patch, {
      ...writeOptions(k),
      ...subresource,
    });
    if (!r.ok) {
      out.refused(r.error);
      continue;
    }
    for (const w of r.value.warnings) out.warn(w);
    printResult(k, out, r.value.object as unknown as Obj, r.value.changed ? 'patched' : 'patched (no change)');
  }
  return out.result();
}

export const patch: Verb = {
  name: 'patch',
  acts: true,
  flags: {
    ...DRY_RUN,
    patch: text('p'),
    'patch-file': text(),
    type: text(),
    local: flag(),
    filename: text('f'),
    recursive: flag('R'),
    subresource: text(),
  },
  run,
  complete: completeResources,
};
