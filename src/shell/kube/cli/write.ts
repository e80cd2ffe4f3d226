import type { Json } from '../../../engine/base';
import type { ApiServer, WriteOptions, WriteResult } from '../../../engine/k8s';
import type { Obj } from '../api';
import { toJson } from '../json';
import type { Resource } from '../resources';
import { toYaml } from '../yaml';
import { type Flags, implied, text } from './flags';
import { deprecation } from './resolve';
import { forbidden, type Kube, type Output, objectName } from './verb';

/** `--dry-run`: bare means unchanged; `=client`, `=server`, `=none`. */
export const DRY_RUN: Flags = {
  'dry-run': implied('unchanged'),
  output: text('o'),
  'field-manager': text(),
  validate: implied('strict'),
  'show-managed-fields': implied('true'),
  template: text(),
  'save-config': implied('true'),
  'allow-missing-template-keys': implied('true'),
};

export type DryRun = 'none' | 'client' | 'server';

export function dryRun(k: Kube): DryRun {
  const v = k.flags.get('dry-run');
  return v === 'client' || v === 'server' ? v : v === 'unchanged' ? 'client' : 'none';
}

/** Suffix of a result line under a dry run. */
export const suffix = (d: DryRun): string => (d === 'none' ? '' : d === 'client' ? ' (dry run)' : ' (server dry run)');

export function writeOptions(k: Kube): WriteOptions {
  const v = k.flags.get('validate');
  const fieldValidation = v === 'warn' ? 'Warn' : v === 'ignore' || v === 'false' ? 'Ignore' : 'Strict';
  return { by: 'kubectl', namespace: k.namespace, dryRun: dryRun(k) === 'server', fieldValidation };
}

/** The API server, for a user who may write; otherwise the refusal is told. */
export function apiOf(k: Kube, out: Output, verb: string, resource: Resource, name = ''): ApiServer | undefined {
  if (k.as !== undefined) {
    out.refused(
      forbidden(k.as, verb, resource.plural, resource.group, resource.namespaced ? k.namespace : undefined, name),
    );
    return undefined;
  }
  return k.ctx.world?.api;
}

/** Tells warnings of a write, or why it was refused; the object where it was accepted. */
export function told(
  r: WriteResult,
  out: Output,
  doing?: string,
  source?: string,
  resource?: Resource,
): Obj | undefined {
  if (!r.ok) {
    // The server warns of a deprecated kind whatever it answers.
    if (resource) deprecation(resource, out);
    out.refused(r.error, doing, source);
    return undefined;
  }
  for (const w of r.value.warnings) out.warn(w);
  return r.value.object as unknown as Obj;
}

/** Prints what became of an object: `-o yaml|json|name`, or the sentence. */
export function printResult(k: Kube, out: Output, o: Obj, sentence: string): void {
  const format = k.flags.get('output') ?? '';
  if (format === 'yaml') out.stdout += toYaml(o as Json);
  else if (format === 'json') out.stdout += `${toJson(o as Json)}\n`;
  else if (format === 'name') out.line(objectName(o));
  else out.line(`${objectName(o)} ${sentence}${suffix(dryRun(k))}`);
}
