import { condition, typeMeta } from './meta';
import { any, bool, type KindDef, list, map, obj, str } from './schema';

export const namespaceKind: KindDef = {
  kind: 'Namespace',
  apiVersion: 'v1',
  resource: 'namespaces',
  singular: 'namespace',
  shortNames: ['ns'],
  namespaced: false,
  schema: obj('Namespace', {
    ...typeMeta,
    spec: obj('NamespaceSpec', { finalizers: list(str) }),
    status: obj('NamespaceStatus', { phase: str, conditions: list(condition('NamespaceCondition'), 'type') }),
  }),
  generation: false,
  statusSubresource: true,
};

export const configMapKind: KindDef = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  resource: 'configmaps',
  singular: 'configmap',
  shortNames: ['cm'],
  namespaced: true,
  schema: obj('ConfigMap', { ...typeMeta, immutable: bool, data: map(str), binaryData: map(str) }),
  generation: false,
  statusSubresource: false,
};

export const nodeKind: KindDef = {
  kind: 'Node',
  apiVersion: 'v1',
  resource: 'nodes',
  singular: 'node',
  shortNames: ['no'],
  namespaced: false,
  schema: obj('Node', {
    ...typeMeta,
    spec: obj('NodeSpec', {
      podCIDR: str,
      podCIDRs: { t: 'list', of: str, set: true },
      providerID: str,
      unschedulable: bool,
      taints: list(obj('Taint', { key: str, value: str, effect: str, timeAdded: str })),
      configSource: any,
      externalID: str,
    }),
    status: obj('NodeStatus', {
      capacity: map(any),
      allocatable: map(any),
      phase: str,
      conditions: list(condition('NodeCondition'), 'type'),
      addresses: list(obj('NodeAddress', { type: str, address: str }), 'type'),
      daemonEndpoints: any,
      nodeInfo: any,
      images: list(any),
      volumesInUse: list(str),
      volumesAttached: list(any),
      config: any,
      runtimeHandlers: list(any),
      features: any,
    }),
  }),
  generation: false,
  statusSubresource: true,
};
