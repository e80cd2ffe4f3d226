/** Resource quantities as describe sums and prints them: cpu in thousandths, memory in bytes. */
const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1000,
  M: 1_000_000,
  G: 1_000_000_000,
  T: 1_000_000_000_000,
  Ki: 1024,
  Mi: 1_048_576,
  Gi: 1_073_741_824,
  Ti: 1_099_511_627_776,
};

function parse(resource: 'cpu' | 'memory', text: string): number {
  const m = /^(\d+(?:\.\d+)?)([a-zA-Z]*)$/.exec(text);
  if (!m) return 0;
  const n = Number(m[1]);
  if (resource === 'cpu') return m[2] === 'm' ? Math.round(n) : Math.round(n * 1000);
  return Math.round(n * (UNITS[m[2] as string] ?? 1));
}

function print(resource: 'cpu' | 'memory', value: number): string {
  if (value === 0) return '0';
  if (resource === 'cpu') return value % 1000 === 0 ? String(value / 1000) : `${value}m`;
  for (const unit of ['Ti', 'Gi', 'Mi', 'Ki']) {
    const size = UNITS[unit] as number;
    if (value % size === 0) return `${value / size}${unit}`;
  }
  return String(value);
}

/** The sum of some quantities and its share of what can be allocated, e.g. `100m (2%)`. */
export function quantityPercent(
  resource: 'cpu' | 'memory',
  wanted: readonly string[],
  allocatable: string,
  sum = wanted.reduce((n, q) => n + parse(resource, q), 0),
): { value: number; text: string } {
  const all = parse(resource, allocatable);
  const percent = all === 0 ? 0 : Math.floor((sum * 100) / all);
  return { value: sum, text: `${print(resource, sum)} (${percent}%)` };
}
