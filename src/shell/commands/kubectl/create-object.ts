import type { Json } from '../../../engine/base';
import { type CommandResult, fail } from '../../command';
import type { Obj } from '../../kube/api';
import { completeNothing } from '../../kube/cli/complete';
import { flag, text } from '../../kube/cli/flags';
import { deploymentObject } from '../../kube/cli/generate';
import { baseName } from '../../kube/cli/manifest';
import { type Kube, Output, usage, type Verb } from '../../kube/cli/verb';
import { apiOf, DRY_RUN, dryRun, printResult, told, writeOptions } from '../../kube/cli/write';
import { resourceOfKind } from '../../kube/resources';
import { namespaced } from './create-service';

/** Writes a generated object, or prints it under --dry-run=client. */
function make(k: Kube, object: Obj): CommandResult {
  const out = new Output();
  if (dryRun(k) === 'client') {
    printResult(k, out, namespaced(k, object), 'created');
    return out.result();
  }
  const resource = resourceOfKind(String(object.kind), String(object.apiVersion));
  const api = resource && apiOf(k, out, 'create', resource);
  if (!api) return out.result();
  const o = told(api.create(object, writeOptions(k)), out);
  if (o) printResult(k, out, o, 'created');
  return out.result();
}

function one(k: Kube): string | CommandResult {
  if (k.args.length !== 1) return usage(k, `exactly one NAME is required, got ${k.args.length}`);
  return k.args[0] as string;
}

export const createConfigMap: Verb = {
  name: 'create configmap',
  aliases: ['create cm'],
  acts: true,
  flags: { ...DRY_RUN, 'from-literal': text(), 'from-file': text(), 'from-env-file': text(), 'append-hash': flag() },
  run: (k) => {
    const name = one(k);
    if (typeof name !== 'string') return name;
    const data: { [key: string]: Json } = {};
    for (const l of k.flags.all('from-literal')) {
      const eq = l.indexOf('=');
      if (eq < 1) return fail(`error: invalid literal source ${l}, expected key=value`);
      data[l.slice(0, eq)] = l.slice(eq + 1);
    }
    for (const f of k.flags.all('from-file')) {
      const eq = f.indexOf('=');
      const path = f.slice(eq + 1);
      const file = k.ctx.files.read(path);
      if (!('text' in file)) return fail(`error: error reading ${path}: no such file or directory`);
      data[eq < 0 ? baseName(path) : f.slice(0, eq)] = file.text;
    }
    return make(k, {
      apiVersion: 'v1',
      ...(Object.keys(data).length > 0 ? { data } : {}),
      kind: 'ConfigMap',
      metadata: { name },
    });
  },
  complete: completeNothing,
};

export const createNamespace: Verb = {
  name: 'create namespace',
  aliases: ['create ns'],
  acts: true,
  flags: DRY_RUN,
  run: (k) => {
    const name = one(k);
    if (typeof name !== 'string') return name;
    return make(k, { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {}, status: {} });
  },
  complete: completeNothing,
};

export const createDeployment: Verb = {
  name: 'create deployment',
  aliases: ['create deploy'],
  acts: true,
  flags: { ...DRY_RUN, image: text(), replicas: text('r'), port: text() },
  run: (k) => {
    if (k.flags.get('image') === undefined) return fail('error: required flag(s) "image" not set');
    const name = one(k);
    if (typeof name !== 'string') return name;
    const replicas = k.flags.get('replicas') ?? '1';
    if (!/^-?\d+$/.test(replicas)) {
      return fail(
        `error: invalid argument ${JSON.stringify(replicas)} for "-r, --replicas" flag: strconv.ParseInt: parsing ${JSON.stringify(replicas)}: invalid syntax\nSee 'kubectl create deployment --help' for usage.`,
      );
    }
    const port = k.flags.get('port');
    const images = k.flags.all('image').flatMap((i) => i.split(','));
    return make(
      k,
      deploymentObject(
        name,
        images,
        Number(replicas),
        port === undefined ? undefined : Number(port),
        k.flags.afterDash ?? [],
      ),
    );
  },
  complete: completeNothing,
};
