import { Suspense, useEffect, useState } from 'react';
import { placeText, tell } from '../explain';
import { Boundary } from '../view/app/Boundary';
import { Live } from '../view/app/Live';
import { setLayout } from '../view/app/layout';
import { PageError } from '../view/app/PageError';
import { Playback } from '../view/app/Playback';
import { StageSlot } from '../view/app/StageColumn';
import { useCatalogue, useDocumentLook } from '../view/app/words';
import { inspect } from '../view/derive/inspect';
import { access, page, stepNumber, stepTotal, usePage } from '../view/model';
import { loadReads } from '../view/read';
import { useNameOf } from '../view/read/names';
import { useCurrentLane } from '../view/timeline/useLanes';
import { Icon, Logo, PacketTag, RewriteMark } from '../view/ui/Icon';
import { TextContext, useText } from '../view/ui/messages';
import { Prose } from '../view/ui/Prose';
import { useBridge } from './bridge';
import './embed.css';
import { openEmbed } from './open';
import type { EmbedParams } from './params';

/** Height of a frame that holds the map and the hooks (px); a lower one holds the map. */
const BOTH = 720;

/** One step of a run in somebody else's page: the picture, what changed and why, and the way to the whole. */
export function EmbedApp({ params }: { params: EmbedParams }) {
  const text = useCatalogue();
  useDocumentLook(text);
  return (
    <TextContext value={text}>
      <Boundary>
        <Embed params={params} />
      </Boundary>
    </TextContext>
  );
}

function Embed({ params }: { params: EmbedParams }) {
  const t = useText();
  const [loaded, setLoaded] = useState(!params.click);
  const failed = usePage((p) => (p.status === 'failed' ? p.error : undefined));
  useBridge();
  useEffect(() => {
    if (!loaded) return;
    loadReads();
    setLayout({ level: params.view === 'rules' ? 'hook' : window.innerHeight < BOTH ? 'map' : 'node' });
    void openEmbed(params);
  }, [loaded, params]);
  if (failed !== undefined) return <PageError error={failed} again={() => void openEmbed(params)} />;
  if (!loaded) {
    return (
      <main className="embed waiting">
        <button type="button" className="btn primary large" onClick={() => setLoaded(true)}>
          <Icon name="play" />
          {t.embLoad}
        </button>
      </main>
    );
  }
  return (
    <div className="embed">
      <Playback />
      {!params.hide.has('toolbar') && <Head />}
      {params.unknown.map((u) => (
        <p key={`${u.name} ${u.value}`} className="embed-note" role="status">
          {t.errParam(u.name, u.value)} {t.errParamWhy}
        </p>
      ))}
      <main className="embed-stage" id="step" tabIndex={-1}>
        <Suspense>
          <StageSlot />
        </Suspense>
      </main>
      {!params.hide.has('caption') && <Why />}
      {!params.hide.has('timeline') && <Foot />}
      <Live />
    </div>
  );
}

function useEvent() {
  const cursor = usePage((p) => p.cursor);
  const origin = usePage((p) => p.origin);
  return cursor > origin ? access().events[cursor - 1] : undefined;
}

function Head() {
  const t = useText();
  const lang = usePage((p) => p.lang);
  const number = usePage(stepNumber);
  const total = usePage(stepTotal);
  const lane = useCurrentLane();
  const event = useEvent();
  const { spans } = access();
  return (
    <header className="embed-head">
      {lane !== undefined && <PacketTag direction={lane.direction} />}
      <h1>{lane === undefined ? t.product : t.packetN(lane.number, lane.direction)}</h1>
      <span className="mono mid clip">{event === undefined ? '' : placeText(event, lang, spans)}</span>
      <span className="chip">{t.embStep(number, total)}</span>
    </header>
  );
}

function Why() {
  const t = useText();
  const lang = usePage((p) => p.lang);
  const cursor = usePage((p) => p.cursor);
  const nameOf = useNameOf();
  const event = useEvent();
  if (event === undefined) return null;
  const { events, spans } = access();
  const told = tell(event, { lang, spans, nameOf });
  const changed = inspect(events, spans, cursor)?.fields.filter((f) => f.before !== undefined) ?? [];
  const text = told.why ?? told.what;
  return (
    <section className="embed-why" aria-label={t.why}>
      {changed.length > 0 ? <RewriteMark /> : <span />}
      <div>
        {changed.length > 0 && (
          <p className="mono">
            <span className="old">{changed.map((f) => f.before).join(':')}</span> <span className="dim">→</span>{' '}
            <span className="new">{changed.map((f) => f.value).join(':')}</span>
          </p>
        )}
        <p>
          <Prose text={/[.。]$/.test(text) ? text : `${text}${lang === 'zh' ? '。' : '.'}`} />
        </p>
      </div>
    </section>
  );
}

function Foot() {
  const t = useText();
  const playing = usePage((p) => p.playhead.playing);
  const atStart = usePage((p) => p.cursor <= p.origin);
  const atEnd = usePage((p) => p.cursor >= p.horizon);
  const cursor = usePage((p) => p.cursor);
  const ready = usePage((p) => p.status === 'ready');
  const [whole, setWhole] = useState<string>();
  useEffect(() => {
    if (!ready || playing) return;
    void page()
      .shareUrl()
      .then((link) => {
        const url = new URL(link);
        url.search = '';
        // The link names the step: one that came too late is of no use.
        if (page().cursor === cursor) setWhole(url.href);
      });
  }, [ready, playing, cursor]);
  const { step, play, pause } = page();
  return (
    <footer className="embed-foot">
      <button
        type="button"
        className="btn quiet small icon"
        aria-label={t.stepBack}
        disabled={atStart}
        onClick={() => step('into', -1)}
      >
        <Icon name="previous" />
      </button>
      <button
        type="button"
        className="btn quiet small icon"
        aria-label={playing ? t.pause : t.play}
        disabled={atEnd && !playing}
        onClick={() => (playing ? pause() : play())}
      >
        <Icon name={playing ? 'pause' : 'play'} />
      </button>
      <button
        type="button"
        className="btn quiet small icon"
        aria-label={t.stepForward}
        disabled={atEnd}
        onClick={() => step('into')}
      >
        <Icon name="next" />
      </button>
      <span className="grow" />
      <a className="btn quiet small" href={whole ?? './'} target="_blank" rel="noreferrer">
        <Icon name="share" />
        {t.embOpen}
      </a>
      <Logo />
    </footer>
  );
}
