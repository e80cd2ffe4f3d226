import { useEffect, useId, useRef } from 'react';
import { tell } from '../../explain';
import { type LessonStore, useLesson } from '../../store/lesson';
import { access, page, usePage } from '../model';
import { useNameOf } from '../read/names';
import { Icon } from '../ui/Icon';
import { LessonLine, LessonProse } from './LessonProse';
import { useLang, useLoud, useStepOf, useWords } from './use-lesson';

type Resolved = LessonStore['resolved']['questions'][number];

/** The question whose card is shown: the last one reached. */
export function useQuestion(): Resolved | undefined {
  const cursor = usePage((p) => p.cursor);
  const questions = useLesson((s) => s.resolved.questions);
  let at: Resolved | undefined;
  for (const q of questions) if (q.askSeq <= cursor) at = q;
  return at;
}

export function QuestionCard({ touch }: { touch?: boolean }) {
  const q = useQuestion();
  const given = useLesson((s) => (q ? s.state?.given[q.question.id] : undefined));
  if (!q) return null;
  const key = q.question.id;
  return given ? <Answered key={key} q={q} touch={touch === true} /> : <Open key={key} q={q} touch={touch === true} />;
}

/** After a wrong answer the page goes to the first difference, as far as it may be shown. */
function goToDifference(q: Resolved): void {
  if (q.differsSeq !== undefined && q.differsSeq <= page().horizon) page().seek(q.differsSeq);
}

function Open({ q, touch }: { q: Resolved; touch: boolean }) {
  const t = useWords();
  const lang = useLang();
  const name = useId();
  const loud = useLoud();
  const picked = useLesson((s) => s.state?.picked[q.question.id]);
  const { act } = useLesson.getState();
  const id = q.question.id;
  const size = touch ? ' touch' : '';
  const card = useRef<HTMLFormElement>(null);
  useEffect(() => {
    void card.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <form
      ref={card}
      className={`card question${touch ? ' touch' : ''}`}
      onSubmit={(e) => {
        e.preventDefault();
        act({ type: 'answer', question: id });
        if (picked !== q.right) goToDifference(q);
      }}
    >
      <fieldset>
        <legend>
          <LessonLine text={q.question.ask[lang]} lang={lang} />
        </legend>
        {q.options.map((o, i) => (
          <label key={o.kind} className={picked === i ? 'option picked' : 'option'}>
            <input
              type="radio"
              name={name}
              value={o.kind}
              checked={picked === i}
              onChange={() => act({ type: 'pick', question: id, option: i })}
            />
            <OptionText option={o} />
          </label>
        ))}
      </fieldset>
      <div className="question-acts">
        <button
          type="submit"
          className={`btn grow${loud === 'answer' ? ' primary' : ''}${size}`}
          disabled={picked === undefined}
        >
          {t.answer}
        </button>
        <button
          type="button"
          className={`btn quiet${size}`}
          onClick={() => {
            act({ type: 'show', question: id });
            goToDifference(q);
          }}
        >
          {t.showMe}
        </button>
      </div>
    </form>
  );
}

function OptionText({ option }: { option: Resolved['options'][number] }) {
  const lang = useLang();
  const { label, note } = option.option;
  return (
    <span className="option-text">
      {label ? (
        <span>
          <LessonLine text={label[lang]} lang={lang} />
        </span>
      ) : (
        <span className="mono">{option.value}</span>
      )}
      {note && (
        <span className="option-note">
          <LessonLine text={note[lang]} lang={lang} />
        </span>
      )}
    </span>
  );
}

function Answered({ q, touch }: { q: Resolved; touch: boolean }) {
  const t = useWords();
  const lang = useLang();
  const stepOf = useStepOf();
  const horizon = usePage((p) => p.horizon);
  const cursor = usePage((p) => p.cursor);
  const nameOf = useNameOf();
  const given = useLesson((s) => s.state?.given[q.question.id]);
  if (!given) return null;
  const chosen = given.kind === 'chosen' ? q.options[given.option] : undefined;
  const right = q.options[q.right];
  const isRight = given.kind === 'chosen' && given.right;
  const { events, spans } = access();
  // What lies beyond the next open question stays untold.
  const at = q.differsSeq !== undefined && q.differsSeq <= horizon ? q.differsSeq : undefined;
  const event = at === undefined ? undefined : events[at - 1];
  const told = event && tell(event, { lang, spans, nameOf });
  const gap = lang === 'zh' ? '' : ' ';
  const reason = told && `${told.why ?? told.changed ?? told.what}${lang === 'zh' ? '。' : '.'}`;
  return (
    <section className={`card question answered${touch ? ' touch' : ''}`} aria-live="polite">
      <h3>
        <LessonLine text={q.question.ask[lang]} lang={lang} />
      </h3>
      <ul>
        {chosen && !isRight && (
          <li className="option wrong">
            <Icon name="cross" />
            <span className="option-text">
              <OptionText option={chosen} />
              <span className="option-tag c-drop">{t.yours}</span>
            </span>
          </li>
        )}
        {right && (
          <li className="option right">
            <Icon name="check" />
            <span className="option-text">
              <OptionText option={right} />
              <span className="option-tag c-rep">{isRight ? t.yours : t.happened}</span>
            </span>
          </li>
        )}
      </ul>
      <div className="feedback">
        {isRight ? (
          <p>
            <b>{t.right}</b>
            {gap}
            {q.question.right ? <LessonLine text={q.question.right[lang]} lang={lang} /> : reason}
          </p>
        ) : (
          reason !== undefined &&
          at !== undefined && (
            <p>
              <b>{chosen ? t.sameUpTo(stepOf(at) - 1) : t.shown}</b>
              {gap}
              {t.atStep(stepOf(at))}
              {gap}
              {reason}
            </p>
          )
        )}
        {chosen?.option.feedback && !isRight && (
          <div className="mid">
            <LessonProse text={chosen.option.feedback[lang]} lang={lang} />
          </div>
        )}
        {at !== undefined && cursor !== at && (
          <button type="button" className="link" onClick={() => page().seek(at)}>
            {t.goToStep(stepOf(at))}
          </button>
        )}
      </div>
    </section>
  );
}
