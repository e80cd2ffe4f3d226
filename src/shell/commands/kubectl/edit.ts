import type { Json } from '../../../engine/base';
import { hashText } from '../../../engine/base';
import { type CommandResult, fail } from '../../command';
import type { Obj } from '../../kube/api';
import { completeResources } from '../../kube/cli/complete';
import { text } from '../../kube/cli/flags';
import { documents, isBroken } from '../../kube/cli/manifest';
import { resolve } from '../../kube/cli/resolve';
import { type Kube, Output, objectName, type Verb } from '../../kube/cli/verb';
import { apiOf, DRY_RUN, writeOptions } from '../../kube/cli/write';
import { nameOf } from '../../kube/fields';
import { qualified } from '../../kube/resources';
import { toYaml } from '../../kube/yaml';

const EDIT_FILE = '/tmp/kubectl-edit.yaml';

const HEADER = `# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
`;

/**
 * `kubectl edit` in two halves, because the editor is a program of the shell: the first call (no edited file) gives the
 * text to edit as a file; the shell runs $EDITOR on it and calls again with --edited-file.
 */
function run(k: Kube): CommandResult {
  if (k.args.length === 0) return fail('error: must specify at least one resource or filename to edit');
  const out = new Output();
  const groups = resolve(k, out);
  const found = groups?.flatMap((g) => g.objects.map((o) => ({ resource: g.resource, o }))) ?? [];
  const target = found[0];
  if (!target) return out.result();
  const original = HEADER + toYaml(target.o as Json);
  const edited = k.flags.get('edited-file');
  if (edited === undefined) return { stdout: '', stderr: '', exit: 0, files: { [EDIT_FILE]: original } };
  const file = k.ctx.files.read(edited);
  const textOf = 'text' in file ? file.text : '';
  if (textOf === original || textOf.trim() === '')
    return { stdout: '', stderr: 'Edit cancelled, no changes made.\n', exit: 0 };
  const name = `/tmp/kubectl-edit-${Number.parseInt(hashText(textOf).slice(0, 8), 16)}.yaml`;
  const lost = (): CommandResult => ({
    stdout: '',
    stderr: `error: ${qualified(target.resource)} ${JSON.stringify(nameOf(target.o))} is invalid\nA copy of your changes has been stored to "${name}"\nerror: Edit cancelled, no valid changes were saved.\n`,
    exit: 1,
    files: { [name]: textOf },
  });
  const m = documents(edited, textOf)[0];
  if (!m || isBroken(m)) return lost();
  const api = apiOf(k, out, 'patch', target.resource, nameOf(target.o));
  if (!api) return out.result();
  const r = api.update({ ...m.object }, writeOptions(k));
  if (!r.ok) return lost();
  for (const w of r.value.warnings) out.warn(w);
  if (!r.value.changed) return { stdout: '', stderr: 'Edit cancelled, no changes made.\n', exit: 0 };
  out.line(`${objectName(r.value.object as unknown as Obj)} edited`);
  return out.result();
}

export const edit: Verb = {
  name: 'edit',
  acts: true,
  flags: { ...DRY_RUN, filename: text('f'), 'edited-file': text(), subresource: text() },
  run,
  complete: completeResources,
};
