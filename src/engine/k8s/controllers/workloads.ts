import { hash32 } from '../../base/hash';
import { canonicalJson } from '../../base/json';
import { getObject, isReady, listObjects } from '../api/objects';
import type { ApiServer } from '../api/server';
import type { Deployment, KObject, Pod, ReplicaSet } from '../types';
import type { Controller } from './queue';

const TEMPLATE_HASH = 'pod-template-hash';

const owner = (o: KObject) => ({
  apiVersion: o.apiVersion,
  kind: o.kind,
  name: o.metadata.name,
  uid: o.metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
});

const ownedBy = (o: KObject, by: KObject): boolean =>
  o.metadata.ownerReferences?.some((r) => r.controller && r.uid === by.metadata.uid) ?? false;

/** rand.SafeEncodeString: every character as one of the alphabet without vowels. */
const safeEncode = (text: string): string =>
  [...text].map((c) => 'bcdfghjklmnpqrstvwxz2456789'.charAt(c.charCodeAt(0) % 27)).join('');

/** A name part that depends on the template alone. The real one hashes Go's dump of the struct, so it differs. */
const templateHash = (d: Deployment): string => safeEncode(String(hash32(canonicalJson(d.spec.template))));

/** Deployment → ReplicaSet: one set for the current template; older sets are emptied at once. */
export function deploymentController(api: ApiServer, delayUs: number): Controller {
  return {
    name: 'deployment-controller',
    delayUs,
    sync(key) {
      const [namespace = '', name = ''] = key.split('/');
      const { world } = api.ctx;
      const d = getObject(world, 'Deployment', namespace, name) as Deployment | undefined;
      if (!d) return false;
      const by = this.name;
      const hash = templateHash(d);
      const sets = (listObjects(world, 'ReplicaSet', namespace) as ReplicaSet[]).filter((s) => ownedBy(s, d));
      let wrote = false;
      const current = sets.find((s) => s.metadata.labels?.[TEMPLATE_HASH] === hash);
      if (!current) {
        const labels = { ...d.spec.template.metadata?.labels, [TEMPLATE_HASH]: hash };
        wrote = api.create(
          {
            apiVersion: 'apps/v1',
            kind: 'ReplicaSet',
            metadata: { name: `${name}-${hash}`, namespace, labels, ownerReferences: [owner(d)] },
            spec: {
              replicas: d.spec.replicas ?? 1,
              selector: { matchLabels: { ...d.spec.selector.matchLabels, [TEMPLATE_HASH]: hash } },
              template: { ...d.spec.template, metadata: { ...d.spec.template.metadata, labels } },
            },
          },
          { by },
        ).ok;
      }
      for (const s of sets) {
        const want = s === current ? (d.spec.replicas ?? 1) : 0;
        if ((s.spec.replicas ?? 1) === want) continue;
        wrote = api.update({ ...s, spec: { ...s.spec, replicas: want } }, { by }).ok || wrote;
      }
      const status = statusOf(current ? [current] : []);
      api.patch('Deployment', namespace, name, 'merge', { status }, { by, subresource: 'status' });
      return wrote;
    },
  };
}

function statusOf(sets: readonly ReplicaSet[]) {
  const sum = (f: (s: ReplicaSet) => number | undefined): number => sets.reduce((n, s) => n + (f(s) ?? 0), 0);
  return {
    replicas: sum((s) => s.status?.replicas),
    updatedReplicas: sum((s) => s.status?.replicas),
    readyReplicas: sum((s) => s.status?.readyReplicas),
    availableReplicas: sum((s) => s.status?.availableReplicas),
  };
}

/** ReplicaSet → pods. */
export function replicaSetController(api: ApiServer, delayUs: number): Controller {
  return {
    name: 'replicaset-controller',
    delayUs,
    sync(key) {
      const [namespace = '', name = ''] = key.split('/');
      const { world } = api.ctx;
      const set = getObject(world, 'ReplicaSet', namespace, name) as ReplicaSet | undefined;
      if (!set) return false;
      const by = this.name;
      const pods = listObjects(world, 'Pod', namespace).filter((p) => ownedBy(p, set) && !p.metadata.deletionTimestamp);
      const want = set.spec.replicas ?? 1;
      let wrote = false;
      for (let i = pods.length; i < want; i++) {
        const metadata = {
          ...set.spec.template.metadata,
          generateName: `${name}-`,
          namespace,
          ownerReferences: [owner(set)],
        };
        const made = api.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec: set.spec.template.spec }, { by });
        wrote ||= made.ok;
      }
      // Pods that are not ready go first.
      const surplus = [...pods]
        .sort((a: Pod, b: Pod) => Number(isReady(a)) - Number(isReady(b)))
        .slice(0, Math.max(0, pods.length - want));
      for (const p of surplus) api.delete('Pod', namespace, p.metadata.name, { by });
      const ready = pods.filter(isReady).length;
      const status = { replicas: pods.length, readyReplicas: ready, availableReplicas: ready };
      const patched = api.patch('ReplicaSet', namespace, name, 'merge', { status }, { by, subresource: 'status' });
      return wrote || surplus.length > 0 || (patched.ok && patched.value.changed);
    },
  };
}
