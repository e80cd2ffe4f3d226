import { linkTo } from '../app/route';
import { usePage } from '../model';
import { TopBar } from '../top/TopBar';
import { useMedia } from '../ui/hooks';
import { Icon } from '../ui/Icon';
import { useText } from '../ui/messages';
import { CHAPTERS, LESSONS } from './lessons';
import './landing.css';

/** The page of a newcomer: one packet, one start. */
export default function Landing() {
  const t = useText();
  const lang = usePage((p) => p.lang);
  const first = LESSONS[0];
  const chapters = CHAPTERS.filter((c) => LESSONS.some((l) => l.chapter === c.number));
  return (
    <div className="land">
      <TopBar />
      <main className="land-main">
        <h1>{t.landTitle}</h1>
        <p className="lead">{t.landLead}</p>
        <Picture />
        <a className="btn primary large start" {...linkTo({ view: 'lesson', id: first?.id ?? '' })}>
          {t.landStart}
          <Icon name="right" />
        </a>
        <p className="dim under">{t.landMinutes(first?.minutes ?? 10)}</p>
        <p className="mid know">
          {t.landKnow}
          {lang === 'zh' ? '' : ' '}
          <a {...linkTo({ view: 'lessons' })}>{t.landBrowse(LESSONS.length)}</a>
          {lang === 'zh' ? t.landOr : ` ${t.landOr} `}
          <a {...linkTo({ view: 'sandbox' })}>{t.landSandbox}</a>
          {lang === 'zh' ? '。' : '.'}
        </p>
        <p className="dim local">{t.landLocal}</p>
      </main>
      <aside className="land-side">
        <h2>{t.landWhat}</h2>
        <p className="mid land-side-lead">{t.landWhatWhy}</p>
        {chapters.map((c) => (
          <section key={c.number} className="land-chapter">
            <h3>
              <span className="dim">{c.number}</span>
              {c.title[lang]}
            </h3>
            <p className="mid">{c.lead[lang]}</p>
            <ul>
              {LESSONS.filter((l) => l.chapter === c.number).map((l) => (
                <li key={l.id}>
                  <a {...linkTo({ view: 'lesson', id: l.id })}>{l.title[lang]}</a>
                  <span className="dim">{t.catMinutes(l.minutes)}</span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </aside>
    </div>
  );
}

/** The one packet: it left client, passed conntrack, and stands at nat; the rest is open. */
function Picture() {
  const t = useText();
  const phone = useMedia('(max-width: 500px)');
  const station = (x: number, name: string, priority: string, passed: boolean) => (
    <g>
      <circle cx={x} cy="70" r="8" className={passed ? 'stn passed' : 'stn'} />
      <text x={x} y="98" className="mid-text">
        {name}
      </text>
      <text x={x} y="114" className="mid-text m d">
        {priority}
      </text>
    </g>
  );
  return (
    <svg className="land-picture" viewBox={phone ? '0 0 358 130' : '0 0 640 130'} role="img" aria-label={t.landPicture}>
      <path d={phone ? 'M48 70H324' : 'M60 70H580'} className="rail" />
      <path d={phone ? 'M48 70H200' : 'M60 70H250'} className="way" />
      {phone ? (
        <>
          {station(136, 'conntrack', '−200', true)}
          {station(200, 'nat', '−100', false)}
          {station(254, 'filter', '0', false)}
        </>
      ) : (
        <>
          {station(150, 'conntrack', '−200', true)}
          {station(250, 'nat', '−100', false)}
          <path d="M350 58l12 12-12 12-12-12z" className="stn" />
          <text x="350" y="98" className="mid-text">
            {t.route}
          </text>
          {station(440, 'filter', '0', false)}
        </>
      )}
      <g transform={phone ? 'translate(-7 0)' : undefined}>
        <rect x="8" y="48" width="96" height="44" rx="6" className="pod on" />
        <text x="56" y="66" className="mid-text w">
          client
        </text>
        <text x="56" y="83" className="mid-text m d2">
          10.244.1.100
        </text>
      </g>
      <g transform={phone ? 'translate(-266 0)' : undefined}>
        <rect x="544" y="48" width="80" height="44" rx="6" className="pod" />
        <text x="584" y="75" className="mid-text w">
          ?
        </text>
      </g>
      <g transform={phone ? 'translate(-50 0)' : undefined}>
        <circle cx="250" cy="70" r="12" className="ground" />
        <g transform="translate(250 70) scale(1.1)">
          <path d="M-11 -8h14l8 8-8 8h-14z" className="tag" />
          <text x="-3" y="4.3" className="mid-text w inv">
            1
          </text>
        </g>
        <rect x="176" y="4" width="148" height="30" rx="6" className="callout" />
        <text x="250" y="24" className="mid-text m">
          {t.landTo('10.96.10.10:80')}
        </text>
        <path d="M250 34V58" className="leader" />
      </g>
    </svg>
  );
}
