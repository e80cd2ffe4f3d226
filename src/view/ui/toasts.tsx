import { create } from 'zustand';
import { Icon } from './Icon';
import { useText } from './messages';

export interface Toast {
  readonly tone: 'ok' | 'branch' | 'bad';
  readonly title: string;
  readonly text?: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

interface Kept extends Toast {
  readonly id: number;
}

const useToasts = create<{ list: readonly Kept[] }>(() => ({ list: [] }));
let nextId = 1;
const SHOWN_MS = 6000;

const drop = (id: number): void => useToasts.setState((s) => ({ list: s.list.filter((k) => k.id !== id) }));

/** Says something that happened; a bad one stays until it is closed. */
export function toast(t: Toast): void {
  const id = nextId++;
  useToasts.setState((s) => ({ list: [...s.list.slice(-2), { ...t, id }] }));
  if (t.tone !== 'bad') setTimeout(() => drop(id), SHOWN_MS);
}

export function Toasts() {
  const t = useText();
  const list = useToasts((s) => s.list);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {list.map((k) => (
        <div key={k.id} className="toast">
          <span className={k.tone === 'bad' ? 'c-drop' : k.tone === 'ok' ? 'c-rep' : undefined}>
            <Icon name={k.tone === 'bad' ? 'cross' : k.tone === 'ok' ? 'check' : 'fork'} />
          </span>
          <b>{k.title}</b>
          {k.action === undefined ? (
            <button type="button" className="btn quiet small icon" aria-label={t.close} onClick={() => drop(k.id)}>
              <Icon name="close" />
            </button>
          ) : (
            <button
              type="button"
              className="btn quiet small"
              onClick={() => {
                k.action?.run();
                drop(k.id);
              }}
            >
              {k.action.label}
            </button>
          )}
          {k.text !== undefined && <p>{k.text}</p>}
        </div>
      ))}
    </div>
  );
}
