export { type ApplyOutcome, applyObject, LAST_APPLIED } from './api/apply';
export {
  getObject,
  isReady,
  K8S_META,
  K8S_OBJECTS,
  keyOf,
  listObjects,
  objectKey,
  selectorMatches,
  slicesOf,
} from './api/objects';
export {
  ApiServer,
  type ApiServerOptions,
  type PatchType,
  type WriteOptions,
  type WriteOutcome,
  type WriteResult,
} from './api/server';
export { type ApiStatus, kubectlMessage, type StatusCause } from './api/status';
export { requestWarnings } from './api/warnings';
export type { WatchEvent, WatchSpec, WatchType } from './api/watch';
export type { KubeletDoor } from './controllers/kubelet';
export { K8S_QUEUE } from './controllers/queue';
export { type ControlPlane, type ControlPlaneOptions, createControlPlane, type NodeSpec } from './controlplane';
export { KINDS, type KindDef, kindByWord, kindDef, kindOf, qualifiedKind, qualifiedResource } from './schema/index';
export { parseTimestamp, timestamp, type WallTime, wallTime } from './time';
export type * from './types';
export { isLabelValue, isQualifiedName } from './validation/text';
