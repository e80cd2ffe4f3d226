import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Icon } from './Icon';
import { useText } from './messages';

/** A modal dialog: the browser's own, so that focus stays in it, Escape closes it and focus goes back where it was. */
export function Dialog({
  title,
  close,
  wide = false,
  children,
}: {
  title: string;
  close: () => void;
  wide?: boolean;
  children: ReactNode;
}) {
  const t = useText();
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const el = ref.current;
    if (el === null || el.open) return;
    el.showModal();
    // A press on the scrim is a press on the dialog element itself, outside of its content; Escape does the same.
    const press = (e: MouseEvent): void => {
      if (e.target === el) el.close();
    };
    el.addEventListener('click', press);
    return () => el.removeEventListener('click', press);
  }, []);
  return (
    <dialog ref={ref} className={wide ? 'dialog wide' : 'dialog'} aria-labelledby={id} onClose={close}>
      <div className="dialog-body">
        <div className="dialog-head">
          <h2 id={id}>{title}</h2>
          <button type="button" className="btn quiet small icon" aria-label={t.close} onClick={close}>
            <Icon name="close" />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
