import { byCodeUnit } from '../../base/json';
import type { ObjectMeta, StringMap } from '../types';
import { type FieldError, forbiddenField, invalidValue, required, tooLong } from './field';
import { isDns1123Label, isLabelValue, isQualifiedName } from './text';

const keys = (m: StringMap | undefined): string[] => Object.keys(m ?? {}).sort(byCodeUnit);

export function validateLabels(labels: StringMap | undefined, path: string): FieldError[] {
  return keys(labels).flatMap((k) => [
    ...isQualifiedName(k).map((m) => invalidValue(path, k, m)),
    ...isLabelValue(labels?.[k] ?? '').map((m) => invalidValue(path, labels?.[k] ?? '', m)),
  ]);
}

/** All annotations of an object together, bytes. */
const MAX_ANNOTATIONS = 256 * 1024;

export function validateAnnotations(annotations: StringMap | undefined, path: string): FieldError[] {
  const out = keys(annotations).flatMap((k) => isQualifiedName(k.toLowerCase()).map((m) => invalidValue(path, k, m)));
  const size = keys(annotations).reduce((n, k) => n + k.length + (annotations?.[k] ?? '').length, 0);
  if (size > MAX_ANNOTATIONS) out.push(tooLong(path, MAX_ANNOTATIONS));
  return out;
}

/** ValidateObjectMeta. `nameFunc`: the rule that names of this kind follow. */
export function validateMeta(
  meta: ObjectMeta,
  namespaced: boolean,
  nameFunc: (name: string) => string[],
): FieldError[] {
  const out: FieldError[] = [];
  if (meta.name === '') out.push(required('metadata.name', 'name or generateName is required'));
  else out.push(...nameFunc(meta.name).map((m) => invalidValue('metadata.name', meta.name, m)));
  if (namespaced) {
    if (!meta.namespace) out.push(required('metadata.namespace'));
    else {
      const ns = meta.namespace;
      out.push(...isDns1123Label(ns).map((m) => invalidValue('metadata.namespace', ns, m)));
    }
  } else if (meta.namespace) out.push(forbiddenField('metadata.namespace', 'not allowed on this type'));
  out.push(...validateLabels(meta.labels, 'metadata.labels'));
  out.push(...validateAnnotations(meta.annotations, 'metadata.annotations'));
  return out;
}
