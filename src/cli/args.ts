/** Options of a command line: `--name value`, `--name=value`, `--flag`; everything else is positional. */
export interface Parsed {
  readonly flags: ReadonlySet<string>;
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly rest: readonly string[];
}

/** Splits an argument list; an unknown option or a missing value gives an error text. */
export function parseArgs(
  argv: readonly string[],
  known: { readonly flags: readonly string[]; readonly values: readonly string[] },
): Parsed | string {
  const flags = new Set<string>();
  const values: Record<string, string[]> = {};
  const rest: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i] as string;
    if (!arg.startsWith('--')) {
      rest.push(arg);
      continue;
    }
    const eq = arg.indexOf('=');
    const name = arg.slice(2, eq < 0 ? undefined : eq);
    if (eq < 0 && known.flags.includes(name)) flags.add(name);
    else if (known.values.includes(name)) {
      const value = eq < 0 ? argv[++i] : arg.slice(eq + 1);
      if (value === undefined) return `--${name} needs a value`;
      const list = values[name] ?? [];
      list.push(value);
      values[name] = list;
    } else return `unknown option --${name}`;
  }
  return { flags, values, rest };
}
