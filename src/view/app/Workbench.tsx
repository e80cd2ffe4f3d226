import { lazy, Suspense, useEffect } from 'react';
import { Drawer } from '../drawer/Drawer';
import { Inspector } from '../inspector/Inspector';
import { lessonById } from '../landing/lessons';
import { page, usePage } from '../model';
import { useLessonLink } from '../pins';
import { loadReads } from '../read';
import { Strip } from '../strip/Strip';
import { Timeline } from '../timeline/Timeline';
import { TopBar } from '../top/TopBar';
import { useNarrow, usePhone } from '../ui/hooks';
import { useText } from '../ui/messages';
import { Boundary } from './Boundary';
import { Guide } from './Guide';
import { Keys } from './Keys';
import { Live } from './Live';
import { setLayout, showTerminal, useLayout } from './layout';
import { PageError } from './PageError';
import type { Route } from './route';
import { StageColumn } from './StageColumn';
import { sandbox } from './sandbox';
import './work.css';

const EditorPanel = lazy(() => import('../editor/EditorPanel'));
const Phone = lazy(() => import('./Phone'));
const LessonEnd = lazy(() => import('../lesson/LessonEnd'));

/** The lesson follows the world from its start on, so its code is asked for together with the world. */
function loadLesson(): void {
  void import('../lesson/link').then((m) => m.followLesson());
}

/** Opens what the address names. */
function open(route: Route): void {
  const p = page();
  if (route.view === 'lesson') {
    loadLesson();
    if (p.scenario !== route.id) setLayout({ phone: 'guide' });
    if (p.scenario !== route.id || p.status === 'failed') void p.openScenario(route.id);
  } else if (route.view === 'sandbox') {
    if (p.recipe === undefined || p.scenario !== undefined || p.status === 'failed')
      void sandbox().then((recipe) => page().openRecipe(recipe));
    setLayout({ terminal: true });
  } else if (route.view === 'link') {
    loadLesson();
    void p.openLink(route.fragment);
  }
}

export function Workbench({ route }: { route: Route }) {
  const t = useText();
  const lang = usePage((p) => p.lang);
  const scenario = usePage((p) => p.scenario);
  const failed = usePage((p) => (p.status === 'failed' ? p.error : undefined));
  const phone = usePhone();
  const id = route.view === 'lesson' ? route.id : route.view === 'link' ? scenario : undefined;
  const title = id === undefined ? t.sandboxName : (lessonById(id)?.title[lang] ?? id);
  const ended = useLessonLink((l) => l.ended);
  useEffect(() => {
    loadReads();
    open(route);
  }, [route]);

  if (failed !== undefined) {
    return (
      <div className="work failed">
        <TopBar title={title} />
        <PageError error={failed} again={() => open(route)} />
      </div>
    );
  }
  if (ended && id !== undefined) {
    return (
      <div className="work ended">
        <TopBar title={title} />
        <Suspense>
          <LessonEnd />
        </Suspense>
      </div>
    );
  }
  return (
    <>
      {/* No link: the fragment may hold the world itself. */}
      <button type="button" className="skip" onClick={() => document.getElementById('step')?.focus()}>
        {t.skipToStep}
      </button>
      {phone ? (
        <Suspense>
          <Phone title={title} lesson={id} />
        </Suspense>
      ) : (
        <Desk title={title} lesson={id} />
      )}
      <Live />
      <Keys terminal={showTerminal} />
    </>
  );
}

function Desk({ title, lesson }: { title: string; lesson: string | undefined }) {
  const t = useText();
  const narrow = useNarrow();
  const side = useLayout((l) => l.side);
  const sandbox = lesson === undefined;
  const guide = (
    <aside
      className={sandbox ? 'guide editor-column' : 'guide'}
      aria-label={sandbox ? t.regionEditor : t.regionGuide}
      data-region="guide"
    >
      <Boundary>
        {sandbox ? (
          <Suspense fallback={<p className="panel-loading">{t.editorLoading}</p>}>
            <EditorPanel />
          </Suspense>
        ) : (
          <Guide />
        )}
      </Boundary>
    </aside>
  );
  return (
    <div className={`work${sandbox ? ' sandbox' : ''}${narrow ? ' narrow' : ''}`}>
      <TopBar title={title} tools />
      <Strip />
      <div className="columns">
        {narrow ? (
          <div className="side">
            <div className="side-tabs">
              <button
                type="button"
                className="tab"
                aria-expanded={side === 'guide'}
                onClick={() => setLayout({ side: 'guide' })}
              >
                {sandbox ? t.regionEditor : t.phGuide}
              </button>
              <button
                type="button"
                className="tab"
                aria-expanded={side === 'inspector'}
                onClick={() => setLayout({ side: 'inspector' })}
              >
                {t.phInspect}
              </button>
            </div>
            {side === 'guide' ? guide : <Inspector />}
          </div>
        ) : (
          guide
        )}
        <StageColumn />
        {!narrow && (
          <Boundary>
            <Inspector />
          </Boundary>
        )}
      </div>
      <Boundary>
        <Timeline loud={sandbox} />
      </Boundary>
      <Drawer />
    </div>
  );
}
