import type { Deployment, EndpointSlice, Endpoints, KObject, Node, Pod, ReplicaSet, Service } from '../types';
import { validateEndpointSlice, validateEndpointSliceUpdate, validateEndpoints } from './endpoints';
import type { FieldError } from './field';
import { validateConfigMap, validateNamespace, validateNode, validateWorkload } from './others';
import { validatePod, validatePodUpdate } from './pod';
import { validateService, validateServiceUpdate } from './service';

interface Validator {
  readonly create: (o: KObject) => FieldError[];
  /** Checks of an update that come before those of the new object. */
  readonly update?: (o: KObject, old: KObject) => FieldError[];
}

/** One file per kind; one line here each. */
const VALIDATORS: Readonly<Record<string, Validator>> = {
  Service: {
    create: (o) => validateService(o as Service),
    update: (o, old) => validateServiceUpdate(o as Service, old as Service),
  },
  EndpointSlice: {
    create: (o) => validateEndpointSlice(o as EndpointSlice),
    update: (o, old) => validateEndpointSliceUpdate(o as EndpointSlice, old as EndpointSlice),
  },
  Endpoints: { create: (o) => validateEndpoints(o as Endpoints) },
  Pod: { create: (o) => validatePod(o as Pod), update: (o, old) => validatePodUpdate(o as Pod, old as Pod) },
  Node: { create: (o) => validateNode(o as Node) },
  Namespace: { create: validateNamespace },
  ConfigMap: { create: validateConfigMap },
  Deployment: { create: (o) => validateWorkload(o as Deployment & ReplicaSet) },
  ReplicaSet: { create: (o) => validateWorkload(o as ReplicaSet) },
};

/** Field errors of a new object. */
export const validateCreate = (o: KObject): FieldError[] => VALIDATORS[o.kind]?.create(o) ?? [];

/** Field errors of a changed object. */
export function validateUpdate(o: KObject, old: KObject): FieldError[] {
  return [...(VALIDATORS[o.kind]?.update?.(o, old) ?? []), ...validateCreate(o)];
}
