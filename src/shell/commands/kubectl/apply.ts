import { applyObject } from '../../../engine/k8s';
import { type CommandResult, fail } from '../../command';
import { type Obj, objectOf } from '../../kube/api';
import { completeNothing } from '../../kube/cli/complete';
import { flag, text } from '../../kube/cli/flags';
import { isBroken, loadManifests, type Manifest } from '../../kube/cli/manifest';
import { type Kube, Output, objectName, type Verb } from '../../kube/cli/verb';
import { apiOf, DRY_RUN, dryRun, printResult, suffix, writeOptions } from '../../kube/cli/write';
import { put, str } from '../../kube/fields';

function run(k: Kube): CommandResult {
  const files = k.flags.all('filename');
  if (files.length === 0 && k.flags.get('kustomize') === undefined) return fail('error: must specify one of -f and -k');
  if (k.args.length > 0)
    return fail(`error: Unexpected args: [${k.args.join(' ')}]\nSee 'kubectl apply -h' for help and examples`);
  const out = new Output();
  const loaded = loadManifests(k.ctx, files, { recursive: k.flags.is('recursive') });
  if (!loaded.ok) return fail(loaded.error);
  if (loaded.value.length === 0) return fail('error: no objects passed to apply');
  for (const m of loaded.value) {
    if (isBroken(m)) out.error(m.error);
    else applyOne(k, m, out);
  }
  return out.result();
}

function applyOne(k: Kube, m: Manifest, out: Output): void {
  const name = str(m.object, 'metadata', 'name');
  const wanted = k.flags.get('namespace');
  const own = str(m.object, 'metadata', 'namespace');
  if (wanted !== undefined && own !== '' && own !== wanted && m.resource.namespaced) {
    out.error(
      `error: the namespace from the provided object ${JSON.stringify(own)} does not match the namespace ${JSON.stringify(wanted)}. You must pass '--namespace=${own}' to perform this operation.`,
    );
    return;
  }
  if (name === '') {
    if (str(m.object, 'metadata', 'generateName') !== '') {
      out.error(`error: from ${str(m.object, 'metadata', 'generateName')}: cannot use generate name with apply`);
      return;
    }
    const gv = `${m.resource.group}/${m.resource.version}`;
    out.error(
      `error: error when retrieving current configuration of:\nResource: "${gv}, Resource=${m.resource.plural}", GroupVersionKind: "${gv}, Kind=${m.resource.kind}"\nName: "", Namespace: "${own || k.namespace}"\nfrom server for: ${JSON.stringify(m.source)}: resource name may not be empty`,
    );
    return;
  }
  const object = m.resource.namespaced && own === '' ? put(m.object, ['metadata', 'namespace'], k.namespace) : m.object;
  if (dryRun(k) === 'client') {
    const exists = objectOf(k.ctx.reader, m.resource.kind, m.resource.namespaced ? own || k.namespace : '', name);
    printResult(k, out, object as Obj, exists ? 'configured' : 'created');
    return;
  }
  const api = apiOf(k, out, 'patch', m.resource, name);
  if (!api) return;
  const before = objectOf(k.ctx.reader, m.resource.kind, m.resource.namespaced ? own || k.namespace : '', name);
  const r = applyObject(api, object, writeOptions(k));
  if (!r.ok) {
    out.refused(r.error, before ? 'applying patch to' : 'creating', m.source);
    return;
  }
  const serverSide = k.flags.is('server-side');
  if (r.value.missingAnnotation && !serverSide) {
    out.warn(
      `resource ${m.resource.plural}${m.resource.group === '' ? '' : `.${m.resource.group}`}/${name} is missing the kubectl.kubernetes.io/last-applied-configuration annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.`,
    );
  }
  for (const w of r.value.warnings) out.warn(w);
  const o = r.value.object as unknown as Obj;
  if (k.flags.get('output') !== undefined) printResult(k, out, o, r.value.what);
  else out.line(`${objectName(o)} ${serverSide ? 'serverside-applied' : r.value.what}${suffix(dryRun(k))}`);
}

export const apply: Verb = {
  name: 'apply',
  acts: true,
  flags: {
    ...DRY_RUN,
    filename: text('f'),
    kustomize: text('k'),
    recursive: flag('R'),
    selector: text('l'),
    'server-side': flag(),
    'force-conflicts': flag(),
    force: flag(),
    prune: flag(),
    overwrite: flag(),
    wait: flag(),
    timeout: text(),
    all: flag(),
  },
  run,
  complete: completeNothing,
};
