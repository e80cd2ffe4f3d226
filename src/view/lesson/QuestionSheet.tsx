import { useLesson } from '../../store/lesson';
import { usePage } from '../model';
import './lesson.css';
import { QuestionCard, useQuestion } from './QuestionCard';
import { useWords } from './use-lesson';

/** On a phone the question lies over the lower half of the stage; it stays with its feedback until the next step. */
export function QuestionSheet() {
  const t = useWords();
  const q = useQuestion();
  const cursor = usePage((p) => p.cursor);
  const given = useLesson((s) => (q ? s.state?.given[q.question.id] : undefined));
  if (!q || (given && cursor !== q.askSeq && cursor !== q.differsSeq)) return null;
  return (
    <section className="question-sheet" aria-label={t.goesOn}>
      <span className="grab" aria-hidden="true" />
      <QuestionCard touch />
    </section>
  );
}
