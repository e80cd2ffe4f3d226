import { type KindDef, qualifiedKind, qualifiedResource } from '../schema/schema';
import type { FieldError } from '../validation/field';
import { errorBody, errorReason } from '../validation/field';

export interface StatusCause {
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

/** metav1.Status of a refused request, as the server sends it. */
export interface ApiStatus {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly status: 'Failure';
  readonly message: string;
  readonly reason: string;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly causes?: readonly StatusCause[];
  };
  /** HTTP status. */
  readonly code: number;
}

function status(code: number, reason: string, message: string, details?: ApiStatus['details']): ApiStatus {
  const base = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason } as const;
  return details ? { ...base, details, code } : { ...base, code };
}

const group = (def: KindDef): { group?: string } => {
  const slash = def.apiVersion.indexOf('/');
  return slash < 0 ? {} : { group: def.apiVersion.slice(0, slash) };
};

export const notFound = (def: KindDef, name: string): ApiStatus =>
  status(404, 'NotFound', `${qualifiedResource(def)} "${name}" not found`, { name, ...group(def), kind: def.resource });

export const alreadyExists = (def: KindDef, name: string): ApiStatus =>
  status(409, 'AlreadyExists', `${qualifiedResource(def)} "${name}" already exists`, {
    name,
    ...group(def),
    kind: def.resource,
  });

export const conflict = (def: KindDef, name: string): ApiStatus =>
  status(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualifiedResource(def)} "${name}": the object has been modified; please apply your changes to the latest version and try again`,
    { name, ...group(def), kind: def.resource },
  );

export const badRequest = (message: string): ApiStatus => status(400, 'BadRequest', message);

export const forbidden = (def: KindDef, name: string, why: string): ApiStatus =>
  status(403, 'Forbidden', `${qualifiedResource(def)} "${name}" is forbidden: ${why}`, {
    name,
    ...group(def),
    kind: def.resource,
  });

export const internalError = (message: string): ApiStatus =>
  status(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });

/** The answer to a JSON patch that cannot be applied (a bare 422 without details). */
export const unprocessable = (): ApiStatus =>
  status(422, 'Invalid', 'the server rejected our request due to an error in our request', {});

/** errors.NewInvalid: one cause per field error; equal messages are told once. */
export function invalid(def: KindDef, name: string, errors: readonly FieldError[]): ApiStatus {
  const lines = [...new Set(errors.map((e) => `${e.field}: ${errorBody(e)}`))];
  const text = lines.length === 1 ? (lines[0] as string) : `[${lines.join(', ')}]`;
  return status(422, 'Invalid', `${qualifiedKind(def)} "${name}" is invalid: ${text}`, {
    ...(name === '' ? {} : { name }),
    ...group(def),
    kind: def.kind,
    causes: errors.map((e) => ({ reason: errorReason(e), message: errorBody(e), field: e.field })),
  });
}

/**
 * How kubectl prints a refused request: `The Service "x" is invalid: ...` for 422, `Error from server (Reason): ...`
 * else. `doing`: "error when creating "f.yaml"" and the like.
 */
export function kubectlMessage(s: ApiStatus, doing?: string): string {
  const d = s.details;
  if (s.reason === 'Invalid') {
    if (!d?.kind) return `The request is invalid: ${s.message}`;
    const causes = [...new Set((d.causes ?? []).map((c) => (c.field ? `${c.field}: ${c.message}` : c.message)))];
    const head = `The ${d.kind} "${d.name ?? ''}" is invalid`;
    if (causes.length === 0) return head;
    return causes.length === 1 ? `${head}: ${causes[0]}` : `${head}: ${causes.map((c) => `\n* ${c}`).join('')}`;
  }
  return `Error from server (${s.reason}): ${doing ? `${doing}: ` : ''}${s.message}`;
}
