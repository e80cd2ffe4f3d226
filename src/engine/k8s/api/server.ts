import { assert } from '../../base/assert';
import { type Cidr, parseCidr } from '../../base/ip';
import { canonicalJson, type Json } from '../../base/json';
import { err, ok, type Result } from '../../base/result';
import type { Ctx } from '../../trace/context';
import { admitPod, withTopology } from '../admission';
import { allocateService } from '../allocators/service';
import { applyDefaults } from '../defaults/index';
import { generateName, newUid } from '../names';
import { type KindDef, kindDef, kindOf } from '../schema/index';
import { timestamp } from '../time';
import type { KObject, ObjectMeta, Pod, Service } from '../types';
import { validateCreate, validateUpdate } from '../validation/index';
import { decode } from './decode';
import { getObject, K8S_META, K8S_OBJECTS, keyOf, withMeta } from './objects';
import { type JsonObject, type JsonPatchOp, jsonPatch, mergePatch, strategicMerge } from './patch';
import {
  type ApiStatus,
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  invalid,
  notFound,
  unprocessable,
} from './status';
import { warningsFor } from './warnings';
import { WatchHub, type WatchSpec } from './watch';

export interface WriteOptions {
  /** Who writes, for the trace: `kubectl`, `kubelet`, `endpointslice-controller`. */
  readonly by: string;
  /** Namespace of the request when the object names none; default `default`. */
  readonly namespace?: string;
  readonly dryRun?: boolean;
  /** What to do about unknown fields; kubectl's default is Strict. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  readonly subresource?: 'status';
}

export interface WriteOutcome {
  readonly object: KObject;
  readonly warnings: readonly string[];
  /** False when the write left the stored object as it was. */
  readonly changed: boolean;
}

export type WriteResult = Result<WriteOutcome, ApiStatus>;

export type PatchType = 'merge' | 'strategic-merge' | 'json';

export interface ApiServerOptions {
  /** --service-cluster-ip-range, primary family first; default 10.96.0.0/12. */
  readonly serviceCidrs?: readonly string[];
}

/** Kinds whose status a client may set when it creates the object. */
const KEEPS_STATUS_ON_CREATE = ['Node'];

/**
 * The API server's store and its write path: decode, default, allocate, validate, store, publish. Reads go through
 * `getObject` and `listObjects` on any WorldReader.
 */
export class ApiServer {
  readonly ranges: readonly Cidr[];
  private readonly hub: WatchHub;

  constructor(
    readonly ctx: Ctx,
    options: ApiServerOptions = {},
  ) {
    this.ranges = (options.serviceCidrs ?? ['10.96.0.0/12']).map((c) => {
      const range = parseCidr(c);
      assert(range, `service range ${c}`);
      return range;
    });
    this.hub = new WatchHub(ctx);
  }

  watch(spec: WatchSpec): void {
    this.hub.add(spec);
  }

  /** Revision of the last write, as text. */
  get revision(): number {
    return this.ctx.world.map(K8S_META).get('store')?.revision ?? 0;
  }

  create(raw: unknown, options: WriteOptions): WriteResult {
    const decoded = this.decode(raw, options);
    if (!decoded.ok) return decoded;
    const { def, warnings } = decoded.value;
    const draft = this.prepareCreate(def, decoded.value.object, options);
    const missing = this.missingNamespace(def, draft, options);
    if (missing) return err(missing);
    // Whether the name is taken comes out at the end in etcd; allocation has its own, earlier, say.
    const allocated = this.allocate(draft, undefined);
    if (!allocated.ok) return allocated;
    const errors = validateCreate(allocated.value);
    if (errors.length > 0) return err(invalid(def, draft.metadata.name, errors));
    if (getObject(this.ctx.world, def.kind, draft.metadata.namespace, draft.metadata.name)) {
      return err(alreadyExists(def, draft.metadata.name));
    }
    const object = options.dryRun ? allocated.value : this.store('create', allocated.value, undefined, options.by);
    return ok({ object, warnings: [...warnings, ...warningsFor(object)], changed: true });
  }

  /** PUT of a whole object. */
  update(raw: unknown, options: WriteOptions): WriteResult {
    const decoded = this.decode(raw, options);
    if (!decoded.ok) return decoded;
    const { def, object, warnings } = decoded.value;
    const namespace = this.namespaceOf(def, object, options);
    const old = getObject(this.ctx.world, def.kind, namespace, object.metadata.name);
    if (!old) return err(notFound(def, object.metadata.name));
    return this.replace(def, old, object, warnings, options, 'update');
  }

  patch(
    kind: string,
    namespace: string | undefined,
    name: string,
    type: PatchType,
    patch: Json,
    options: WriteOptions,
  ): WriteResult {
    const def = kindDef(kind);
    assert(def, `no kind ${kind}`);
    const old = getObject(this.ctx.world, kind, def.namespaced ? (namespace ?? 'default') : undefined, name);
    if (!old) return err(notFound(def, name));
    const before = old as unknown as Json;
    let after: Json | undefined;
    if (type === 'json')
      after = Array.isArray(patch) ? jsonPatch(before, patch as unknown as JsonPatchOp[]) : undefined;
    else after = type === 'merge' ? mergePatch(before, patch) : strategicMerge(before, patch, def.schema);
    if (after === undefined) return err(unprocessable());
    const decoded = this.decode(after, options);
    if (!decoded.ok) return decoded;
    const renamed = decoded.value.object.metadata.name;
    if (renamed !== name) {
      return err(badRequest(`the name of the object (${renamed}) does not match the name on the URL (${name})`));
    }
    return this.replace(def, old, decoded.value.object, decoded.value.warnings, options, 'patch');
  }

  /** DELETE. Pods on a node end gracefully: they stay, terminating, until the kubelet confirms (grace 0). */
  delete(
    kind: string,
    namespace: string | undefined,
    name: string,
    options: { readonly by: string; readonly graceSeconds?: number },
  ): Result<KObject, ApiStatus> {
    const def = kindDef(kind);
    assert(def, `no kind ${kind}`);
    const old = getObject(this.ctx.world, kind, def.namespaced ? (namespace ?? 'default') : undefined, name);
    if (!old) return err(notFound(def, name));
    if (kind === 'Namespace' && ['default', 'kube-system', 'kube-public'].includes(name)) {
      return err(forbidden(def, name, 'this namespace may not be deleted'));
    }
    if (kind === 'Pod') {
      const pod = old as Pod;
      const grace = options.graceSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30;
      const ended = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
      if (grace > 0 && pod.spec.nodeName && !ended) return ok(this.terminate(pod, grace, options.by));
    }
    if (kind === 'Namespace' && options.by !== 'namespace-controller') {
      const deletionTimestamp = timestamp(this.ctx.sim.now);
      const dying = { ...withMeta(old, { deletionTimestamp }), status: { phase: 'Terminating' } } as KObject;
      return ok(this.store('delete', dying, old, options.by));
    }
    const revision = this.bump();
    const gone = withMeta(old, { resourceVersion: String(revision) });
    this.ctx.world.map(K8S_OBJECTS).delete(keyOf(old));
    this.told('delete', gone, options.by);
    this.hub.publish('DELETED', gone);
    return ok(gone);
  }

  /** The pods/binding subresource: puts a pod on a node. False when it is gone or bound already. */
  bindPod(namespace: string, name: string, nodeName: string, by: string): boolean {
    const pod = getObject(this.ctx.world, 'Pod', namespace, name);
    if (!pod || pod.spec.nodeName) return false;
    const scheduled = {
      type: 'PodScheduled',
      status: 'True',
      lastTransitionTime: timestamp(this.ctx.sim.now),
    } as const;
    const conditions = [...(pod.status?.conditions ?? []).filter((c) => c.type !== 'PodScheduled'), scheduled];
    const placed = withTopology(pod, nodeName, this.ctx.world);
    const bound = { ...placed, spec: { ...pod.spec, nodeName }, status: { ...pod.status, conditions } };
    this.store('bind', bound, pod, by);
    return true;
  }

  private terminate(pod: Pod, grace: number, by: string): KObject {
    const meta = pod.metadata;
    if (meta.deletionTimestamp && (meta.deletionGracePeriodSeconds ?? 0) <= grace) return pod;
    const next = withMeta(pod, {
      deletionTimestamp: timestamp(this.ctx.sim.now + grace * 1_000_000),
      deletionGracePeriodSeconds: grace,
      generation: (meta.generation ?? 1) + 1,
    });
    return this.store('delete', next, pod, by);
  }

  private decode(
    raw: unknown,
    options: WriteOptions,
  ): Result<{ def: KindDef; object: KObject; warnings: string[] }, ApiStatus> {
    const rec = typeof raw === 'object' && raw !== null && !Array.isArray(raw) ? (raw as JsonObject) : {};
    const kind = typeof rec.kind === 'string' ? rec.kind : '';
    const apiVersion = typeof rec.apiVersion === 'string' ? rec.apiVersion : '';
    const def = kindOf(apiVersion, kind);
    if (!def) return err(badRequest(`no kind "${kind}" is registered for version "${apiVersion}"`));
    const version = apiVersion.slice(apiVersion.lastIndexOf('/') + 1);
    const refused = (why: string): Result<never, ApiStatus> =>
      err(badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`));
    const decoded = decode(def, raw);
    if (!decoded.ok) return refused(decoded.error);
    const { value, unknown } = decoded.value;
    const strict = options.fieldValidation ?? 'Strict';
    if (unknown.length > 0 && strict === 'Strict') {
      return refused(`strict decoding error: ${unknown.map((u) => `unknown field "${u}"`).join(', ')}`);
    }
    const warnings = strict === 'Warn' ? unknown.map((u) => `unknown field "${u}"`) : [];
    const meta = (value.metadata ?? {}) as unknown as Partial<ObjectMeta>;
    const shaped = def.schema.fields.spec && !value.spec && def.kind !== 'Node' ? { ...value, spec: {} } : value;
    const named = { ...shaped, metadata: { ...meta, name: meta.name ?? '' } } as unknown as KObject;
    return ok({ def, object: applyDefaults(named), warnings });
  }

  private namespaceOf(def: KindDef, o: KObject, options: WriteOptions): string | undefined {
    return def.namespaced ? o.metadata.namespace || options.namespace || 'default' : undefined;
  }

  private prepareCreate(def: KindDef, o: KObject, options: WriteOptions): KObject {
    const meta = o.metadata;
    const name =
      meta.name === '' && meta.generateName
        ? generateName(meta.generateName, this.ctx.prng.stream('k8s.names'))
        : meta.name;
    const namespace = this.namespaceOf(def, o, options);
    const metadata: ObjectMeta = {
      name,
      ...(meta.generateName ? { generateName: meta.generateName } : {}),
      ...(namespace === undefined ? {} : { namespace }),
      uid: newUid(this.ctx.prng.stream('k8s.uid')),
      ...(def.generation ? { generation: 1 } : {}),
      creationTimestamp: timestamp(this.ctx.sim.now),
      ...metaRest(meta),
    };
    const status =
      def.statusSubresource && !KEEPS_STATUS_ON_CREATE.includes(def.kind) ? initialStatus(def.kind) : statusOf(o);
    const made = { ...o, metadata, ...(status === undefined ? {} : { status }) } as KObject;
    return def.kind === 'Pod' ? admitPod(made as Pod, this.ctx.world) : made;
  }

  private missingNamespace(def: KindDef, o: KObject, options: WriteOptions): ApiStatus | undefined {
    if (!def.namespaced || options.by === 'kube-apiserver') return undefined;
    const name = o.metadata.namespace ?? 'default';
    const ns = getObject(this.ctx.world, 'Namespace', undefined, name);
    const namespaces = kindDef('Namespace') as KindDef;
    if (!ns) return notFound(namespaces, name);
    if (ns.status?.phase !== 'Terminating') return undefined;
    const why = `unable to create new content in namespace ${name} because it is being terminated`;
    return forbidden(def, o.metadata.name, why);
  }

  private allocate(o: KObject, old: KObject | undefined): Result<KObject, ApiStatus> {
    if (o.kind !== 'Service') return ok(o);
    return allocateService(o as Service, old as Service | undefined, {
      reader: this.ctx.world,
      ranges: this.ranges,
      ipStream: this.ctx.prng.stream('k8s.clusterip'),
      portStream: this.ctx.prng.stream('k8s.nodeport'),
    });
  }

  private replace(
    def: KindDef,
    old: KObject,
    given: KObject,
    warnings: readonly string[],
    options: WriteOptions,
    verb: string,
  ): WriteResult {
    const name = old.metadata.name;
    const version = given.metadata.resourceVersion;
    if (version && version !== old.metadata.resourceVersion) return err(conflict(def, name));
    const meta: ObjectMeta = { ...identity(old.metadata), ...metaRest(given.metadata) };
    let next: KObject;
    if (options.subresource === 'status') {
      const metadata = { ...meta, labels: old.metadata.labels, annotations: old.metadata.annotations };
      next = { ...old, metadata: strip(metadata), status: statusOf(given) } as KObject;
    } else {
      const status = def.statusSubresource ? statusOf(old) : statusOf(given);
      next = { ...given, metadata: strip(meta), ...(status === undefined ? {} : { status }) } as KObject;
      const allocated = this.allocate(next, old);
      if (!allocated.ok) return allocated;
      next = allocated.value;
    }
    const errors = validateUpdate(next, old);
    if (errors.length > 0) return err(invalid(def, name, errors));
    const warned = [...warnings, ...warningsFor(next)];
    if (canonicalJson(next) === canonicalJson(old)) return ok({ object: old, warnings: warned, changed: false });
    if (def.generation && options.subresource !== 'status' && contentOf(next) !== contentOf(old)) {
      next = withMeta(next, { generation: (old.metadata.generation ?? 1) + 1 });
    }
    const object = options.dryRun ? next : this.store(verb, next, old, options.by);
    return ok({ object, warnings: warned, changed: true });
  }

  private bump(): number {
    const revision = this.revision + 1;
    this.ctx.world.map(K8S_META).set('store', { revision });
    return revision;
  }

  private store(verb: string, o: KObject, old: KObject | undefined, by: string): KObject {
    const object = withMeta(o, { resourceVersion: String(this.bump()) });
    this.ctx.world.map(K8S_OBJECTS).set(keyOf(object), object);
    this.told(verb, object, by);
    this.hub.publish(old ? 'MODIFIED' : 'ADDED', object);
    return object;
  }

  private told(verb: string, o: KObject, by: string): void {
    this.ctx.trace.emitAlways('api.write', {
      verb,
      kind: o.kind,
      namespace: o.metadata.namespace ?? '',
      name: o.metadata.name,
      resourceVersion: o.metadata.resourceVersion ?? '',
      by,
    });
  }
}

const statusOf = (o: KObject): object | undefined => (o as { status?: object }).status;

function initialStatus(kind: string): object {
  if (kind === 'Pod') return { phase: 'Pending', qosClass: 'BestEffort' };
  if (kind === 'Service') return { loadBalancer: {} };
  if (kind === 'Namespace') return { phase: 'Active' };
  return {};
}

/** What a client may set in metadata. */
function metaRest(meta: ObjectMeta): Partial<ObjectMeta> {
  const filled = (m: object | undefined): boolean => m !== undefined && Object.keys(m).length > 0;
  return {
    ...(filled(meta.labels) ? { labels: meta.labels } : {}),
    ...(filled(meta.annotations) ? { annotations: meta.annotations } : {}),
    ...(meta.ownerReferences?.length ? { ownerReferences: meta.ownerReferences } : {}),
    ...(meta.finalizers?.length ? { finalizers: meta.finalizers } : {}),
  };
}

/** What no client may change in metadata. */
function identity(meta: ObjectMeta): ObjectMeta {
  const { labels: _l, annotations: _a, ownerReferences: _o, finalizers: _f, ...rest } = meta;
  return rest;
}

function strip(meta: ObjectMeta): ObjectMeta {
  return Object.fromEntries(Object.entries(meta).filter(([, v]) => v !== undefined)) as unknown as ObjectMeta;
}

/** Everything but metadata and status, as text. */
function contentOf(o: KObject): string {
  const { metadata: _m, status: _s, ...rest } = o as KObject & { status?: object };
  return canonicalJson(rest);
}
