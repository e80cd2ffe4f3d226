import { lazy, Suspense, useEffect } from 'react';
import { lessonById } from '../landing/lessons';
import { page, usePage } from '../model';
import { TextContext, useText } from '../ui/messages';
import { Toasts, toast } from '../ui/toasts';
import { Boundary } from './Boundary';
import { Playback } from './Playback';
import { useRoute } from './route';
import { Workbench } from './Workbench';
import { useCatalogue, useDocumentLook } from './words';

const Landing = lazy(() => import('../landing/Landing'));
const Lessons = lazy(() => import('../landing/Lessons'));
const PastDialog = lazy(() => import('./PastDialog'));

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
      return (
        <Suspense>
          <Landing />
        </Suspense>
      );
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
  // A link that cannot be read is refused while another world is open: that one stays.
  const refused = usePage((p) => (p.status === 'ready' ? p.error : undefined));
  useEffect(() => {
    if (refused?.code.startsWith('link.')) toast({ tone: 'bad', title: t.errLink, text: t.errLinkWhy });
  }, [refused, t]);
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
