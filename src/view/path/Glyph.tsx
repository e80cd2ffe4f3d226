import type { ReactElement } from 'react';
import type { PacketInfo } from '../scene/types';
import { type Pt, r1 } from './geometry';

const TAG = 'M-11 -8h14l8 8-8 8h-14z';
const TAG_BACK = 'M11 -8h-14l-8 8 8 8h14z';
const LOZENGE = 'M-11 0l8 -8h6l8 8-8 8h-6z';
const BLUNT = 'M-11 -8h18v16h-18z';
const BLUNT_BACK = 'M11 -8h-18v16h18z';

/** The packet's sign, 22 x 16: told apart by number first, then by shape, then by colour. */
export function Glyph(props: {
  readonly packet: PacketInfo;
  readonly at: Pt;
  readonly scale?: number;
  readonly rewritten?: boolean;
  readonly dropped?: boolean;
  /** 0..1 of the drop's motion: the tag shrinks, then the square stands. */
  readonly dropPhase?: number;
}): ReactElement {
  const { packet, at, scale = 1, rewritten = false, dropped = false, dropPhase = 1 } = props;
  const place = `translate(${r1(at.x)} ${r1(at.y)})`;
  if (dropped && dropPhase >= 0.5) return <DropSign at={at} scale={1.1 * scale} />;
  const shrink = dropped ? 1 - 0.8 * dropPhase : 1;
  const reply = packet.role === 'reply';
  const text =
    packet.form === 'dns'
      ? reply
        ? '='
        : '?'
      : packet.form === 'icmp' || packet.form === 'icmp-error'
        ? 'i'
        : String(packet.number);
  const lozenge = packet.form === 'icmp' || packet.form === 'icmp-error';
  const d = lozenge ? LOZENGE : packet.form === 'rst' ? (reply ? BLUNT_BACK : BLUNT) : reply ? TAG_BACK : TAG;
  const edge = packet.form === 'icmp-error' ? 'g-s-drop' : reply ? 'g-s-rep' : undefined;
  const size = text.length > 2 ? 10 : 12;
  return (
    <g transform={`${place} scale(${r1(scale * shrink * 100) / 100})`} className="g-glyph" data-packet={packet.number}>
      <path d={d} className="g-f-panel g-s-panel" strokeWidth="5" strokeLinejoin="round" />
      {reply && !lozenge ? (
        <path d={d} className="g-f-panel g-s-rep" strokeWidth="2.25" />
      ) : (
        <path d={d} className={`${reply ? 'g-f-rep' : 'g-f-req'} ${edge ?? ''}`} strokeWidth={edge ? 2.25 : 0} />
      )}
      {packet.form === 'rst' && (
        <path d={reply ? 'M-8 -8v16' : 'M8 -8v16'} className={reply ? 'g-s-rep' : 'g-s-panel'} strokeWidth="3" />
      )}
      <text
        x={lozenge ? 0 : reply ? 3 : -3}
        y={4.3}
        className={`c w ${reply && !lozenge ? 'rp' : 'inv'}`}
        style={{ fontSize: `${r1(size / scale)}px` }}
      >
        {text}
      </text>
      {rewritten && <path d="M10 -12.5l5 5-5 5-5-5z" className="g-f-rw g-s-panel" strokeWidth="1.5" />}
    </g>
  );
}

/** The place where a packet ended: a square with a cross. It stays for the rest of the branch. */
export function DropSign({ at, scale = 1 }: { readonly at: Pt; readonly scale?: number }): ReactElement {
  return (
    <g transform={`translate(${r1(at.x)} ${r1(at.y)}) scale(${r1(scale * 100) / 100})`} className="g-drop">
      <rect x={-9} y={-9} width={18} height={18} rx={3} className="g-f-drop g-s-panel" strokeWidth="2" />
      <path d="M-4 -4l8 8M4 -4l-8 8" stroke="var(--on-role)" strokeWidth="2" />
    </g>
  );
}

/** Sign of a rewritten field. */
export function Diamond({ at, size = 5 }: { readonly at: Pt; readonly size?: number }): ReactElement {
  const s = r1(size);
  return (
    <path
      d={`M${r1(at.x)} ${r1(at.y - size)}l${s} ${s}-${s} ${s}-${s}-${s}z`}
      className="g-f-rw g-s-panel"
      strokeWidth="1.5"
    />
  );
}
