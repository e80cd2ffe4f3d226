import { getObject, K8S_OBJECTS, listObjects } from '../api/objects';
import type { ApiServer } from '../api/server';
import { KINDS } from '../schema/index';
import type { KObject } from '../types';
import type { Controller } from './queue';

/** The garbage collector, background policy: what an absent owner owned goes too. Key: `Kind/namespace/name` of the owner. */
export function garbageCollector(api: ApiServer, delayUs: number): Controller {
  return {
    name: 'garbage-collector',
    delayUs,
    sync(key) {
      const [kind = '', namespace = '', name = ''] = key.split('/');
      if (getObject(api.ctx.world, kind, namespace, name)) return false;
      const owned = api.ctx.world
        .map(K8S_OBJECTS)
        .values()
        .filter(
          (o) =>
            (o.metadata.namespace ?? '') === namespace &&
            o.metadata.ownerReferences?.some((r) => r.controller && r.kind === kind && r.name === name),
        );
      for (const o of owned) api.delete(o.kind, o.metadata.namespace, o.metadata.name, { by: this.name });
      return owned.length > 0;
    },
  };
}

/** The namespace controller: empties a terminating namespace, then removes it. Key: the name. */
export function namespaceController(api: ApiServer, delayUs: number): Controller {
  return {
    name: 'namespace-controller',
    delayUs,
    sync(name) {
      const ns = getObject(api.ctx.world, 'Namespace', undefined, name);
      if (ns?.status?.phase !== 'Terminating') return false;
      const content = KINDS.filter((k) => k.namespaced).flatMap((k): KObject[] =>
        listObjects(api.ctx.world, k.kind, name),
      );
      for (const o of content) api.delete(o.kind, name, o.metadata.name, { by: this.name });
      const left = KINDS.some((k) => k.namespaced && listObjects(api.ctx.world, k.kind, name).length > 0);
      if (!left) api.delete('Namespace', undefined, name, { by: this.name });
      return true;
    },
  };
}
