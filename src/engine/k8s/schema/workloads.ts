import { condition, typeMeta } from './meta';
import { podTemplate } from './pod';
import { any, bool, int32, int64, type KindDef, list, map, obj, str } from './schema';

const labelSelector = obj('LabelSelector', { matchLabels: map(str), matchExpressions: list(any) });
const counts = {
  observedGeneration: int64,
  replicas: int32,
  readyReplicas: int32,
  availableReplicas: int32,
  updatedReplicas: int32,
  unavailableReplicas: int32,
  fullyLabeledReplicas: int32,
  terminatingReplicas: int32,
  collisionCount: int32,
};

export const deploymentKind: KindDef = {
  kind: 'Deployment',
  apiVersion: 'apps/v1',
  resource: 'deployments',
  singular: 'deployment',
  shortNames: ['deploy'],
  namespaced: true,
  schema: obj('Deployment', {
    ...typeMeta,
    spec: obj('DeploymentSpec', {
      replicas: int32,
      selector: labelSelector,
      template: podTemplate,
      strategy: any,
      minReadySeconds: int32,
      revisionHistoryLimit: int32,
      paused: bool,
      progressDeadlineSeconds: int32,
    }),
    status: obj('DeploymentStatus', { ...counts, conditions: list(condition('DeploymentCondition'), 'type') }),
  }),
  generation: true,
  statusSubresource: true,
};

export const replicaSetKind: KindDef = {
  kind: 'ReplicaSet',
  apiVersion: 'apps/v1',
  resource: 'replicasets',
  singular: 'replicaset',
  shortNames: ['rs'],
  namespaced: true,
  schema: obj('ReplicaSet', {
    ...typeMeta,
    spec: obj('ReplicaSetSpec', {
      replicas: int32,
      minReadySeconds: int32,
      selector: labelSelector,
      template: podTemplate,
    }),
    status: obj('ReplicaSetStatus', { ...counts, conditions: list(condition('ReplicaSetCondition'), 'type') }),
  }),
  generation: true,
  statusSubresource: true,
};
