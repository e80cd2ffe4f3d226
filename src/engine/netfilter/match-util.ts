import type { Test, XtOption } from './xt';

export const opt = (name: string, args: 0 | 1 | 2 = 1, not = true, more: Partial<XtOption> = {}): XtOption => ({
  names: name.split('|'),
  args,
  ...(not ? { not: true } : {}),
  ...more,
});

/** `! ` in front of an inverted option. */
export const bang = (not: boolean | undefined): string => (not ? '! ' : '');

/** Result of a test turned round when the option was inverted. */
export const xor = (test: Test, not: boolean | undefined): Test => (not ? (f) => !test(f) : test);

export const ALWAYS: Test = () => true;
