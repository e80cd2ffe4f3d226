import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { Stage } from '../path/Stage';
import { addStageWords, type StageLang } from '../path/words';
import { zh } from '../path/words-zh';
import type { SceneInput } from '../scene/types';
import { type GalleryEntry, galleryEntries } from './entries';
import { inputAt, TraceMaker } from './maker';
import { BOOK, firstPacket, THREE_NODES } from './story';

addStageWords('zh', zh);
const entries = galleryEntries();
const draw = (
  e: Omit<GalleryEntry, 'id' | 'title'> & { readonly title?: string },
  width: number,
  lang: StageLang = 'en',
): string =>
  renderToStaticMarkup(
    <Stage
      input={e.input}
      lang={lang}
      narration={e.title ?? 'step'}
      width={width}
      {...(e.level === undefined ? {} : { level: e.level })}
      {...(e.phase === undefined ? {} : { phase: e.phase })}
    />,
  ).replaceAll('><', '>\n<');

describe('every picture', () => {
  test.each(entries.map((e) => [e.id, e] as const))('%s draws at every width, in both languages', (_id, e) => {
    for (const width of [320, 390, 560, 640, 800, 1100]) {
      for (const lang of ['en', 'zh'] as const) {
        const svg = draw(e, width, lang);
        expect(svg).not.toMatch(/NaN|undefined|Infinity|\[object/);
        expect(svg).toContain('<svg');
      }
    }
  });
  test.each(entries.map((e) => [e.id, e] as const))('%s is a picture with the step as its name', (_id, e) => {
    expect(draw(e, 800)).toMatch(new RegExp(`role="img" aria-label="${e.title}"`));
  });
});

describe('kept pictures', () => {
  const kept = new Set(['dnat', 'question', 'wrong-answer', 'reverse', 'drop-full', 'local-input', 'deep']);
  test.each(entries.filter((e) => kept.has(e.id)).map((e) => [e.id, e] as const))('%s', async (id, e) => {
    await expect(draw(e, 800)).toMatchFileSnapshot(`__snapshots__/${id}.svg.html`);
  });
  test('dnat on a phone', async () => {
    const e = entries.find((x) => x.id === 'dnat');
    if (!e) throw new Error('no entry');
    await expect(draw(e, 390)).toMatchFileSnapshot('__snapshots__/dnat-390.svg.html');
  });
});

/** The same trace as it was when only the first events had happened. */
function cut(t: TraceMaker, cursor: number): TraceMaker {
  const out = new TraceMaker();
  out.events.push(...t.events.slice(0, cursor));
  out.spans.push(...t.spans);
  return out;
}

describe('while a question is open', () => {
  const { trace } = firstPacket();
  test('the page holds nothing of what lies beyond the cursor: it is drawn as if the run ended there', () => {
    for (let cursor = 1; cursor <= trace.events.length; cursor++) {
      const held: SceneInput = inputAt(trace, THREE_NODES, BOOK, cursor, { horizon: cursor, asking: true });
      const ended: SceneInput = inputAt(cut(trace, cursor), THREE_NODES, BOOK, cursor, { asking: true });
      for (const width of [390, 800]) expect(draw({ input: held }, width)).toBe(draw({ input: ended }, width));
    }
  });
  test('even when the caller hands over later events', () => {
    const cursor = 10;
    const all = inputAt(trace, THREE_NODES, BOOK, cursor);
    const careless = draw({ input: { ...all, horizon: cursor } }, 800);
    expect(careless).toBe(draw({ input: inputAt(trace, THREE_NODES, BOOK, cursor, { horizon: cursor }) }, 800));
    expect(careless).not.toContain('fut');
  });
});

describe('motion', () => {
  const { trace } = firstPacket();
  test('every phase of every step draws, and phase 1 is the still', () => {
    for (let cursor = 1; cursor <= trace.events.length; cursor++) {
      const input = inputAt(trace, THREE_NODES, BOOK, cursor);
      for (const phase of [0, 0.3, 0.7]) expect(draw({ input, phase }, 800)).not.toMatch(/NaN|undefined/);
      expect(draw({ input, phase: 1 }, 800)).toBe(draw({ input }, 800));
    }
  });
});
