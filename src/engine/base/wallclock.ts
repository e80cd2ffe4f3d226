/** Simulated time 0 is 2026-01-01T00:00:00Z, a Thursday. */
const EPOCH_DAYS = 20454;
export const EPOCH_SECONDS = EPOCH_DAYS * 86400;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const pad = (n: number): string => String(n).padStart(2, '0');

export interface Calendar {
  readonly year: number;
  /** 1..12 */
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** Unix seconds → UTC calendar fields (proleptic Gregorian; years counted from 1 March so that leap days come last). */
export function calendar(unix: number): Calendar {
  const days = Math.floor(unix / 86400);
  const s = unix - days * 86400;
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const doe = z - era * 146_097;
  const yoe = Math.floor((doe - Math.floor(doe / 1460) + Math.floor(doe / 36_524) - Math.floor(doe / 146_096)) / 365);
  const doy = doe - (365 * yoe + Math.floor(yoe / 4) - Math.floor(yoe / 100));
  const mp = Math.floor((5 * doy + 2) / 153);
  const month = mp < 10 ? mp + 3 : mp - 9;
  return {
    year: yoe + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: doy - Math.floor((153 * mp + 2) / 5) + 1,
    weekday: (((days + 4) % 7) + 7) % 7,
    hour: Math.floor(s / 3600),
    minute: Math.floor(s / 60) % 60,
    second: s % 60,
  };
}

/** Unix seconds at a simulated time. */
export const unixSeconds = (nowUs: number): number => EPOCH_SECONDS + Math.floor(nowUs / 1_000_000);

/** HTTP date (RFC 9110 5.6.7). */
export function httpDate(unix: number): string {
  const c = calendar(unix);
  const date = `${DAYS[c.weekday]}, ${pad(c.day)} ${MONTHS[c.month - 1]} ${c.year}`;
  return `${date} ${pad(c.hour)}:${pad(c.minute)}:${pad(c.second)} GMT`;
}

/** `2026-01-05 08:00:00`, local time being UTC. */
export function plainDate(unix: number): string {
  const c = calendar(unix);
  return `${c.year}-${pad(c.month)}-${pad(c.day)} ${pad(c.hour)}:${pad(c.minute)}:${pad(c.second)}`;
}
