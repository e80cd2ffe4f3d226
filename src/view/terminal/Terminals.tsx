import { useEffect } from 'react';
import type { PlaceRef } from '../../session/protocol';
import { useLayout } from '../app/layout';
import { page, usePage } from '../model';
import { useReads } from '../read';
import { useText } from '../ui/messages';
import { placeKey, placesOf } from './places';
import { TerminalView } from './TerminalView';
import './terminal.css';

export function usePlaceName(): (place: PlaceRef) => string {
  const t = useText();
  return (place) =>
    place.kind === 'workstation' ? t.termWorkstation : place.kind === 'pod' ? t.termPod(place.name) : place.name;
}

/** One terminal per place: the workstation, each node, each pod, machines outside. */
export default function Terminals() {
  const t = useText();
  const terminals = usePage((p) => p.terminals);
  const ready = usePage((p) => p.status === 'ready');
  const active = usePage((p) => p.activeTerminal);
  const focus = useLayout((l) => l.focusTerminal);
  const name = usePlaceName();
  const places = placesOf(useReads());
  useEffect(() => {
    if (ready && page().terminals.length === 0) page().openTerminal({ kind: 'workstation' });
  }, [ready]);
  const shown = terminals.find((x) => x.id === active) ?? terminals[0];
  const closed = places.filter((p) => !terminals.some((x) => x.id === placeKey(p)));
  return (
    <div className="terminals">
      <div className="terminal-tabs" role="tablist" aria-label={t.tabTerminal}>
        {terminals.map((x) => (
          <button
            key={x.id}
            type="button"
            role="tab"
            className="tab"
            aria-selected={x === shown}
            tabIndex={x === shown ? 0 : -1}
            onClick={() => page().focusTerminal(x.id)}
            onKeyDown={(e) => {
              const by = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
              if (by === 0) return;
              e.preventDefault();
              const next = terminals[(terminals.indexOf(x) + by + terminals.length) % terminals.length];
              if (next === undefined) return;
              page().focusTerminal(next.id);
              (e.currentTarget.parentElement?.children[terminals.indexOf(next)] as HTMLElement | undefined)?.focus();
            }}
          >
            {name(x.place)}
            {x.busy && <span className="busy-dot" role="img" aria-label={t.termRunning} />}
          </button>
        ))}
      </div>
      <div className="terminal-tools">
        {closed.length > 0 && (
          <select
            className="chip add-terminal"
            value=""
            aria-label={t.termNew}
            title={t.termNew}
            onChange={(e) => {
              const place = closed.find((p) => placeKey(p) === e.target.value);
              if (place !== undefined) page().openTerminal(place);
            }}
          >
            <option value="">+ {t.open}</option>
            {closed.map((p) => (
              <option key={placeKey(p)} value={placeKey(p)}>
                {name(p)}
              </option>
            ))}
          </select>
        )}
        <span className="dim terminal-leave">{t.termLeave}</span>
      </div>
      {shown !== undefined && (
        <TerminalView key={shown.id} terminal={shown} focus={focus} label={t.termLabel(name(shown.place))} />
      )}
    </div>
  );
}
