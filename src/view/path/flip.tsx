import type { ReactElement } from 'react';
import { r1 } from './geometry';

/** The NAT flip, 320 ms, as a function of its phase 0..1: strike the old value, then slide the new one in. */
export interface FlipFrame {
  readonly tint: number;
  readonly strike: number;
  readonly arrow: number;
  readonly value: number;
  readonly shift: number;
}
const clamp = (x: number): number => Math.min(1, Math.max(0, x));
export function flipFrame(phase: number, mirrored: boolean): FlipFrame {
  const ms = clamp(phase) * 320;
  const value = clamp((ms - 160) / 120);
  return {
    tint: clamp(ms / 80),
    strike: clamp((ms - 80) / 80),
    arrow: ms >= 120 ? 1 : 0,
    value,
    shift: r1((1 - value) * (mirrored ? 8 : -8)),
  };
}

/** Old value over new value, as the packet label shows a rewrite. */
export function FlipText(props: {
  readonly x: number;
  readonly y: number;
  readonly before: string;
  readonly after: string;
  readonly phase: number;
  readonly mirrored: boolean;
}): ReactElement {
  const f = flipFrame(props.phase, props.mirrored);
  const width = props.before.length * 7.2;
  return (
    <>
      <text x={props.x} y={props.y} className={`m ${f.strike > 0 ? 'd' : ''} ${f.strike === 1 ? 'st' : ''}`}>
        {props.before}
      </text>
      {f.strike > 0 && f.strike < 1 && (
        <path d={`M${r1(props.x)} ${r1(props.y - 4)}h${r1(width * f.strike)}`} stroke="var(--ink-3)" strokeWidth="1" />
      )}
      {f.value > 0 && (
        <text x={props.x + f.shift} y={props.y + 17} className="m rw w" opacity={f.value}>
          {props.after}
        </text>
      )}
    </>
  );
}
