/** Simulated time 0 is 2026-01-01T00:00:00Z (days since 1970-01-01). */
const EPOCH_DAYS = 20454;
const DAY_US = 86_400_000_000;

const pad = (n: number, width = 2): string => String(n).padStart(width, '0');

/** Proleptic Gregorian date of a day number (days since 1970-01-01). */
function civil(days: number): { y: number; m: number; d: number } {
  // Shift to a year that starts on 1 March, so that leap days come last (era of 400 years = 146,097 days).
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const doe = z - era * 146_097;
  const yoe = Math.floor((doe - Math.floor(doe / 1460) + Math.floor(doe / 36_524) - Math.floor(doe / 146_096)) / 365);
  const doy = doe - (365 * yoe + Math.floor(yoe / 4) - Math.floor(yoe / 100));
  const mp = Math.floor((5 * doy + 2) / 153);
  const m = mp < 10 ? mp + 3 : mp - 9;
  return { y: yoe + era * 400 + (m <= 2 ? 1 : 0), m, d: doy - Math.floor((153 * mp + 2) / 5) + 1 };
}

export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly us: number;
}

/** Simulated microseconds → UTC calendar time. */
export function wallTime(us: number): WallTime {
  const { y, m, d } = civil(EPOCH_DAYS + Math.floor(us / DAY_US));
  const t = us % DAY_US;
  const s = Math.floor(t / 1_000_000);
  return {
    year: y,
    month: m,
    day: d,
    hour: Math.floor(s / 3600),
    minute: Math.floor(s / 60) % 60,
    second: s % 60,
    us: t % 1_000_000,
  };
}

/** Simulated microseconds → `2026-01-01T00:00:00Z` (metav1.Time has whole seconds). */
export function timestamp(us: number): string {
  const t = wallTime(us);
  return `${t.year}-${pad(t.month)}-${pad(t.day)}T${pad(t.hour)}:${pad(t.minute)}:${pad(t.second)}Z`;
}

/** `2026-01-01T00:00:00Z` → simulated microseconds, or undefined for other text (fractions and zones are refused). */
export function parseTimestamp(text: string): number | undefined {
  const p = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z$/.exec(text);
  if (!p) return undefined;
  const [y, m, d, hh, mm, ss] = p.slice(1).map(Number) as [number, number, number, number, number, number];
  const yy = m <= 2 ? y - 1 : y;
  const era = Math.floor(yy / 400);
  const yoe = yy - era * 400;
  const doy = Math.floor((153 * (m + (m > 2 ? -3 : 9)) + 2) / 5) + d - 1;
  const doe = yoe * 365 + Math.floor(yoe / 4) - Math.floor(yoe / 100) + doy;
  const days = era * 146_097 + doe - 719_468;
  return (days - EPOCH_DAYS) * DAY_US + (hh * 3600 + mm * 60 + ss) * 1_000_000;
}
