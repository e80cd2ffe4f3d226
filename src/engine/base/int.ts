/**
 * base^exponent for integers, exponent >= 0, by multiplication: `**` may differ between JavaScript engines, and shifts end at 32
 * bits. Exact while the result stays below 2^53.
 */
export function ipow(base: number, exponent: number): number {
  let value = 1;
  for (let i = 0; i < exponent; i++) value *= base;
  return value;
}
