import type { Json } from '../../base/json';

/** k8s.io/apimachinery/pkg/util/validation/field.Error. */
export interface FieldError {
  readonly type: 'required' | 'invalid' | 'unsupported' | 'duplicate' | 'forbidden' | 'tooMany' | 'tooLong';
  readonly field: string;
  readonly value?: Json;
  readonly detail: string;
}

export const required = (field: string, detail = ''): FieldError => ({ type: 'required', field, detail });
export const invalidValue = (field: string, value: Json, detail: string): FieldError => ({
  type: 'invalid',
  field,
  value,
  detail,
});
export const duplicate = (field: string, value: Json): FieldError => ({ type: 'duplicate', field, value, detail: '' });
export const forbiddenField = (field: string, detail: string): FieldError => ({ type: 'forbidden', field, detail });
export const tooMany = (field: string, count: number, max: number): FieldError => ({
  type: 'tooMany',
  field,
  value: count,
  detail: `must have at most ${max} items`,
});
export const tooLong = (field: string, max: number): FieldError => ({
  type: 'tooLong',
  field,
  detail: `may not be more than ${max} bytes`,
});
/** `supported` in the order in which the server prints it (most lists are sorted sets). */
export const unsupported = (field: string, value: Json, supported: readonly string[]): FieldError => ({
  type: 'unsupported',
  field,
  value,
  detail: `supported values: ${supported.map((s) => JSON.stringify(s)).join(', ')}`,
});

const WORDS: Readonly<Record<FieldError['type'], { reason: string; text: string }>> = {
  required: { reason: 'FieldValueRequired', text: 'Required value' },
  invalid: { reason: 'FieldValueInvalid', text: 'Invalid value' },
  unsupported: { reason: 'FieldValueNotSupported', text: 'Unsupported value' },
  duplicate: { reason: 'FieldValueDuplicate', text: 'Duplicate value' },
  forbidden: { reason: 'FieldValueForbidden', text: 'Forbidden' },
  tooMany: { reason: 'FieldValueTooMany', text: 'Too many' },
  tooLong: { reason: 'FieldValueTooLong', text: 'Too long' },
};

export const errorReason = (e: FieldError): string => WORDS[e.type].reason;

/** field.Error.ErrorBody: the message without the field's path. */
export function errorBody(e: FieldError): string {
  const value = e.value === undefined ? '' : `: ${JSON.stringify(e.value)}`;
  return `${WORDS[e.type].text}${value}${e.detail ? `: ${e.detail}` : ''}`;
}
