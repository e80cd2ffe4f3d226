/** Simulated times as text. The page never shows a time of the real clock. */

/** `12.000 214 s`: seconds with microseconds in two groups. */
export function clockText(us: number): string {
  const s = Math.floor(us / 1_000_000);
  const rest = String(us % 1_000_000).padStart(6, '0');
  return `${thousands(s)}.${rest.slice(0, 3)} ${rest.slice(3)} s`;
}

/** `43.2 s`, or `12.0 s`: a moment in tenths of a second. */
export function momentText(us: number): string {
  const tenths = Math.round(us / 100_000);
  return `${thousands(Math.floor(tenths / 10))}.${tenths % 10} s`;
}

/** `1 s`, `350 ms`, `40 us`: a span of simulated time. */
export function spanText(us: number): string {
  if (us >= 1_000_000) return us % 1_000_000 === 0 ? `${us / 1_000_000} s` : `${(us / 1_000_000).toFixed(1)} s`;
  if (us >= 1000) return `${Math.round(us / 1000)} ms`;
  return `${us} us`;
}

/** 262144 as `262,144`. */
export function thousands(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}
