import type { Json } from '../../engine/base/json';

/** An object of the API as plain data; printers read it by path and tolerate what is missing. */
export type Obj = { readonly [key: string]: Json | undefined };

/** metav1.Status of a refused request. */
export interface ApiStatus {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: Json;
}

export type ApiResult =
  | { readonly ok: true; readonly object: Obj; readonly warnings?: readonly string[] }
  | { readonly ok: false; readonly status: ApiStatus };

export interface WriteOptions {
  readonly dryRun?: boolean;
  /** Field manager: kubectl-client-side-apply, kubectl-create, kubectl-edit ... */
  readonly manager?: string;
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
}

export type PatchType = 'strategic' | 'merge' | 'json';

/** What kubectl asks of the API server. `resource`: plural with group where not core, e.g. `services`, `endpointslices.discovery.k8s.io`. */
export interface ApiDoor {
  create(object: Obj, opts?: WriteOptions): ApiResult;
  update(object: Obj, opts?: WriteOptions): ApiResult;
  patch(kind: string, namespace: string, name: string, type: PatchType, patch: Json, opts?: WriteOptions): ApiResult;
  delete(kind: string, namespace: string, name: string, opts?: WriteOptions & { readonly graceSeconds?: number }): ApiResult;
}
