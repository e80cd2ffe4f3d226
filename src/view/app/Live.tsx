import { useEffect, useState } from 'react';
import { narrate } from '../derive/narrate';
import { access, stepTotal, usePage } from '../model';
import { useNameOf } from '../read/names';

/** While playing faster than this, only the last step is spoken (ms). */
const SETTLE_MS = 250;

/** One spoken message a step, politely; the last one wins. */
export function Live() {
  const cursor = usePage((p) => p.cursor);
  const origin = usePage((p) => p.origin);
  const total = usePage(stepTotal);
  const lang = usePage((p) => p.lang);
  const ready = usePage((p) => p.status === 'ready');
  const nameOf = useNameOf();
  const text = ready ? narrate(access(), cursor, origin, total, lang, nameOf) : '';
  const [spoken, setSpoken] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSpoken(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div className="vh" aria-live="polite" aria-atomic="true">
      {spoken}
    </div>
  );
}
