import type { Json } from '../../../engine/base';
import { type CommandResult, fail } from '../../command';
import { type Obj, objectOf } from '../../kube/api';
import { completeNothing } from '../../kube/cli/complete';
import { flag, text } from '../../kube/cli/flags';
import { type Kube, Output, usage, type Verb } from '../../kube/cli/verb';
import { apiOf, DRY_RUN, dryRun, printResult, told, writeOptions } from '../../kube/cli/write';
import { str } from '../../kube/fields';
import { findResource, type Resource } from '../../kube/resources';
import { namespaced } from './create-service';

const PODS = findResource('pods') as Resource;

function podObject(k: Kube, name: string, image: string): Obj {
  const labels = k.flags.get('labels');
  const env = k.flags.all('env').map((e) => ({ name: e.slice(0, e.indexOf('=')), value: e.slice(e.indexOf('=') + 1) }));
  const words = k.flags.afterDash ?? k.args.slice(1);
  const port = k.flags.get('port');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      labels:
        labels === undefined
          ? { run: name }
          : Object.fromEntries(labels.split(',').map((l) => l.split('=') as [string, string])),
      name,
    },
    spec: {
      containers: [
        {
          ...(words.length === 0 ? {} : k.flags.is('command') ? { command: words } : { args: words }),
          ...(env.length === 0 ? {} : { env: env as readonly Json[] }),
          image,
          name,
          ...(port === undefined ? {} : { ports: [{ containerPort: Number(port) }] }),
          resources: {},
          ...(k.flags.is('stdin') ? { stdin: true, stdinOnce: true } : {}),
          ...(k.flags.is('tty') ? { tty: true } : {}),
        },
      ],
      dnsPolicy: 'ClusterFirst',
      restartPolicy: k.flags.get('restart') ?? 'Always',
    },
    status: {},
  };
}

function run(k: Kube): CommandResult {
  const image = k.flags.get('image');
  if (image === undefined) return fail('error: required flag(s) "image" not set');
  const name = k.args[0];
  if (name === undefined) return usage(k, 'NAME is required for run');
  const object = podObject(k, name, image);
  const out = new Output();
  if (dryRun(k) === 'client') {
    printResult(k, out, namespaced(k, object), 'created');
    return out.result();
  }
  const api = apiOf(k, out, 'create', PODS);
  const made = api && told(api.create(object, writeOptions(k)), out);
  if (!made || !api) return out.result();
  const attach = k.flags.is('attach') || (k.flags.is('stdin') && dryRun(k) === 'none');
  if (!attach) printResult(k, out, made, 'created');
  if (k.flags.is('expose')) {
    const port = Number(k.flags.get('port') ?? '0');
    const service: Obj = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: {
        ports: [{ port, protocol: 'TCP', targetPort: port }],
        selector: (object.metadata as { labels: Json }).labels,
      },
    };
    const svc = told(api.create(service, writeOptions(k)), out);
    if (svc) printResult(k, out, svc, 'created');
  }
  if (attach) follow(k, name, out);
  return out.result();
}

/** `-it`: waits for the pod, runs its command in it, and with --rm takes it away again. */
function follow(k: Kube, name: string, out: Output): void {
  const world = k.ctx.world;
  if (!world) return;
  const seconds = Number.parseFloat(k.flags.get('pod-running-timeout') ?? '60');
  const running = (): boolean => str(objectOf(k.ctx.reader, 'Pod', k.namespace, name), 'status', 'phase') === 'Running';
  const up = running() || world.runUntil(running, Math.round(seconds * 1_000_000));
  const place = up ? k.ctx.findPlace({ kind: 'pod', namespace: k.namespace, name }) : undefined;
  const words = k.flags.afterDash ?? k.args.slice(1);
  if (!place) out.error('error: timed out waiting for the condition');
  else if (words.length > 0) {
    const r = world.runIn(place, words, k.ctx.stdin);
    out.stdout += r.stdout;
    out.stderr += r.stderr;
    out.exit = r.exit;
    if (r.exit !== 0) out.stderr += `pod ${k.namespace}/${name} terminated (Error)\n`;
  }
  if (!k.flags.is('rm')) return;
  world.api.delete('Pod', k.namespace, name, { by: 'kubectl' });
  out.line(`pod "${name}" deleted from ${k.namespace} namespace`);
}

export const runVerb: Verb = {
  name: 'run',
  acts: true,
  flags: {
    ...DRY_RUN,
    image: text(),
    'image-pull-policy': text(),
    port: text(),
    env: text(),
    labels: text('l'),
    annotations: text(),
    restart: text(),
    command: flag(),
    stdin: flag('i'),
    tty: flag('t'),
    attach: flag(),
    rm: flag(),
    quiet: flag('q'),
    expose: flag(),
    overrides: text(),
    'override-type': text(),
    privileged: flag(),
    'pod-running-timeout': text(),
    'leave-stdin-open': flag(),
    'grace-period': text(),
    timeout: text(),
    wait: flag(),
    force: flag(),
    cascade: flag(),
    filename: text('f'),
  },
  run,
  complete: completeNothing,
};
