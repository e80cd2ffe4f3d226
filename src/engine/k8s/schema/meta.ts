import { any, bool, int64, list, map, obj, str } from './schema';

export const objectMeta = obj('ObjectMeta', {
  name: str,
  generateName: str,
  namespace: str,
  selfLink: str,
  uid: str,
  resourceVersion: str,
  generation: int64,
  creationTimestamp: str,
  deletionTimestamp: str,
  deletionGracePeriodSeconds: int64,
  labels: map(str),
  annotations: map(str),
  ownerReferences: list(
    obj('OwnerReference', {
      apiVersion: str,
      kind: str,
      name: str,
      uid: str,
      controller: bool,
      blockOwnerDeletion: bool,
    }),
    'uid',
  ),
  finalizers: list(str),
  managedFields: list(any),
});

/** Fields that every object has. */
export const typeMeta = { apiVersion: str, kind: str, metadata: objectMeta } as const;

export const objectReference = obj('ObjectReference', {
  kind: str,
  namespace: str,
  name: str,
  uid: str,
  apiVersion: str,
  resourceVersion: str,
  fieldPath: str,
});

export const condition = (go: string) =>
  obj(go, {
    type: str,
    status: str,
    reason: str,
    message: str,
    lastTransitionTime: str,
    lastProbeTime: str,
    lastHeartbeatTime: str,
    lastUpdateTime: str,
    observedGeneration: int64,
  });
