import { useEffect, useRef } from 'react';
import { useLesson } from '../../store/lesson';
import { go } from '../app/route';
import { lessonById } from '../landing/lessons';
import { Icon } from '../ui/Icon';
import './lesson.css';
import { LessonLine, LessonProse } from './LessonProse';
import { pinText } from './pin-text';
import { useLang, useStepOf, useWords } from './use-lesson';

/** The end of a lesson: what you saw, a belief to put away, your pins, a drill, the next one. */
export default function LessonEnd() {
  const t = useWords();
  const lang = useLang();
  const stepOf = useStepOf();
  const scenario = useLesson((s) => s.scenario);
  const state = useLesson((s) => s.state);
  const values = useLesson((s) => s.resolved.values);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    title.current?.focus();
  }, []);
  if (!scenario || !state) return null;
  const pins = scenario.slots.flatMap((slot) => {
    const s = state.slots[slot.id];
    return s?.kind === 'filled' ? [{ slot, pin: s.pin }] : [];
  });
  const next = lessonById(scenario.next);
  return (
    <div className="lesson-end">
      <main>
        <p className="eyebrow">{t.place(scenario.chapter, scenario.number, scenario.minutes)}</p>
        <h1 ref={title} tabIndex={-1}>
          {t.endTitle}
        </h1>
        <Way
          stops={pins.map(({ slot, pin }) => ({
            name: slot.id,
            label: pinText(pin, lang, stepOf).where,
            rewrite: slot.id === 'rewrite',
          }))}
        />
        <ol className="saw">
          {paragraphs(scenario.debrief[lang]).map((text) => (
            <li key={text}>
              <LessonProse text={text} lang={lang} values={values} />
            </li>
          ))}
        </ol>
        <section className="card myth">
          <p className="eyebrow">{t.belief}</p>
          <h2>
            <s>
              <LessonLine text={scenario.myth.belief[lang]} lang={lang} />
            </s>
          </h2>
          <LessonProse text={scenario.myth.wrong[lang]} lang={lang} />
        </section>
      </main>
      <aside>
        <h2 className="sect">
          {t.yourPins}
          <span className="end">{t.ofTotal(pins.length, scenario.slots.length)}</span>
        </h2>
        <ul className="end-pins">
          {pins.map(({ slot, pin }) => {
            const text = pinText(pin, lang, stepOf);
            return (
              <li key={slot.id} className="slot filled">
                <Icon name="pin" />
                <b>
                  <LessonLine text={slot.title[lang]} lang={lang} />
                </b>
                <p>{text.where}</p>
                {text.thing !== '' && <p className="mono">{text.thing}</p>}
              </li>
            );
          })}
        </ul>
        <section className="card drill">
          <h2 className="sect">{t.drill}</h2>
          <LessonProse text={scenario.drill[lang]} lang={lang} />
        </section>
        <span className="grow" />
        <div className="end-acts">
          <button
            type="button"
            className="btn primary"
            onClick={() => go(next ? { view: 'lesson', id: next.id } : { view: 'lessons' })}
          >
            {next ? t.nextLesson(next.title[lang]) : t.allLessons}
            <Icon name="right" />
          </button>
          <button type="button" className="link" onClick={() => useLesson.getState().act({ type: 'back' })}>
            {t.backToRun}
          </button>
        </div>
      </aside>
    </div>
  );
}

const paragraphs = (text: string): string[] => text.trim().split(/\n\s*\n/);

/** The way of the packet through what was pinned: one dot a pin, a diamond where it was rewritten. */
function Way({ stops }: { stops: readonly { name: string; label: string; rewrite: boolean }[] }) {
  if (stops.length === 0) return null;
  const at = (i: number): number => (100 * (i + 1)) / (stops.length + 1);
  return (
    <div className="end-way" aria-hidden="true">
      <svg width="100%" height="24" aria-hidden="true">
        <line x1="0" x2="100%" y1="12" y2="12" className="way-line" />
        {stops.map((s, i) => (
          <svg key={s.name} x={`${at(i)}%`} y="12" overflow="visible" aria-hidden="true">
            {s.rewrite ? <path d="M0-8L8 0 0 8-8 0z" className="way-rewrite" /> : <circle r="7" className="way-stop" />}
          </svg>
        ))}
      </svg>
      <ul>
        {stops.map((s, i) => (
          <li key={s.name} style={{ left: `${at(i)}%` }} className={s.rewrite ? 'c-rw' : 'mid'}>
            {s.label}
          </li>
        ))}
      </ul>
    </div>
  );
}
