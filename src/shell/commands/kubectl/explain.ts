import { type KindDef, kindDef } from '../../../engine/k8s';
import { type CommandResult, fail, out } from '../../command';
import { completeResources } from '../../kube/cli/complete';
import { flag, text } from '../../kube/cli/flags';
import { type Kube, usage, type Verb } from '../../kube/cli/verb';
import { findResource } from '../../kube/resources';

type Schema = KindDef['schema'] | NonNullable<KindDef['schema']['fields'][string]>;

/** Type of a field as explain shows it. */
function typeOf(s: Schema): string {
  switch (s.t) {
    case 'string':
      return 'string';
    case 'bool':
      return 'boolean';
    case 'int':
      return 'integer';
    case 'intstr':
      return 'IntOrString';
    case 'list':
      return `[]${typeOf(s.of)}`;
    case 'map':
      return `map[string]${typeOf(s.of)}`;
    case 'obj':
      return 'go' in s && typeof s.go === 'string' ? s.go : 'Object';
    default:
      return 'Object';
  }
}

/** What lists and maps hold in the end. */
function element(s: Schema): Schema {
  return s.t === 'list' || s.t === 'map' ? element(s.of) : s;
}

/** Names and types of fields from the server's own schema; the model keeps no prose of the API's reference. */
function run(k: Kube): CommandResult {
  const typed = k.args[0];
  if (typed === undefined)
    return usage(
      k,
      'You must specify the type of resource to explain. Use "kubectl api-resources" for a complete list of supported resources.',
    );
  const [word, ...path] = typed.split('.') as [string, ...string[]];
  const resource = findResource(word);
  if (!resource) return fail(`the server doesn't have a resource type ${JSON.stringify(word)}`);
  const head = `KIND:       ${resource.kind}\n${resource.group === '' ? '' : `GROUP:      ${resource.group}\n`}VERSION:    ${resource.version}\n\n`;
  let s: Schema | undefined = kindDef(resource.kind)?.schema;
  let field = '';
  for (const p of path) {
    const inner: Schema | undefined = s && element(s);
    s = inner?.t === 'obj' && Object.hasOwn(inner.fields, p) ? inner.fields[p] : undefined;
    if (!s) return { stdout: head, stderr: `error: field ${JSON.stringify(p)} does not exist\n`, exit: 1 };
    field = p;
  }
  if (!s) return out(head);
  let textOf = head;
  if (field !== '') textOf += `FIELD: ${field} <${typeOf(s)}>\n\n\n`;
  const inner = element(s);
  if (inner.t === 'obj') {
    textOf += 'FIELDS:\n';
    for (const name of Object.keys(inner.fields).sort())
      textOf += `  ${name}\t<${typeOf(inner.fields[name] as Schema)}>\n\n`;
  }
  return out(textOf);
}

export const explain: Verb = {
  name: 'explain',
  acts: false,
  flags: { recursive: flag('R'), 'api-version': text(), output: text('o') },
  run,
  complete: completeResources,
};
