import { hash32 } from '../../engine/base';
import { type Command, type CommandCtx, type CommandResult, out } from '../command';
import { nowSeconds } from '../format/clock';
import { tabulate } from '../format/tabwriter';
import { parseRfc3339, strftime } from '../format/time';
import { type Obj, objectsOf } from '../kube/api';
import { list, nameOf, namespaceOf, str } from '../kube/fields';
import { PS_USAGE, USAGE } from './crictl/help';

/** Where crictl looks for a runtime when nobody told it. */
const DEFAULTS = [
  'unix:///run/containerd/containerd.sock',
  'unix:///run/crio/crio.sock',
  'unix:///var/run/cri-dockerd.sock',
];

const COMMANDS = [...USAGE.matchAll(/^ {3}([a-z][\w-]*)/gm)].map((m) => m[1] as string);
/** Commands that talk with the runtime before they read their arguments. */
const LOCAL = ['config', 'completion', 'help'];

const log = (ctx: CommandCtx, level: 'warning' | 'error', msg: string): string =>
  `time="${strftime('%Y-%m-%dT%H:%M:%SZ', nowSeconds(ctx.reader))}" level=${level} msg="${msg}"\n`;

/** crictl(8) 1.37 of cri-tools: lists what the node's container runtime runs. */
function run(ctx: CommandCtx): CommandResult {
  let endpoint: string | undefined = ctx.env.CONTAINER_RUNTIME_ENDPOINT;
  const words = [...ctx.argv.slice(1)];
  while (words[0]?.startsWith('-')) {
    const flag = words.shift() as string;
    const [name = '', inline] = flag.replace(/^--?/, '').split('=');
    if (name === 'version' || name === 'v') return out('crictl version v1.37.0\n');
    if (name === 'help' || name === 'h') return out(USAGE);
    if (name === 'debug' || name === 'D') continue;
    if (!new RegExp(`^ {3}--${name}[ ,]|, -${name}[ ,]`, 'm').test(USAGE)) {
      const stderr = log(ctx, 'error', `flag provided but not defined: -${name}`);
      return { stdout: `Incorrect Usage: flag provided but not defined: -${name}\n\n${USAGE}`, stderr, exit: 1 };
    }
    const value = inline ?? words.shift();
    if (name === 'runtime-endpoint' || name === 'r') endpoint = value;
  }
  const [command, ...args] = words;
  if (command === undefined || command === 'help' || command === 'h') return out(USAGE);
  if (!COMMANDS.includes(command) && !['image', 'img', 'event'].includes(command)) {
    return { stdout: '', stderr: `No help topic for '${command}'\n`, exit: 3 };
  }
  if (args.some((a) => a === '--help' || a === '-h')) return out(command === 'ps' ? PS_USAGE : usageOf(command));
  if (command === 'config') return out(args.includes('--get') ? `${endpoint ?? ctx.place.runtime ?? ''}\n` : '');
  if (LOCAL.includes(command)) return out('');
  const lost = unreachable(ctx, endpoint);
  return lost === undefined ? listing(ctx, command, args) : { stdout: '', stderr: lost, exit: 1 };
}

const usageOf = (command: string): string => {
  const line = new RegExp(`^ {3}${command}\\S*(?:, \\w+)* {2,}(.*)$`, 'm').exec(USAGE)?.[1] ?? '';
  return `NAME:\n   crictl ${command} - ${line}\n\nUSAGE:\n   crictl ${command} [command options]\n\nOPTIONS:\n   --help, -h  show help\n`;
};

/** What it says when no runtime answers; undefined when one does. */
function unreachable(ctx: CommandCtx, endpoint: string | undefined): string | undefined {
  const { runtime } = ctx.place;
  if (runtime !== undefined && (endpoint === undefined || endpoint === runtime)) return undefined;
  const failed = (socket: string): string => {
    const why = `rpc error: code = Unavailable desc = connection error: desc = \\"transport: Error while dialing: dial unix ${socket.replace('unix://', '')}: connect: no such file or directory\\"`;
    return log(
      ctx,
      'error',
      `validate service connection: validate CRI v1 runtime API for endpoint \\"${socket}\\": ${why}`,
    );
  };
  if (endpoint !== undefined) return failed(endpoint);
  const warning = `runtime connect using default endpoints: [${DEFAULTS.join(' ')}]. As the default settings are now deprecated, you should set the endpoint instead.`;
  // The last one's error ends the program.
  return log(ctx, 'warning', warning) + DEFAULTS.map(failed).join('') + failed(DEFAULTS.at(-1) as string);
}

/** Ids of a runtime: 64 hexadecimal digits, of which the first 13 are shown. */
const idOf = (text: string): string =>
  [0, 1, 2, 3]
    .map((seed) => hash32(text, seed).toString(16).padStart(8, '0'))
    .join('')
    .slice(0, 13);

function listing(ctx: CommandCtx, command: string, args: readonly string[]): CommandResult {
  const pods = objectsOf(ctx.reader, 'Pod', '').filter(
    (p) => str(p, 'spec', 'nodeName') === ctx.place.machine && str(p, 'status', 'podIP') !== '',
  );
  const quiet = args.includes('-q') || args.includes('--quiet');
  const age = (p: Obj): string =>
    ago(nowSeconds(ctx.reader) - (parseRfc3339(str(p, 'metadata', 'creationTimestamp')) ?? 0));
  switch (command) {
    case 'ps': {
      const rows = pods.flatMap((p) =>
        list(p, 'spec', 'containers').map((c) => {
          const key = `${str(p, 'metadata', 'uid')}/${str(c, 'name')}`;
          return [
            idOf(key),
            idOf(str(c, 'image')),
            age(p),
            'Running',
            str(c, 'name'),
            '0',
            idOf(str(p, 'metadata', 'uid')),
            nameOf(p),
            namespaceOf(p),
          ];
        }),
      );
      return table(
        ['CONTAINER', 'IMAGE', 'CREATED', 'STATE', 'NAME', 'ATTEMPT', 'POD ID', 'POD', 'NAMESPACE'],
        rows,
        quiet,
      );
    }
    case 'pods': {
      const rows = pods.map((p) => [
        idOf(str(p, 'metadata', 'uid')),
        age(p),
        'Ready',
        nameOf(p),
        namespaceOf(p),
        '0',
        '(default)',
      ]);
      return table(['POD ID', 'CREATED', 'STATE', 'NAME', 'NAMESPACE', 'ATTEMPT', 'RUNTIME'], rows, quiet);
    }
    case 'images':
    case 'image':
    case 'img': {
      const images = [
        ...new Set(pods.flatMap((p) => list(p, 'spec', 'containers').map((c) => str(c, 'image')))),
      ].sort();
      const rows = images.map((i) => {
        const [, name = i, tag = 'latest'] = /^(.*?)(?::([^/:]+))?$/.exec(i) ?? [];
        return [name, tag, idOf(i)];
      });
      return table(['IMAGE', 'TAG', 'IMAGE ID'], rows, quiet);
    }
    case 'version':
      return out('Version:  0.1.0\nRuntimeName:  containerd\nRuntimeVersion:  2.1.4\nRuntimeApiVersion:  v1\n');
    default:
      return { stdout: '', stderr: log(ctx, 'error', `${command} is not supported by this runtime`), exit: 1 };
  }
}

function table(head: readonly string[], rows: readonly (readonly string[])[], quiet: boolean): CommandResult {
  if (quiet) return out(rows.map((r) => `${r[0]}\n`).join(''));
  return out(tabulate([head, ...rows].map((r) => `${r.join('\t')}\n`).join(''), 20, 3));
}

/** units.HumanDuration of go-units, as far as a session lives. */
function ago(seconds: number): string {
  if (seconds < 1) return 'Less than a second ago';
  if (seconds === 1) return '1 second ago';
  if (seconds < 60) return `${seconds} seconds ago`;
  const minutes = Math.floor(seconds / 60);
  if (minutes === 1) return 'About a minute ago';
  if (minutes < 60) return `${minutes} minutes ago`;
  const hours = Math.round(minutes / 60);
  return hours === 1 ? 'About an hour ago' : `${hours} hours ago`;
}

export const crictl: Command = {
  name: 'crictl',
  usage: 'crictl [global options] command [command options]',
  acts: () => false,
  run,
  complete: ({ words }) => (words.length === 1 ? COMMANDS : []),
};
