import type { ReactElement } from 'react';
import type { PinTarget, Selection } from '../../store/types';
import type { ChainRow } from '../scene/types';
import type { PanelBox, RowBox } from './branch-layout';
import type { FocusItem } from './focus';
import { fitText, r1 } from './geometry';
import { phraseText, type StageWords } from './words';

/** Chain names are cut so that prefix and the first characters stay; the whole name is in the tooltip. */
const chainRef = (text: string, width: number): string => fitText(text, width, true);

function folded(row: ChainRow, w: StageWords): { text: string; mono: boolean } | undefined {
  switch (row.kind) {
    case 'skip':
      return { text: w.skipped(row.count, w.reasons[row.reason] ?? row.reason), mono: false };
    case 'rest':
      return { text: row.read === 'not-reached' ? w.notReached(row.count) : w.notRead(row.count), mono: false };
    case 'policy':
      return { text: w.policy(row.policy), mono: false };
    case 'return':
      return { text: w.returnsTo(row.to), mono: false };
    case 'rule':
      return row.back && !row.current ? { text: phraseText(w, row.detail), mono: row.detail.as === 'code' } : undefined;
    default:
      return undefined;
  }
}

export function rowName(row: ChainRow, w: StageWords): string {
  const f = folded(row, w);
  if (f) return f.text;
  if (row.kind === 'rule') return `${w.rule(row.number)}: ${phraseText(w, row.title)}, ${phraseText(w, row.detail)}`;
  if (row.kind === 'test') return `${w.underTest(row.number, row.of)}: ${phraseText(w, row.title)}`;
  return '';
}

function Row({
  box,
  panel,
  role,
  w,
  opacity,
}: {
  readonly box: RowBox;
  readonly panel: PanelBox;
  readonly role: 'req' | 'rep';
  readonly w: StageWords;
  readonly opacity: number;
}): ReactElement {
  const { row } = box;
  const { x, y, w: width, h } = box.box;
  const text = panel.box.x + 36;
  const room = panel.box.w - 44;
  const current = 'current' in row && row.current;
  const rule = `M${r1(x)} ${y}h${r1(width)}`;
  const f = folded(row, w);
  const fill =
    row.kind === 'test' || (current && row.kind === 'rule')
      ? 'g-cur'
      : row.kind === 'rule' && row.matched && !row.back
        ? `g-lit ${role}`
        : current
          ? 'g-cur'
          : undefined;
  return (
    <g opacity={opacity} data-row={row.kind} data-rule={'number' in row ? row.number : undefined}>
      {fill && <rect x={r1(x)} y={y} width={r1(width)} height={h} className={fill} />}
      <path d={rule} className="g-hl" />
      {f ? (
        <>
          <text x={r1(text)} y={y + 16} className={`${f.mono ? 'm' : ''} d`}>
            <title>{f.text}</title>
            {fitText(f.text, room - (row.kind === 'rule' ? 20 : 0), f.mono)}
          </text>
          {row.kind === 'rule' && (
            <path
              d={`M${r1(panel.box.x + panel.box.w - 26)} ${y + 15}h10v-6h-8m3 -3l-3 3 3 3`}
              fill="none"
              stroke="var(--ink-3)"
              strokeWidth="1.25"
            />
          )}
        </>
      ) : row.kind === 'rule' ? (
        <>
          <text x={r1(text)} y={y + 17} className={`${row.title.as === 'code' ? 'm' : ''} ${row.matched ? 'w' : ''}`}>
            <title>{row.text}</title>
            {fitText(phraseText(w, row.title), room, row.title.as === 'code')}
          </text>
          <text
            x={r1(text)}
            y={y + (row.matched ? 34 : 33)}
            className={`${row.detail.as === 'code' ? 'm' : ''} ${row.rewrites ? 'rw w' : row.matched ? 'd2' : 'd'}`}
          >
            <title>{row.text}</title>
            {chainRef(phraseText(w, row.detail), room - (row.pinned ? 20 : 0))}
          </text>
          {row.pinned && <PinSign x={panel.box.x + panel.box.w - 24} y={y + 6} />}
        </>
      ) : row.kind === 'test' ? (
        <>
          <text x={r1(text)} y={y + 17} className={`w ${row.title.as === 'code' ? 'm' : ''}`}>
            <title>{row.text}</title>
            {fitText(phraseText(w, row.title), room, row.title.as === 'code')}
          </text>
          <text x={r1(text)} y={y + 34} className="d">
            {w.underTest(row.number, row.of)}
          </text>
        </>
      ) : null}
    </g>
  );
}

/** A thing that is in the notebook. */
function PinSign({ x, y }: { readonly x: number; readonly y: number }): ReactElement {
  return (
    <g
      transform={`translate(${r1(x)} ${r1(y)})`}
      className="g-s-rep"
      fill="none"
      strokeWidth="1.5"
      strokeLinejoin="round"
    >
      <path d="M5.5 2.5h5M6.500 2.5v4L4 9.5h8l-2.500-3v-4M8 9.5V14" />
    </g>
  );
}

/** A chain's panel: title and rows. `reveal` 0..1: a panel that opens in this step. */
export function Panel({
  panel,
  role,
  w,
  reveal,
}: {
  readonly panel: PanelBox;
  readonly role: 'req' | 'rep';
  readonly w: StageWords;
  readonly reveal: number;
}): ReactElement {
  const grown = Math.min(1, Math.max(0, (reveal - 0.25) / 0.55));
  const rows = Math.min(1, Math.max(0, (reveal - 0.6) / 0.4));
  const { box } = panel;
  const h = Math.max(24, box.h * grown);
  return (
    <g className="g-panel" data-chain={panel.panel.chain} opacity={reveal <= 0 ? 0 : 1}>
      <rect
        x={r1(box.x)}
        y={box.y}
        width={r1(box.w)}
        height={r1(h)}
        rx={8}
        className={`g-chain ${panel.panel.current ? 'on' : ''}`}
      />
      <text x={r1(panel.title.x)} y={panel.title.y} className="m w" opacity={grown}>
        <title>{panel.panel.chain}</title>
        {fitText(panel.panel.chain, box.w - 44, true)}
      </text>
      {panel.rows
        .filter((r) => grown >= 1 || r.box.y + r.box.h <= box.y + h)
        .map((r) => (
          <Row key={`${r.row.kind} ${r.box.y}`} box={r} panel={panel} role={role} w={w} opacity={rows} />
        ))}
    </g>
  );
}

/** Stations of the rows, drawn over the branch. */
export function RowStations({ panel, here }: { readonly panel: PanelBox; readonly here: boolean }): ReactElement {
  return (
    <>
      {panel.rows.map((r) => {
        const { row } = r;
        const key = `${row.kind} ${r.box.y}`;
        const current = ('current' in row && row.current) || row.kind === 'test';
        if (current && here) return null;
        if (row.kind === 'rule') {
          if (!row.matched) return <circle key={key} cx={r1(r.station.x)} cy={r.station.y} r={4.5} className="g-stn" />;
          return (
            <circle
              key={key}
              cx={r1(r.station.x)}
              cy={r.station.y}
              r={row.back && !row.current ? 4.5 : 6}
              className="g-stn v"
            />
          );
        }
        return null;
      })}
    </>
  );
}

/** Rows as things that can have the focus. */
export function rowItems(
  panels: readonly PanelBox[],
  seq: number,
  w: StageWords,
  onPin: ((p: PinTarget) => void) | undefined,
): FocusItem[] {
  return panels.flatMap((p) =>
    p.rows.map((r, i): FocusItem => {
      const { row } = r;
      const ruleId = row.kind === 'rule' || row.kind === 'test' ? row.ruleId : undefined;
      const select: Selection | undefined = ruleId === undefined ? undefined : { kind: 'rule', ruleId };
      return {
        id: `row ${p.panel.chain} ${i}`,
        name: `${p.panel.chain}: ${rowName(row, w)}`,
        box: r.box,
        ...(select === undefined ? {} : { select }),
        ...(row.kind === 'rule' && onPin ? { pin: () => onPin({ kind: 'rule', ruleId: row.ruleId, seq }) } : {}),
      };
    }),
  );
}
