import { type ReactElement, useMemo } from 'react';
import { priorityText } from '../scene/traversal';
import type { HookMarks } from '../scene/types';
import { type UprightLine as Line, layoutUprightBranch } from './branch-layout';
import { rowName } from './branch-parts';
import { FocusPane } from './focus';
import { Glyph } from './Glyph';
import { fitText, pathOf, pt, r1 } from './geometry';
import { stopItems } from './HookLine';
import { layoutUpright } from './hook-layout';
import { roleClass } from './map-parts';
import { DropPanel, EntryPanel, NotePanel, openedBody, RoutePanel } from './opened';
import type { StageProps } from './stage-props';
import { phraseText, type StageWords, stageWords } from './words';

function lineText(l: Line, w: StageWords): { text: string; className: string } {
  const { row } = l;
  if (l.part === 'note' && row.kind === 'rule')
    return { text: `${w.rule(row.number)}: ${phraseText(w, row.detail)}`, className: 'd' };
  if (l.part === 'note' || (row.kind !== 'rule' && row.kind !== 'test'))
    return { text: rowName(row, w), className: 'd' };
  if (l.part === 'title') return { text: phraseText(w, row.title), className: row.title.as === 'code' ? 'm w' : 'w' };
  if (row.kind === 'test') return { text: w.underTest(row.number, row.of), className: 'd' };
  return {
    text: phraseText(w, row.detail),
    className: `${row.detail.as === 'code' ? 'm' : 'd'} ${row.rewrites ? 'rw w' : 'd2'}`,
  };
}

/** The line of hooks upright, for a phone: names right of the rail, a remark at the right edge. */
export function UprightHookLine(
  props: StageProps & { readonly width: number; readonly hook: HookMarks },
): ReactElement {
  const { scene, hook, width, lang, narration, phase } = props;
  const w = stageWords(lang);
  const { opened, packet } = scene;
  const role = roleClass(packet);
  const chains = opened?.kind === 'chains' ? opened : undefined;
  const predicted = scene.predicted && chains ? 56 : 0;
  const room = useMemo(
    () =>
      !opened
        ? 0
        : (chains ? layoutUprightBranch(chains, width, pt(28, 0)).height + 12 : openedBody(opened) + 16) + predicted,
    [opened, chains, width, predicted],
  );
  const layout = useMemo(
    () => layoutUpright(hook, width, opened ? { at: opened.stop, room } : undefined),
    [hook, width, opened, room],
  );
  const at = layout.points[hook.at] ?? pt(28, 20);
  const branch = chains && layoutUprightBranch(chains, width, at);
  const start = layout.points[0] ?? at;
  const before = layout.points[hook.atBefore] ?? at;
  const here = branch && phase >= 0.5 ? branch.head : phase >= 1 ? at : pt(at.x, before.y + (at.y - before.y) * phase);
  const after = hook.aheadTo !== undefined && hook.aheadTo > hook.at ? layout.points[hook.aheadTo] : undefined;
  const resume = branch?.exit ? branch.exit[branch.exit.length - 1] : at;
  const items = useMemo(() => stopItems(layout, hook, w), [layout, hook, w]);
  const top = at.y + 18;
  const last = layout.points[layout.points.length - 1] ?? at;
  return (
    <FocusPane
      items={items}
      label={w.hookLabel(hook.name)}
      start={`stop ${hook.stops[hook.at]?.id ?? ''}`}
      onSelect={props.onSelect}
      onEnter={props.onEnter}
    >
      {(ring) => (
        <svg
          width={width}
          height={layout.height}
          viewBox={`0 0 ${width} ${layout.height}`}
          role="img"
          aria-label={narration}
        >
          <path d={`M28 ${start.y}V${r1(last.y)}`} className="g-rail" />
          {after && resume && <path d={`M28 ${r1(resume.y)}V${r1(after.y)}`} className={`g-way ${role} fut`} />}
          <path d={`M28 ${start.y}V${r1(branch ? at.y : here.y)}`} className={`g-way ${role}`} />
          {branch && (
            <>
              <rect
                x={branch.box.x}
                y={branch.box.y}
                width={branch.box.w}
                height={branch.box.h}
                rx={8}
                className="g-chain on"
              />
              {branch.sections.map((s, i) => {
                const key = s.lines.find((l) => l.part === 'title');
                const lit = key && (s.current ? 'g-cur' : `g-lit ${role}`);
                const number = key && 'number' in key.row ? key.row.number : undefined;
                return (
                  <g key={`${s.panel.chain} ${s.box.y}`}>
                    {lit && s.current && (
                      <rect x={s.box.x + 1} y={s.box.y + 1} width={s.box.w - 2} height={s.box.h - 2} className={lit} />
                    )}
                    {i > 0 && <path d={`M${s.box.x + 1} ${s.box.y}h${s.box.w - 2}`} className="g-hl" />}
                    <text x={80} y={s.box.y + 20} className="m w">
                      <title>{s.panel.chain}</title>
                      {fitText(s.panel.chain, s.box.w - 88, true)}
                    </text>
                    {number !== undefined && (
                      <text x={s.box.x + s.box.w - 12} y={s.box.y + 20} className="e d2">
                        {w.rule(number)}
                      </text>
                    )}
                    {s.lines.map((l) => {
                      const t = lineText(l, w);
                      return (
                        <text key={`${l.part} ${l.y}`} x={80} y={r1(l.y)} className={t.className}>
                          {fitText(t.text, s.box.w - 28, t.className.includes('m'))}
                        </text>
                      );
                    })}
                  </g>
                );
              })}
              <path d={pathOf(branch.walked)} className={`g-way ${role}`} />
              {branch.exit && <path d={pathOf(branch.exit)} className={`g-way ${role} fut`} />}
              {branch.sections
                .slice(0, -1)
                .map((s) =>
                  s.station ? (
                    <circle key={s.box.y} cx={s.station.x} cy={r1(s.station.y)} r={6} className="g-stn v" />
                  ) : null,
                )}
            </>
          )}
          {branch && scene.predicted && (
            <g>
              <rect
                x={64}
                y={r1(branch.box.y + branch.box.h + 12)}
                width={width - 80}
                height={44}
                rx={8}
                className="g-predbox"
              />
              <text x={80} y={r1(branch.box.y + branch.box.h + 30)} className="dr">
                {w.notEnteredLine}
              </text>
              <text x={80} y={r1(branch.box.y + branch.box.h + 47)} className="m">
                {fitText(scene.predicted.chain, width - 104, true)}
              </text>
            </g>
          )}
          {opened?.kind === 'entry' && (
            <g transform={`translate(48 ${r1(top)})`}>
              <EntryPanel entry={opened.entry} width={width - 48} top={0} w={w} phase={phase} />
            </g>
          )}
          {opened?.kind === 'route' && (
            <g transform={`translate(48 ${r1(top)})`}>
              <RoutePanel facts={opened.facts} width={width - 48} top={0} w={w} />
            </g>
          )}
          {opened?.kind === 'not-asked' && (
            <NotePanel
              x={64}
              top={r1(top)}
              width={width - 80}
              title={w.notAsked(opened.table)}
              lines={[w.notAskedReasons[opened.reason] ?? opened.reason]}
            />
          )}
          {opened?.kind === 'device' && (
            <NotePanel
              x={64}
              top={r1(top)}
              width={width - 80}
              title={opened.name}
              mono
              lines={opened.lines}
              monoLines
            />
          )}
          {opened?.kind === 'process' && (
            <NotePanel
              x={64}
              top={r1(top)}
              width={width - 80}
              title={`${w.process}, ${opened.name}`}
              lines={opened.lines}
              monoLines
            />
          )}
          {opened?.kind === 'drop' && (
            <g transform={`translate(48 ${r1(top)})`}>
              <DropPanel drop={opened.drop} width={width - 48} top={0} w={w} />
            </g>
          )}
          {layout.stops.map((b) => {
            const { stop } = b;
            const look =
              stop.state === 'now' || stop.state === 'dropped'
                ? 'now'
                : stop.state === 'passed'
                  ? 'v'
                  : stop.state === 'none'
                    ? 'no'
                    : stop.state === 'never'
                      ? 'never'
                      : '';
            const dim = stop.state === 'none' || stop.state === 'never';
            const merged = b.merged.length > 1;
            const box = stop.kind === 'device' || stop.kind === 'process';
            const name =
              stop.kind === 'route' ? w.route : merged && stop.hook !== undefined ? stop.hook.toUpperCase() : stop.name;
            const priority =
              stop.priority === undefined || merged ? undefined : (priorityText(stop.priority) ?? w.last);
            const remark = merged
              ? b.merged.map((s) => s.name).join(', ')
              : stop.remark === undefined
                ? ''
                : w.remarks(stop.remark);
            return (
              <g key={stop.id} data-stop={stop.id} data-state={stop.state}>
                {box ? (
                  <rect
                    x={20}
                    y={b.at.y - 8}
                    width={16}
                    height={16}
                    rx={4}
                    className={stop.kind === 'process' ? 'g-pod' : 'g-kern'}
                  />
                ) : stop.kind === 'route' ? (
                  <path d={`M28 ${b.at.y - 11}l11 11-11 11-11-11z`} className={`g-stn ${look}`} />
                ) : (
                  (stop.state !== 'dropped' || branch !== undefined) && (
                    <circle cx={28} cy={b.at.y} r={stop.state === 'now' ? 9 : 8} className={`g-stn ${look}`} />
                  )
                )}
                <text
                  x={52}
                  y={b.name.y}
                  className={`${stop.state === 'now' || stop.state === 'dropped' ? 'w' : ''} ${dim ? 'd' : ''} ${box && stop.kind === 'device' ? 'm' : ''}`}
                >
                  {name}
                </text>
                {priority !== undefined && (
                  <text x={148} y={b.name.y} className="m d e">
                    {priority}
                  </text>
                )}
                <text x={width - 16} y={b.name.y} className="e d">
                  {fitText(remark, width - 16 - (priority === undefined ? 52 + name.length * 8 : 160), false)}
                </text>
              </g>
            );
          })}
          {ring}
          {packet &&
            (!branch || phase < 0.5) &&
            !hook.dropped &&
            hook.stops[hook.at]?.kind === 'station' &&
            phase >= 1 && <circle cx={28} cy={here.y} r={12} className="g-f-bg" />}
          {packet && (
            <Glyph
              packet={packet}
              at={here}
              scale={0.85}
              dropped={hook.dropped}
              dropPhase={scene.droppedNow ? phase : 1}
            />
          )}
        </svg>
      )}
    </FocusPane>
  );
}
