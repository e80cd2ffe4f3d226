import { lazy, Suspense, useState } from 'react';
import { page } from '../model';
import { useLessonLink } from '../pins';
import { readSetting, useDocumentKeys } from '../ui/hooks';

const KeysDialog = lazy(() => import('./KeysDialog'));

/** A field, editor or terminal has the focus: letters belong to it. */
function typing(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest('input, textarea, select, .xterm, .cm-editor, [contenteditable]') !== null)
  );
}

const inDialog = (): boolean => document.querySelector('dialog[open]') !== null;

/** Moves the focus to the next of the page's regions, in the order in which they stand. */
function nextRegion(back: boolean): void {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')].filter((r) => r.offsetParent !== null);
  if (regions.length === 0) return;
  const at = regions.findIndex((r) => r.contains(document.activeElement));
  const next = regions[(at + (back ? -1 : 1) + regions.length) % regions.length];
  const stop = next?.querySelector<HTMLElement>(
    'button:not(:disabled), a[href], [tabindex="0"], select, input, textarea',
  );
  (stop ?? next)?.focus();
}

/** Pins the row that the focus or the last press chose in a table, else the step under the cursor. */
function pinFocused(): void {
  const { pin } = useLessonLink.getState();
  const { cursor, origin, selection } = page();
  if (pin === undefined || cursor <= origin) return;
  const inTable = document.activeElement?.closest('[data-region="drawer"]') !== null;
  if (inTable && selection?.kind === 'ct') pin({ kind: 'row', map: 'nf.conntrack', key: selection.id, seq: cursor });
  else if (inTable && selection?.kind === 'rule') pin({ kind: 'rule', ruleId: selection.ruleId, seq: cursor });
  else pin({ kind: 'event', seq: cursor });
}

interface Props {
  /** Opens the terminals and puts the focus there. */
  terminal: () => void;
}

/** The page's keys. Stage, lanes and the guide have their own beside these. */
export function Keys({ terminal }: Props) {
  const [help, setHelp] = useState(false);
  useDocumentKeys((e) => {
    if (e.defaultPrevented || inDialog()) return;
    if (e.key === 'F6' && !e.altKey && !e.metaKey) {
      e.preventDefault();
      nextRegion(e.shiftKey);
      return;
    }
    if (e.ctrlKey || e.metaKey || e.altKey || typing(e.target)) return;
    const p = page();
    const on = e.target instanceof HTMLElement ? e.target : document.body;
    const plain = on === document.body || on.closest('[data-region="stage"], [data-region="timeline"], #step') !== null;
    if (e.key === 'ArrowRight' || e.key === 'ArrowLeft') {
      // A toolbar, a list of options or a tab list moves by arrows itself.
      if (!plain && on.closest('[role="radiogroup"], [role="tablist"], [role="slider"], [role="menu"]') !== null)
        return;
      if (!plain && on.closest('button, a') === null) return;
      e.preventDefault();
      p.step(e.shiftKey ? 'over' : 'into', e.key === 'ArrowRight' ? 1 : -1);
      return;
    }
    if (readSetting('keys') === 'off') return;
    const onControl = on.closest('button, a, summary, [role="radio"], [role="option"]') !== null;
    if (e.key === ' ' && !onControl) {
      e.preventDefault();
      if (p.playhead.playing) p.pause();
      else p.play();
    } else if (e.key === '[') p.step('nextHook', -1);
    else if (e.key === ']') p.step('nextHook', 1);
    else if (e.key === 't') {
      e.preventDefault();
      terminal();
    } else if (e.key === 'p' || e.key === 'P') pinFocused();
    else if (e.key === '?') setHelp(true);
  });
  if (!help) return null;
  return (
    <Suspense>
      <KeysDialog close={() => setHelp(false)} />
    </Suspense>
  );
}
