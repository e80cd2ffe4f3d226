/**
 * Variables of bash that count real time or draw real chance, rewritten as calls of commands of ours: the clock is the
 * simulated one and the numbers come from a seed. Text in single quotes and escaped dollars stay.
 */
const CALLS: Readonly<Record<string, string>> = {
  RANDOM: '$(sim-random)',
  SRANDOM: '$(sim-random)',
  SECONDS: '$(sim-seconds)',
  EPOCHSECONDS: '$(date +%s)',
  EPOCHREALTIME: '$(date +%s.%6N)',
};

export function simulate(line: string): string {
  let out = '';
  let single = false;
  let double = false;
  let arithmetic = 0;
  for (let i = 0; i < line.length; i++) {
    const c = line[i] as string;
    if (single) {
      if (c === "'") single = false;
      out += c;
      continue;
    }
    if (c === '\\') {
      out += c + (line[++i] ?? '');
      continue;
    }
    if (c === "'" && !double) single = true;
    else if (c === '"') double = !double;
    else if (line.startsWith('((', i)) arithmetic++;
    else if (line.startsWith('))', i) && arithmetic > 0) arithmetic--;
    if (c === '$') {
      const m = /^\$(?:(\w+)|\{(\w+)\})/.exec(line.slice(i));
      const call = m && CALLS[(m[1] ?? m[2]) as string];
      if (m && call !== undefined) {
        out += call;
        i += m[0].length - 1;
        continue;
      }
    } else if (arithmetic > 0 && /[A-Z]/.test(c) && !/[\w$]/.test(line[i - 1] ?? '')) {
      const word = (/^\w+/.exec(line.slice(i)) as RegExpExecArray)[0];
      const call = CALLS[word];
      out += call ?? word;
      i += word.length - 1;
      continue;
    }
    out += c;
  }
  return out;
}

/** `1`, `0.5`, `2m`, `1h`: what sleep(1) and timeout(1) take; undefined for other text. Microseconds. */
export function parseSeconds(text: string): number | undefined {
  const m = /^(\d+(?:\.\d*)?|\.\d+)([smhd]?)$/.exec(text);
  if (!m) return undefined;
  const unit = { '': 1, s: 1, m: 60, h: 3600, d: 86400 }[m[2] as string] ?? 1;
  return Math.round(Number(m[1]) * unit * 1_000_000);
}
