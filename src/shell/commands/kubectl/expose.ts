import type { Json } from '../../../engine/base';
import { type CommandResult, fail } from '../../command';
import type { Obj } from '../../kube/api';
import { completeResources } from '../../kube/cli/complete';
import { flag, text } from '../../kube/cli/flags';
import { getObject, targets } from '../../kube/cli/resolve';
import { type Kube, Output, type Verb } from '../../kube/cli/verb';
import { apiOf, DRY_RUN, dryRun, printResult, told, writeOptions } from '../../kube/cli/write';
import { list, nameOf, num, rec } from '../../kube/fields';
import { findResource, type Resource } from '../../kube/resources';
import { namespaced } from './create-service';

/** Selector and ports that `expose` finds in an object. */
function source(o: Obj, kind: string): { selector: Json; ports: readonly number[] } | string {
  const containers = list(o, 'spec', 'template', 'spec', 'containers').concat(list(o, 'spec', 'containers'));
  const ports = containers.flatMap((c) => list(c, 'ports').map((p) => num(p, 'containerPort') ?? 0));
  switch (kind) {
    case 'Pod': {
      const labels = rec(o, 'metadata', 'labels');
      if (Object.keys(labels).length === 0)
        return "error: couldn't retrieve selectors via --selector flag or introspection: the pod has no labels and cannot be exposed";
      return { selector: labels as Json, ports };
    }
    case 'Service':
      return {
        selector: rec(o, 'spec', 'selector') as Json,
        ports: list(o, 'spec', 'ports').map((p) => num(p, 'port') ?? 0),
      };
    case 'Deployment':
    case 'ReplicaSet':
      return { selector: rec(o, 'spec', 'selector', 'matchLabels') as Json, ports };
    default:
      return `error: cannot expose a ${kind}`;
  }
}

function run(k: Kube): CommandResult {
  const t = targets(k.args);
  if (!t.ok) return fail(`error: ${t.error}`);
  const target = t.value[0];
  if (target?.name === undefined) return fail('error: resource(s) were provided, but no name was specified');
  const out = new Output();
  const o = getObject(k, target.resource, target.name, out);
  if (!o) return out.result();
  const found = source(o, target.resource.kind);
  if (typeof found === 'string') return fail(found);
  const selector = k.flags.get('selector');
  const given = k.flags.get('port');
  const ports = given !== undefined ? given.split(',').map(Number) : found.ports;
  if (ports.length === 0) return fail("error: couldn't find port via --port flag or introspection");
  const targetPort = k.flags.get('target-port');
  const name = k.flags.get('name') ?? nameOf(o);
  const type = k.flags.get('type');
  const labels = rec(o, 'metadata', 'labels');
  const protocol = k.flags.get('protocol') ?? 'TCP';
  const object: Obj = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...(Object.keys(labels).length > 0 ? { labels: labels as Json } : {}), name },
    spec: {
      ports: ports.map((port, i) => ({
        ...(ports.length > 1 ? { name: `port-${i + 1}` } : {}),
        port,
        protocol,
        targetPort: targetPort === undefined ? port : /^\d+$/.test(targetPort) ? Number(targetPort) : targetPort,
      })),
      selector:
        selector === undefined
          ? found.selector
          : Object.fromEntries(selector.split(',').map((s) => s.split('=') as [string, string])),
      ...(type === undefined ? {} : { type }),
      ...(k.flags.get('cluster-ip') === undefined ? {} : { clusterIP: k.flags.get('cluster-ip') as string }),
      ...(k.flags.get('external-ip') === undefined ? {} : { externalIPs: [k.flags.get('external-ip') as string] }),
      ...(k.flags.get('session-affinity') === undefined
        ? {}
        : { sessionAffinity: k.flags.get('session-affinity') as string }),
    },
    status: { loadBalancer: {} },
  };
  if (dryRun(k) === 'client') {
    printResult(k, out, namespaced(k, object), 'exposed');
    return out.result();
  }
  const api = apiOf(k, out, 'create', findResource('services') as Resource);
  const made = api && told(api.create(object, writeOptions(k)), out);
  if (made) printResult(k, out, made, 'exposed');
  return out.result();
}

export const expose: Verb = {
  name: 'expose',
  acts: true,
  flags: {
    ...DRY_RUN,
    port: text(),
    'target-port': text(),
    protocol: text(),
    name: text(),
    type: text(),
    selector: text(),
    labels: text('l'),
    'external-ip': text(),
    'load-balancer-ip': text(),
    'cluster-ip': text(),
    'session-affinity': text(),
    filename: text('f'),
    recursive: flag('R'),
    overrides: text(),
  },
  run,
  complete: completeResources,
};
