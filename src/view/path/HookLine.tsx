import { type ReactElement, useMemo, useState } from 'react';
import { priorityText } from '../scene/traversal';
import type { HookMarks, HookStop, Opened, Scene } from '../scene/types';
import type { BranchLayout } from './branch-layout';
import { Panel, RowStations, rowItems } from './branch-parts';
import { type FocusItem, FocusPane } from './focus';
import { Glyph } from './Glyph';
import { fitText, joined, type Pt, pathOf, pt, r1, textWidth } from './geometry';
import type { HookLayout, StopBox } from './hook-layout';
import { branchPart, type HookPicture, hookPacket, hookPicture, PROCESS_W, rejoinX } from './hook-picture';
import { middleCut, roleClass } from './map-parts';
import { cutLine } from './map-picture';
import { DropPanel, EntryPanel, NotePanel, ReadPanel, RoutePanel, stem } from './opened';
import type { StageProps } from './stage-props';
import { type StageWords, stageWords } from './words';

function stopName(stop: HookStop, w: StageWords): string {
  return stop.kind === 'route' ? w.route : stop.name;
}

function Stop({
  box,
  w,
  glyphHere,
  branch,
  inward,
}: {
  readonly box: StopBox;
  readonly w: StageWords;
  readonly glyphHere: boolean;
  readonly branch: boolean;
  /** 1: the line goes on to the right of this end, -1: to the left. */
  readonly inward: number;
}): ReactElement {
  const { stop, at } = box;
  const anchor = box.nameAnchor === 'middle' ? 'c' : box.nameAnchor === 'end' ? 'e' : '';
  if (stop.kind === 'device' || stop.kind === 'process') {
    const process = stop.kind === 'process';
    const width = process ? PROCESS_W : 48;
    // A process has a name of its own length: its box grows towards the line.
    const x = process ? (inward > 0 ? at.x - 28 : at.x + 28 - width) : at.x - 24;
    return (
      <g data-stop={stop.id}>
        <title>{stop.name}</title>
        <rect
          x={r1(x)}
          y={at.y - 11}
          width={width}
          height={22}
          rx={process ? 6 : 4}
          className={process ? 'g-pod' : 'g-kern'}
        />
        <text x={r1(x + width / 2)} y={at.y + 4} className={`c ${process ? 'w' : 'm'}`}>
          {process ? middleCut(stop.name, width - 8) : fitText(stop.name, 42, true)}
        </text>
      </g>
    );
  }
  const passed = stop.state === 'passed';
  const look =
    stop.state === 'now' || stop.state === 'dropped'
      ? 'now'
      : passed
        ? 'v'
        : stop.state === 'none'
          ? 'no'
          : stop.state === 'never'
            ? 'never'
            : '';
  const dim = stop.state === 'none' || stop.state === 'never';
  const strong = stop.state === 'now' || stop.state === 'dropped';
  const merged = box.merged.length > 1;
  const first = box.merged[0];
  const last = box.merged[box.merged.length - 1];
  const priority = (s: HookStop | undefined): string =>
    s?.priority === undefined ? '' : (priorityText(s.priority) ?? w.last);
  return (
    <g data-stop={stop.id} data-state={stop.state}>
      {stop.kind === 'route' ? (
        glyphHere ? null : (
          <path d={`M${r1(at.x)} ${at.y - 13}l13 13-13 13-13-13z`} className={`g-stn ${look}`} />
        )
      ) : (
        !glyphHere &&
        (stop.state !== 'dropped' || branch) && (
          <circle cx={r1(at.x)} cy={at.y} r={stop.state === 'now' ? 9 : 8} className={`g-stn ${look}`} />
        )
      )}
      <text x={r1(box.name.x)} y={box.name.y} className={`${anchor} ${strong ? 'w' : ''} ${dim ? 'd' : ''}`}>
        {merged ? box.merged.map((s) => s.name).join(', ') : stopName(stop, w)}
      </text>
      {stop.priority !== undefined && (
        <text x={r1(box.name.x)} y={box.name.y + 16} className={`${anchor} m d`}>
          {merged ? `${priority(first)} … ${priority(last)}` : priority(stop)}
        </text>
      )}
    </g>
  );
}

function Predicted({
  scene,
  picture,
  w,
}: {
  readonly scene: Scene;
  readonly picture: HookPicture;
  readonly w: StageWords;
}): ReactElement | null {
  const { branch, layout } = picture;
  if (!scene.predicted || !branch) return null;
  const last = branch.panels[branch.panels.length - 1];
  const first = branch.panels[Math.max(0, branch.panels.length - 2)];
  const lowest = Math.max(branch.bottom, 262);
  const x = last ? last.box.x + last.box.w + 24 : 16;
  const beside = x + 240 <= layout.width - 8;
  const box = beside ? { x, y: 184, w: 240, h: 78 } : { x: 16, y: lowest + 24, w: 240, h: 78 };
  const from = first?.branchX ?? 32;
  const foot = lowest + 34;
  return (
    <g className="g-pred">
      {beside && (
        <path
          d={pathOf(
            [pt(from, lowest - 24), pt(from, foot), pt(box.x + 172, foot), pt(box.x + 172, box.y + box.h + 6)],
            8,
          )}
          className="g-predicted"
        />
      )}
      <rect x={box.x} y={box.y} width={box.w} height={box.h} rx={8} className="g-predbox" />
      <text x={box.x + 16} y={box.y + 22} className="dr w">
        {w.yourAnswer}
      </text>
      <text x={box.x + 16} y={box.y + 42} className="m">
        {fitText(scene.predicted.chain, box.w - 24, true)}
      </text>
      <text x={box.x + 16} y={box.y + 62} className="d">
        {w.notEntered}
      </text>
      {beside && (
        <g>
          <rect x={r1((from + box.x) / 2 - 84)} y={foot - 10} width={168} height={20} className="g-f-bg" />
          <text x={r1((from + box.x) / 2)} y={foot + 4} className="c dr">
            {w.predicted}
          </text>
        </g>
      )}
    </g>
  );
}

/** What an event opened under its station, unless it is a chain. */
function OpenedBelow({
  opened,
  hook,
  layout,
  w,
  phase,
  role,
}: {
  readonly opened: Opened;
  readonly hook: HookMarks;
  readonly layout: HookLayout;
  readonly w: StageWords;
  readonly phase: number;
  readonly role: 'req' | 'rep';
}): ReactElement | null {
  const from = layout.points[opened.stop] ?? pt(36, layout.railY);
  const width = layout.width;
  const under = (w: number): number => r1(Math.min(Math.max(16, from.x - 120), width - 16 - Math.min(w, width - 32)));
  switch (opened.kind) {
    case 'entry': {
      const edge = Math.min(504, width - 32) + 16;
      const inside = from.x < edge - 12;
      const line = inside
        ? stem(from, 172)
        : pathOf([pt(from.x, 138), pt(from.x, 154), pt(edge - 24, 154), pt(edge - 24, 172)]);
      return (
        <g>
          <path d={line} className={`g-way ${role}`} />
          <EntryPanel entry={opened.entry} width={width} w={w} phase={phase} />
          {opened.entry.phase !== 'new' && <ReadPanel hook={hook} width={width} w={w} />}
        </g>
      );
    }
    case 'route': {
      const right = 16 + Math.min(504, width - 32) - 24;
      const line =
        from.x < right ? stem(from, 172) : pathOf([pt(from.x, 126), pt(from.x, 154), pt(right, 154), pt(right, 172)]);
      return (
        <g>
          <path d={line} className={`g-way ${role} thin`} />
          <RoutePanel facts={opened.facts} width={width} w={w} />
        </g>
      );
    }
    case 'not-asked':
      return (
        <g>
          <path d={stem(from, 172)} className={`g-way ${role} thin`} />
          <NotePanel
            x={under(380)}
            width={Math.min(380, width - 32)}
            title={w.notAsked(opened.table)}
            lines={[w.notAskedReasons[opened.reason] ?? opened.reason]}
          />
        </g>
      );
    case 'drop':
      return <DropPanel drop={opened.drop} width={width} w={w} />;
    case 'device':
      return (
        <NotePanel
          x={under(320)}
          width={Math.min(320, width - 32)}
          title={opened.name}
          mono
          lines={opened.lines}
          monoLines
        />
      );
    case 'process':
      return (
        <NotePanel
          x={under(320)}
          width={Math.min(320, width - 32)}
          title={`${w.process}, ${opened.name}`}
          lines={opened.lines}
          monoLines
        />
      );
    default:
      return null;
  }
}

/** The row under the cursor, or the last one of the panel it is in. */
function currentRowId(branch: BranchLayout): string | undefined {
  const panel = branch.panels[branch.panels.length - 1];
  if (!panel || panel.rows.length === 0) return undefined;
  const at = panel.rows.findIndex((r) => ('current' in r.row && r.row.current) || r.row.kind === 'test');
  return `row ${panel.panel.chain} ${at < 0 ? panel.rows.length - 1 : at}`;
}

/** Stops of the line as things that can have the focus. */
export function stopItems(layout: HookLayout, hook: HookMarks, w: StageWords): FocusItem[] {
  return layout.stops.map((b): FocusItem => {
    const { stop } = b;
    const name = b.merged.length > 1 ? b.merged.map((s) => s.name).join(', ') : stopName(stop, w);
    const where = stop.hook === undefined ? name : `${stop.hook.toUpperCase()} ${name}`;
    return {
      id: `stop ${stop.id}`,
      name: stop.remark ? `${where}, ${w.remarks(stop.remark)}` : where,
      box: { x: b.at.x - 12, y: b.at.y - 12, w: 24, h: 24 },
      ...(stop.hook !== undefined && stop.kind === 'station' && stop.registered
        ? { select: { kind: 'chain' as const, netns: hook.netns, table: stop.name, chain: stop.hook.toUpperCase() } }
        : {}),
    };
  });
}

/** The line of hooks of the namespace the packet is in, with what stands open under it. */
export function HookLine(props: StageProps & { readonly width: number; readonly hook: HookMarks }): ReactElement {
  const { scene, hook, width, phase, lang, narration, onPin } = props;
  const w = stageWords(lang);
  const picture = useMemo(() => hookPicture(scene, hook, width), [scene, hook, width]);
  const { layout, branch } = picture;
  const items = useMemo(() => {
    const rows = branch ? rowItems(branch.panels, scene.cursor, w, onPin) : [];
    const current = branch && currentRowId(branch);
    const open = hook.stops[hook.at];
    return [
      ...stopItems(layout, hook, w).map((i) =>
        current !== undefined && i.id === `stop ${open?.id}` ? { ...i, go: { ArrowDown: current } } : i,
      ),
      ...rows,
    ];
  }, [layout, hook, branch, scene.cursor, w, onPin]);
  const [hovered, setHovered] = useState<string>();
  const [focused, setFocused] = useState<string>();
  const { packet, opened } = scene;
  const role = roleClass(packet);
  const at = layout.points[hook.at] ?? pt(0, 0);
  const here = hookPacket(picture, scene, hook, phase);
  const start = layout.points[0] ?? at;
  const onRail = !branch;
  const railEnd = onRail ? here : at;
  const rail = joined([start, railEnd]);
  const arriving = hook.atBefore !== hook.at ? 1 : 0;
  const walked = branch && phase < 1 ? cutLine(branch.walked, branchPart(branch, here)) : branch?.walked;
  const after = hook.aheadTo !== undefined && hook.aheadTo > hook.at ? layout.points[hook.aheadTo] : undefined;
  const resume = branch?.exit ? pt(rejoinX(layout, hook.at), layout.railY) : at;
  const pinItem = items.find((i) => i.pin !== undefined && i.id === (hovered ?? focused));
  const dropBar = hook.dropped ? pt(at.x + (hook.mirrored ? -16 : 16), at.y) : undefined;
  const drop = scene.drop;
  const dropWords = drop !== undefined && !branch && drop.neverReached > 0;
  return (
    <FocusPane
      items={items}
      label={w.hookLabel(hook.name)}
      start={`stop ${hook.stops[hook.at]?.id ?? ''}`}
      onSelect={props.onSelect}
      onEnter={props.onEnter}
      onFocusItem={setFocused}
      onHoverItem={setHovered}
      overlay={
        pinItem?.pin ? (
          <button
            type="button"
            className="stg-pin"
            tabIndex={-1}
            style={{ left: pinItem.box.x + pinItem.box.w - 66, top: pinItem.box.y + pinItem.box.h - 28 }}
            onClick={pinItem.pin}
            aria-label={w.pin}
          >
            <PinIcon />
            {w.pin} <kbd>P</kbd>
          </button>
        ) : null
      }
    >
      {(ring) => (
        <svg
          width={width}
          height={picture.height}
          viewBox={`0 0 ${width} ${picture.height}`}
          role="img"
          aria-label={narration}
        >
          {layout.bands.map((b) => (
            <g key={`${b.hook} ${b.box.x}`}>
              <rect x={b.box.x} y={b.box.y} width={b.box.w} height={b.box.h} rx={8} className="g-band" />
              <text x={b.title.x} y={b.title.y} className="c w d2">
                {b.hook.toUpperCase()}
              </text>
            </g>
          ))}
          <path d={pathOf(layout.rail)} className="g-rail" />
          {layout.loop && hook.loop && (
            <g>
              <path d={pathOf(layout.loop.line)} className="g-loop" />
              <rect
                x={layout.loop.pill.x}
                y={layout.loop.pill.y}
                width={layout.loop.pill.w}
                height={layout.loop.pill.h}
                rx={10}
                className="g-br"
              />
              <text x={r1(layout.loop.pill.x + layout.loop.pill.w / 2)} y={layout.loop.pill.y + 14} className="c d">
                {hook.loop.road === 'local' ? w.localRoad : hook.loop.road}
              </text>
            </g>
          )}
          {after && <path d={pathOf([resume, after])} className={`g-way ${role} fut`} />}
          {rail.length > 1 && <path d={pathOf(rail)} className={`g-way ${role}`} />}
          {branch?.panels.map((p, i) => (
            <Panel
              key={`${p.panel.chain} ${p.box.x}`}
              panel={p}
              role={role}
              w={w}
              reveal={i >= (scene.newPanels ?? branch.panels.length) || arriving === 1 ? phase : 1}
            />
          ))}
          {branch?.exit && <path d={pathOf(branch.exit, 9)} className={`g-way ${role} fut`} />}
          {walked && walked.length > 1 && <path d={pathOf(walked, 8)} className={`g-way ${role}`} />}
          {branch?.stubs.map((s) => (
            <g key={s.panel.chain}>
              <title>{s.panel.chain}</title>
              <rect x={s.box.x} y={s.box.y} width={s.box.w} height={s.box.h} rx={6} className="g-chain" />
              <text x={s.box.x + s.box.w / 2} y={s.box.y + 20} className="c m d2">
                {w.stub(lastRule(s.panel.rows))}
              </text>
            </g>
          ))}
          {branch?.back && <BackLine line={branch.back} role={role} />}
          {branch?.via && opened?.kind === 'chains' && opened.via && (
            <Label at={branch.via} text={w.via(opened.via.chain, opened.via.rule)} />
          )}
          {branch?.exitWords && opened?.kind === 'chains' && opened.exit && (
            <Label
              at={branch.exitWords.at}
              text={w.exit(opened.exit.verdict, opened.table)}
              anchor={branch.exitWords.anchor}
            />
          )}
          {layout.stops.map((b) => (
            <Stop
              key={b.stop.id}
              box={b}
              w={w}
              glyphHere={onRail && b.at.x === here.x}
              branch={!onRail}
              inward={b.at.x < width / 2 ? 1 : -1}
            />
          ))}
          {branch?.panels.map((p) => (
            <RowStations key={`${p.panel.chain} ${p.box.x}`} panel={p} here={phase >= 1} />
          ))}
          {opened && !branch && (
            <OpenedBelow opened={opened} hook={hook} layout={layout} w={w} phase={phase} role={role} />
          )}
          {drop && branch && <DropPanel drop={drop} width={width} top={branch.bottom + 16} w={w} />}
          <Predicted scene={scene} picture={picture} w={w} />
          {dropBar && (
            <path
              d={`M${r1(dropBar.x)} ${dropBar.y - 12}v24`}
              strokeWidth="4"
              strokeLinecap="round"
              className="g-s-drop"
            />
          )}
          {dropWords && (
            <text x={width - 16} y={156} className="d e">
              {w.neverReached(drop.where.hook ?? hook.name, drop.neverReached)}
            </text>
          )}
          {ring}
          {packet && onRail && /station|route/.test(hook.stops[hook.at]?.kind ?? '') && phase >= 1 && !hook.dropped && (
            <>
              <circle cx={r1(here.x)} cy={here.y} r={12} className="g-f-panel" />
              <path
                d={`M${r1(here.x + (hook.mirrored ? 14 : -14))} ${here.y}H${r1(here.x)}`}
                className={`g-way ${role}`}
              />
            </>
          )}
          {packet && (
            <Glyph
              packet={packet}
              at={here}
              scale={branch ? 0.9 : 1}
              dropped={hook.dropped}
              dropPhase={scene.droppedNow ? phase : 1}
            />
          )}
        </svg>
      )}
    </FocusPane>
  );
}

const lastRule = (rows: readonly { readonly kind: string; readonly number?: number }[]): number | undefined =>
  [...rows].reverse().find((r) => r.kind === 'rule')?.number;

/** RETURN: a thin line with a head, back into the row that called. */
function BackLine({ line, role }: { readonly line: readonly Pt[]; readonly role: 'req' | 'rep' }): ReactElement {
  const end = line[line.length - 1] ?? pt(0, 0);
  return (
    <g className={`g-way ${role} thin`} style={{ strokeDasharray: 'none' }}>
      <path d={pathOf(line, 6)} />
      <path d={`M${r1(end.x + 5)} ${r1(end.y - 4)}l-5 4 5 4`} />
    </g>
  );
}

function Label({
  at,
  text,
  anchor = 'middle',
}: {
  readonly at: Pt;
  readonly text: string;
  readonly anchor?: 'middle' | 'start';
}): ReactElement {
  const width = textWidth(text, false) + 20;
  return (
    <g>
      {anchor === 'middle' && (
        <rect x={r1(at.x - width / 2)} y={at.y - 10} width={r1(width)} height={20} className="g-f-bg" />
      )}
      <text x={r1(at.x)} y={at.y + 4} className={`d2 ${anchor === 'middle' ? 'c' : ''}`}>
        {text}
      </text>
    </g>
  );
}

export function PinIcon(): ReactElement {
  return (
    <svg
      width="14"
      height="14"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M5.5 2.5h5M6.5 2.5v4L4 9.5h8l-2.5-3v-4M8 9.5V14" />
    </svg>
  );
}
