/**
 * Calendar arithmetic on whole seconds since 1970-01-01 UTC, with integers only: no Date, whose results depend on the
 * host's time zone data.
 */
export interface Calendar {
  readonly year: number;
  /** 1..12 */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** 0 is Sunday. */
  readonly weekday: number;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Days since 1970-01-01 of a civil date (proleptic Gregorian, Hinnant's algorithm). */
function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yoe = y - era * 400;
  const doy = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const doe = yoe * 365 + Math.floor(yoe / 4) - Math.floor(yoe / 100) + doy;
  return era * 146097 + doe - 719468;
}

export function calendar(seconds: number): Calendar {
  const days = Math.floor(seconds / 86400);
  const rest = seconds - days * 86400;
  const z = days + 719468;
  const era = Math.floor(z / 146097);
  const doe = z - era * 146097;
  const yoe = Math.floor((doe - Math.floor(doe / 1460) + Math.floor(doe / 36524) - Math.floor(doe / 146096)) / 365);
  const doy = doe - (365 * yoe + Math.floor(yoe / 4) - Math.floor(yoe / 100));
  const mp = Math.floor((5 * doy + 2) / 153);
  const month = mp < 10 ? mp + 3 : mp - 9;
  return {
    year: yoe + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: doy - Math.floor((153 * mp + 2) / 5) + 1,
    hour: Math.floor(rest / 3600),
    minute: Math.floor((rest % 3600) / 60),
    second: rest % 60,
    weekday: (((days + 4) % 7) + 7) % 7,
  };
}

const two = (n: number): string => String(n).padStart(2, '0');

/** RFC 3339 text with whole seconds (`2026-11-30T20:00:00Z`, fractions cut) → seconds since 1970, or undefined. */
export function parseRfc3339(text: string): number | undefined {
  const m = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?Z$/.exec(text);
  if (!m) return undefined;
  const [y, mo, d, h, mi, s] = m.slice(1).map(Number) as [number, number, number, number, number, number];
  return daysFromCivil(y, mo, d) * 86400 + h * 3600 + mi * 60 + s;
}

/** RFC 1123 with a numeric zone, as kubectl describe prints times: `Mon, 30 Nov 2026 20:00:00 +0000`. */
export function formatRfc1123z(seconds: number): string {
  const c = calendar(seconds);
  return `${DAYS[c.weekday]}, ${two(c.day)} ${MONTHS[c.month - 1]} ${c.year} ${two(c.hour)}:${two(c.minute)}:${two(c.second)} +0000`;
}

/** ctime(3): `Mon Nov 30 20:00:00 2026`. */
export function formatCtime(seconds: number): string {
  const c = calendar(seconds);
  return `${DAYS[c.weekday]} ${MONTHS[c.month - 1]} ${String(c.day).padStart(2)} ${two(c.hour)}:${two(c.minute)}:${two(c.second)} ${c.year}`;
}

/** strftime(3) for the conversions that date(1) users write; unknown ones are left as they are. */
export function strftime(format: string, seconds: number, micros = 0): string {
  const c = calendar(seconds);
  const yday = daysFromCivil(c.year, c.month, c.day) - daysFromCivil(c.year, 1, 1) + 1;
  const hour12 = c.hour % 12 === 0 ? 12 : c.hour % 12;
  const table: Readonly<Record<string, string>> = {
    Y: String(c.year),
    y: two(c.year % 100),
    m: two(c.month),
    d: two(c.day),
    e: String(c.day).padStart(2),
    H: two(c.hour),
    I: two(hour12),
    M: two(c.minute),
    S: two(c.second),
    s: String(seconds),
    N: `${String(micros).padStart(6, '0')}000`,
    p: c.hour < 12 ? 'AM' : 'PM',
    a: DAYS[c.weekday] as string,
    A: ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'][c.weekday] as string,
    b: MONTHS[c.month - 1] as string,
    h: MONTHS[c.month - 1] as string,
    j: String(yday).padStart(3, '0'),
    u: String(c.weekday === 0 ? 7 : c.weekday),
    w: String(c.weekday),
    F: `${c.year}-${two(c.month)}-${two(c.day)}`,
    T: `${two(c.hour)}:${two(c.minute)}:${two(c.second)}`,
    R: `${two(c.hour)}:${two(c.minute)}`,
    D: `${two(c.month)}/${two(c.day)}/${two(c.year % 100)}`,
    Z: 'UTC',
    z: '+0000',
    n: '\n',
    t: '\t',
    '%': '%',
  };
  return format.replace(/%(.)/g, (whole, ch: string) => table[ch] ?? whole);
}

/** Age as kubectl shows it (k8s.io/apimachinery/pkg/util/duration.HumanDuration), from whole seconds. */
export function humanDuration(seconds: number): string {
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(seconds / 3600);
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`;
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return hours % 24 === 0 ? `${days}d` : `${days}d${hours % 24}h`;
  if (hours < 8760 * 2) return `${days}d`;
  const years = Math.floor(hours / 8760);
  if (hours < 8760 * 8) {
    const dy = days - years * 365;
    return dy === 0 ? `${years}y` : `${years}y${dy}d`;
  }
  return `${years}y`;
}
