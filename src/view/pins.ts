import type { PinTarget } from '../store/types';

/** The way into the open lesson's notebook, or undefined where there is none. */
export function usePinning(): ((target: PinTarget) => void) | undefined {
  return undefined;
}
