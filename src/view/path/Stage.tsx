import type { ZoomTransform } from 'd3-zoom';
import { type ReactElement, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type { PinTarget, Selection } from '../../store/types';
import { buildScene } from '../scene/build';
import type { Scene, SceneInput } from '../scene/types';
import { ClusterMap } from './ClusterMap';
import { EventCard } from './EventCard';
import { HookLine } from './HookLine';
import { MapStrip } from './MapStrip';
import { UprightHookLine } from './UprightLine';
import './path.css';
import type { StageLang } from './words';
import { stageWords } from './words';

/** What the stage shows: the map alone, map and line of hooks, or the line with the map as a strip. */
export type StageLevel = 'map' | 'node' | 'hook';
const LEVELS: readonly StageLevel[] = ['map', 'node', 'hook'];
/** Scale at which each level stands; between 1.2 and 2 lies the level of a node. */
const SCALE: Readonly<Record<StageLevel, number>> = { map: 1, node: 1.6, hook: 2.6 };
export const levelOfScale = (k: number): StageLevel => (k < 1.2 ? 'map' : k < 2 ? 'node' : 'hook');
export function nextLevel(level: StageLevel, by: 1 | -1): StageLevel {
  return LEVELS[Math.min(LEVELS.length - 1, Math.max(0, LEVELS.indexOf(level) + by))] as StageLevel;
}

/** Below this width of the stage the map is a strip and the line of hooks stands upright. */
export const PHONE = 500;
const NARROWEST_ROOM = 108;

function isStrip(scene: Scene, width: number): boolean {
  const n = scene.topology.nodes.length;
  const room = (width - 172 - 8 * (n - 1)) / Math.max(1, n);
  return width < PHONE || (n <= 6 && room < (n > 3 ? 84 : NARROWEST_ROOM)) || (n > 6 && width < 640);
}

export interface StagePictureProps {
  readonly input: SceneInput;
  /** 0..1 between the event before the cursor and the event at it. 1, and always 1 with reduced motion: at rest. */
  readonly phase?: number;
  readonly lang: StageLang;
  /** The step in words: name of the picture for readers who do not see it. */
  readonly narration: string;
  /** Reduced motion: the camera jumps. */
  readonly still?: boolean;
  /** Width in px; default: measured. */
  readonly width?: number;
  readonly level?: StageLevel;
  readonly onLevel?: (level: StageLevel) => void;
  readonly onSelect?: (s: Selection) => void;
  readonly onPin?: (p: PinTarget) => void;
}

/** Width of an element, followed as it changes. */
function useWidth(ref: RefObject<HTMLElement | null>, given: number | undefined): number {
  const [width, setWidth] = useState(given ?? 800);
  useEffect(() => {
    const el = ref.current;
    if (given !== undefined || !el) return;
    const measure = (): void => setWidth(Math.max(280, Math.floor(el.clientWidth)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(el);
    return () => observer.disconnect();
  }, [ref, given]);
  return given ?? width;
}

/** Wheel with Ctrl and pinch change the level; a plain wheel scrolls the page, and text is never scaled. */
function useZoom(
  ref: RefObject<HTMLElement | null>,
  level: StageLevel,
  onLevel: ((l: StageLevel) => void) | undefined,
): void {
  const put = useRef<((l: StageLevel) => void) | undefined>(undefined);
  const told = useRef(level);
  const tell = useRef(onLevel);
  tell.current = onLevel;
  useEffect(() => {
    const el = ref.current;
    if (!el) return;
    let off: (() => void) | undefined;
    let gone = false;
    // Gestures come after the picture: what they need is not part of the first load.
    void Promise.all([import('d3-selection'), import('d3-zoom')]).then(([{ select }, { zoom, zoomIdentity }]) => {
      if (gone) return;
      const z = zoom<HTMLElement, unknown>()
        .scaleExtent([1, 3.2])
        .filter((e: Event) =>
          e.type === 'wheel'
            ? (e as WheelEvent).ctrlKey
            : e.type.startsWith('touch') && (e as TouchEvent).touches.length > 1,
        )
        .on('zoom', (e: { readonly transform: ZoomTransform; readonly sourceEvent: unknown }) => {
          const next = levelOfScale(e.transform.k);
          if (e.sourceEvent && next !== told.current) tell.current?.(next);
        });
      const s = select(el);
      s.call(z).on('dblclick.zoom', null);
      put.current = (l) => s.call(z.transform, zoomIdentity.scale(SCALE[l]));
      put.current(told.current);
      off = () => s.on('.zoom', null);
    });
    return () => {
      gone = true;
      put.current = undefined;
      off?.();
    };
  }, [ref]);
  useEffect(() => {
    told.current = level;
    put.current?.(level);
  }, [level]);
}

/** `+` and `-` change the level, Escape goes one out, wherever in the stage the focus is. */
function useLevelKeys(
  ref: RefObject<HTMLElement | null>,
  level: StageLevel,
  onLevel: ((l: StageLevel) => void) | undefined,
): void {
  useEffect(() => {
    const el = ref.current;
    if (!el || !onLevel) return;
    const onKey = (e: KeyboardEvent): void => {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      const by = e.key === '+' || e.key === '=' ? 1 : e.key === '-' || e.key === 'Escape' ? -1 : undefined;
      const next = by === undefined ? level : nextLevel(level, by);
      if (next === level) return;
      e.preventDefault();
      e.stopPropagation();
      onLevel(next);
    };
    el.addEventListener('keydown', onKey);
    return () => el.removeEventListener('keydown', onKey);
  }, [ref, level, onLevel]);
}

/** What a stage lower than its picture must show at a step: the panel under the cursor, else the picture's head. */
function bottomOf(el: HTMLElement): number {
  const current = el.querySelectorAll('.g-chain.on');
  const last = current[current.length - 1];
  return last ? last.getBoundingClientRect().bottom - el.getBoundingClientRect().top : 0;
}

/** The nearest thing around the stage that scrolls. */
function scrollerOf(el: HTMLElement): HTMLElement | undefined {
  for (let p = el.parentElement; p; p = p.parentElement) {
    if (p.scrollHeight > p.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(p).overflowY)) return p;
  }
  return undefined;
}

/**
 * Follows the packet where the picture is higher than its place: the camera moves between events only, and no more
 * once the reader has moved it, until another packet or level.
 */
function useFollow(ref: RefObject<HTMLElement | null>, scene: Scene, level: StageLevel, still: boolean): void {
  const moved = useRef(false);
  const packet = scene.packet?.id;
  useEffect(() => {
    moved.current = false;
    const el = ref.current;
    if (!el || packet === undefined || level === 'map') return;
    const onMove = (): void => {
      moved.current = true;
    };
    el.addEventListener('wheel', onMove, { passive: true });
    el.addEventListener('touchmove', onMove, { passive: true });
    return () => {
      el.removeEventListener('wheel', onMove);
      el.removeEventListener('touchmove', onMove);
    };
  }, [ref, packet, level]);
  const { cursor } = scene;
  useEffect(() => {
    const el = ref.current;
    if (!el || moved.current || cursor === 0) return;
    const scroller = scrollerOf(el);
    if (!scroller) return;
    const top = Math.max(0, Math.ceil(bottomOf(el) + 16 - scroller.clientHeight));
    if (Math.abs(scroller.scrollTop - top) > 1) scroller.scrollTo({ top, behavior: still ? 'auto' : 'smooth' });
  }, [ref, cursor, still]);
}

function Caption({
  scene,
  lang,
  first,
  narrow,
}: {
  readonly scene: Scene;
  readonly lang: StageLang;
  readonly first: boolean;
  readonly narrow: boolean;
}): ReactElement | null {
  const w = stageWords(lang);
  const { hook } = scene;
  if (!hook) return null;
  const note = hook.dropped
    ? w.staysHere
    : scene.predicted
      ? w.partHere
      : scene.held
        ? w.endsHere
        : hook.stops.some((s) => s.kind === 'station' && s.registered)
          ? w.rulesRead(hook.rulesRead, hook.rulesMissed)
          : w.noTables;
  return (
    <div className={`stg-cap ${first ? 'first' : ''}`}>
      <b>{w.inside(hook.name)}</b>
      <span className="clip">{note}</span>
      {!narrow && !hook.dropped && (
        <span className="stg-legend" aria-hidden="true">
          {(
            [
              ['v', w.passed],
              ['', w.ahead],
              ['no', w.noTable],
            ] as const
          ).map(([look, text]) => (
            <span key={look}>
              <svg width="12" height="12" aria-hidden="true">
                <circle cx="6" cy="6" r="4.5" className={`g-stn ${look}`} />
              </svg>
              {text}
            </span>
          ))}
        </span>
      )}
    </div>
  );
}

/** The stage: cluster map and line of hooks for the event at the cursor. */
export function Stage(props: StagePictureProps): ReactElement {
  const { input, lang, narration, level = 'node', onLevel } = props;
  const ref = useRef<HTMLDivElement>(null);
  const width = useWidth(ref, props.width);
  useZoom(ref, level, onLevel);
  useLevelKeys(ref, level, onLevel);
  const scene = useMemo(() => buildScene(input), [input]);
  const phase = props.phase ?? 1;
  useFollow(ref, scene, level, props.still === true);
  const common = {
    scene,
    phase,
    lang,
    narration,
    onSelect: props.onSelect,
    onPin: props.onPin,
    onEnter: onLevel ? () => onLevel(nextLevel(level, 1)) : undefined,
  };
  const strip = isStrip(scene, width);
  const small = level === 'hook' && !strip && scene.map.walked.length > 0;
  const upright = width < PHONE;
  return (
    <div ref={ref} className="stg" data-level={level}>
      {strip || small ? <MapStrip {...common} width={width} /> : <ClusterMap {...common} width={width} />}
      {level !== 'map' && scene.hook && (
        <>
          <Caption scene={scene} lang={lang} first={strip || small} narrow={upright} />
          {upright ? (
            <UprightHookLine {...common} width={width} hook={scene.hook} />
          ) : (
            <HookLine {...common} width={width} hook={scene.hook} />
          )}
        </>
      )}
      {scene.card && <EventCard card={scene.card} lang={lang} />}
      {!scene.hook && !scene.card && <p className="stg-empty">{stageWords(lang).noStage}</p>}
    </div>
  );
}
