import { type KeyboardEvent, type ReactElement, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { Selection } from '../../store/types';
import { mid, type Pt, pt, type Rect, r1 } from './geometry';

/** One thing of a picture that arrows can reach. */
export interface FocusItem {
  readonly id: string;
  /** Read aloud when the focus comes to it. */
  readonly name: string;
  readonly box: Rect;
  readonly select?: Selection;
  /** Where an arrow leads if not to what lies nearest: id of the thing. */
  readonly go?: Readonly<Record<string, string>>;
  /** Key P and the pin button. */
  readonly pin?: () => void;
}

const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Distance between two intervals, 0 where they overlap. */
const gap = (a: number, aw: number, b: number, bw: number): number => Math.max(0, b - (a + aw), a - (b + bw));

/** The nearest thing in a direction: what lies straight ahead counts before what lies aside. */
export function nextItem(items: readonly FocusItem[], from: FocusItem, key: string): FocusItem | undefined {
  const d = DIRECTIONS[key];
  if (!d) return undefined;
  const told = from.go?.[key];
  const there = told === undefined ? undefined : items.find((i) => i.id === told);
  if (there) return there;
  const a = from.box;
  let best: FocusItem | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const b = item.box;
    const ahead =
      d[0] > 0 ? b.x - (a.x + a.w) : d[0] < 0 ? a.x - (b.x + b.w) : d[1] > 0 ? b.y - (a.y + a.h) : a.y - (b.y + b.h);
    if (item === from || ahead < -2) continue;
    const aside = d[0] !== 0 ? gap(a.y, a.h, b.y, b.h) : gap(a.x, a.w, b.x, b.w);
    const off = d[0] !== 0 ? Math.abs(mid(a).y - mid(b).y) : Math.abs(mid(a).x - mid(b).x);
    const cost = ahead + aside * 3 + off * 0.1;
    if (cost < least) {
      least = cost;
      best = item;
    }
  }
  return best;
}

/** The smallest thing at a point. */
export function itemAt(items: readonly FocusItem[], p: Pt): FocusItem | undefined {
  let best: FocusItem | undefined;
  for (const i of items) {
    const { x, y, w, h } = i.box;
    if (p.x < x || p.x > x + w || p.y < y || p.y > y + h) continue;
    if (!best || w * h < best.box.w * best.box.h) best = i;
  }
  return best;
}

/** A picture that is one stop of the tab order: a list to assistive software, whose arrows move over the drawing. Enter opens, P pins. */
export function FocusPane(props: {
  readonly items: readonly FocusItem[];
  readonly label: string;
  readonly start?: string;
  readonly onSelect: ((s: Selection) => void) | undefined;
  readonly onEnter: (() => void) | undefined;
  readonly onFocusItem?: (id: string | undefined) => void;
  /** Under the pointer, or touched last. */
  readonly onHoverItem?: (id: string | undefined) => void;
  readonly overlay?: ReactNode;
  readonly children: (ring: ReactNode) => ReactElement;
}): ReactElement {
  const { items } = props;
  const [id, setId] = useState<string>();
  const [inside, setInside] = useState(false);
  const item = items.find((i) => i.id === id) ?? items.find((i) => i.id === props.start) ?? items[0];
  const move = (to: FocusItem | undefined): void => {
    if (!to) return;
    setId(to.id);
    props.onFocusItem?.(to.id);
  };
  const onKeyDown = (e: KeyboardEvent): void => {
    if (!item || !inside || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return;
    if (e.key in DIRECTIONS) {
      const to = nextItem(items, item, e.key);
      if (!to) return;
      move(to);
    } else if (e.key === 'Enter') {
      if (item.select) props.onSelect?.(item.select);
      props.onEnter?.();
    } else if (e.key === ' ' && item.select) props.onSelect?.(item.select);
    else if ((e.key === 'p' || e.key === 'P') && item.pin) item.pin();
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const ring =
    inside && item ? (
      <rect
        x={r1(item.box.x - 3)}
        y={r1(item.box.y - 3)}
        width={r1(item.box.w + 6)}
        height={r1(item.box.h + 6)}
        rx={6}
        className="g-focus"
      />
    ) : null;
  const pane = useRef<HTMLDivElement>(null);
  const live = useRef(props);
  live.current = props;
  useEffect(() => {
    const el = pane.current;
    if (!el) return;
    const under = (e: MouseEvent): FocusItem | undefined => {
      const box = el.getBoundingClientRect();
      return itemAt(live.current.items, pt(e.clientX - box.left, e.clientY - box.top));
    };
    let last: string | undefined;
    const onMove = (e: PointerEvent): void => {
      const at = under(e);
      el.style.cursor = at?.select ? 'pointer' : '';
      if (at?.id === last) return;
      last = at?.id;
      live.current.onHoverItem?.(last);
    };
    const onLeave = (): void => {
      last = undefined;
      live.current.onHoverItem?.(undefined);
    };
    const onClick = (e: MouseEvent): void => {
      if (e.target instanceof Element && e.target.closest('button')) return;
      const at = under(e);
      if (at?.select) live.current.onSelect?.(at.select);
      if (at) live.current.onHoverItem?.(at.id);
    };
    el.addEventListener('pointermove', onMove);
    el.addEventListener('pointerleave', onLeave);
    el.addEventListener('click', onClick);
    return () => {
      el.removeEventListener('pointermove', onMove);
      el.removeEventListener('pointerleave', onLeave);
      el.removeEventListener('click', onClick);
    };
  }, []);
  const index = item === undefined ? -1 : items.indexOf(item);
  const option = `${useId()}item`;
  return (
    <div className="stg-pane" ref={pane}>
      {props.children(ring)}
      {/* Over the picture, transparent to the pointer: clicks reach the drawing and leave the focus where it was. */}
      <div
        className="stg-keys"
        role="listbox"
        aria-label={props.label}
        aria-activedescendant={item === undefined ? undefined : option}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onFocus={() => {
          setInside(true);
          props.onFocusItem?.(item?.id);
        }}
        onBlur={() => {
          setInside(false);
          props.onFocusItem?.(undefined);
        }}
      >
        {item && (
          <div
            id={option}
            className="vh"
            role="option"
            aria-selected={inside}
            aria-setsize={items.length}
            aria-posinset={index + 1}
            tabIndex={-1}
          >
            {item.name}
          </div>
        )}
      </div>
      {props.overlay}
    </div>
  );
}
