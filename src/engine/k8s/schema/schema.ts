/**
 * Schemas of API types: what a field is called, which JSON it takes, how Go's decoder names it in its errors, and how
 * a strategic merge patch treats a list. One description serves decoding, patching and unknown-field checks.
 */
export type Schema =
  | { readonly t: 'string' }
  | { readonly t: 'int'; readonly go: 'int32' | 'int64' }
  | { readonly t: 'bool' }
  /** intstr.IntOrString. */
  | { readonly t: 'intstr' }
  /** Anything: parts of the API that the model keeps but does not read. */
  | { readonly t: 'any' }
  | ObjectSchema
  | ListSchema
  | { readonly t: 'map'; readonly of: Schema };

export interface ObjectSchema {
  readonly t: 'obj';
  /** Go type name, without its package: `ServicePort`. */
  readonly go: string;
  readonly fields: Readonly<Record<string, Schema>>;
}

export interface ListSchema {
  readonly t: 'list';
  readonly of: Schema;
  /** patchMergeKey; absent: the list is replaced whole (or, with `set`, united). */
  readonly mergeKey?: string;
  readonly set?: boolean;
}

export const str: Schema = { t: 'string' };
export const int32: Schema = { t: 'int', go: 'int32' };
export const int64: Schema = { t: 'int', go: 'int64' };
export const bool: Schema = { t: 'bool' };
export const intstr: Schema = { t: 'intstr' };
export const any: Schema = { t: 'any' };
export const obj = (go: string, fields: Readonly<Record<string, Schema>>): ObjectSchema => ({ t: 'obj', go, fields });
export const list = (of: Schema, mergeKey?: string): ListSchema =>
  mergeKey === undefined ? { t: 'list', of } : { t: 'list', of, mergeKey };
export const map = (of: Schema): Schema => ({ t: 'map', of });

/** Go spelling of a type in "cannot unmarshal ... of type X"; `pkg` is the API package (v1). */
export function goType(s: Schema, pkg: string): string {
  switch (s.t) {
    case 'string':
      return 'string';
    case 'int':
      return s.go;
    case 'bool':
      return 'bool';
    case 'intstr':
      return 'intstr.IntOrString';
    case 'any':
      return 'interface {}';
    case 'obj':
      return `${pkg}.${s.go}`;
    case 'list':
      return `[]${goType(s.of, pkg)}`;
    case 'map':
      return `map[string]${goType(s.of, pkg)}`;
  }
}

/** A kind that the API server serves. */
export interface KindDef {
  readonly kind: string;
  readonly apiVersion: string;
  /** Plural, lower case: `services`. */
  readonly resource: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly namespaced: boolean;
  readonly schema: ObjectSchema;
  /** Whether updates of spec raise metadata.generation. */
  readonly generation: boolean;
  /** Whether status is a subresource (writes of the object ignore it). */
  readonly statusSubresource: boolean;
}

/** `services`, or `deployments.apps` outside the core group: as errors name it. */
export function qualifiedResource(def: KindDef): string {
  const slash = def.apiVersion.indexOf('/');
  return slash < 0 ? def.resource : `${def.resource}.${def.apiVersion.slice(0, slash)}`;
}

/** `Service`, or `EndpointSlice.discovery.k8s.io`: as "is invalid" errors name it. */
export function qualifiedKind(def: KindDef): string {
  const slash = def.apiVersion.indexOf('/');
  return slash < 0 ? def.kind : `${def.kind}.${def.apiVersion.slice(0, slash)}`;
}
