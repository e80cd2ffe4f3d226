import type { EditorView } from '@codemirror/view';
import { useEffect, useRef, useState } from 'react';
import type { SessionError } from '../../session/protocol';
import { page, usePage } from '../model';
import { Icon } from '../ui/Icon';
import { useText } from '../ui/messages';
import { createCode, goToLine, showMistake } from './code';
import './editor.css';
import { STARTER } from './starter';

/** What was typed, by world: it outlives a refusal, a closed panel and a step back in time. */
const drafts = new Map<string, string>();

type Answer =
  | { readonly kind: 'refused'; readonly error: SessionError }
  | { readonly kind: 'applied'; readonly text: string };

/** Manifests as YAML; Apply does what kubectl apply -f does, and says at the line what was refused. */
export default function EditorPanel() {
  const t = useText();
  const scenario = usePage((p) => p.scenario);
  const manifests = usePage((p) => p.recipe?.cluster.manifests);
  const ready = usePage((p) => p.status === 'ready');
  const world = scenario ?? 'sandbox';
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const [text, setText] = useState(() => drafts.get(world) ?? manifests ?? STARTER);
  const [appliedText, setApplied] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<Answer>();
  const dirty = text !== appliedText;

  const apply = async (): Promise<void> => {
    const now = view.current?.state.doc.toString() ?? text;
    if (busy || !ready) return;
    setBusy(true);
    const result = await page().apply(now);
    setBusy(false);
    if (result.ok && result.outcome.exit === 0) {
      setApplied(now);
      setAnswer({ kind: 'applied', text: result.outcome.stdout.trim() });
      if (view.current !== undefined) showMistake(view.current, undefined);
      return;
    }
    const error: SessionError = result.ok
      ? { code: 'api.refused', message: result.outcome.stderr.trim() }
      : result.error;
    setAnswer({ kind: 'refused', error });
    if (view.current !== undefined)
      showMistake(
        view.current,
        error.line === undefined ? undefined : { line: error.line, column: error.column, message: error.message },
      );
  };
  const latest = useRef(apply);
  latest.current = apply;

  useEffect(() => {
    const el = host.current;
    if (el === null) return;
    const code = createCode({
      parent: el,
      text: drafts.get(world) ?? manifests ?? STARTER,
      label: t.editorLabel,
      changed: (now) => {
        drafts.set(world, now);
        setText(now);
        setAnswer(undefined);
      },
      apply: () => void latest.current(),
      leave: () => document.getElementById('step')?.focus(),
    });
    view.current = code;
    return () => {
      code.destroy();
      view.current = undefined;
    };
  }, [world, manifests, t]);

  return (
    <div className="editor">
      <div className="editor-bar">
        <h2>{t.regionEditor}</h2>
        <button
          type="button"
          className="btn small"
          aria-busy={busy}
          disabled={!dirty || busy || !ready}
          onClick={() => void apply()}
        >
          {busy ? t.applying : t.apply} <span className="kbd">⌘↵</span>
        </button>
      </div>
      <div className="editor-code" ref={host} />
      <div className="editor-answer" aria-live="polite">
        {answer?.kind === 'applied' && (
          <div className="notice plain">
            <Icon name="check" className="c-rep" />
            <h3>{t.applied}</h3>
            {answer.text !== '' && <pre className="mono">{answer.text}</pre>}
          </div>
        )}
        {answer?.kind === 'refused' && (
          <Refused
            error={answer.error}
            go={(line) => {
              if (view.current !== undefined) goToLine(view.current, line);
            }}
          />
        )}
      </div>
    </div>
  );
}

function Refused({ error, go }: { error: SessionError; go: (line: number) => void }) {
  const t = useText();
  const { line } = error;
  return (
    <div className="notice bad">
      <Icon name="cross" className="c-drop" />
      <h3>{error.code === 'manifest' ? t.notParsed : t.refused}</h3>
      <pre className="mono">{error.message}</pre>
      {error.expected !== undefined && <p className="mid">{t.expectedWas(error.expected)}</p>}
      {line !== undefined && (
        <p className="acts">
          <button type="button" className="link" onClick={() => go(line)}>
            {t.atLine(line)}
          </button>
        </p>
      )}
    </div>
  );
}
