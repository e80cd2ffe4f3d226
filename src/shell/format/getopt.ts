/** What getopt_long(3) of glibc makes of a command line; messages are glibc's own. */
export interface OptSpec {
  /** Short options that take an argument, and those that do not. */
  readonly short: string;
  /** Long option → whether it takes an argument ('maybe': only as --x=y). */
  readonly long: Readonly<Record<string, boolean | 'maybe'>>;
}

export interface Opts {
  /** Options in the order given: name without dashes, and the argument where it takes one. */
  readonly options: readonly { readonly name: string; readonly value: string | undefined }[];
  readonly args: readonly string[];
  /** The first mistake, as glibc words it, without the program's name. */
  readonly error: string | undefined;
}

/** `short` as getopt writes it: a colon after those with an argument. Words after `--` and non-options are arguments; with a leading '+' options end at the first argument. */
export function getopt(argv: readonly string[], spec: OptSpec): Opts {
  const options: { name: string; value: string | undefined }[] = [];
  const args: string[] = [];
  let error: string | undefined;
  const posix = spec.short.startsWith('+');
  const takes = (c: string): boolean | 'maybe' | undefined => {
    const i = spec.short.indexOf(c, posix ? 1 : 0);
    if (i < 0 || c === ':' || c === '+') return undefined;
    return spec.short.startsWith('::', i + 1) ? 'maybe' : spec.short[i + 1] === ':';
  };
  for (let i = 1; i < argv.length; i++) {
    const a = argv[i] as string;
    if (a === '--') {
      args.push(...argv.slice(i + 1));
      break;
    }
    if (a.startsWith('--')) {
      const eq = a.indexOf('=');
      const typed = eq < 0 ? a.slice(2) : a.slice(2, eq);
      const names = Object.keys(spec.long);
      const fits = Object.hasOwn(spec.long, typed) ? [typed] : names.filter((n) => n.startsWith(typed));
      const name = fits[0];
      if (name === undefined) error ??= `unrecognized option '${eq < 0 ? a : a.slice(0, eq)}'`;
      else if (fits.length > 1)
        error ??= `option '${a}' is ambiguous; possibilities: ${fits.map((f) => `'--${f}'`).join(' ')}`;
      else if (spec.long[name] === false) {
        if (eq >= 0) error ??= `option '--${name}' doesn't allow an argument`;
        else options.push({ name, value: undefined });
      } else if (eq >= 0) options.push({ name, value: a.slice(eq + 1) });
      else if (spec.long[name] === 'maybe') options.push({ name, value: undefined });
      else if (i + 1 < argv.length) options.push({ name, value: argv[++i] });
      else error ??= `option '--${name}' requires an argument`;
      continue;
    }
    if (a.startsWith('-') && a !== '-') {
      for (let j = 1; j < a.length; j++) {
        const c = a[j] as string;
        const t = takes(c);
        if (t === undefined) {
          error ??= `invalid option -- '${c}'`;
          continue;
        }
        if (t === false) {
          options.push({ name: c, value: undefined });
          continue;
        }
        const rest = a.slice(j + 1);
        if (rest !== '' || t === 'maybe') options.push({ name: c, value: rest === '' ? undefined : rest });
        else if (i + 1 < argv.length) options.push({ name: c, value: argv[++i] });
        else error ??= `option requires an argument -- '${c}'`;
        break;
      }
      continue;
    }
    args.push(a);
    if (posix) {
      args.push(...argv.slice(i + 1));
      break;
    }
  }
  return { options, args, error };
}
