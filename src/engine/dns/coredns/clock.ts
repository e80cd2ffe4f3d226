const DAYS = ['Thu', 'Fri', 'Sat', 'Sun', 'Mon', 'Tue', 'Wed'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Calendar date of a Unix time (s), by the civil-from-days algorithm; integers only. */
export function civil(unixS: number): {
  y: number;
  m: number;
  d: number;
  h: number;
  min: number;
  s: number;
  wd: number;
} {
  const days = Math.floor(unixS / 86400);
  const rest = unixS - days * 86400;
  const z = days + 719468;
  const era = Math.floor(z / 146097);
  const doe = z - era * 146097;
  const yoe = Math.floor((doe - Math.floor(doe / 1460) + Math.floor(doe / 36524) - Math.floor(doe / 146096)) / 365);
  const doy = doe - (365 * yoe + Math.floor(yoe / 4) - Math.floor(yoe / 100));
  const mp = Math.floor((5 * doy + 2) / 153);
  const m = mp < 10 ? mp + 3 : mp - 9;
  return {
    y: yoe + era * 400 + (m <= 2 ? 1 : 0),
    m,
    d: doy - Math.floor((153 * mp + 2) / 5) + 1,
    h: Math.floor(rest / 3600),
    min: Math.floor((rest % 3600) / 60),
    s: Math.floor(rest % 60),
    wd: ((days % 7) + 7) % 7,
  };
}

const two = (n: number): string => String(n).padStart(2, '0');

/** `Mon, 30 Nov 2026 21:42:08 GMT`. */
export function httpDate(unixS: number): string {
  const c = civil(unixS);
  return `${DAYS[c.wd]}, ${two(c.d)} ${MONTHS[c.m - 1]} ${c.y} ${two(c.h)}:${two(c.min)}:${two(c.s)} GMT`;
}

/** dig's form of a time: `Mon Nov 30 21:42:08 UTC 2026`. */
export function digDate(unixS: number): string {
  const c = civil(unixS);
  return `${DAYS[c.wd]} ${MONTHS[c.m - 1]} ${two(c.d)} ${two(c.h)}:${two(c.min)}:${two(c.s)} UTC ${c.y}`;
}
