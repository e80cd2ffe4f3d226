/** A Go duration as text (`300ms`, `1h`, `1.5h`, `2h45m`) → microseconds, or undefined. */
export function parseDuration(text: string): number | undefined {
  const m = /^([+-]?)((?:[0-9]*\.?[0-9]+(?:ns|us|µs|ms|s|m|h))+)$/.exec(text);
  if (text === '0') return 0;
  if (!m) return undefined;
  let us = 0;
  for (const part of (m[2] as string).match(/[0-9]*\.?[0-9]+(?:ns|us|µs|ms|s|m|h)/g) ?? []) {
    const unit = part.replace(/^[0-9.]+/, '');
    us += Number.parseFloat(part) * (UNITS[unit] as number);
  }
  return Math.round(m[1] === '-' ? -us : us);
}

const UNITS: Readonly<Record<string, number>> = {
  ns: 0.001,
  us: 1,
  µs: 1,
  ms: 1000,
  s: 1_000_000,
  m: 60_000_000,
  h: 3_600_000_000,
};

/** Microseconds as Go prints a duration: `5s`, `1m0s`, `1h0m0s`, `300ms`. */
export function durationText(us: number): string {
  if (us === 0) return '0s';
  if (us < 0) return `-${durationText(-us)}`;
  if (us < 1000) return `${us}µs`;
  if (us < 1_000_000) return `${us / 1000}ms`;
  const h = Math.floor(us / 3_600_000_000);
  const min = Math.floor((us % 3_600_000_000) / 60_000_000);
  const s = `${(us % 60_000_000) / 1_000_000}s`;
  return h > 0 ? `${h}h${min}m${s}` : min > 0 ? `${min}m${s}` : s;
}

/** The error Go's strconv.Atoi gives, or the number. */
export function atoi(text: string): number | string {
  return /^[+-]?[0-9]+$/.test(text) ? Number(text) : `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
}
