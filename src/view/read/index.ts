import { usePage } from '../model';
import type { Reads } from './rows';

export type * from './rows';

const NONE: Reads = {
  conntrack: () => [],
  conntrackMax: () => undefined,
  rules: () => [],
  slices: () => [],
  services: () => [],
  pods: () => [],
  nodes: () => [],
  machines: () => [],
  sysctls: () => [],
  kernelLog: () => [],
};

let impl: Reads = NONE;

export function provideReads(reads: Reads): void {
  impl = reads;
}

/** The world at the cursor, for event handlers. */
export const reads = (): Reads => impl;

/** The world at the cursor; the component is drawn again whenever the cursor or the trace moves. */
export function useReads(): Reads {
  usePage((p) => p.cursor);
  usePage((p) => p.recipe);
  return impl;
}
