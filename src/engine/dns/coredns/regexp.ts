/** Compiles a Go regular expression (RE2 syntax); the error text in Go's words when it is none. */
export function goRegExp(source: string): RegExp | string {
  // Named groups are written (?P<name>...) in Go; (?i) at the start is a flag.
  let s = source.replaceAll('(?P<', '(?<');
  let flags = '';
  const m = /^\(\?([ims]+)\)/.exec(s);
  if (m) {
    flags = m[1] as string;
    s = s.slice(m[0].length);
  }
  try {
    return new RegExp(s.replaceAll('\\A', '^').replaceAll('\\z', '$'), flags);
  } catch {
    return `error parsing regexp: invalid syntax: \`${source}\``;
  }
}

/** Groups in a pattern. */
export function groupCount(re: RegExp): number {
  return (new RegExp(`${re.source}|`).exec('')?.length ?? 1) - 1;
}
