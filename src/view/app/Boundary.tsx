import { Component, type ReactNode } from 'react';
import { Icon } from '../ui/Icon';
import { TextContext } from '../ui/messages';

interface Props {
  readonly children: ReactNode;
}

/** A file that did not load is asked for again only by a new document: the site may have been renewed meanwhile. */
function again(failed: string, retry: () => void): void {
  if (/dynamically imported module|module script failed/i.test(failed)) window.location.reload();
  else retry();
}

/** A part that fails says so in its own place; the rest of the page goes on. */
export class Boundary extends Component<Props, { readonly failed: string | undefined }> {
  static override contextType = TextContext;
  declare context: React.ContextType<typeof TextContext>;
  override state = { failed: undefined as string | undefined };

  static getDerivedStateFromError(error: unknown) {
    return { failed: error instanceof Error ? `${error.message}\n${error.stack ?? ''}` : String(error) };
  }

  override render(): ReactNode {
    const { failed } = this.state;
    if (failed === undefined) return this.props.children;
    const t = this.context;
    return (
      <div className="part-failed" role="alert">
        <div className="notice bad">
          <Icon name="warn" className="c-drop" />
          <h2>{t.errPart}</h2>
          <p>{t.errPartWhy}</p>
          <p className="acts">
            <button
              type="button"
              className="link"
              onClick={() => again(failed, () => this.setState({ failed: undefined }))}
            >
              {t.errTryAgain}
            </button>
            <button type="button" className="link" onClick={() => void navigator.clipboard?.writeText(failed)}>
              {t.errCopyReport}
            </button>
          </p>
        </div>
      </div>
    );
  }
}
