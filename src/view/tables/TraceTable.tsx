import { useMemo } from 'react';
import { placeText, tell } from '../../explain';
import { access, page, usePage } from '../model';
import { useNameOf } from '../read/names';
import { useText } from '../ui/messages';
import { PinButton } from '../ui/PinButton';
import { Prose } from '../ui/Prose';
import './tables.css';
import { VirtualRows } from './VirtualRows';

/** The run as a table: the equal of the picture. It ends at the horizon, as the picture does. */
export default function TraceTable() {
  const t = useText();
  const cursor = usePage((p) => p.cursor);
  const origin = usePage((p) => p.origin);
  const horizon = usePage((p) => p.horizon);
  const lang = usePage((p) => p.lang);
  const nameOf = useNameOf();
  const numbers = useMemo(
    () => Array.from({ length: Math.max(0, horizon - origin) }, (_, i) => origin + i + 1),
    [origin, horizon],
  );
  const { events, spans } = access();
  return (
    <VirtualRows
      rows={numbers}
      label={t.traceTable}
      count={5}
      show={cursor - origin - 1}
      columns={
        <>
          <th scope="col" className="num">
            {t.colStep}
          </th>
          <th scope="col">{t.colPlace}</th>
          <th scope="col">{t.colWhat}</th>
          <th scope="col">{t.colChanged}</th>
          <th scope="col">
            <span className="vh">{t.pin}</span>
          </th>
        </>
      }
      row={(seq, i) => {
        const event = events[seq - 1];
        if (event === undefined) return null;
        const told = tell(event, { lang, spans, nameOf });
        return (
          <tr
            key={seq}
            aria-rowindex={i + 2}
            aria-current={seq === cursor ? 'step' : undefined}
            className={seq === cursor ? 'changed trace-row' : seq > cursor ? 'trace-row later' : 'trace-row'}
            onClick={() => page().seek(seq)}
          >
            <td className="m num">
              <button type="button" className="link" onClick={() => page().seek(seq)}>
                {seq - origin}
              </button>
            </td>
            <td className="mid">{placeText(event, lang, spans)}</td>
            <td>
              <Prose text={told.what} />
            </td>
            <td className="c-rw">{told.changed !== undefined && <Prose text={told.changed} />}</td>
            <td className="last">{seq <= cursor && <PinButton target={{ kind: 'event', seq }} />}</td>
          </tr>
        );
      }}
    />
  );
}
