import type { ReactElement } from 'react';
import type { CardMarks, DropMarks } from '../scene/types';
import { DropSign } from './Glyph';
import { pt } from './geometry';
import { dropTitle, type StageLang, stageWords } from './words';

const shown = (v: unknown): string => (typeof v === 'string' ? v : JSON.stringify(v));
const MOST = 12;

/** An event without a picture of its own: its kind, place, values and how many records it changed. */
export function EventCard({ card, lang }: { readonly card: CardMarks; readonly lang: StageLang }): ReactElement {
  const w = stageWords(lang);
  return (
    <section className="stg-card" aria-label={card.kind}>
      <h3>
        {card.kind}
        <span>{card.changed > 0 ? w.changed(card.changed) : ''}</span>
      </h3>
      <dl>
        {card.place.length > 0 && (
          <>
            <dt>@</dt>
            <dd>{card.place.join(' / ')}</dd>
          </>
        )}
        {card.facts.slice(0, MOST).map((f) => (
          <FactRow key={f.name} name={f.name} value={shown(f.value)} />
        ))}
      </dl>
    </section>
  );
}

function FactRow({ name, value }: { readonly name: string; readonly value: string }): ReactElement {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value.length > 400 ? `${value.slice(0, 400)}…` : value}</dd>
    </>
  );
}

/** Head of an inspector over a drop: what happened to the packet, where, and what its sender notices. */
export function DropCard({ drop, lang }: { readonly drop: DropMarks; readonly lang: StageLang }): ReactElement {
  const w = stageWords(lang);
  const place = [drop.where.name, drop.where.hook, drop.where.chain ?? drop.where.station].filter(
    (s) => s !== undefined && s !== '',
  );
  return (
    <section className="stg stg-dropcard">
      <svg width="24" height="24" viewBox="-12 -12 24 24" aria-hidden="true">
        <DropSign at={pt(0, 0)} scale={1.15} />
      </svg>
      <div>
        <h3>{dropTitle(w, drop)}</h3>
        <p>{place.join(', ')}</p>
        <p>{w.symptoms[drop.symptom] ?? drop.symptom}</p>
      </div>
    </section>
  );
}
