import type { ReactNode } from 'react';

/** 16 px glyphs with a 1.5 px stroke, drawn for this page: the same weight as its lines. */
const glyphs = {
  share: <path d="M8 10V2.5M5 5l3-3 3 3M3.5 9v4.5h9V9" />,
  moon: <path d="M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="2.75" />
      <path d="M8 1.5v1.75M8 12.75v1.75M1.5 8h1.75M12.75 8h1.75M3.4 3.4l1.25 1.25M11.35 11.35l1.25 1.25M12.6 3.4l-1.25 1.25M4.65 11.35L3.4 12.6" />
    </>
  ),
  menu: <path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11" />,
  left: <path d="M10 4L6 8l4 4" />,
  right: <path d="M6 4l4 4-4 4" />,
  up: <path d="M4 10l4-4 4 4" />,
  down: <path d="M4 6l4 4 4-4" />,
  close: <path d="M4 4l8 8M12 4l-8 8" />,
  check: <path d="M3.5 8.5l3 3 6-7" strokeWidth="1.75" />,
  cross: <path d="M4 4l8 8M12 4l-8 8" strokeWidth="1.75" />,
  dash: <path d="M4 8h8" strokeWidth="1.75" />,
  ring: <circle cx="8" cy="8" r="4.75" />,
  warn: <path d="M8 2.5l6 11H2zM8 6.5V10M8 11.4v.6" strokeLinejoin="round" />,
  play: <path d="M5 3.5v9l7.5-4.5z" fill="currentColor" stroke="none" />,
  pause: <path d="M4.5 3.5h2.5v9H4.5zM9 3.5h2.5v9H9z" fill="currentColor" stroke="none" />,
  next: <path d="M4 3.5v9l6-4.5zM12 3.5v9" fill="currentColor" />,
  previous: <path d="M12 3.5v9l-6-4.5zM4 3.5v9" fill="currentColor" />,
  over: (
    <>
      <path d="M2.5 10a5.5 4.5 0 0 1 10-1M13 5.5V9.4H9.2" />
      <circle cx="7.6" cy="12.2" r="1.5" fill="currentColor" stroke="none" />
    </>
  ),
  overBack: (
    <>
      <path d="M13.5 10a5.5 4.5 0 0 0-10-1M3 5.5V9.4H6.8" />
      <circle cx="8.4" cy="12.2" r="1.5" fill="currentColor" stroke="none" />
    </>
  ),
  out: (
    <>
      <path d="M8 9.5V2.5M5 5.5l3-3 3 3" />
      <circle cx="8" cy="12.6" r="1.5" fill="currentColor" stroke="none" />
    </>
  ),
  rewrite: (
    <>
      <path d="M8 2.5l5.5 5.5L8 13.5 2.5 8z" />
      <path d="M6 8h4M8.6 6.4 10.2 8 8.6 9.6" strokeWidth="1.3" />
    </>
  ),
  reply: <path d="M13 4v3.5a2 2 0 0 1-2 2H3.5M6.5 6.5l-3 3 3 3" />,
  pin: <path d="M5.5 2.5h5M6.5 2.5v4L4 9.5h8l-2.5-3v-4M8 9.5V14" strokeLinejoin="round" />,
  hint: <path d="M6 11.5a4 4 0 1 1 4 0v1.5H6z" />,
  plus: <path d="M8 3v10M3 8h10" />,
  minus: <path d="M3 8h10" />,
  copy: <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />,
  search: <path d="M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.5 10.5l3 3" />,
  keyboard: <path d="M1.5 4h13v8.5h-13zM4 7h.5M6.5 7H7M9 7h.5M11.5 7h.5M4.5 10h7" />,
  fork: <path d="M4 2.5v11M4 8.5c5 0 7.5-1 7.5-5M9 5.5l2.5-2.5L14 5.5" />,
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof glyphs;

/** A decoration beside words or inside a labelled button: it has no name of its own. */
export function Icon({ name, size = 16, className }: { name: IconName; size?: number; className?: string }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      aria-hidden="true"
      className={className}
    >
      {glyphs[name]}
    </svg>
  );
}

export function Logo({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden="true">
      <path
        d="M2 6h9a3 3 0 0 1 3 3v2a3 3 0 0 0 3 3h1"
        fill="none"
        stroke="currentColor"
        strokeWidth="2.5"
        strokeLinecap="round"
      />
      <circle cx="5" cy="6" r="2.6" fill="var(--panel)" stroke="currentColor" strokeWidth="2" />
      <circle cx="14" cy="10" r="2.6" fill="var(--panel)" stroke="currentColor" strokeWidth="2" />
    </svg>
  );
}

/** The packet's tag in lists: filled and pointing on for a request, hollow and pointing back for a reply, a crossed square for a drop. */
export function PacketTag({ direction, dropped = false }: { direction: 'request' | 'reply'; dropped?: boolean }) {
  if (dropped) {
    return (
      <svg width="18" height="14" viewBox="-9 -7 18 14" aria-hidden="true">
        <rect x="-7" y="-7" width="14" height="14" rx="2" fill="var(--drop)" />
        <path d="M-3 -3l6 6M3 -3l-6 6" stroke="var(--on-role)" strokeWidth="2" />
      </svg>
    );
  }
  return direction === 'request' ? (
    <svg width="18" height="14" viewBox="-12 -9 25 18" aria-hidden="true">
      <path d="M-11 -8h14l8 8-8 8h-14z" fill="var(--request)" />
    </svg>
  ) : (
    <svg width="18" height="14" viewBox="-13 -9 25 18" aria-hidden="true">
      <path d="M11 -7h-14l-7 7 7 7h14z" fill="none" stroke="var(--reply)" strokeWidth="2.5" />
    </svg>
  );
}

export function RewriteMark({ size = 14 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 14 14" aria-hidden="true">
      <path d="M7 1l6 6-6 6-6-6z" fill="var(--rewrite)" />
    </svg>
  );
}
