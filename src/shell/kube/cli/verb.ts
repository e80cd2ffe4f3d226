import type { Json } from '../../../engine/base';
import type { ApiStatus } from '../../../engine/k8s';
import { type CommandCtx, type CommandResult, type CompleteCtx, fail } from '../../command';
import type { Obj } from '../api';
import type { Flags, ParsedFlags } from './flags';

/** One kubectl command (or subcommand): one file in commands/kubectl/. */
export interface Verb {
  /** `get`, `create service clusterip`: words as typed. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly flags: Flags;
  /** Whether it changes objects (a line with --dry-run=client does not). */
  readonly acts: boolean;
  run(k: Kube): CommandResult;
  complete?(c: CompleteCtx): readonly string[];
}

/** One kubectl call: its place in the world, its flags, and what it has printed so far. */
export interface Kube {
  readonly ctx: CommandCtx;
  /** Words of the verb as typed, for `See 'kubectl get -h'`. */
  readonly verb: string;
  readonly flags: ParsedFlags;
  readonly args: readonly string[];
  readonly namespace: string;
  /** User in the server's eyes; undefined: cluster administrator. */
  readonly as: string | undefined;
  readonly config: KubeConfig;
}

export interface KubeConfig {
  readonly path: string;
  readonly context: string;
  readonly cluster: string;
  readonly user: string;
  readonly server: string;
  readonly namespace: string | undefined;
  readonly document: Json;
}

/** Collects stdout, stderr and the exit code of a command that goes on after an error. */
export class Output {
  stdout = '';
  stderr = '';
  exit = 0;
  line(text: string): void {
    this.stdout += `${text}\n`;
  }
  error(text: string): void {
    this.stderr += `${text}\n`;
    this.exit = 1;
  }
  warn(text: string): void {
    this.stderr += `Warning: ${text}\n`;
  }
  /** Prints a refused request as kubectl's checkErr; `source` is the file it came from, `doing` the verb of the message. */
  refused(status: ApiStatus, doing?: string, source?: string): void {
    this.error(statusText(status, doing, source));
  }
  result(files?: Readonly<Record<string, string>>): CommandResult {
    return { stdout: this.stdout, stderr: this.stderr, exit: this.exit, ...(files ? { files } : {}) };
  }
}

/** The text of a Status (k8s.io/kubectl/pkg/cmd/util checkErr, StandardErrorMessage). */
export function statusText(status: ApiStatus, doing?: string, source?: string): string {
  const message =
    source === undefined ? status.message : `error when ${doing} ${JSON.stringify(source)}: ${status.message}`;
  if (status.reason === 'Invalid') {
    const d = status.details;
    const head = d?.kind || d?.name ? `The ${d.kind ?? ''} "${d.name ?? ''}" is invalid` : 'The request is invalid';
    const causes = [...new Set((d?.causes ?? []).map((c) => `${c.field ?? ''}: ${c.message ?? ''}`))];
    if (causes.length === 1) return `${head}: ${causes[0]}`;
    if (causes.length > 1) return `${head}: \n${causes.map((c) => `* ${c}`).join('\n')}`;
    return d?.kind || d?.name ? head : `${head}: ${message}`;
  }
  if (status.reason === 'Unauthorized') return 'error: You must be logged in to the server (Unauthorized)';
  return status.reason === '' ? `Error from server: ${message}` : `Error from server (${status.reason}): ${message}`;
}

/** A mistake in the use of a command: the text, then where help is. */
export const usage = (k: Kube, text: string): CommandResult =>
  fail(`error: ${text}\nSee 'kubectl ${k.verb} -h' for help and examples`);

const status = (code: number, reason: string, message: string): ApiStatus => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  reason,
  message,
});

export const notFound = (resource: string, name: string): ApiStatus =>
  status(404, 'NotFound', `${resource} "${name}" not found`);

/** Standard messages of a Forbidden answer for a user without any rule. */
export function forbidden(
  user: string,
  verb: string,
  resource: string,
  group: string,
  namespace: string | undefined,
  name = '',
): ApiStatus {
  const what = `${group === '' ? resource : `${resource}.${group}`}${name === '' ? '' : ` "${name}"`}`;
  const where = namespace === undefined ? ' at the cluster scope' : ` in the namespace "${namespace}"`;
  const rule = `User "${user}" cannot ${verb} resource "${resource}" in API group "${group}"`;
  return status(403, 'Forbidden', `${what} is forbidden: ${rule}${where}`);
}

/** kubectl's name of an object in messages: `service/web`, `deployment.apps/shop`. */
export function objectName(o: Obj): string {
  const api = String(o.apiVersion ?? 'v1');
  const group = api.includes('/') ? api.slice(0, api.indexOf('/')) : '';
  const name = String((o.metadata as Obj | undefined)?.name ?? '');
  return `${String(o.kind).toLowerCase()}${group === '' ? '' : `.${group}`}/${name}`;
}
