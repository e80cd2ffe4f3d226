import { useState } from 'react';
import { eventValues } from '../../explain';
import { type LessonStore, useLesson } from '../../store/lesson';
import { setLayout } from '../app/layout';
import { go } from '../app/route';
import { access, page, usePage } from '../model';
import { REACHABLE } from '../ui/hooks';
import { Icon } from '../ui/Icon';
import { Goals } from './Goals';
import './lesson.css';
import { LessonLine, LessonProse } from './LessonProse';
import { Notebook } from './Notebook';
import { QuestionCard, useQuestion } from './QuestionCard';
import { useLang, useLoud, useWords } from './use-lesson';

/** The lesson's column: story, question, notebook, goals, hints, and the one button the lesson needs next. */
export function LessonGuide() {
  const t = useWords();
  const lang = useLang();
  const scenario = useLesson((s) => s.scenario);
  const started = useLesson((s) => s.state?.started === true);
  const asked = useQuestion() !== undefined;
  const ready = usePage((p) => p.status === 'ready');
  if (!scenario) return <p className="panel-loading">{t.loading}</p>;
  return (
    <div className="lesson">
      <div className="lesson-scroll" {...REACHABLE}>
        <header>
          <p className="eyebrow">{t.place(scenario.chapter, scenario.number, scenario.minutes)}</p>
          <h2 className="lesson-title">{scenario.title[lang]}</h2>
          {!started && <p className="mid">{scenario.subtitle[lang]}</p>}
        </header>
        {started && asked ? (
          <details className="lesson-story">
            <summary>{t.story}</summary>
            <Story all />
          </details>
        ) : (
          <Story all={!started} />
        )}
        <Attempt />
        <QuestionCard />
        <StepCaption />
        {started && <Notebook />}
        {(!started || !shownByNotebook(scenario)) && <Goals />}
        <Hints />
      </div>
      <Foot ready={ready} />
    </div>
  );
}

/** An incident is the learner's own first; the walk is there for the asking. */
function Attempt() {
  const t = useWords();
  const lang = useLang();
  const attempt = useLesson((s) => s.scenario?.attempt);
  const alone = useLesson((s) => s.state?.started === true && !s.state.walking);
  if (!attempt || !alone) return null;
  return (
    <section className="card attempt" aria-label={t.alone}>
      <h3 className="sect">{t.alone}</h3>
      <LessonProse text={attempt[lang]} lang={lang} />
      <button type="button" className="link" onClick={() => useLesson.getState().act({ type: 'walk' })}>
        {t.walk}
      </button>
    </section>
  );
}

/** Whether the notebook's slots say all that the goals would. */
const shownByNotebook = (scenario: NonNullable<LessonStore['scenario']>): boolean =>
  scenario.goals.every((g) => 'pins' in g.check);

function Story({ all }: { all: boolean }) {
  const t = useWords();
  const lang = useLang();
  const scenario = useLesson((s) => s.scenario);
  if (!scenario) return null;
  return (
    <div className="story">
      <LessonProse text={scenario.story[lang]} lang={lang} />
      {all && (
        <>
          <h3 className="sect">{t.task}</h3>
          <LessonProse text={scenario.task[lang]} lang={lang} />
          <h3 className="sect">{t.inFront}</h3>
          <LessonProse text={scenario.scene[lang]} lang={lang} />
        </>
      )}
    </div>
  );
}

/** The author's sentence at the step under the cursor. */
function StepCaption() {
  const t = useWords();
  const lang = useLang();
  const cursor = usePage((p) => p.cursor);
  const index = useLesson((s) => s.resolved.captions.get(cursor));
  const caption = useLesson((s) => (index === undefined ? undefined : s.scenario?.captions?.[index]));
  const { events, spans } = access();
  const event = events[cursor - 1];
  if (!caption || !event) return null;
  return (
    <section className="step-caption" aria-label={t.thisStep}>
      <LessonProse text={caption.text[lang]} lang={lang} values={eventValues(event, spans)} />
    </section>
  );
}

function Hints() {
  const t = useWords();
  const lang = useLang();
  const n = useLesson((s) => s.state?.hints ?? 0);
  const hints = useLesson((s) => s.scenario?.hints);
  const [hidden, setHidden] = useState(0);
  if (n === 0 || !hints || hidden === n) return null;
  return (
    <section className="hints" aria-live="polite">
      {hints.slice(0, n).map((hint, i) => (
        <div key={hint.en} className="hint-row">
          <h3 className="sect">{t.hintN(i + 1)}</h3>
          <LessonProse text={hint[lang]} lang={lang} />
        </div>
      ))}
      <button type="button" className="link" onClick={() => setHidden(n)}>
        {t.hideHint}
      </button>
    </section>
  );
}

function Foot({ ready }: { ready: boolean }) {
  const t = useWords();
  const lang = useLang();
  const loud = useLoud();
  const scenario = useLesson((s) => s.scenario);
  const hints = useLesson((s) => s.state?.hints ?? 0);
  const checking = useLesson((s) => s.state?.checking === true);
  const cursor = usePage((p) => p.cursor);
  const { act, start, check, pin } = useLesson.getState();
  if (!scenario) return null;
  const begin = (): void => {
    // On a phone the packet is on another tab.
    setLayout({ phone: 'stage' });
    void start();
  };
  return (
    <footer className="lesson-foot">
      {loud === 'start' && (
        <button type="button" className="btn primary main" disabled={!ready} onClick={begin}>
          <Icon name="next" />
          <LessonLine text={scenario.start.label[lang]} lang={lang} />
        </button>
      )}
      {loud === 'step' && (
        <button type="button" className="btn primary main" onClick={() => page().step('into')}>
          <Icon name="next" />
          {t.step}
        </button>
      )}
      {loud === 'pin' && (
        <button type="button" className="btn primary main" onClick={() => pin({ kind: 'event', seq: cursor })}>
          <Icon name="pin" />
          {t.pin}
        </button>
      )}
      {loud === 'check' && (
        <button
          type="button"
          className="btn primary main"
          title={t.checkWhy}
          disabled={checking}
          aria-busy={checking}
          onClick={() => void check()}
        >
          {checking ? t.checking : t.check}
        </button>
      )}
      {loud === 'finish' && (
        <button type="button" className="btn primary main" onClick={() => act({ type: 'end' })}>
          {t.finish}
          <Icon name="right" />
        </button>
      )}
      <button
        type="button"
        className="btn quiet hint-button"
        disabled={hints >= 3}
        onClick={() => act({ type: 'hint' })}
      >
        <Icon name="hint" />
        {hints === 0 ? t.hint : t.nextHint}
      </button>
      <span className="grow" />
      {loud !== 'finish' && (
        <button
          type="button"
          className="btn quiet"
          onClick={() => go(scenario.next === undefined ? { view: 'lessons' } : { view: 'lesson', id: scenario.next })}
        >
          {t.skip}
        </button>
      )}
    </footer>
  );
}
