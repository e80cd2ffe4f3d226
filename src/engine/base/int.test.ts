import { expect, it } from 'vitest';
import { ipow } from './int';

it.each([
  [2, 0, 1],
  [2, 31, 2147483648],
  [256, 4, 4294967296],
  [10, 3, 1000],
])('%i to the power of %i is %i', (b, n, want) => expect(ipow(b, n)).toBe(want));
