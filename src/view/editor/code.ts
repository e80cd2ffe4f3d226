import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** A place in the text that something is wrong with: 1-based line and column. */
export interface Mistake {
  readonly line: number;
  readonly column?: number;
  readonly message: string;
}

const markLine = StateEffect.define<number | undefined>();

/** The line that was refused, tinted until the text changes. */
const refusedLine = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(set, tr) {
    for (const e of tr.effects) {
      if (!e.is(markLine)) continue;
      if (e.value === undefined || e.value > tr.state.doc.lines) return Decoration.none;
      const line = tr.state.doc.line(e.value);
      return Decoration.set([Decoration.line({ class: 'cm-refused' }).range(line.from)]);
    }
    return tr.docChanged ? Decoration.none : set;
  },
  provide: (f) => EditorView.decorations.from(f),
});

/** Ink on paper: keys are plain, values strong enough to read, comments quiet. Colour stays with the wire. */
const inks = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--ink-2)' },
  { tag: [tags.string, tags.number, tags.bool, tags.content], color: 'var(--ink)' },
  { tag: tags.comment, color: 'var(--ink-3)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.meta], color: 'var(--ink-3)' },
]);

/** Runs a key's action; true tells the editor that the key is spent. */
function done(action: () => void): boolean {
  action();
  return true;
}

export interface CodeOptions {
  readonly parent: HTMLElement;
  readonly text: string;
  readonly label: string;
  readonly changed: (text: string) => void;
  readonly apply: () => void;
  readonly leave: () => void;
}

export function createCode({ parent, text, label, changed, apply, leave }: CodeOptions): EditorView {
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        yaml(),
        syntaxHighlighting(inks),
        refusedLine,
        EditorState.tabSize.of(2),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
        keymap.of([
          { key: 'Mod-Enter', run: () => done(apply) },
          // Tab writes a tab's worth here, so there must be another way out.
          { key: 'Escape', run: () => done(leave) },
          indentWithTab,
          ...defaultKeymap,
          ...historyKeymap,
        ]),
        EditorView.updateListener.of((u) => {
          if (u.docChanged) changed(u.state.doc.toString());
        }),
      ],
    }),
  });
}

/** Marks what was refused: the line tinted, the value underlined from its column on. */
export function showMistake(view: EditorView, mistake: Mistake | undefined): void {
  const { doc } = view.state;
  const marks: Diagnostic[] = [];
  if (mistake !== undefined && mistake.line >= 1 && mistake.line <= doc.lines) {
    const line = doc.line(mistake.line);
    const from = Math.min(line.to, line.from + Math.max(0, (mistake.column ?? 1) - 1));
    const blank = line.text.length - line.text.trimStart().length;
    const start = mistake.column === undefined ? line.from + blank : from;
    marks.push({ from: start, to: Math.max(start, line.to), severity: 'error', message: mistake.message });
  }
  view.dispatch({ effects: markLine.of(mistake?.line) });
  view.dispatch(setDiagnostics(view.state, marks));
}

export function goToLine(view: EditorView, line: number): void {
  if (line < 1 || line > view.state.doc.lines) return;
  const at = view.state.doc.line(line).from;
  view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
  view.focus();
}
