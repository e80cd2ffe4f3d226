import { parse } from 'yaml';
import type { Json } from '../../../engine/base';
import { err, ok, type Result } from '../../../engine/base';
import type { CommandCtx } from '../../command';
import { list, rec, str } from '../fields';
import type { ParsedFlags } from './flags';
import type { KubeConfig } from './verb';

/** Path of the kubeconfig that a call reads. */
export function configPath(ctx: CommandCtx, flags: ParsedFlags): string {
  return flags.get('kubeconfig') ?? ctx.env.KUBECONFIG ?? `${ctx.env.HOME ?? '/root'}/.kube/config`;
}

/** Reads the kubeconfig; the error is kubectl's text. Without one kubectl turns to localhost:8080. */
export function loadConfig(ctx: CommandCtx, flags: ParsedFlags): Result<KubeConfig> {
  const path = configPath(ctx, flags);
  const file = ctx.files.read(path);
  if (!('text' in file)) {
    const named = flags.get('kubeconfig') ?? ctx.env.KUBECONFIG;
    if (flags.get('kubeconfig') !== undefined) return err(`error: stat ${named}: no such file or directory`);
    return ok({
      path,
      context: '',
      cluster: '',
      user: '',
      server: 'http://localhost:8080',
      namespace: undefined,
      document: {},
    });
  }
  let document: Json;
  try {
    document = (parse(file.text) ?? {}) as Json;
  } catch {
    return err(`error: error loading config file "${path}": yaml: could not be read`);
  }
  const context = flags.get('context') ?? str(document, 'current-context');
  const named = list(document, 'contexts').find((c) => str(c, 'name') === context);
  if (!named && flags.get('context') !== undefined) {
    return err(`Error in configuration: context was not found for specified context: ${context}`);
  }
  const c = rec(named, 'context');
  const cluster = flags.get('cluster') ?? str(c, 'cluster');
  const server = str(
    list(document, 'clusters').find((x) => str(x, 'name') === cluster),
    'cluster',
    'server',
  );
  return ok({
    path,
    context,
    cluster,
    user: flags.get('user') ?? str(c, 'user'),
    server: server || 'http://localhost:8080',
    namespace: str(c, 'namespace') || undefined,
    document,
  });
}

/** The kubeconfig that the workstation of a cluster has. */
export function defaultKubeconfig(server: string, name = 'lab', user = 'admin'): string {
  return `apiVersion: v1
clusters:
- cluster:
    certificate-authority: /root/.kube/ca.crt
    server: ${server}
  name: ${name}
contexts:
- context:
    cluster: ${name}
    user: ${user}
  name: ${name}
current-context: ${name}
kind: Config
users:
- name: ${user}
  user:
    client-certificate: /root/.kube/${user}.crt
    client-key: /root/.kube/${user}.key
`;
}
