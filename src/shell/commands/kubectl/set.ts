import type { Json } from '../../../engine/base';
import { type CommandResult, fail, out as stdout } from '../../command';
import { completeResources } from '../../kube/cli/complete';
import { flag, text } from '../../kube/cli/flags';
import { getObject, targets } from '../../kube/cli/resolve';
import { type Kube, Output, objectName, type Verb } from '../../kube/cli/verb';
import { apiOf, DRY_RUN, told, writeOptions } from '../../kube/cli/write';
import { list, nameOf, namespaceOf, str } from '../../kube/fields';

function run(k: Kube): CommandResult {
  const [sub, ...rest] = k.args;
  if (sub === undefined) return stdout('Configure application resources.\n');
  const pairs = rest.filter((a) => a.includes('='));
  const t = targets(rest.filter((a) => !a.includes('=')));
  if (!t.ok) return fail(`error: ${t.error}`);
  if (pairs.length === 0)
    return fail(
      sub === 'image'
        ? 'error: at least one image update is required'
        : 'error: one or more selectors must be specified',
    );
  const out = new Output();
  for (const { resource, name } of t.value) {
    const o = name === undefined ? undefined : getObject(k, resource, name, out);
    const api = o && apiOf(k, out, 'patch', resource, nameOf(o));
    if (!o || !api) continue;
    const map = Object.fromEntries(
      pairs.flatMap((p) => p.split(',')).map((p) => [p.slice(0, p.indexOf('=')), p.slice(p.indexOf('=') + 1)]),
    );
    let body: Json;
    if (sub === 'selector') body = { spec: { selector: map } };
    else if (sub === 'image') {
      const containers = list(o, 'spec', 'template', 'spec', 'containers').concat(list(o, 'spec', 'containers'));
      const lost = Object.keys(map).find((c) => c !== '*' && !containers.some((x) => str(x, 'name') === c));
      if (lost !== undefined) {
        out.error(`error: unable to find container named ${JSON.stringify(lost)}`);
        continue;
      }
      const changed = containers
        .filter((c) => map[str(c, 'name')] ?? map['*'])
        .map((c) => ({ name: str(c, 'name'), image: (map[str(c, 'name')] ?? map['*']) as string }));
      body =
        resource.kind === 'Pod'
          ? { spec: { containers: changed } }
          : { spec: { template: { spec: { containers: changed } } } };
    } else return fail(`error: unknown command ${JSON.stringify(sub)}`);
    const type = sub === 'selector' ? 'merge' : 'strategic-merge';
    const written = told(api.patch(resource.kind, namespaceOf(o), nameOf(o), type, body, writeOptions(k)), out);
    if (written) out.line(`${objectName(written)} ${sub === 'image' ? 'image updated' : 'selector updated'}`);
  }
  return out.result();
}

export const set: Verb = {
  name: 'set',
  acts: true,
  flags: { ...DRY_RUN, filename: text('f'), recursive: flag('R'), selector: text('l'), all: flag(), local: flag() },
  run,
  complete: (c) =>
    c.words.length <= 2 ? ['image', 'selector'] : completeResources({ ...c, words: c.words.filter((_, i) => i !== 2) }),
};
