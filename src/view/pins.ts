import { create } from 'zustand';
import type { PinTarget } from '../store/types';

/** What an open lesson lends to the rest of the page. The lesson's own code comes after the stage, and fills this in. */
export interface LessonLink {
  /** Puts a thing into the notebook; undefined where there is none. */
  readonly pin: ((target: PinTarget) => void) | undefined;
  readonly pinnedRules: readonly string[];
  /** The chain of a wrong prediction that is shown at this cursor. */
  readonly predicted: (cursor: number) => { readonly chain: string } | undefined;
  /** The lesson's last page is open. */
  readonly ended: boolean;
}

const NO_RULES: readonly string[] = [];
export const NO_LESSON: LessonLink = {
  pin: undefined,
  pinnedRules: NO_RULES,
  predicted: () => undefined,
  ended: false,
};

export const useLessonLink = create<LessonLink>(() => NO_LESSON);

/** The way into the open lesson's notebook, or undefined where there is none. */
export const usePinning = (): LessonLink['pin'] => useLessonLink((l) => l.pin);
