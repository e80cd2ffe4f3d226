import { type ReactElement, useState } from 'react';
import { DropCard } from '../path/EventCard';
import { Stage } from '../path/Stage';
import type { StageLang } from '../path/words';
import { buildScene } from '../scene/build';
import { galleryEntries } from './entries';
import './gallery.css';

const query = (): URLSearchParams => new URLSearchParams(window.location.search);

/** Every picture of the stage on one page: a workbench, opened with `?gallery` in development. */
export function Gallery(): ReactElement {
  const q = query();
  const [lang, setLang] = useState<StageLang>(q.get('lang') === 'zh' ? 'zh' : 'en');
  const only = q.get('only')?.split(',');
  const width = q.get('width');
  const [pinned, setPinned] = useState('');
  const entries = galleryEntries().filter((e) => only === undefined || only.includes(e.id));
  return (
    <main className="gallery">
      <header>
        <h1>Gallery</h1>
        <button type="button" className="btn" onClick={() => setLang(lang === 'en' ? 'zh' : 'en')}>
          {lang}
        </button>
        <output>{pinned}</output>
      </header>
      {entries.map((e) => {
        const scene = buildScene(e.input);
        return (
          <section key={e.id} id={e.id}>
            <h2>{e.title}</h2>
            <div className="gallery-frame" style={width === null ? undefined : { width: Number(width) }}>
              {scene.drop && <DropCard drop={scene.drop} lang={lang} />}
              <Stage
                input={e.input}
                lang={lang}
                narration={e.title}
                {...(e.level === undefined ? {} : { level: e.level })}
                {...(e.phase === undefined ? {} : { phase: e.phase })}
                onSelect={(s) => setPinned(JSON.stringify(s))}
                onPin={(p) => setPinned(`pin ${JSON.stringify(p)}`)}
              />
            </div>
          </section>
        );
      })}
    </main>
  );
}
