import type { PinTarget } from '../../store/types';
import { usePinning } from '../pins';
import { Icon } from './Icon';
import { useText } from './messages';

/** Puts a thing with its step into the notebook; not there when no notebook is open. */
export function PinButton({ target, loud = false }: { target: PinTarget; loud?: boolean }) {
  const t = useText();
  const pin = usePinning();
  if (pin === undefined) return null;
  return (
    <button
      type="button"
      className={loud ? 'pin-button loud' : 'pin-button'}
      onClick={(e) => {
        e.stopPropagation();
        pin(target);
      }}
    >
      <Icon name="pin" />
      {t.pin}
    </button>
  );
}
