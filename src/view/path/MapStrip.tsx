import { type ReactElement, useMemo } from 'react';
import { netnsName } from '../scene/facts';
import type { Scene, Spot } from '../scene/types';
import { Glyph } from './Glyph';
import { easeTravel, fitText, type Pt, pt, r1 } from './geometry';
import { roleClass } from './map-parts';
import type { StageProps } from './stage-props';
import { stageWords } from './words';

/** A stop of the strip: a pod, a machine, or a whole node. */
export interface StripStop {
  readonly key: string;
  readonly kind: 'pod' | 'node' | 'machine';
  readonly name: string;
  readonly note: string;
  readonly reached: boolean;
  readonly at: Pt;
}

const containerOf = (s: Spot): { readonly key: string; readonly kind: StripStop['kind'] } =>
  s.at === 'pod'
    ? { key: s.netns, kind: 'pod' }
    : s.at === 'machine'
      ? { key: s.netns, kind: 'machine' }
      : { key: s.node, kind: 'node' };

/** The map of a phone: only the stops of the followed packet, in order and evenly spaced. */
export function layoutStrip(scene: Scene, width: number): readonly StripStop[] {
  const { topology, map, hook } = scene;
  const seen: { key: string; kind: StripStop['kind']; reached: boolean }[] = [];
  const add = (s: Spot, reached: boolean): void => {
    const c = containerOf(s);
    if (seen[seen.length - 1]?.key !== c.key) seen.push({ ...c, reached });
  };
  for (const v of map.walked) add(v.spot, true);
  for (const v of map.ahead) add(v.spot, false);
  const here = map.here && containerOf(map.here).key;
  const slots = Math.max(4, seen.length);
  const left = 54;
  const pitch = (width - left - 52) / (slots - 1);
  const currentAt = seen.findIndex((s) => s.key === here);
  return seen.map((s, i) => {
    const node = topology.nodes.find((n) => n.name === s.key);
    const pod = topology.nodes.flatMap((n) => n.pods).find((p) => p.netns === s.key);
    const machine = topology.machines.find((m) => m.netns === s.key);
    const hookName = hook?.stops[hook.at]?.hook?.toUpperCase();
    const note =
      s.kind === 'node'
        ? i === currentAt && hookName !== undefined
          ? hookName
          : ''
        : (pod?.address ?? machine?.address ?? '');
    return {
      key: `${s.key} ${i}`,
      kind: s.kind,
      name: node?.name ?? netnsName(topology, s.key),
      note,
      reached: s.reached,
      at: pt(r1(left + i * pitch), 30),
    };
  });
}

export function MapStrip(props: StageProps & { readonly width: number }): ReactElement {
  const { scene, width, phase, lang, narration } = props;
  const w = stageWords(lang);
  const stops = useMemo(() => layoutStrip(scene, width), [scene, width]);
  const { packet, map } = scene;
  const role = roleClass(packet);
  const reached = stops.filter((s) => s.reached);
  const last = reached[reached.length - 1];
  const first = stops[0];
  const beforeKey = map.before && containerOf(map.before).key;
  const hereKey = map.here && containerOf(map.here).key;
  const previous = beforeKey !== hereKey ? reached[reached.length - 2] : last;
  const t = easeTravel(phase);
  const at = last && pt((previous ?? last).at.x + (last.at.x - (previous ?? last).at.x) * t, 30);
  const end = stops[stops.length - 1];
  const pitch = stops.length > 1 ? (stops[1]?.at.x ?? 0) - (first?.at.x ?? 0) : 94;
  return (
    <div className="stg-strip">
      <svg width={width} height={84} viewBox={`0 0 ${width} 84`} role="img" aria-label={`${w.mapLabel}. ${narration}`}>
        {end && at && end.at.x > at.x && <path d={`M${at.x} 30H${end.at.x}`} className={`g-way ${role} fut`} />}
        {first && at && at.x > first.at.x && <path d={`M${first.at.x} 30H${r1(at.x)}`} className={`g-way ${role}`} />}
        {stops.map((s, i) => (
          <g key={s.key}>
            {s.kind === 'node' ? (
              <rect x={s.at.x - 14} y={18} width={28} height={24} rx={6} className="g-room on" />
            ) : (
              <rect x={s.at.x - 10} y={20} width={20} height={20} rx={4} className={`g-pod ${i === 0 ? role : ''}`} />
            )}
            <text x={s.at.x} y={58} className="c w">
              <title>{s.name}</title>
              {fitText(s.name, pitch - 4, false)}
            </text>
            <text x={s.at.x} y={73} className={`c d ${s.kind === 'node' ? '' : 'm'}`}>
              {s.note}
            </text>
          </g>
        ))}
        {packet && at && (
          <Glyph packet={packet} at={at} scale={0.9} dropped={map.dropped} dropPhase={scene.droppedNow ? phase : 1} />
        )}
      </svg>
    </div>
  );
}
