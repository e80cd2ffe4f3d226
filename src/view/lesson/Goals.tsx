import { useEffect, useRef } from 'react';
import { nearMissNow, useLesson } from '../../store/lesson';
import { usePage } from '../model';
import { Icon } from '../ui/Icon';
import { LessonLine, LessonProse } from './LessonProse';
import { useLang, useWords } from './use-lesson';

/** What must be true for the lesson to be solved; each turns green by itself. */
export function Goals() {
  const t = useWords();
  const lang = useLang();
  const goals = useLesson((s) => s.scenario?.goals);
  const met = useLesson((s) => s.state?.goals);
  const tried = useLesson((s) => s.state?.flowsAt ?? 0);
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    // After a check the goals are what one wants to see.
    if (tried > 0) void list.current?.scrollIntoView({ block: 'nearest' });
  }, [tried]);
  if (!goals || !met) return null;
  const n = goals.filter((g) => met[g.id] === true).length;
  return (
    <section ref={list} className="goals" aria-label={t.goals}>
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
      <NearMiss />
    </section>
  );
}

/** After a check that was nearly enough: what was probably done, and why it does not do. */
function NearMiss() {
  const lang = useLang();
  usePage((p) => p.head);
  useLesson((s) => s.state);
  const say = nearMissNow()?.say;
  if (!say) return null;
  return (
    <div className="near-miss" aria-live="polite">
      <b>
        <LessonLine text={say.did[lang]} lang={lang} />
      </b>
      <LessonProse text={say.why[lang]} lang={lang} />
    </div>
  );
}
