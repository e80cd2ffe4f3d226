import { lazy, Suspense, useEffect, useState } from 'react';
import { inspect } from '../derive/inspect';
import { narrationAt } from '../derive/narrate';
import { TABLES, TablePanel } from '../drawer/Drawer';
import { Inspector } from '../inspector/Inspector';
import { access, asking, page, stepNumber, stepTotal, usePage } from '../model';
import { useNameOf } from '../read/names';
import { useLanes } from '../timeline/useLanes';
import { LangSwitch, ProfilePills, ShareButton, ThemeSwitch } from '../top/TopBar';
import { Icon, RewriteMark } from '../ui/Icon';
import { useText } from '../ui/messages';
import { Prose } from '../ui/Prose';
import { Boundary } from './Boundary';
import { Guide, QuestionSheet } from './Guide';
import { type PhoneTab, setLayout, type TableName, useLayout } from './layout';
import './phone.css';
import { go } from './route';
import { StageColumn } from './StageColumn';

const EditorPanel = lazy(() => import('../editor/EditorPanel'));
const Terminals = lazy(() => import('../terminal/Terminals'));

/** The page at the width of a phone: one thing at a time, the step's buttons always under the thumb. */
export default function Phone({ title, lesson }: { title: string; lesson: string | undefined }) {
  const t = useText();
  const tab = useLayout((l) => l.phone);
  const [menu, setMenu] = useState(false);
  const [table, setTable] = useState<TableName>('conntrack');
  const tabs: readonly [PhoneTab, string][] = [
    ['guide', lesson === undefined ? t.regionEditor : t.phGuide],
    ['stage', t.phStage],
    ['inspect', t.phInspect],
    ['terminal', t.phTerminal],
    ['tables', t.phTables],
  ];
  const stepping = tab === 'stage' || tab === 'inspect';
  // A first packet sent from the guide is looked at on the stage.
  const running = usePage((p) => p.status === 'ready' && p.head > p.origin);
  useEffect(() => {
    if (running && useLayout.getState().phone === 'guide') setLayout({ phone: 'stage' });
  }, [running]);
  return (
    <div className="phone">
      <header className="phone-head" data-region="top">
        <div className="phone-top">
          <button
            type="button"
            className="btn quiet touch icon"
            aria-label={t.back}
            onClick={() => go({ view: 'lessons' })}
          >
            <Icon name="left" />
          </button>
          <h1 className="clip">{title}</h1>
          <button
            type="button"
            className="btn quiet touch icon"
            aria-label={t.menu}
            aria-expanded={menu}
            onClick={() => setMenu(!menu)}
          >
            <Icon name={menu ? 'close' : 'menu'} />
          </button>
        </div>
        {menu && (
          <div className="phone-menu">
            <ProfilePills />
            <div className="phone-menu-row">
              <ShareButton />
              <span className="grow" />
              <ThemeSwitch />
              <LangSwitch />
            </div>
          </div>
        )}
        <div className="phone-tabs" role="tablist" aria-label={t.menu}>
          {tabs.map(([name, label], i) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              aria-selected={tab === name}
              aria-controls="phone-panel"
              tabIndex={tab === name ? 0 : -1}
              onClick={() => setLayout({ phone: name })}
              onKeyDown={(e) => {
                const by = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
                if (by === 0) return;
                e.preventDefault();
                const next = tabs[(i + by + tabs.length) % tabs.length]?.[0];
                if (next === undefined) return;
                setLayout({ phone: next });
                document.getElementById(`tab-${next}`)?.focus();
              }}
            >
              {label}
            </button>
          ))}
        </div>
      </header>
      <main className="phone-main" id="step" tabIndex={-1}>
        <div className="phone-panel" role="tabpanel" id="phone-panel" aria-labelledby={`tab-${tab}`}>
          <Boundary key={tab}>
            {tab === 'guide' &&
              (lesson === undefined ? (
                <Suspense fallback={<p className="panel-loading">{t.editorLoading}</p>}>
                  <EditorPanel />
                </Suspense>
              ) : (
                <Guide />
              ))}
            {tab === 'stage' && <StageColumn inner />}
            {tab === 'inspect' && <Inspector />}
            {tab === 'terminal' && (
              <Suspense fallback={<p className="panel-loading">{t.termLoading}</p>}>
                <Terminals />
              </Suspense>
            )}
            {tab === 'tables' && (
              <div className="phone-tables">
                <div className="phone-table-tabs">
                  {TABLES.map(({ name, key }) => (
                    <button
                      key={name}
                      type="button"
                      className="tab"
                      aria-expanded={table === name}
                      onClick={() => setTable(name)}
                    >
                      {t[key]}
                    </button>
                  ))}
                </div>
                <div className="phone-table">
                  <Suspense>
                    <TablePanel name={table} />
                  </Suspense>
                </div>
              </div>
            )}
          </Boundary>
        </div>
      </main>
      {stepping && (
        <footer className="phone-bar" data-region="timeline">
          {tab === 'stage' && lesson !== undefined && <QuestionSheet />}
          {tab === 'stage' && <Caption />}
          <Scrub />
          <Buttons />
        </footer>
      )}
    </div>
  );
}

/** What this step rewrote and why, in two lines. */
function Caption() {
  const cursor = usePage((p) => p.cursor);
  const origin = usePage((p) => p.origin);
  const lang = usePage((p) => p.lang);
  const closed = usePage(asking);
  const nameOf = useNameOf();
  if (cursor <= origin || closed) return null;
  const { events, spans } = access();
  const told = narrationAt(access(), cursor, lang, nameOf);
  if (told === undefined) return null;
  const seen = inspect(events, spans, cursor);
  const changed = seen?.fields.filter((f) => f.before !== undefined) ?? [];
  const text = told.why ?? told.what;
  return (
    <div className="caption">
      {changed.length > 0 && (
        <p className="mono caption-change">
          <RewriteMark /> <span className="old">{changed.map((f) => f.before).join(':')}</span>{' '}
          <span className="dim">→</span> <span className="new">{changed.map((f) => f.value).join(':')}</span>
        </p>
      )}
      <p>
        <Prose text={/[.。]$/.test(text) ? text : `${text}${lang === 'zh' ? '。' : '.'}`} />
      </p>
    </div>
  );
}

function Scrub() {
  const t = useText();
  const number = usePage(stepNumber);
  const shown = usePage((p) => Math.max(1, p.horizon - p.origin));
  const origin = usePage((p) => p.origin);
  const hidden = usePage((p) => p.horizon < p.head);
  const lanes = useLanes();
  const length = hidden ? shown * 1.6 : shown;
  return (
    <div className="scrub">
      <svg width="100%" height="12" preserveAspectRatio="none" aria-hidden="true">
        <rect width="100%" height="3" y="4" fill="var(--line)" />
        <rect width={`${Math.min(100, (100 * number) / length)}%`} height="3" y="4" fill="var(--ink)" />
        {lanes
          .flatMap((l) => l.marks)
          .filter((m) => m.kind !== 'entry')
          .map((m) => (
            <rect
              key={`${m.seq}${m.kind}`}
              x={`${(100 * (m.seq - origin)) / length}%`}
              y="2"
              width="7"
              height="7"
              className={m.kind === 'drop' ? 'scrub-drop' : 'scrub-rewrite'}
            />
          ))}
      </svg>
      <input
        type="range"
        min={0}
        max={shown}
        value={Math.min(number, shown)}
        aria-label={t.regionTimeline}
        onChange={(e) => page().seek(origin + Number(e.target.value))}
      />
    </div>
  );
}

function Buttons() {
  const t = useText();
  const playing = usePage((p) => p.playhead.playing);
  const closed = usePage(asking);
  const number = usePage(stepNumber);
  const total = usePage(stepTotal);
  const atStart = usePage((p) => p.cursor <= p.origin);
  const atEnd = usePage((p) => p.cursor >= p.horizon);
  const { step, play, pause } = page();
  return (
    <div className="phone-buttons" role="toolbar" aria-label={t.regionTimeline}>
      <button
        type="button"
        className="btn quiet touch icon"
        aria-label={t.stepOverBack}
        disabled={atStart}
        onClick={() => step('over', -1)}
      >
        <Icon name="overBack" />
      </button>
      <button
        type="button"
        className="btn quiet touch icon"
        aria-label={t.stepBack}
        disabled={atStart}
        onClick={() => step('into', -1)}
      >
        <Icon name="previous" />
      </button>
      <button
        type="button"
        className={closed ? 'btn touch' : 'btn touch primary'}
        disabled={atEnd}
        onClick={() => step('into')}
      >
        <Icon name="next" />
        {t.stepForward} <span className="of">{t.shortOf(number, total)}</span>
      </button>
      <button
        type="button"
        className="btn quiet touch icon"
        aria-label={playing ? t.pause : t.play}
        disabled={atEnd && !playing}
        onClick={() => (playing ? pause() : play())}
      >
        <Icon name={playing ? 'pause' : 'play'} />
      </button>
      <button
        type="button"
        className="btn quiet touch icon"
        aria-label={t.stepOver}
        disabled={atEnd}
        onClick={() => step('over')}
      >
        <Icon name="over" />
      </button>
    </div>
  );
}
