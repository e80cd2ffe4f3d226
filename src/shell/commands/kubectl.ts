import { type Command, type CommandCtx, type CommandResult, fail, out } from '../command';
import { nowSeconds } from '../format/clock';
import { strftime } from '../format/time';
import { loadConfig } from '../kube/cli/config';
import { GLOBAL, parseFlags } from '../kube/cli/flags';
import type { Kube, Verb } from '../kube/cli/verb';
import { SERVICE_TYPES } from './kubectl/create-service';
import { VERBS } from './kubectl/index';

/** The words of the verb, without the global flags that may stand before and between them. */
function verbWords(words: readonly string[]): { words: string[]; rest: string[] } {
  const verb: string[] = [];
  const rest: string[] = [];
  let i = 0;
  for (; i < words.length; i++) {
    const w = words[i] as string;
    if (w === '--') break;
    if (!w.startsWith('-')) {
      verb.push(w);
      rest.push(w);
      continue;
    }
    rest.push(w);
    const long = w.startsWith('--') && !w.includes('=') ? GLOBAL[w.slice(2)] : undefined;
    const short = /^-[a-z]$/.test(w) ? Object.values(GLOBAL).find((f) => f.short === w[1]) : undefined;
    if ((long ?? short)?.arg === true) rest.push(words[++i] as string);
  }
  return { words: verb, rest: [...rest, ...words.slice(i)].filter((w) => w !== undefined) };
}

/** The verb that the first words name, and how many words it is. */
export function findVerb(words: readonly string[]): { verb: Verb; length: number } | undefined {
  let best: { verb: Verb; length: number } | undefined;
  for (const verb of VERBS) {
    for (const name of [verb.name, ...(verb.aliases ?? [])]) {
      const parts = name.split(' ');
      if (parts.every((p, i) => words[i] === p) && parts.length > (best?.length ?? 0))
        best = { verb, length: parts.length };
    }
  }
  if (best?.verb.name === 'create service') {
    // The type is a word of the command.
    return SERVICE_TYPES.includes(words[2] ?? '') ? { verb: best.verb, length: 3 } : undefined;
  }
  return best;
}

function run(ctx: CommandCtx): CommandResult {
  const { words, rest } = verbWords(ctx.argv.slice(1));
  if (words.length === 0) {
    const bad = rest.find((w) => w.startsWith('-') && w !== '--help' && w !== '-h');
    if (bad !== undefined) {
      const parsed = parseFlags(rest, {});
      if (!parsed.ok) return fail(`error: ${parsed.error}\nSee 'kubectl --help' for usage.`);
    }
    return out(HELP);
  }
  if (words[0] === 'help') return out(HELP);
  const found = findVerb(words);
  if (!found) return unknown(words);
  const name = words.slice(0, found.length).join(' ');
  // The verb's own words leave the argument list where they first stand.
  const skip = words.slice(0, found.length);
  const args = rest.filter((w) => {
    if (skip.length === 0 || w !== skip[0]) return true;
    skip.shift();
    return false;
  });
  const parsed = parseFlags(args, found.verb.flags);
  if (!parsed.ok) return fail(`error: ${parsed.error}\nSee 'kubectl ${name} --help' for usage.`);
  if (parsed.value.is('help'))
    return out(
      `Usage:\n  kubectl ${name} [options]\n\nUse "kubectl options" for a list of global command-line options (applies to all commands).\n`,
    );
  const config = loadConfig(ctx, parsed.value);
  if (!config.ok) return fail(config.error);
  const server = parsed.value.get('server') ?? config.value.server;
  const k: Kube = {
    ctx,
    verb: name,
    flags: parsed.value,
    args: parsed.value.args,
    namespace: parsed.value.get('namespace') ?? config.value.namespace ?? 'default',
    as: parsed.value.get('as'),
    config: { ...config.value, server },
  };
  const local =
    ['config', 'completion', 'options'].includes(found.verb.name) ||
    (found.verb.name === 'version' && parsed.value.is('client'));
  if (!local && config.value.server !== server) return refused(ctx, server, config.value.server);
  if (!local && config.value.context === '' && parsed.value.get('server') === undefined)
    return refused(ctx, server, '');
  if (!local && parsed.value.get('token') !== undefined)
    return fail('error: You must be logged in to the server (Unauthorized)');
  return found.verb.run(k);
}

/** Nothing listens there: client-go tells each of its five attempts to find the server's groups. */
function refused(ctx: CommandCtx, server: string, real: string): CommandResult {
  const m = /^(https?):\/\/([^/:]+):?(\d+)?/.exec(server);
  const host = `${m?.[2] ?? 'localhost'}:${m?.[3] ?? (m?.[1] === 'https' ? '443' : '80')}`;
  if (real !== '' && new RegExp(`//${host.replaceAll('.', '\\.')}(?:/|$)`).test(`${real}/`)) {
    // http to the https port: the server's own answer.
    return fail('Error from server (BadRequest): the server rejected our request for an unknown reason');
  }
  const dial = host.replace(/^localhost:/, '127.0.0.1:');
  const at = strftime('%m%d %H:%M:%S', nowSeconds(ctx.reader));
  const line = `E${at}.${String(ctx.reader.nowUs % 1_000_000).padStart(6, '0')}    1000 memcache.go:381] "Couldn't get current server API group list" err="Get \\"${m?.[1] ?? 'http'}://${host}/api?timeout=32s\\": dial tcp ${dial}: connect: connection refused"\n`;
  return fail(
    `${line.repeat(5)}The connection to the server ${host} was refused - did you specify the right host or port?`,
  );
}

/** An unknown command, with the known ones that are spelled nearly like it (cobra's suggestions: distance 2 or a common start). */
function unknown(words: readonly string[]): CommandResult {
  const typed = words[0] as string;
  const names = [...new Set(VERBS.map((v) => v.name.split(' ')[0] as string))];
  const near = names.filter((n) => distance(typed, n) <= 2 || n.startsWith(typed.toLowerCase()));
  const hint = near.length === 0 ? '' : `\n\nDid you mean this?\n${near.map((n) => `\t${n}`).join('\n')}`;
  return fail(`error: unknown command ${JSON.stringify(typed)} for "kubectl"${hint}`);
}

/** Levenshtein distance without regard to case. */
export function distance(a: string, b: string): number {
  const x = a.toLowerCase();
  const y = b.toLowerCase();
  let row = Array.from({ length: y.length + 1 }, (_, i) => i);
  for (let i = 1; i <= x.length; i++) {
    const next = [i];
    for (let j = 1; j <= y.length; j++) {
      next.push(
        Math.min(
          (row[j] as number) + 1,
          (next[j - 1] as number) + 1,
          (row[j - 1] as number) + (x[i - 1] === y[j - 1] ? 0 : 1),
        ),
      );
    }
    row = next;
  }
  return row[y.length] as number;
}

export const kubectl: Command = {
  name: 'kubectl',
  usage: 'kubectl [command] [options]',
  acts: (argv) => {
    const { words, rest } = verbWords(argv.slice(1));
    const found = findVerb(words);
    if (!found) return false;
    if (found.verb.name === 'get') return rest.some((w) => w === '-w' || w === '--watch' || w === '--watch-only');
    return found.verb.acts && !rest.some((w) => w === '--dry-run=client');
  },
  run,
  complete: (c) => {
    const { words } = verbWords(c.words.slice(1));
    if (c.word.startsWith('-')) {
      const found = findVerb(words);
      return [...Object.keys(found?.verb.flags ?? {}), ...Object.keys(GLOBAL)].map((f) => `--${f}`).sort();
    }
    if (words.length === 0) return [...new Set(VERBS.map((v) => v.name.split(' ')[0] as string))].sort();
    return findVerb(words)?.verb.complete?.(c) ?? [];
  },
};

const HELP = `kubectl controls the Kubernetes cluster manager.

 Find more information at: https://kubernetes.io/docs/reference/kubectl/

Basic Commands (Beginner):
  create          Create a resource from a file or from stdin
  expose          Take a replication controller, service, deployment or pod and expose it as a new Kubernetes service
  run             Run a particular image on the cluster
  set             Set specific features on objects

Basic Commands (Intermediate):
  explain         Get documentation for a resource
  get             Display one or many resources
  edit            Edit a resource on the server
  delete          Delete resources by file names, stdin, resources and names, or by resources and label selector

Deploy Commands:
  rollout         Manage the rollout of a resource
  scale           Set a new size for a deployment, replica set, or replication controller

Cluster Management Commands:
  cluster-info    Display cluster information
  top             Display resource (CPU/memory) usage
  cordon          Mark node as unschedulable
  uncordon        Mark node as schedulable
  drain           Drain node in preparation for maintenance

Troubleshooting and Debugging Commands:
  describe        Show details of a specific resource or group of resources
  logs            Print the logs for a container in a pod
  exec            Execute a command in a container
  port-forward    Forward one or more local ports to a pod
  proxy           Run a proxy to the Kubernetes API server
  auth            Inspect authorization

Advanced Commands:
  diff            Diff the live version against a would-be applied version
  apply           Apply a configuration to a resource by file name or stdin
  patch           Update fields of a resource
  replace         Replace a resource by file name or stdin
  wait            Wait for a specific condition on one or many resources

Settings Commands:
  label           Update the labels on a resource
  annotate        Update the annotations on a resource
  completion      Output shell completion code for the specified shell (bash, zsh, fish, or powershell)

Other Commands:
  api-resources   Print the supported API resources on the server
  api-versions    Print the supported API versions on the server, in the form of "group/version"
  config          Modify kubeconfig files
  version         Print the client and server version information

Usage:
  kubectl [flags] [options]

Use "kubectl <command> --help" for more information about a given command.
Use "kubectl options" for a list of global command-line options (applies to all commands).
`;
