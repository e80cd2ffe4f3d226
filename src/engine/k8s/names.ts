import type { PrngStream } from '../base/prng';

/** k8s.io/apimachinery/pkg/util/rand: no vowels, no easily confused characters. */
const ALPHANUMS = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
/** names.SimpleNameGenerator: a name has 63 characters at most, the suffix included. */
const MAX_BASE_LENGTH = 63 - SUFFIX_LENGTH;

/** Random text of the API server's alphabet. */
export function randomSuffix(stream: PrngStream, length = SUFFIX_LENGTH): string {
  let out = '';
  for (let i = 0; i < length; i++) out += ALPHANUMS.charAt(stream.below(ALPHANUMS.length));
  return out;
}

/** metadata.generateName → metadata.name. */
export function generateName(base: string, stream: PrngStream): string {
  return base.slice(0, MAX_BASE_LENGTH) + randomSuffix(stream);
}

/** A version 4 UUID from a seeded stream. */
export function newUid(stream: PrngStream): string {
  const hex = [0, 1, 2, 3].map(() => stream.u32().toString(16).padStart(8, '0')).join('');
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
