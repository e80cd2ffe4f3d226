import type { Json } from '../../../engine/base';
import { cidrContains, parseCidr } from '../../../engine/base';
import { objectOf } from '../../../shell/kube/api';
import { findResource } from '../../../shell/kube/resources';
import type { CliRecord } from './records';
import type { World } from './world';

type Difference = (want: unknown, got: unknown, path?: string) => string | undefined;
type Obj = { kind: string; metadata: { name: string; namespace?: string } };

/** Group 10: the stored spec of an accepted object (which is deleted then), or the Status of a refused request sent raw. */
export function compareApi(world: World, r: CliRecord, earlier: unknown[], difference: Difference): string | undefined {
  if (r.accepted) return compareStored(world, r, earlier, difference);
  if (r.status === undefined) return undefined;
  const got = raw(world, r);
  if (got === undefined) return undefined;
  if (got === 'accepted') return 'status: the raw request was accepted';
  const mask = (v: unknown): unknown =>
    JSON.parse((r.volatile ?? []).reduce((t, p) => t.replace(new RegExp(p, 'gm'), '\u00a7'), JSON.stringify(v)));
  return difference(mask(r.status), mask(got), 'status');
}

/** kubectl patch KIND NAME [--type=T] -p BODY. */
function patchOf(
  cmd: string,
): { kind: string; name: string; type: 'merge' | 'strategic-merge' | 'json'; body: Json } | undefined {
  const m = /^kubectl patch (\S+) (\S+)(?: --type=(\w+))? -p '(.*)'$/.exec(cmd);
  const resource = m && findResource(m[1] as string);
  if (!m || !resource) return undefined;
  const type = m[3] === 'merge' ? 'merge' : m[3] === 'json' ? 'json' : 'strategic-merge';
  return { kind: resource.kind, name: m[2] as string, type, body: JSON.parse(m[4] as string) as Json };
}

function raw(world: World, r: CliRecord): unknown {
  const { api } = world.session.cluster;
  const p = patchOf(r.cmd);
  const options = { by: 'raw', dryRun: true } as const;
  const input = r.input_generator === undefined ? r.input : world.generated;
  const result = p
    ? api.patch(p.kind, 'default', p.name, p.type, p.body, options)
    : input
      ? api.create(input, options)
      : undefined;
  if (!result) return undefined;
  return result.ok ? 'accepted' : result.error;
}

function compareStored(world: World, r: CliRecord, earlier: unknown[], difference: Difference): string | undefined {
  const { session } = world;
  const p = patchOf(r.cmd);
  const input = r.input as Obj | undefined;
  const kind = p?.kind ?? input?.kind ?? '';
  const name = p?.name ?? input?.metadata.name ?? '';
  const namespace = input?.metadata.namespace ?? 'default';
  const stored = objectOf(session.reader(), kind, namespace, name);
  const spec = (stored?.spec ?? null) as unknown;
  if (!p && stored) session.cluster.api.delete(kind, namespace, name, { by: 'recorder', graceSeconds: 0 });
  const known = JSON.stringify([r.input, r.cmd, earlier]);
  earlier.push(r.stored_spec);
  return difference(chosen(r.stored_spec, known), chosen(spec, known), 'stored_spec');
}

/** Addresses and ports that the server chose by itself are compared by their range. */
function chosen(spec: unknown, known: string): unknown {
  const service = parseCidr('10.96.0.0/12');
  const walk = (v: unknown, key: string): unknown => {
    if (Array.isArray(v)) return v.map((x) => walk(x, key));
    if (v !== null && typeof v === 'object')
      return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, walk(x, k)]));
    if ((key === 'clusterIP' || key === 'clusterIPs') && typeof v === 'string' && !known.includes(JSON.stringify(v))) {
      return service && cidrContains(service, v) ? 'an address of the range' : v;
    }
    if (
      (key === 'nodePort' || key === 'healthCheckNodePort') &&
      typeof v === 'number' &&
      !new RegExp(`\\b${v}\\b`).test(known)
    ) {
      return v >= 30000 && v <= 32767 ? 'a port of the range' : v;
    }
    return v;
  };
  return walk(spec, '');
}
