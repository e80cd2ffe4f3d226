/** First difference between two plain values, as `path: want X, got Y`; undefined when they are equal. */
export function firstDifference(want: unknown, got: unknown, path = ''): string | undefined {
  if (Object.is(want, got)) return undefined;
  if (Array.isArray(want) && Array.isArray(got)) {
    for (let i = 0; i < Math.max(want.length, got.length); i++) {
      if (i >= want.length) return `${path}[${i}]: more than wanted: ${JSON.stringify(got[i])}`;
      if (i >= got.length) return `${path}[${i}]: missing ${JSON.stringify(want[i])}`;
      const d = firstDifference(want[i], got[i], `${path}[${i}]`);
      if (d) return d;
    }
    return undefined;
  }
  if (isObject(want) && isObject(got)) {
    for (const k of new Set([...Object.keys(want), ...Object.keys(got)])) {
      const d = firstDifference(want[k], got[k], path === '' ? k : `${path}.${k}`);
      if (d) return d;
    }
    return undefined;
  }
  return `${path}: want ${JSON.stringify(want)}, got ${JSON.stringify(got)}`;
}

const isObject = (v: unknown): v is Record<string, unknown> => typeof v === 'object' && v !== null && !Array.isArray(v);

/** Class of a source port (conntrack/README.md): `1-511`, `600-1023` or `1024-65535`. */
export const portClass = (port: number): string => (port < 512 ? 'c1' : port < 1024 ? 'c2' : 'c3');

/** Seconds of a conntrack line apart from the rest: `tcp 6 119 SYN_SENT ...` → [119, 'tcp 6 T SYN_SENT ...']. */
export function splitSeconds(line: string): [number | undefined, string] {
  const m = /^((?:\[\w+\] )?(?:ipv[46] \d+ )?\w+ \d+) (\d+)(?= |$)(.*)$/.exec(line);
  return m ? [Number(m[2]), `${m[1]} T${m[3]}`] : [undefined, line];
}

/** Compares lines of a table as sets, seconds left within `tolerance`. */
export function compareTables(
  want: readonly string[],
  got: readonly string[],
  tolerance: number,
  mask: (line: string) => string = (l) => l,
): string | undefined {
  const rest = got.map((l) => splitSeconds(mask(l)));
  for (const line of want) {
    const [s, text] = splitSeconds(mask(line));
    const i = rest.findIndex(
      ([gs, gt]) => gt === text && (s === gs || (s !== undefined && gs !== undefined && Math.abs(s - gs) <= tolerance)),
    );
    if (i < 0) return `table: missing "${line}", have ${JSON.stringify(got)}`;
    rest.splice(i, 1);
  }
  return rest.length === 0 ? undefined : `table: more than wanted: ${JSON.stringify(rest.map(([, t]) => t))}`;
}
