import { type CommandResult, fail } from '../../command';
import { type Obj, objectOf } from '../../kube/api';
import { completePods } from '../../kube/cli/complete';
import { flag, text } from '../../kube/cli/flags';
import { getObject, targets } from '../../kube/cli/resolve';
import { type Kube, notFound, Output, statusText, usage, type Verb } from '../../kube/cli/verb';
import { list, str } from '../../kube/fields';

/** The pod that `exec` and `logs` mean: a name, or `pod/name`; workloads stand for their first pod. */
export function podOf(k: Kube, word: string, out: Output): Obj | undefined {
  const t = targets([word.includes('/') ? word : `pods/${word}`]);
  if (!t.ok) {
    out.error(`error: ${t.error}`);
    return undefined;
  }
  const { resource, name } = t.value[0] as { resource: Parameters<typeof getObject>[1]; name: string };
  return getObject(k, resource, name, out);
}

function run(k: Kube): CommandResult {
  const [pod, ...words] = k.args;
  const command = k.flags.afterDash ?? [];
  if (pod === undefined) return usage(k, 'pod, type/name or --filename must be specified');
  if (words.length > 0 && k.flags.afterDash === undefined) {
    return usage(k, 'exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead');
  }
  if (command.length === 0) return usage(k, 'you must specify at least one command for the container');
  const out = new Output();
  const o = podOf(k, pod, out);
  if (!o) return out.result();
  const name = str(o, 'metadata', 'name');
  const phase = str(o, 'status', 'phase');
  if (phase === 'Succeeded' || phase === 'Failed')
    return fail(`error: cannot exec into a container in a completed pod; current phase is ${phase}`);
  const container = k.flags.get('container');
  const names = list(o, 'spec', 'containers').map((c) => str(c, 'name'));
  if (container !== undefined && !names.includes(container))
    return fail(`error: container ${container} is not valid for pod ${name}`);
  if (str(o, 'spec', 'nodeName') === '')
    return fail(`error: unable to upgrade connection: pod ${name} does not have a host assigned`);
  const place = k.ctx.findPlace({ kind: 'pod', namespace: k.namespace, name });
  if (!place || !k.ctx.world)
    return fail(`error: unable to upgrade connection: container not found (${JSON.stringify(names[0] ?? '')})`);
  const several = names.length > 1 && container === undefined && !k.flags.is('quiet');
  const r = k.ctx.world.runIn(place, command, k.flags.is('stdin') ? k.ctx.stdin : '');
  const defaulted = several ? `Defaulted container "${names[0]}" out of: ${names.join(', ')}\n` : '';
  const missing = r.exit === 127 && r.stderr.includes('command not found');
  if (missing) {
    return fail(
      `${defaulted}error: Internal error occurred: Internal error occurred: error executing command in container: failed to exec in container: failed to start exec: OCI runtime exec failed: exec failed: unable to start container process: exec: ${JSON.stringify(command[0])}: executable file not found in $PATH`,
    );
  }
  const ended = r.exit === 0 ? '' : `command terminated with exit code ${r.exit}\n`;
  return { ...r, stderr: `${defaulted}${r.stderr}${ended}` };
}

export const exec: Verb = {
  name: 'exec',
  acts: true,
  flags: {
    container: text('c'),
    stdin: flag('i'),
    tty: flag('t'),
    quiet: flag('q'),
    filename: text('f'),
    'pod-running-timeout': text(),
  },
  run,
  complete: completePods,
};

/** Logs of containers are not kept by the model: what a pod printed is an event of its process. */
function logs(k: Kube): CommandResult {
  const [pod] = k.args;
  if (pod === undefined && k.flags.get('selector') === undefined) {
    return fail(
      "error: expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command\nSee 'kubectl logs -h' for help and examples",
    );
  }
  if (pod === undefined) return { stdout: '', stderr: '', exit: 0 };
  const name = pod.slice(pod.indexOf('/') + 1);
  if (!pod.includes('/') && !objectOf(k.ctx.reader, 'Pod', k.namespace, name)) {
    const text2 = statusText(notFound('pods', name)).replace(/^Error/, 'error');
    return fail(`error: ${text2} in namespace ${JSON.stringify(k.namespace)}`);
  }
  const out = new Output();
  const o = podOf(k, pod, out);
  if (o && str(o, 'spec', 'nodeName') === '') return { stdout: '', stderr: '', exit: 0 };
  return out.result();
}

export const logsVerb: Verb = {
  name: 'logs',
  acts: false,
  flags: {
    container: text('c'),
    follow: flag('f'),
    previous: flag('p'),
    selector: text('l'),
    tail: text(),
    since: text(),
    'since-time': text(),
    timestamps: flag(),
    prefix: flag(),
    'all-containers': flag(),
    'all-pods': flag(),
    'max-log-requests': text(),
    'limit-bytes': text(),
    'ignore-errors': flag(),
  },
  run: logs,
  complete: completePods,
};
