import type { ReactElement, ReactNode } from 'react';
import type { DropMarks, EntryMarks, HookMarks, Opened, RouteMarks } from '../scene/types';
import { Diamond } from './Glyph';
import { fitText, type Pt, pt, r1 } from './geometry';
import { dropTitle, type StageWords, thousands } from './words';

const TOP = 172;
export const ENTRY_W = 504;

function Box(props: {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly on?: boolean;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <g>
      <rect
        x={props.x}
        y={props.y}
        width={r1(props.w)}
        height={props.h}
        rx={8}
        className={`g-chain ${props.on ? 'on' : ''}`}
      />
      {props.children}
    </g>
  );
}

/** Two arrows of an entry: original to the right and solid, reply to the left and dashed. They draw outwards from the middle. */
function TupleRow(props: {
  readonly y: number;
  readonly x: number;
  readonly w: number;
  readonly left: string;
  readonly right: string;
  readonly dir: 'original' | 'reply';
  readonly label: string;
  readonly current: boolean;
  readonly lit: 'left' | 'right' | undefined;
  readonly draw: number;
  readonly narrow: boolean;
}): ReactElement {
  const { x, y, w, dir, draw } = props;
  const req = dir === 'original';
  const leftX = x + (props.narrow ? 10 : 88);
  const a = leftX + (props.narrow ? 136 : 158);
  const b = a + (props.narrow ? 16 : 72);
  const middle = (a + b) / 2;
  const from = middle - ((b - a) / 2) * draw;
  const to = middle + ((b - a) / 2) * draw;
  const room = props.narrow ? 132 : 150;
  return (
    <g>
      {props.current && <rect x={x + 1} y={y - 18} width={w - 2} height={28} className="g-cur" />}
      {!props.narrow && (
        <text x={x + 12} y={y} className={`w ${req ? 'rq' : 'rp'}`}>
          {props.label}
        </text>
      )}
      <text x={r1(leftX)} y={y} className="m">
        {fitText(props.left, room, true)}
      </text>
      <text x={r1(b + (props.narrow ? 12 : 18))} y={y} className={`m ${props.lit === 'right' ? 'rw w' : ''}`}>
        {fitText(props.right, x + w - b - 16, true)}
      </text>
      {draw > 0.05 && (
        <>
          <path
            d={req ? `M${r1(from)} ${y - 4}H${r1(to)}` : `M${r1(to)} ${y - 4}H${r1(from + 2)}`}
            className={`g-way ${req ? 'req' : 'rep'}`}
          />
          <path
            d={req ? `M${r1(to - 6)} ${y - 10}l8 6-8 6` : `M${r1(from + 6)} ${y - 10}l-8 6 8 6`}
            fill="none"
            strokeWidth="3"
            className={req ? 'g-s-req' : 'g-s-rep'}
          />
        </>
      )}
    </g>
  );
}

export function EntryPanel(props: {
  readonly entry: EntryMarks;
  readonly width: number;
  readonly top?: number;
  readonly w: StageWords;
  readonly phase: number;
}): ReactElement {
  const { entry, w, top = TOP } = props;
  const width = Math.min(ENTRY_W, props.width - 32);
  const narrow = width < 400;
  const made = entry.phase === 'new' ? props.phase : 1;
  const state = [entry.state, ...entry.status.filter((s) => /^(UNREPLIED|ASSURED)$/.test(s)).map((s) => `[${s}]`)]
    .filter((s) => s !== undefined)
    .join(' ');
  const lit = entry.phase === 'translated';
  const line = lit && entry.rewrite ? w.translated(entry.rewrite.field) : (w.entryState[entry.phase] ?? '');
  return (
    <Box x={16} y={top} w={width} h={140} on>
      <text x={28} y={top + 21} className="w">
        {w.entryTitle}
      </text>
      <text x={16 + width - 12} y={top + 21} className="m e d2">
        {state}
      </text>
      <path d={`M17 ${top + 32}H${r1(15 + width)}`} className="g-hl" />
      <TupleRow
        x={16}
        w={width}
        y={top + 58}
        left={entry.orig.src}
        right={entry.orig.dst}
        dir="original"
        label={w.original}
        current={entry.match === 'original'}
        lit={lit && entry.match === 'reply' ? 'right' : undefined}
        draw={made}
        narrow={narrow}
      />
      <TupleRow
        x={16}
        w={width}
        y={top + 86}
        left={entry.reply.dst}
        right={entry.reply.src}
        dir="reply"
        label={w.reply}
        current={entry.match === 'reply'}
        lit={lit && entry.match === 'original' ? 'right' : undefined}
        draw={made}
        narrow={narrow}
      />
      <path d={`M17 ${top + 96}H${r1(15 + width)}`} className="g-hl" />
      {lit ? (
        <Diamond at={pt(34, top + 118)} size={6} />
      ) : (
        <circle cx={34} cy={top + 118} r={4.5} className={`g-stn ${entry.phase === 'confirmed' ? 'v' : ''}`} />
      )}
      <text x={48} y={top + 122}>
        <title>{line}</title>
        {fitText(line, width - 44, false)}
      </text>
    </Box>
  );
}

/** Beside an entry: the tables that were asked on the way. */
export function ReadPanel({
  hook,
  width,
  w,
}: {
  readonly hook: HookMarks;
  readonly width: number;
  readonly w: StageWords;
}): ReactElement | null {
  const x = 16 + ENTRY_W + 24;
  const room = width - x - 16;
  if (room < 180) return null;
  const right = x + room - 12;
  const nat = hook.tablesRead.filter((t) => t.table === 'nat').reduce((n, t) => n + t.read, 0);
  const others = hook.tablesRead.filter((t) => t.table !== 'nat' && t.read > 0);
  const last = others[others.length - 1];
  return (
    <Box x={x} y={TOP} w={room} h={140}>
      <text x={x + 12} y={TOP + 21} className="w">
        {w.readOnTheWay}
      </text>
      <path d={`M${x + 1} ${TOP + 32}h${r1(room - 2)}`} className="g-hl" />
      <text x={x + 12} y={TOP + 52}>
        {w.natRules}
      </text>
      <text x={right} y={TOP + 52} className="e w">
        {w.read(nat)}
      </text>
      {nat === 0 && (
        <text x={x + 12} y={TOP + 70} className="d">
          {fitText(w.firstOnly, room - 20, false)}
        </text>
      )}
      {last && (
        <>
          <path d={`M${x + 1} ${TOP + 80}h${r1(room - 2)}`} className="g-hl" />
          <text x={x + 12} y={TOP + 100} className="m">
            {`${last.table} ${last.hook}`}
          </text>
          <text x={right} y={TOP + 100} className="m e">
            {last.verdict}
          </text>
          <text x={x + 12} y={TOP + 118} className="m d2">
            {fitText(last.chain ?? '', room - 70, true)}
          </text>
          {last.rule !== undefined && (
            <text x={right} y={TOP + 118} className="e d2">
              {w.rule(last.rule)}
            </text>
          )}
          <text x={x + 12} y={TOP + 134} className="m d">
            {fitText(last.condition ?? '', room - 24, true)}
          </text>
        </>
      )}
    </Box>
  );
}

export function RoutePanel({
  facts,
  width,
  top = TOP,
  w,
}: {
  readonly facts: RouteMarks;
  readonly width: number;
  readonly top?: number;
  readonly w: StageWords;
}): ReactElement {
  const local = facts.result === 'local';
  const lines: readonly (readonly [string, string])[] = [
    [w.routeTo, facts.dst],
    ...(facts.route === undefined ? [] : [[w.routeLine, facts.route] as const]),
    ...(local ? [] : [[w.routeOut, facts.oif ?? '−'] as const, [w.routeVia, facts.via ?? w.direct] as const]),
    ...(facts.prefsrc === undefined ? [] : [['src', facts.prefsrc] as const]),
  ];
  const panel = Math.min(504, width - 32);
  const wide = (i: number): boolean => i === 1 && facts.route !== undefined;
  return (
    <Box x={16} y={top} w={panel} h={44 + lines.length * 24 + (local ? 24 : 0)} on>
      <text x={28} y={top + 21} className="w">
        {w.routeTitle}
      </text>
      <text x={16 + panel - 12} y={top + 21} className="m e d2">
        {facts.result}
      </text>
      <path d={`M17 ${top + 32}h${panel - 2}`} className="g-hl" />
      {lines.map(([name, value], i) => (
        <g key={name}>
          {wide(i) && <rect x={17} y={top + 36 + i * 24} width={panel - 2} height={24} className="g-lit" />}
          <text x={28} y={top + 52 + i * 24} className="d">
            {name}
          </text>
          <text x={152} y={top + 52 + i * 24} className={value === w.direct ? 'd2' : 'm'}>
            <title>{value}</title>
            {fitText(value, panel - 148, true)}
          </text>
        </g>
      ))}
      {local && (
        <text x={28} y={top + 52 + lines.length * 24} className="d2">
          {fitText(w.routeLocal, panel - 24, false)}
        </text>
      )}
    </Box>
  );
}

export function NotePanel(props: {
  readonly x: number;
  readonly top?: number;
  readonly width: number;
  readonly title: string;
  readonly mono?: boolean;
  readonly lines: readonly string[];
  readonly monoLines?: boolean;
}): ReactElement {
  const { x, top = TOP, width } = props;
  return (
    <Box x={r1(x)} y={top} w={width} h={40 + props.lines.length * 20 + (props.lines.length > 0 ? 8 : -6)}>
      <text x={r1(x + 12)} y={top + 21} className={`w ${props.mono ? 'm' : ''}`}>
        {fitText(props.title, width - 24, props.mono === true)}
      </text>
      {props.lines.length > 0 && <path d={`M${r1(x + 1)} ${top + 32}h${r1(width - 2)}`} className="g-hl" />}
      {props.lines.map((l, i) => (
        <text key={l} x={r1(x + 12)} y={top + 52 + i * 20} className={props.monoLines ? 'm d2' : 'd2'}>
          <title>{l}</title>
          {fitText(l, width - 20, props.monoLines === true)}
        </text>
      ))}
    </Box>
  );
}

/** What a drop leaves on the stage: for a full table its gauge, for others the place and the reason. */
export function DropPanel({
  drop,
  width,
  top = TOP,
  w,
}: {
  readonly drop: DropMarks;
  readonly width: number;
  readonly top?: number;
  readonly w: StageWords;
}): ReactElement {
  const full = drop.reason === 'conntrack-full' && drop.conntrack !== undefined && drop.conntrack.max > 0;
  const x2 = width - 16;
  let y = top;
  const parts: ReactElement[] = [];
  if (full && drop.conntrack) {
    const { count, max, assured, closing } = drop.conntrack;
    const part = Math.min(1, count / max);
    const assuredPart = Math.min(part, assured / max);
    parts.push(
      <g key="gauge">
        <text x={16} y={y + 8} className="m">
          nf_conntrack_count
        </text>
        <text x={x2} y={y + 8} className="m e dr w">
          {`${thousands(count)} / ${thousands(max)}`}
        </text>
        <rect x={16} y={y + 16} width={r1(width - 32)} height={12} rx={3} className="g-br" />
        <rect x={16} y={y + 16} width={r1((width - 32) * part)} height={12} rx={3} fill="var(--line-3)" />
        <rect x={16} y={y + 16} width={r1((width - 32) * assuredPart)} height={12} rx={3} className="g-f-hook" />
        {assured > 0 && (
          <text x={16} y={y + 46} className="m d2">
            {`ESTABLISHED [ASSURED]  ${thousands(assured)}`}
          </text>
        )}
        {width > 560 && assured > 0 && (
          <text x={x2} y={y + 46} className="e d2">
            {w.tableFull(closing)}
          </text>
        )}
      </g>,
    );
    y += 64;
  }
  const place = [drop.where.table, drop.where.chain].filter((s) => s !== undefined).join(' ');
  const line = [place, drop.where.rule === undefined ? '' : w.rule(drop.where.rule)].filter((s) => s !== '').join(', ');
  parts.push(
    <g key="words">
      <text x={16} y={y + 14} className="w s13 dr">
        {dropTitle(w, drop)}
      </text>
      {line !== '' && (
        <text x={16} y={y + 34} className="d2">
          {line}
        </text>
      )}
      <text x={16} y={y + (line === '' ? 34 : 54)} className="d2">
        {w.symptoms[drop.symptom] ?? drop.symptom}
      </text>
    </g>,
  );
  y += line === '' ? 44 : 64;
  if (drop.kernelLine !== undefined) {
    parts.push(
      <g key="dmesg">
        <rect x={16} y={y + 4} width={r1(width - 32)} height={26} rx={4} className="g-br" />
        <text x={28} y={y + 21} className="m d">
          dmesg
        </text>
        <text x={84} y={y + 21} className="m w">
          <title>{drop.kernelLine}</title>
          {fitText(drop.kernelLine, width - 112, true)}
        </text>
      </g>,
    );
  }
  return <g>{parts}</g>;
}

const dropHeight = (d: DropMarks): number =>
  (d.reason === 'conntrack-full' && d.conntrack !== undefined ? 64 : 0) + 64 + (d.kernelLine === undefined ? 0 : 36);
const routeLines = (f: RouteMarks): number =>
  1 + (f.route === undefined ? 0 : 1) + (f.result === 'local' ? 1 : 2) + (f.prefsrc === undefined ? 0 : 1);

/** Height of what stands open, px; 0 for chains, whose layout knows. */
export function openedBody(opened: Opened | undefined): number {
  switch (opened?.kind) {
    case 'entry':
      return 140;
    case 'route':
      return 44 + 24 * routeLines(opened.facts);
    case 'drop':
      return dropHeight(opened.drop);
    case 'not-asked':
    case 'process':
    case 'device':
      return 68;
    default:
      return 0;
  }
}
/** The same, from the top of the line of hooks. */
export const openedHeight = (opened: Opened | undefined, branchBottom: number): number =>
  opened?.kind === 'chains' ? branchBottom + 16 : TOP + openedBody(opened) + 16;

/** Straight down from a station to what it opened. */
export const stem = (from: Pt, to: number): string => `M${r1(from.x)} 138V${to}`;
