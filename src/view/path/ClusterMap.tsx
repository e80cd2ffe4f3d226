import { type ReactElement, useMemo } from 'react';
import type { Scene } from '../scene/types';
import { FlipText } from './flip';
import { type FocusItem, FocusPane } from './focus';
import { Diamond, Glyph } from './Glyph';
import { pathOf, pt, type Rect, r1 } from './geometry';
import { layoutMap, type MapLayout } from './map-layout';
import { LeftColumn, RoomFront, RoomGround, roleClass } from './map-parts';
import { focusOf, mapPicture } from './map-picture';
import type { StageProps } from './stage-props';
import { stageWords } from './words';

/** Everything on the map that can have the focus, in reading order. */
export function mapItems(l: MapLayout, scene: Scene): FocusItem[] {
  const out: FocusItem[] = [];
  for (const m of l.machines) out.push({ id: `machine ${m.netns}`, name: m.name, box: m.box });
  for (const room of l.rooms) {
    const node = scene.topology.nodes.find((n) => n.name === room.name);
    out.push({
      id: `node ${room.name}`,
      name: `${room.name}${room.address === undefined ? '' : ` ${room.address}`}`,
      box: room.form === 'grid' ? room.box : { x: room.box.x + 4, y: room.box.y + 4, w: room.box.w - 8, h: 22 },
      select: { kind: 'node', name: room.name },
    });
    for (const p of room.pods) {
      const pod = node?.pods.find((q) => q.netns === p.netns);
      if (!pod) continue;
      out.push({
        id: `pod ${p.netns}`,
        name: `${p.name}${p.address === undefined ? '' : ` ${p.address}`}`,
        box: p.box,
        select: { kind: 'pod', namespace: pod.namespace, name: pod.name },
      });
    }
    if (room.form === 'grid') continue;
    for (const s of ['PRE', 'FWD', 'POST'] as const) {
      const at = room.stations[s];
      out.push({
        id: `station ${room.name} ${s}`,
        name: `${room.name} ${s === 'FWD' ? (scene.map.local[room.name] ?? s) : s}`,
        box: { x: at.x - 8, y: at.y - 8, w: 16, h: 16 },
        select: { kind: 'node', name: room.name },
      });
    }
  }
  return out;
}

/** The cluster map as SVG. */
export function ClusterMap(props: StageProps & { readonly width: number }): ReactElement {
  const { scene, width, phase, lang, narration } = props;
  const w = stageWords(lang);
  const layout = useMemo(() => layoutMap(scene.topology, width, focusOf(scene)), [scene, width]);
  const picture = useMemo(() => mapPicture(layout, scene, phase), [layout, scene, phase]);
  const items = useMemo(() => mapItems(layout, scene), [layout, scene]);
  const { map, packet } = scene;
  const role = roleClass(packet);
  const label = layout.label;
  const rewrite = map.rewrite;
  const fresh = rewrite !== undefined && rewrite.seq === scene.cursor;
  const p = picture.packet;
  const showLabel = rewrite !== undefined && layout.form === 'rooms' && p !== undefined;
  return (
    <FocusPane
      {...(map.room === undefined ? {} : { start: `node ${map.room}` })}
      items={items}
      label={`${w.mapLabel}. ${narration}`}
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
          <g className="g-ground">
            {layout.trunks.map((t) => (
              <path key={pathOf(t)} d={pathOf(t)} className="g-trunk" />
            ))}
            {layout.machines.map((m) =>
              m.form === 'outside' && layout.form === 'rooms' ? (
                <path
                  key={m.netns}
                  d={`M${r1(m.socket.x)} ${m.box.y + m.box.h}V${r1(m.socket.y)}`}
                  className="g-wire"
                />
              ) : null,
            )}
            {layout.network && (
              <text x={layout.network.at.x} y={layout.network.at.y} className="m d e">
                {layout.network.text}
              </text>
            )}
          </g>
          {layout.rooms.map((room) => (
            <RoomGround key={room.name} room={room} on={map.room === room.name} w={w} />
          ))}
          <LeftColumn scene={scene} layout={layout} w={w} />
          {picture.ahead.length > 1 && <path d={pathOf(picture.ahead)} className={`g-way ${role} fut`} />}
          {picture.walked.length > 1 && <path d={pathOf(picture.walked)} className={`g-way ${role}`} />}
          {layout.rooms.map((room) => (
            <RoomFront key={room.name} room={room} marks={map} packet={packet} w={w} />
          ))}
          {layout.more && (
            <g>
              <rect
                x={r1(layout.more.box.x)}
                y={layout.more.box.y}
                width={r1(layout.more.box.w)}
                height={layout.more.box.h}
                rx={8}
                className="g-more"
              />
              <text x={r1(layout.more.box.x + layout.more.box.w / 2)} y={layout.more.box.y + 31} className="c d">
                {w.hiddenNodes(layout.more.count)}
              </text>
            </g>
          )}
          {showLabel && (
            <g className="g-label">
              {map.here?.at === 'station' && phase >= 1 && <path d={leader(label, p)} className="g-leader" />}
              <rect x={label.x} y={label.y} width={label.w} height={label.h} rx={6} className="g-callout" />
              <Diamond at={pt(label.x + 12, label.y + 14)} size={5} />
              <text x={label.x + 24} y={label.y + 18} className="rw w">
                {rewrite.field === 'destination' ? w.destination : w.source}
              </text>
              <FlipText
                x={label.x + 8}
                y={label.y + 37}
                before={rewrite.before}
                after={rewrite.after}
                phase={fresh ? phase : 1}
                mirrored={rewrite.how === 'reverse'}
              />
            </g>
          )}
          {ring}
          {packet && p && (
            <Glyph
              packet={packet}
              at={p}
              rewritten={rewrite !== undefined && !map.dropped}
              dropped={map.dropped}
              dropPhase={scene.droppedNow ? phase : 1}
            />
          )}
        </svg>
      )}
    </FocusPane>
  );
}

/** From the packet label to the packet: straight into the first room, else level above the strips and down to its side. */
function leader(label: Rect, p: { readonly x: number; readonly y: number }): string {
  const x = label.x + label.w;
  const beside = p.x - x < 90 && p.y > label.y + 16 && p.y < label.y + label.h + 8;
  if (beside) return `M${x} ${r1(Math.min(p.y, label.y + 50))}H${r1(p.x - 14)}`;
  const y = label.y + 30;
  if (Math.abs(p.y - y) < 10) return `M${x} ${y}H${r1(Math.max(x, p.x - 14))}`;
  const down = p.y > y ? -9 : 9;
  return `M${x} ${y}H${r1(Math.max(x, p.x - 26))}L${r1(p.x - 10)} ${r1(p.y + down)}`;
}
