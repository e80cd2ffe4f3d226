import { useLesson } from '../../store/lesson';
import { Icon } from '../ui/Icon';
import { LessonLine } from './LessonProse';
import { useLang, useWords } from './use-lesson';

/** What must be true for the lesson to be solved; each turns green by itself. */
export function Goals() {
  const t = useWords();
  const lang = useLang();
  const goals = useLesson((s) => s.scenario?.goals);
  const met = useLesson((s) => s.state?.goals);
  if (!goals || !met) return null;
  const n = goals.filter((g) => met[g.id] === true).length;
  return (
    <section className="goals" aria-label={t.goals}>
      <h3 className="sect">
        {t.goals}
        <span className="end">{t.ofTotal(n, goals.length)}</span>
      </h3>
      <ul aria-live="polite">
        {goals.map((g) => {
          const done = met[g.id] === true;
          return (
            <li key={g.id} className={done ? 'goal met' : 'goal'} data-goal={g.id} data-met={done}>
              {done ? <Icon name="check" /> : <span className="box" aria-hidden="true" />}
              <span>
                <LessonLine text={g.title[lang]} lang={lang} />
                <span className="vh">, {done ? t.met : t.open}</span>
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
