import { lazy, Suspense, useEffect, useState } from 'react';
import { htmlLang } from '../../explain';
import { Landing } from '../landing/Landing';
import { lessonById } from '../landing/lessons';
import { page, usePage } from '../model';
import { type Catalogue, en, TextContext, useText } from '../ui/messages';
import { Toasts, toast } from '../ui/toasts';
import { Boundary } from './Boundary';
import { Playback } from './Playback';
import { useRoute } from './route';
import { Workbench } from './Workbench';

const Lessons = lazy(() => import('../landing/Lessons'));
const PastDialog = lazy(() => import('./PastDialog'));

/** Loads the words of the reader's language; until they are there the page speaks English. */
function useCatalogue(): Catalogue {
  const lang = usePage((p) => p.lang);
  const [zh, setZh] = useState<Catalogue>();
  useEffect(() => {
    if (lang !== 'zh' || zh !== undefined) return;
    import('../ui/messages/zh').then(
      (m) => setZh(m.zh),
      () => toast({ tone: 'bad', title: en.errChinese, text: en.errChineseWhy }),
    );
  }, [lang, zh]);
  return lang === 'zh' && zh !== undefined ? zh : en;
}

function useDocumentLook(text: Catalogue): void {
  const theme = usePage((p) => p.theme);
  const lang = usePage((p) => p.lang);
  useEffect(() => {
    const root = document.documentElement;
    if (theme === 'auto') delete root.dataset.theme;
    else root.dataset.theme = theme;
  }, [theme]);
  useEffect(() => {
    document.documentElement.lang = htmlLang(text === en ? 'en' : lang);
  }, [lang, text]);
}

export function App() {
  const text = useCatalogue();
  useDocumentLook(text);
  return (
    <TextContext value={text}>
      <Boundary>
        <Routes />
      </Boundary>
      <Toasts />
      <Notices />
      <Past />
    </TextContext>
  );
}

function Routes() {
  const t = useText();
  const route = useRoute();
  const lang = usePage((p) => p.lang);
  const title =
    route.view === 'lesson'
      ? (lessonById(route.id)?.title[lang] ?? route.id)
      : route.view === 'lessons'
        ? t.catLessons
        : route.view === 'sandbox' || route.view === 'link'
          ? t.sandbox
          : undefined;
  useEffect(() => {
    document.title = title === undefined ? t.product : `${title} - ${t.product}`;
  }, [title, t]);
  switch (route.view) {
    case 'landing':
      return <Landing />;
    case 'lessons':
      return (
        <Suspense>
          <Lessons />
        </Suspense>
      );
    default:
      return (
        <>
          <Playback />
          <Workbench route={route} />
        </>
      );
  }
}

/** What the store wants said. */
function Notices() {
  const t = useText();
  const notice = usePage((p) => p.notice);
  useEffect(() => {
    if (notice === undefined) return;
    const step = Number(notice.values.step ?? 0);
    if (notice.code === 'forked') toast({ tone: 'branch', title: t.noticeForked(step), text: t.noticeForkedWhy });
    else if (notice.code === 'link.anchor')
      toast({ tone: 'branch', title: t.noticeAnchorMoved, text: t.noticeAnchorMovedWhy });
    else if (notice.code === 'link.nearest' || notice.code === 'link.lost')
      toast({ tone: 'branch', title: t.noticeAnchorNearest, text: t.noticeAnchorNearestWhy });
    page().dismissNotice();
  }, [notice, t]);
  return null;
}

function Past() {
  const asked = usePage((p) => p.askPast);
  if (asked === undefined) return null;
  return (
    <Suspense>
      <PastDialog command={asked.command} />
    </Suspense>
  );
}
