import { lazy, Suspense } from 'react';
import { useText } from '../ui/messages';

const LessonGuide = lazy(() => import('../lesson').then((m) => ({ default: m.LessonGuide })));
const Sheet = lazy(() => import('../lesson').then((m) => ({ default: m.QuestionSheet })));

/** The lesson's column; it comes after the stage, which needs nothing of it. */
export function Guide() {
  const t = useText();
  return (
    <Suspense fallback={<p className="panel-loading">{t.lessonLoading}</p>}>
      <LessonGuide />
    </Suspense>
  );
}

/** On a phone the open question lies over the lower half of the stage. */
export function QuestionSheet() {
  return (
    <Suspense>
      <Sheet />
    </Suspense>
  );
}
