import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { type Lane, type Lookup, type Row, rowsOf, ticks } from '../derive/lanes';
import { narrate } from '../derive/narrate';
import { access, asking, page, stepNumber, usePage } from '../model';
import { useReads } from '../read';
import { dialledNames } from '../read/names';
import { useSize } from '../ui/hooks';
import { Icon, PacketTag } from '../ui/Icon';
import { useText } from '../ui/messages';
import { spanText } from '../ui/time';
import { Transport } from './Transport';
import './timeline.css';
import { useCurrentLane, useLanes, useLoose } from './useLanes';

const LANE = 19;
const AXIS = 20;
const PAD = 16;
/** Lanes drawn beyond the visible ones. */
const SPARE = 4;

/** Where an event number lies on the axis, and back. */
function scale(width: number, length: number) {
  const inner = Math.max(1, width - 2 * PAD);
  return {
    x: (step: number): number => PAD + (inner * step) / Math.max(1, length),
    step: (x: number): number => Math.round(((x - PAD) / inner) * Math.max(1, length)),
  };
}

/** Transport and lanes: what happened, in order, and where the reader stands in it. */
export function Timeline({ loud }: { loud: boolean }) {
  const t = useText();
  return (
    <section className="timeline" aria-label={t.regionTimeline} data-region="timeline">
      <Transport loud={loud} />
      <Lanes />
    </section>
  );
}

function Lanes() {
  const t = useText();
  const lanes = useLanes();
  const current = useCurrentLane();
  const loose = useLoose();
  const cursor = usePage((p) => p.cursor);
  const origin = usePage((p) => p.origin);
  const horizon = usePage((p) => p.horizon);
  const number = usePage(stepNumber);
  const closed = usePage(asking);
  const empty = usePage((p) => p.head <= p.origin);
  const hidden = usePage((p) => p.horizon < p.head);
  const lang = usePage((p) => p.lang);
  const names = dialledNames(useReads());
  const [ref, { width }] = useSize<HTMLDivElement>();
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);

  // While a question is open the axis ends at the cursor, and a third of the width says that more will come.
  const shown = Math.max(1, horizon - origin);
  const length = hidden ? Math.max(shown + 1, Math.ceil(shown * (closed ? 1.6 : 1.15))) : shown;
  const { x, step } = scale(width, length);
  const [opened, setOpened] = useState<ReadonlySet<number>>(NONE_OPEN);
  const rows = rowsOf(lanes, access().events, horizon, opened);
  const height = Math.max(4, rows.length) * LANE;
  const first = Math.max(0, Math.floor(top / LANE) - SPARE);
  const visible = rows.slice(first, first + 8 + 2 * SPARE);
  const toggle = (id: number): void =>
    setOpened((was) => {
      const next = new Set(was);
      if (!next.delete(id)) next.add(id);
      return next;
    });

  const row = current === undefined ? -1 : rowWith(rows, current);
  useEffect(() => {
    const el = scroller.current;
    if (el === null || row < 0) return;
    const y = row * LANE;
    if (y < el.scrollTop) el.scrollTop = y;
    else if (y + LANE > el.scrollTop + el.clientHeight - AXIS) el.scrollTop = y + LANE - (el.clientHeight - AXIS);
  }, [row]);

  const seekTo = (event: PointerEvent<HTMLDivElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const at = origin + step(event.clientX - box.left);
    page().seek(Math.max(origin, Math.min(horizon, at)));
  };
  const keys = (event: KeyboardEvent): void => {
    const other = (by: 1 | -1): void => {
      const to = rows[row + by] ?? (row < 0 ? rows[0] : undefined);
      if (to !== undefined) page().seek(to.kind === 'packet' ? to.lane.first : to.lookup.first);
    };
    if (event.key === 'ArrowDown') other(1);
    else if (event.key === 'ArrowUp') other(-1);
    else if (event.key === 'Home') page().seek(origin);
    else if (event.key === 'End') page().seek(horizon);
    else if (event.key === 'PageDown') page().step('nextHop');
    else if (event.key === 'PageUp') page().step('nextHop', -1);
    else if (event.key === 'Enter') {
      const at = rows[row];
      const lookup = rows.find((r) => r.kind === 'lookup' && (r === at || r.lookup.lanes.includes(current as Lane)));
      if (lookup?.kind !== 'lookup') return;
      toggle(lookup.lookup.id);
    } else return;
    event.preventDefault();
  };

  if (empty) return <p className="no-lanes">{t.noRunWhy}</p>;
  return (
    <div
      className="lanes"
      ref={scroller}
      onScroll={(e) => setTop(e.currentTarget.scrollTop)}
      style={{ '--lane': `${LANE}px` } as React.CSSProperties}
    >
      <ul className="lane-names" aria-hidden="true" style={{ height: height + AXIS }}>
        {visible.map((r, i) => {
          const y = AXIS + (first + i) * LANE;
          return r.kind === 'lookup' ? (
            <LookupName
              key={`lookup ${r.lookup.id}`}
              lookup={r.lookup}
              open={r.open}
              on={i + first === row}
              y={y}
              toggle={() => toggle(r.lookup.id)}
            />
          ) : (
            <LaneName
              key={r.lane.id}
              lane={r.lane}
              ends={`${names(r.lane.from) ?? r.lane.from} → ${names(r.lane.to) ?? r.lane.to}`}
              on={r.lane === current}
              y={y}
              again={r.lane.againAfterUs === undefined ? undefined : t.again(spanText(r.lane.againAfterUs))}
            />
          );
        })}
      </ul>
      <div
        ref={ref}
        className="lane-plot"
        role="slider"
        tabIndex={0}
        aria-label={t.lanesLabel}
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, horizon - origin)}
        aria-valuenow={Math.min(number, Math.max(0, horizon - origin))}
        aria-valuetext={narrate(access(), cursor, origin, hidden ? undefined : horizon - origin, lang)}
        onKeyDown={keys}
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
          page().pause();
          seekTo(e);
        }}
        onPointerMove={(e) => {
          if (e.buttons === 1 && e.currentTarget.hasPointerCapture(e.pointerId)) seekTo(e);
        }}
      >
        {width > 0 && (
          <>
            <svg className="lane-axis" width={width} height={AXIS} aria-hidden="true">
              {ticks(length, Math.max(2, Math.floor(width / 90)))
                .filter((n) => n <= shown && Math.abs(x(n) - x(number)) > 28)
                .map((n) => (
                  <text key={n} x={x(n)} y={14} className="axis-n">
                    {n}
                  </text>
                ))}
              <path d={loose.map((seq) => `M${x(seq - origin).toFixed(1)} 16v4`).join('')} className="axis-tick" />
              <rect x={x(number) - flag(number) / 2} y={2} width={flag(number)} height={17} rx={3} className="flag" />
              <text x={x(number)} y={15} className="flag-n">
                {number}
              </text>
            </svg>
            <svg className="lane-marks" width={width} height={height} aria-hidden="true">
              {ticks(length, Math.max(2, Math.floor(width / 90)))
                .filter((n) => n <= shown)
                .map((n) => (
                  <path key={n} d={`M${x(n)} 0V${height}`} className="grid-line" />
                ))}
              {hidden && (
                <rect
                  x={x(shown) + 1}
                  y={0}
                  width={Math.max(0, width - x(shown))}
                  height={height}
                  className="unknown"
                />
              )}
              {visible.map((r, i) =>
                r.kind === 'lookup' ? (
                  <g key={`lookup ${r.lookup.id}`}>
                    <Bar
                      direction="lookup"
                      from={x(r.lookup.first - 1 - origin) + 1}
                      to={x(r.lookup.last - origin) - 1}
                      y={(first + i) * LANE + LANE / 2}
                      split={x(number)}
                    />
                  </g>
                ) : (
                  <LaneMarks
                    key={r.lane.id}
                    lane={r.lane}
                    y={(first + i) * LANE}
                    x={(seq) => x(seq - origin)}
                    cursor={cursor}
                  />
                ),
              )}
              <path d={`M${x(number)} 0V${height}`} className="cursor-line" />
            </svg>
            {closed && (
              <p className="goes-on" style={{ left: x(shown) + 16 }}>
                {t.goesOn}
              </p>
            )}
          </>
        )}
      </div>
    </div>
  );
}

const flag = (n: number): number => Math.max(28, String(n).length * 8 + 12);

const NONE_OPEN: ReadonlySet<number> = new Set();

/** The row that shows a lane: its own, or that of the closed look-up it belongs to. */
function rowWith(rows: readonly Row[], lane: Lane): number {
  const own = rows.findIndex((r) => r.kind === 'packet' && r.lane.id === lane.id);
  return own >= 0 ? own : rows.findIndex((r) => r.kind === 'lookup' && r.lookup.lanes.some((l) => l.id === lane.id));
}

function LookupName({
  lookup,
  open,
  on,
  y,
  toggle,
}: {
  lookup: Lookup;
  open: boolean;
  on: boolean;
  y: number;
  toggle: () => void;
}) {
  const t = useText();
  return (
    <li className={on ? 'lane on' : 'lane'} style={{ top: y }}>
      <button type="button" tabIndex={-1} className="lane-lookup" onClick={toggle}>
        <Icon name={open ? 'down' : 'right'} />
        <span className="clip">
          {t.lookup(lookup.name)}
          {lookup.answer === undefined ? '' : ` → ${lookup.answer}`}
        </span>
        <span className="mono clip">{t.lookupQueries(lookup.queries)}</span>
      </button>
    </li>
  );
}

function LaneName({
  lane,
  ends,
  on,
  y,
  again,
}: {
  lane: Lane;
  ends: string;
  on: boolean;
  y: number;
  again: string | undefined;
}) {
  return (
    <li className={on ? 'lane on' : 'lane'} style={{ top: y }}>
      <PacketTag direction={lane.direction} />
      <span>{lane.number}</span>
      <span className="clip">{lane.label}</span>
      <span className="mono clip">{again ?? ends}</span>
    </li>
  );
}

function LaneMarks({ lane, y, x, cursor }: { lane: Lane; y: number; x: (seq: number) => number; cursor: number }) {
  const mid = y + LANE / 2;
  return (
    <g>
      {lane.segments.map((s, i) => {
        const before = lane.segments[i - 1];
        // An event fills the place up to its number, so a segment begins where the one before it ended.
        const from = x(s.first - 1) + (i === 0 ? 1 : 2);
        const to = Math.max(from + 2, x(s.last) - 1);
        return (
          <g key={s.first}>
            {before !== undefined && s.first - before.last > 1 && (
              <path d={`M${x(before.last)} ${mid}H${x(s.first - 1)}`} className="between" />
            )}
            <Bar direction={lane.direction} from={from} to={to} y={mid} split={x(cursor)} />
          </g>
        );
      })}
      {lane.marks.map((m) => {
        const at = x(m.seq);
        if (m.kind === 'rewrite')
          return <path key={m.seq} d={`M${at} ${mid - 6.5}l6.5 6.5-6.5 6.5-6.5-6.5z`} className="mark-rewrite" />;
        if (m.kind === 'entry') return <circle key={m.seq} cx={at} cy={mid} r={4} className="mark-entry" />;
        return (
          <g key={m.seq} transform={`translate(${at} ${mid})`}>
            <rect x={-6.5} y={-6.5} width={13} height={13} rx={2} className="mark-drop" />
            <path d="M-3 -3l6 6M3 -3l-6 6" className="mark-drop-x" />
          </g>
        );
      })}
    </g>
  );
}

/** One crossing: the walked part strong, the part still to come faint. */
function Bar({
  direction,
  from,
  to,
  y,
  split,
}: {
  direction: Lane['direction'] | 'lookup';
  from: number;
  to: number;
  y: number;
  split: number;
}) {
  const cut = Math.max(from, Math.min(to, split));
  const part = (a: number, b: number, ahead: boolean) =>
    b - a < 0.5 ? null : (
      <rect x={a} y={y - 5} width={b - a} height={10} rx={2} className={`bar ${direction}${ahead ? ' ahead' : ''}`} />
    );
  return (
    <>
      {part(from, cut, false)}
      {part(cut, to, true)}
    </>
  );
}
