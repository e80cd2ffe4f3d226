import { useLesson } from '../store/lesson';
import type { PinTarget } from '../store/types';

/** The way into the open lesson's notebook, or undefined where there is none. */
export function usePinning(): ((target: PinTarget) => void) | undefined {
  const takes = useLesson((s) => s.scenario !== undefined && s.scenario.slots.length > 0 && s.state?.started === true);
  return takes ? useLesson.getState().pin : undefined;
}
