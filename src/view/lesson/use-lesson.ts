import type { Lang } from '../../explain';
import { loudNow, useLesson } from '../../store/lesson';
import { usePage } from '../model';
import { type Words, words } from './words';

export const useLang = (): Lang => usePage((p) => p.lang);
export const useWords = (): Words => words(useLang());

/** The loud button of the moment; drawn again whenever the cursor, the trace or the lesson moves. */
export function useLoud(): ReturnType<typeof loudNow> {
  usePage((p) => p.cursor);
  usePage((p) => p.horizon);
  useLesson((s) => s.state);
  useLesson((s) => s.resolved);
  return loudNow();
}

/** Step number of a cursor as the page counts. */
export function useStepOf(): (seq: number) => number {
  const origin = usePage((p) => p.origin);
  return (seq) => Math.max(0, seq - origin);
}
