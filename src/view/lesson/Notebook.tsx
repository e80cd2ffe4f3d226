import { useLesson } from '../../store/lesson';
import { page } from '../model';
import { Icon } from '../ui/Icon';
import { LessonLine } from './LessonProse';
import { pinText, refusalText } from './pin-text';
import { useLang, useStepOf, useWords } from './use-lesson';

/** Named slots: filled, refused, open; and, where the lesson asks for one, the cause. */
export function Notebook() {
  const t = useWords();
  const lang = useLang();
  const stepOf = useStepOf();
  const scenario = useLesson((s) => s.scenario);
  const slots = useLesson((s) => s.state?.slots);
  const started = useLesson((s) => s.state?.started === true);
  if (!scenario || !slots || scenario.slots.length === 0) return null;
  const filled = scenario.slots.filter((s) => slots[s.id]?.kind === 'filled').length;
  return (
    <section className="notebook" aria-label={t.notebook}>
      <h3 className="sect">
        {t.notebook}
        <span className="end">{t.ofTotal(filled, scenario.slots.length)}</span>
      </h3>
      <Causes />
      <ul>
        {scenario.slots.map((slot) => {
          const state = slots[slot.id];
          const look = state?.kind === 'filled' ? 'filled' : state?.kind === 'refused' ? 'refused' : 'open';
          const text = state?.kind === 'filled' ? pinText(state.pin, lang, stepOf) : undefined;
          return (
            <li key={slot.id} className={`slot ${look}`} data-slot={slot.id} data-state={look}>
              <Icon name={look === 'refused' ? 'cross' : 'pin'} />
              <b>
                <LessonLine text={slot.title[lang]} lang={lang} />
              </b>
              {text && state ? (
                <>
                  <p>
                    <button type="button" className="link" onClick={() => page().seek(state.pin.seq)}>
                      {text.where}
                    </button>
                  </p>
                  {text.thing !== '' && <p className="mono">{text.thing}</p>}
                  <button
                    type="button"
                    className="btn quiet small icon unpin"
                    aria-label={t.unpin}
                    title={t.unpin}
                    onClick={() => useLesson.getState().act({ type: 'unpin', slot: slot.id })}
                  >
                    <Icon name="close" />
                  </button>
                </>
              ) : state?.kind === 'refused' ? (
                <>
                  <p>
                    {state.say ? (
                      <LessonLine text={state.say[lang]} lang={lang} />
                    ) : (
                      refusalText(state.pin, lang, stepOf)
                    )}
                  </p>
                  {!state.say && (
                    <p>
                      <LessonLine text={slot.needs[lang]} lang={lang} />
                    </p>
                  )}
                </>
              ) : (
                <p className="dim">{t.empty}</p>
              )}
            </li>
          );
        })}
      </ul>
      {started && filled === 0 && <p className="dim small-text">{t.howToPin}</p>}
    </section>
  );
}

function Causes() {
  const t = useWords();
  const lang = useLang();
  const causes = useLesson((s) => s.scenario?.causes);
  const named = useLesson((s) => s.state?.cause);
  if (!causes) return null;
  return (
    <label className="cause">
      <span>{t.cause}</span>
      <select
        className="field"
        value={named ?? ''}
        onChange={(e) => useLesson.getState().act({ type: 'cause', cause: e.target.value })}
      >
        <option value="" disabled>
          {t.choose}
        </option>
        {causes.map((c) => (
          <option key={c.id} value={c.id}>
            {c.title[lang]}
          </option>
        ))}
      </select>
    </label>
  );
}
