/** Flags of Go's flag package as the small servers take them: `-name value`; repeated ones keep the last. */
export function goFlags(argv: readonly string[]): Readonly<Record<string, string>> {
  const out: Record<string, string> = {};
  for (let i = 1; i < argv.length; i++) {
    const a = argv[i] as string;
    if (!a.startsWith('-')) continue;
    const name = a.replace(/^--?/, '');
    const eq = name.indexOf('=');
    if (eq >= 0) out[name.slice(0, eq)] = name.slice(eq + 1);
    else out[name] = argv[++i] ?? '';
  }
  return out;
}

/** `80,8080` → ports. */
export const portList = (text: string | undefined): number[] =>
  (text ?? '')
    .split(',')
    .filter((p) => p !== '')
    .map(Number);
