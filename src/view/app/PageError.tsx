import type { SessionError } from '../../session/protocol';
import { page } from '../model';
import { Icon } from '../ui/Icon';
import { type Catalogue, useText } from '../ui/messages';
import { linkTo } from './route';

interface Words {
  readonly title: string;
  readonly why: string;
  readonly detail: string | undefined;
}

function wordsOf(t: Catalogue, e: SessionError): Words {
  const detail = [
    e.file === undefined || e.file === 'link' ? undefined : e.file,
    e.line === undefined ? undefined : t.atLine(e.line),
    e.field,
    e.message,
  ]
    .filter((p) => p !== undefined && p !== '')
    .join(', ');
  if (e.code.startsWith('link.')) return { title: t.errLink, why: t.errLinkWhy, detail };
  if (e.code === 'scenario.unknown')
    return { title: t.errScenario(e.field ?? e.message), why: t.errScenarioWhy, detail: undefined };
  if (e.code === 'session.gone') return { title: t.errSession, why: t.errSessionWhy, detail };
  return { title: t.errDefect, why: t.errDefectWhy, detail };
}

/** An error of the whole page: what happened, what is kept, what to do. */
export function PageError({ error, again }: { error: SessionError; again: () => void }) {
  const t = useText();
  const w = wordsOf(t, error);
  return (
    <main className="page-error" id="step" tabIndex={-1}>
      <div className="notice plain" role="alert">
        <Icon name="cross" className="c-drop" />
        <h1>{w.title}</h1>
        <p>{w.why}</p>
        {w.detail !== undefined && <p className="mono">{w.detail}</p>}
        {error.expected !== undefined && <p className="mid">{t.expectedWas(error.expected)}</p>}
        <p className="acts">
          {!error.code.startsWith('link.') && error.code !== 'scenario.unknown' && (
            <button type="button" className="link" onClick={again}>
              {t.errRestart}
            </button>
          )}
          <a {...linkTo({ view: 'lessons' })}>{t.errOpenCatalogue}</a>
          <a {...linkTo({ view: 'sandbox' })}>{t.errOpenSandbox}</a>
          <button type="button" className="link" onClick={() => void navigator.clipboard?.writeText(report(error))}>
            {t.errCopyReport}
          </button>
        </p>
      </div>
    </main>
  );
}

const report = (error: SessionError): string => JSON.stringify({ error, recipe: page().recipe }, null, 2);
