import type { Json } from '../../../engine/base';
import { type CommandResult, fail } from '../../command';
import type { Obj } from '../../kube/api';
import { completeNothing } from '../../kube/cli/complete';
import { text } from '../../kube/cli/flags';
import { type ServiceType, serviceObject, tcpPort } from '../../kube/cli/generate';
import { type Kube, Output, statusText, usage, type Verb } from '../../kube/cli/verb';
import { apiOf, DRY_RUN, dryRun, printResult, writeOptions } from '../../kube/cli/write';
import { findResource, type Resource } from '../../kube/resources';

const TYPES: Readonly<Record<string, ServiceType>> = {
  clusterip: 'ClusterIP',
  nodeport: 'NodePort',
  loadbalancer: 'LoadBalancer',
  externalname: 'ExternalName',
};

function run(k: Kube): CommandResult {
  const type = TYPES[k.verb.split(' ')[2] ?? ''] as ServiceType;
  if (type === 'ExternalName' && k.flags.get('external-name') === undefined)
    return fail('error: required flag(s) "external-name" not set');
  if (k.args.length !== 1) return usage(k, `exactly one NAME is required, got ${k.args.length}`);
  const name = k.args[0] as string;
  const ports: Json[] = [];
  for (const t of k.flags.all('tcp').flatMap((x) => x.split(','))) {
    const p = tcpPort(t);
    if (!p.ok) return fail(`error: ${p.error}`);
    ports.push(p.value);
  }
  const headless = k.flags.get('clusterip') === 'None';
  if (ports.length === 0 && type !== 'ExternalName' && !headless)
    return fail('error: at least one tcp port specifier must be provided');
  const node = k.flags.get('node-port');
  if (node !== undefined) for (const p of ports) (p as { nodePort?: number }).nodePort = Number(node);
  const spec: { [key: string]: Json } = {};
  if (type === 'ExternalName') spec.externalName = k.flags.get('external-name') ?? '';
  if (ports.length > 0) spec.ports = ports;
  if (k.flags.get('clusterip') !== undefined) spec.clusterIP = k.flags.get('clusterip') as string;
  const object = serviceObject(name, type, spec);
  const out = new Output();
  if (dryRun(k) === 'client') {
    printResult(k, out, namespaced(k, object), 'created');
    return out.result();
  }
  const api = apiOf(k, out, 'create', findResource('services') as Resource);
  if (!api) return out.result();
  const r = api.create(object, writeOptions(k));
  if (!r.ok) {
    const why =
      r.error.reason === 'Invalid' ? r.error.message : statusText(r.error).replace(/^Error from server \(\w+\): /, '');
    return fail(`error: failed to create ${type} service: ${why}`);
  }
  for (const w of r.value.warnings) out.warn(w);
  printResult(k, out, r.value.object as unknown as Obj, 'created');
  return out.result();
}

/** Generated objects name their namespace only where -n was given. */
export function namespaced(k: Kube, o: Obj): Obj {
  const n = k.flags.get('namespace');
  return n === undefined ? o : { ...o, metadata: { ...(o.metadata as object), namespace: n } };
}

export const createService: Verb = {
  name: 'create service',
  aliases: ['create svc'],
  acts: true,
  flags: { ...DRY_RUN, tcp: text(), 'node-port': text(), clusterip: text(), 'external-name': text() },
  run,
  complete: completeNothing,
};
export const SERVICE_TYPES = Object.keys(TYPES);
