import { linkTo } from '../app/route';
import { usePage } from '../model';
import { TopBar } from '../top/TopBar';
import { readSetting } from '../ui/hooks';
import { Icon } from '../ui/Icon';
import { useText } from '../ui/messages';
import './landing.css';
import { CHAPTERS, LESSONS } from './lessons';

/** Every lesson there is, by chapter. */
export default function Lessons() {
  const t = useText();
  const lang = usePage((p) => p.lang);
  const chapters = CHAPTERS.filter((c) => LESSONS.some((l) => l.chapter === c.number));
  return (
    <div className="cat">
      <TopBar title={t.catLessons} />
      <main className="cat-main">
        <h1>{t.catTitle}</h1>
        <p className="lead">{t.catLead}</p>
        {chapters.map((c) => (
          <section key={c.number} className="cat-chapter">
            <span className="n">{c.number}</span>
            <div>
              <h2>{c.title[lang]}</h2>
              <p className="mid">{c.lead[lang]}</p>
              <ul className="cat-lessons">
                {LESSONS.filter((l) => l.chapter === c.number).map((l) => (
                  <li key={l.id}>
                    <Lesson id={l.id} title={l.title[lang]} minutes={l.minutes} />
                  </li>
                ))}
              </ul>
            </div>
          </section>
        ))}
      </main>
      <aside className="cat-side">
        <a className="card cat-go" {...linkTo({ view: 'sandbox' })}>
          <span>
            <b>{t.catSandbox}</b>
            <span className="mid">{t.catSandboxWhy}</span>
          </span>
          <Icon name="right" />
        </a>
        <p className="dim">{t.catKept}</p>
      </aside>
    </div>
  );
}

function Lesson({ id, title, minutes }: { id: string; title: string; minutes: number }) {
  const t = useText();
  const state = readSetting(`lesson.${id}`);
  const done = state === 'done';
  return (
    <a className="cat-lesson" {...linkTo({ view: 'lesson', id })}>
      <svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">
        <circle
          cx="11"
          cy="11"
          r="7"
          fill={done ? 'var(--hook)' : 'var(--panel)'}
          stroke={state === undefined ? 'var(--line-3)' : 'var(--hook)'}
          strokeWidth="2"
        />
        {state !== undefined && !done && <circle cx="11" cy="11" r="3" fill="var(--hook)" />}
      </svg>
      <span>{title}</span>
      <span className="state">{done ? t.catDone : state === undefined ? t.catNew : t.catStarted}</span>
      <span className="dim">{t.catMinutes(minutes)}</span>
    </a>
  );
}
