import { type CommandResult, fail, out } from '../../command';
import { columns } from '../../format/columns';
import { completeNothing } from '../../kube/cli/complete';
import { flag, text } from '../../kube/cli/flags';
import type { Kube, Verb } from '../../kube/cli/verb';
import { apiVersion, RESOURCES } from '../../kube/resources';

export const version: Verb = {
  name: 'version',
  acts: false,
  flags: { client: flag(), output: text('o'), short: flag() },
  run: (k) =>
    out(
      `Client Version: v1.37.2\nKustomize Version: v5.8.1\n${k.flags.is('client') ? '' : 'Server Version: v1.37.2\n'}`,
    ),
  complete: completeNothing,
};

export const clusterInfo: Verb = {
  name: 'cluster-info',
  acts: false,
  flags: {},
  run: (k) =>
    out(
      `Kubernetes control plane is running at ${k.config.server}\n\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.\n`,
    ),
  complete: completeNothing,
};

function listResources(k: Kube): CommandResult {
  const namespaced = k.flags.get('namespaced');
  const group = k.flags.get('api-group');
  const shown = RESOURCES.filter((r) => namespaced === undefined || String(r.namespaced) === namespaced).filter(
    (r) => group === undefined || r.group === group,
  );
  const format = k.flags.get('output');
  if (format === 'name') return out(shown.map((r) => `${r.plural}${r.group === '' ? '' : `.${r.group}`}\n`).join(''));
  const rows = shown.map((r) => [r.plural, r.short.join(','), apiVersion(r), String(r.namespaced), r.kind]);
  const head = k.flags.is('no-headers') ? [] : [['NAME', 'SHORTNAMES', 'APIVERSION', 'NAMESPACED', 'KIND']];
  return out(columns([...head, ...rows], 3));
}

export const apiResources: Verb = {
  name: 'api-resources',
  acts: false,
  flags: {
    output: text('o'),
    namespaced: text(),
    'api-group': text(),
    verbs: text(),
    'sort-by': text(),
    'no-headers': flag(),
    cached: flag(),
    categories: text(),
  },
  run: listResources,
  complete: completeNothing,
};

export const apiVersions: Verb = {
  name: 'api-versions',
  acts: false,
  flags: {},
  run: () =>
    out(
      [...new Set(RESOURCES.map(apiVersion))]
        .sort()
        .map((v) => `${v}\n`)
        .join(''),
    ),
  complete: completeNothing,
};

export const top: Verb = {
  name: 'top',
  acts: false,
  flags: { 'all-namespaces': flag('A'), selector: text('l'), containers: flag() },
  run: () => fail('error: Metrics API not available'),
  complete: completeNothing,
};

export const options: Verb = {
  name: 'options',
  acts: false,
  flags: {},
  run: () => out(OPTIONS),
  complete: completeNothing,
};

export const completion: Verb = {
  name: 'completion',
  acts: false,
  flags: {},
  run: (k) => {
    const shell = k.args[0];
    if (shell === undefined)
      return fail("error: Shell not specified.\nSee 'kubectl completion -h' for help and examples");
    if (!['bash', 'zsh', 'fish', 'powershell'].includes(shell)) {
      return fail(
        `error: Unsupported shell type ${JSON.stringify(shell)}.\nSee 'kubectl completion -h' for help and examples`,
      );
    }
    return out('');
  },
  complete: () => ['bash', 'zsh', 'fish', 'powershell'],
};

export const proxy: Verb = {
  name: 'proxy',
  acts: false,
  flags: { port: text('p'), address: text(), 'accept-hosts': text(), www: text('w') },
  run: (k) => {
    const port = k.flags.get('port') ?? '8001';
    if (Number(port) > 65535) return fail(`error: listen tcp: address ${port}: invalid port`);
    return out(`Starting to serve on 127.0.0.1:${port}\n`);
  },
  complete: completeNothing,
};

/** Head of `kubectl options`, flags in alphabetical order. */
const OPTIONS = `The following options can be passed to any command:

    --as='':
	Username to impersonate for the operation. User could be a regular user or a service account in a namespace.

    --as-group=[]:
	Group to impersonate for the operation, this flag can be repeated to specify multiple groups.

    --context='':
	The name of the kubeconfig context to use

    --kubeconfig='':
	Path to the kubeconfig file to use for CLI requests.

    -n, --namespace='':
	If present, the namespace scope for this CLI request

    --request-timeout='0':
	The length of time to wait before giving up on a single server request.

    -s, --server='':
	The address and port of the Kubernetes API server

    --token='':
	Bearer token for authentication to the API server
`;
