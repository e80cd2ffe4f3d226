import { stringify } from 'yaml';
import type { Json } from '../../../engine/base';
import { type CommandResult, fail, out } from '../../command';
import { tabulate } from '../../format/tabwriter';
import { flag, text } from '../../kube/cli/flags';
import type { Kube, Verb } from '../../kube/cli/verb';
import { list, rec, str } from '../../kube/fields';
import { toYaml } from '../../kube/yaml';

const contexts = (k: Kube): readonly Json[] => list(k.config.document, 'contexts');
const save = (k: Kube, document: Json, stdout: string): CommandResult => ({
  stdout,
  stderr: '',
  exit: 0,
  files: { [k.config.path]: stringify(document) },
});

function run(k: Kube): CommandResult {
  const [sub, ...args] = k.args;
  switch (sub) {
    case 'current-context':
      return k.config.context === '' ? fail('error: current-context is not set') : out(`${k.config.context}\n`);
    case 'get-contexts': {
      const wanted = args.length === 0 ? contexts(k) : contexts(k).filter((c) => args.includes(str(c, 'name')));
      if (k.flags.get('output') === 'name') return out(wanted.map((c) => `${str(c, 'name')}\n`).join(''));
      const rows = wanted.map((c) => {
        const x = rec(c, 'context');
        const mark = str(c, 'name') === k.config.context ? '*' : '';
        return [mark, str(c, 'name'), str(x, 'cluster'), str(x, 'user'), str(x, 'namespace')].join('\t');
      });
      return out(tabulate(`${['CURRENT\tNAME\tCLUSTER\tAUTHINFO\tNAMESPACE', ...rows].join('\n')}\n`, 6, 3));
    }
    case 'use-context': {
      const name = args[0] ?? '';
      if (!contexts(k).some((c) => str(c, 'name') === name))
        return fail(`error: no context exists with the name: ${JSON.stringify(name)}`);
      return save(k, { ...rec(k.config.document), 'current-context': name }, `Switched to context "${name}".\n`);
    }
    case 'set-context': {
      const name = k.flags.is('current') ? k.config.context : (args[0] ?? '');
      const change: Record<string, Json> = {};
      for (const key of ['namespace', 'cluster', 'user'] as const) {
        const v = k.flags.get(key);
        if (v !== undefined) change[key] = v;
      }
      const known = contexts(k).some((c) => str(c, 'name') === name);
      const next = known
        ? contexts(k).map((c) =>
            str(c, 'name') === name ? { ...rec(c), context: { ...rec(c, 'context'), ...change } } : c,
          )
        : [...contexts(k), { context: change, name }];
      return save(
        k,
        { ...rec(k.config.document), contexts: next },
        `Context "${name}" ${known ? 'modified' : 'created'}.\n`,
      );
    }
    case 'view':
      return out(toYaml(hidden(k)));
    default:
      return out('Modify kubeconfig files using subcommands like "kubectl config set current-context my-context".\n');
  }
}

/** The configuration with its secrets left out, as `config view` shows it. */
function hidden(k: Kube): Json {
  const d = rec(k.config.document);
  const user = (u: Json): Json => ({
    name: str(u, 'name'),
    user: { 'client-certificate-data': 'DATA+OMITTED', 'client-key-data': 'DATA+OMITTED' },
  });
  const cluster = (c: Json): Json => ({
    cluster: { 'certificate-authority-data': 'DATA+OMITTED', server: str(c, 'cluster', 'server') },
    name: str(c, 'name'),
  });
  return { ...d, clusters: list(d, 'clusters').map(cluster), users: list(d, 'users').map(user) };
}

export const config: Verb = {
  name: 'config',
  acts: false,
  flags: { current: flag(), output: text('o'), minify: flag(), raw: flag(), 'no-headers': flag() },
  run,
  complete: () => ['current-context', 'get-contexts', 'set-context', 'use-context', 'view'],
};
