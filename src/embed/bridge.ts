import { useEffect } from 'react';
import { page, stepNumber, stepTotal, usePage } from '../view/model';
import { NAMESPACE, parseMessage, rateLimit, VERSION } from './messages';

/** Messages taken in a second; the rest is a mistake or an attack. */
const MOST = 50;

/** Who embeds us, as far as the browser tells. Nothing that is sent is secret: sizes and step numbers. */
function parentOrigin(): string {
  try {
    return document.referrer === '' ? '*' : new URL(document.referrer).origin;
  } catch {
    return '*';
  }
}

export function tellParent(type: string, payload: unknown, id?: string): void {
  if (window.parent === window) return;
  window.parent.postMessage(
    { ns: NAMESPACE, v: VERSION, ...(id === undefined ? {} : { id }), type, payload },
    parentOrigin(),
  );
}

const state = (): unknown => {
  const p = page();
  return { step: stepNumber(p), total: stepTotal(p), playing: p.playhead.playing, theme: p.theme, lang: p.lang };
};

/** Answers the page around the embed, and tells it when this one is ready, how high it is and where it stands. */
export function useBridge(): void {
  const ready = usePage((p) => p.status === 'ready');
  const failed = usePage((p) => p.error);
  const step = usePage(stepNumber);
  useEffect(() => {
    const allow = rateLimit(MOST, () => performance.now());
    const listen = (event: MessageEvent): void => {
      if (event.source !== window.parent || !allow()) return;
      const m = parseMessage(event.data);
      if (m === undefined) return;
      const p = page();
      if (m.type === 'play') p.play();
      else if (m.type === 'pause') p.pause();
      else if (m.type === 'step') p.step('into', m.by);
      else if (m.type === 'seek') p.seek(p.origin + m.step);
      else if (m.type === 'setTheme') p.setTheme(m.theme);
      tellParent('state', state(), m.id);
    };
    window.addEventListener('message', listen);
    return () => window.removeEventListener('message', listen);
  }, []);
  useEffect(() => {
    const tell = (): void => tellParent('size', { height: document.documentElement.scrollHeight });
    const observer = new ResizeObserver(tell);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (ready) tellParent('ready', state());
  }, [ready]);
  useEffect(() => {
    if (ready) tellParent('step', { step });
  }, [ready, step]);
  useEffect(() => {
    if (failed !== undefined) tellParent('error', { code: failed.code, message: failed.message });
  }, [failed]);
}
