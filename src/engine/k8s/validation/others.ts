import { byCodeUnit } from '../../base/json';
import type { KObject, Node, ReplicaSet, StringMap } from '../types';
import { type FieldError, invalidValue, required } from './field';
import { validateLabels, validateMeta } from './meta';
import { validatePodSpec } from './pod';
import { isConfigMapKey, isDns1123Label, isDns1123Subdomain } from './text';

export const validateNamespace = (o: KObject): FieldError[] => validateMeta(o.metadata, false, isDns1123Label);

export const validateNode = (o: Node): FieldError[] => validateMeta(o.metadata, false, isDns1123Subdomain);

export function validateConfigMap(o: KObject): FieldError[] {
  const data = (o as { data?: StringMap }).data ?? {};
  return [
    ...validateMeta(o.metadata, true, isDns1123Subdomain),
    ...Object.keys(data)
      .sort(byCodeUnit)
      .flatMap((k) => isConfigMapKey(k).map((m) => invalidValue(`data[${k}]`, k, m))),
  ];
}

/** Deployment and ReplicaSet: replicas, selector and template against each other. */
export function validateWorkload(o: ReplicaSet): FieldError[] {
  const out = validateMeta(o.metadata, true, isDns1123Subdomain);
  const spec = o.spec;
  if ((spec.replicas ?? 1) < 0) {
    out.push(invalidValue('spec.replicas', spec.replicas ?? 1, 'must be greater than or equal to 0'));
  }
  const want = spec.selector?.matchLabels ?? {};
  if (!spec.selector) out.push(required('spec.selector'));
  else if (Object.keys(want).length === 0) {
    out.push(invalidValue('spec.selector', {}, 'empty selector is invalid for deployment'));
  } else out.push(...validateLabels(want, 'spec.selector.matchLabels'));
  const labels = spec.template?.metadata?.labels ?? {};
  if (Object.keys(want).some((k) => labels[k] !== want[k])) {
    out.push(invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'));
  }
  if (spec.template) out.push(...validatePodSpec(spec.template.spec, 'spec.template.spec'));
  return out;
}
