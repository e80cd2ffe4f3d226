/** The head of an HTTP answer as far as a client needs it. */
export interface Head {
  /** Header lines with their line ends, without the empty line. */
  readonly lines: readonly string[];
  readonly code: number;
  readonly minor: number;
  /** The last value of a header, by lower-case name. */
  get(name: string): string | undefined;
}

export type HeadScan =
  | { readonly kind: 'more' }
  | { readonly kind: 'head'; readonly head: Head; readonly rest: string; readonly blank: string }
  /** Not HTTP/1. */
  | { readonly kind: 'other' };

/** Looks for a whole head at the start of what was received. */
export function scanHead(buffer: string): HeadScan {
  const probe = buffer.slice(0, 5);
  if (probe !== 'HTTP/'.slice(0, probe.length)) return { kind: 'other' };
  const lines: string[] = [];
  let at = 0;
  for (;;) {
    const nl = buffer.indexOf('\n', at);
    if (nl < 0) return { kind: 'more' };
    const line = buffer.slice(at, nl + 1);
    at = nl + 1;
    if (line === '\r\n' || line === '\n') {
      const status = /^HTTP\/1\.([01]) (\d{3})/.exec(lines[0] ?? '');
      if (!status) return { kind: 'other' };
      const head: Head = {
        lines,
        code: Number(status[2]),
        minor: Number(status[1]),
        get: (name) => headerOf(lines, name),
      };
      return { kind: 'head', head, rest: buffer.slice(at), blank: line };
    }
    lines.push(line);
  }
}

function headerOf(lines: readonly string[], name: string): string | undefined {
  let value: string | undefined;
  for (const l of lines.slice(1)) {
    const colon = l.indexOf(':');
    if (colon > 0 && l.slice(0, colon).toLowerCase() === name) value = l.slice(colon + 1).trim();
  }
  return value;
}

/** Removes chunked coding from a whole body; undefined while it is incomplete. */
export function dechunk(raw: string): string | undefined {
  let out = '';
  let at = 0;
  for (;;) {
    const nl = raw.indexOf('\r\n', at);
    if (nl < 0) return undefined;
    const n = Number.parseInt(raw.slice(at, nl), 16);
    if (n === 0) return out;
    if (raw.length < nl + 2 + n + 2) return undefined;
    out += raw.slice(nl + 2, nl + 2 + n);
    at = nl + 2 + n + 2;
  }
}
