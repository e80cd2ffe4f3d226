import { useCallback, useEffect, useRef, useState } from 'react';
import type { Terminal, TermLine } from '../../store/types';
import { onPage, page, usePage } from '../model';
import { usePinning } from '../pins';
import { Dialog } from '../ui/Dialog';
import { usePhone } from '../ui/hooks';
import { Icon } from '../ui/Icon';
import { useText } from '../ui/messages';
import { KeyRow } from './KeyRow';
import { completeWith, type EditLine, EMPTY, insert, keyOf, keysIn } from './line-editor';
import { promptOf } from './places';
import { Screen } from './screen';
import { addressed } from './tokens';

/** Lines being edited, by terminal: they outlive a change of tab. */
const drafts = new Map<string, EditLine>();
/** Two presses of Escape within this time leave the terminal (ms). */
const TWICE_MS = 600;

function leave(): void {
  document.getElementById('step')?.focus();
}

/** One terminal: what was printed up to the cursor, the prompt, and, dimmed below, what was printed later. */
export function TerminalView({ terminal, focus, label }: { terminal: Terminal; focus: number; label: string }) {
  const t = useText();
  const phone = usePhone();
  const cursor = usePage((p) => p.cursor);
  const origin = usePage((p) => p.origin);
  const horizon = usePage((p) => p.horizon);
  const host = useRef<HTMLDivElement>(null);
  const screen = useRef<Screen>(undefined);
  const latest = useRef(terminal);
  latest.current = terminal;
  const [paste, setPaste] = useState<readonly string[]>();
  const [picked, setPicked] = useState('');
  const [offers, setOffers] = useState<readonly string[]>([]);

  const { id, lines, busy } = terminal;
  const past = lines.filter((l) => l.seq <= cursor);
  const later = lines.filter((l) => l.seq > cursor && l.seq <= horizon);
  const prompt = `${promptOf(terminal.place)} `;

  const draft = useCallback((): EditLine => drafts.get(id) ?? EMPTY, [id]);
  const setDraft = useCallback(
    (line: EditLine) => {
      drafts.set(id, line);
      if (!latest.current.busy) screen.current?.line(line);
    },
    [id],
  );

  const complete = useCallback(async () => {
    const line = draft();
    const words = await page().complete(id, line.text.slice(0, line.at));
    if (draft() !== line) return;
    const done = completeWith(line, words);
    if (done.list) {
      if (phone) setOffers(words.slice(0, 12));
      else screen.current?.aside(words.join('  '));
    } else setDraft(done.line);
  }, [draft, id, phone, setDraft]);

  const press = useCallback(
    (data: string) => {
      if (latest.current.busy) {
        if (data.includes('\x03')) page().interrupt(id);
        return;
      }
      const asked = data.length > 1 && /\r./s.test(data.replace(/\r\n?/g, '\r')) && !data.startsWith('\x1b');
      if (asked) {
        setPaste(data.split(/\r\n?|\n/).filter((l) => l !== ''));
        return;
      }
      setOffers([]);
      for (const key of keysIn(data)) {
        const [line, effect] = keyOf(draft(), key, latest.current.history);
        if (effect.do === 'submit') {
          drafts.set(id, line);
          void page().runLine(id, effect.line);
          return;
        }
        if (effect.do === 'interrupt') screen.current?.cancel();
        setDraft(line);
        if (effect.do === 'complete') void complete();
        else if (effect.do === 'clear') screen.current?.clear();
        else if (effect.do === 'leave') leave();
      }
    },
    [complete, draft, id, setDraft],
  );
  const pressed = useRef(press);
  pressed.current = press;

  useEffect(() => {
    const el = host.current;
    if (el === null) return;
    const s = new Screen(el, 13);
    screen.current = s;
    let escaped = 0;
    s.term.onData((data) => pressed.current(data));
    s.term.onSelectionChange(() => setPicked(s.term.getSelection()));
    s.term.attachCustomKeyEventHandler((e) => {
      if (e.type !== 'keydown') return true;
      if (e.key === 'F6') {
        if (e.ctrlKey) leave();
        return false;
      }
      if (e.key === 'Escape') {
        const now = performance.now();
        if (now - escaped < TWICE_MS) leave();
        escaped = now;
      }
      // The browser's own copy and paste, which a terminal would otherwise take for control bytes.
      if (e.ctrlKey && e.shiftKey && (e.code === 'KeyC' || e.code === 'KeyV')) {
        if (e.code === 'KeyC') void navigator.clipboard?.writeText(s.term.getSelection());
        return e.code === 'KeyV';
      }
      return true;
    });
    const observer = new ResizeObserver(() => s.resize());
    observer.observe(el);
    return () => {
      observer.disconnect();
      s.dispose();
      screen.current = undefined;
    };
  }, []);

  useEffect(() => {
    screen.current?.show(past, prompt, busy ? undefined : draft());
  });
  useEffect(() => {
    // A frame later the document has the colours of the new theme.
    const recolour = (): void => void requestAnimationFrame(() => screen.current?.recolour());
    const unsubscribe = onPage((now, before) => {
      if (now.theme !== before.theme) recolour();
    });
    const media = window.matchMedia('(prefers-color-scheme: dark)');
    media.addEventListener('change', recolour);
    return () => {
      unsubscribe();
      media.removeEventListener('change', recolour);
    };
  }, []);
  useEffect(() => {
    if (focus > 0) screen.current?.term.focus();
  }, [focus]);

  return (
    <div className="terminal-view">
      <section className="terminal-screen" ref={host} aria-label={label} />
      {picked !== '' && <PinBar terminal={id} lines={past} picked={picked} />}
      {later.length > 0 && (
        <section className="later" aria-label={t.termLater(cursor - origin)}>
          <p className="later-head">{t.termLater(cursor - origin)}</p>
          <pre>{later.map((l) => `${l.kind === 'in' ? (l.prompt ?? '') : ''}${l.text}\n`).join('')}</pre>
        </section>
      )}
      {offers.length > 0 && (
        <div className="offers">
          {offers.map((o) => (
            <button
              key={o}
              type="button"
              className="chip mono"
              onClick={() => {
                setOffers([]);
                setDraft(completeWith(draft(), [o]).line);
                screen.current?.term.focus();
              }}
            >
              {o}
            </button>
          ))}
        </div>
      )}
      {phone && <KeyRow press={(k) => pressed.current(k)} done={() => screen.current?.term.focus()} />}
      {paste !== undefined && (
        <Dialog title={t.termPasteTitle(paste.length)} close={() => setPaste(undefined)}>
          <p>{t.termPasteWhy}</p>
          <pre className="paste-preview">{paste.slice(0, 12).join('\n')}</pre>
          <div className="acts">
            <button type="button" className="btn quiet" onClick={() => setPaste(undefined)}>
              {t.cancel}
            </button>
            <button
              type="button"
              className="btn primary"
              onClick={async () => {
                const all = paste;
                setPaste(undefined);
                drafts.set(id, EMPTY);
                for (const line of all) await page().runLine(id, insert(EMPTY, line).text);
              }}
            >
              {t.termPaste}
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

/** What is selected may go into the notebook: the token itself, or the line it stands in. */
function PinBar({ terminal, lines, picked }: { terminal: string; lines: readonly TermLine[]; picked: string }) {
  const t = useText();
  const pin = usePinning();
  const found = addressed(lines, picked);
  if (pin === undefined || found === undefined) return null;
  const { line, token } = found;
  const at = { kind: 'token', terminal, line: line.text, seq: line.seq } as const;
  return (
    <div className="pin-bar">
      <button type="button" className="pin-button loud" onClick={() => pin({ ...at, token })}>
        <Icon name="pin" /> {t.pinToken} <span className="mono clip">{token}</span>
      </button>
      <button type="button" className="pin-button loud" onClick={() => pin({ ...at, token: line.text })}>
        <Icon name="pin" /> {t.pinLine}
      </button>
    </div>
  );
}
