import type { ReactNode } from 'react';
import { useText } from '../ui/messages';

interface Props {
  readonly places?: readonly string[];
  readonly place?: string;
  readonly setPlace?: (place: string) => void;
  readonly filter?: string;
  readonly setFilter?: (filter: string) => void;
  readonly note?: ReactNode;
  readonly children?: ReactNode;
}

/** The line over a table: where, which rows, how many. */
export function TableHead({ places, place, setPlace, filter, setFilter, note, children }: Props) {
  const t = useText();
  return (
    <div className="table-head">
      {places !== undefined && places.length > 1 && setPlace !== undefined && (
        <select className="chip" value={place} aria-label={t.chooseTerminal} onChange={(e) => setPlace(e.target.value)}>
          <option value="">{t.allNodes}</option>
          {places.map((p) => (
            <option key={p}>{p}</option>
          ))}
        </select>
      )}
      {children}
      {note !== undefined && <span className="dim">{note}</span>}
      <span className="grow" />
      {filter !== undefined && setFilter !== undefined && (
        <input
          className="field small"
          type="search"
          value={filter}
          placeholder={t.filterRows}
          aria-label={t.filterRows}
          onChange={(e) => setFilter(e.target.value)}
        />
      )}
    </div>
  );
}
