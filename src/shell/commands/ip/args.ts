/** Options of ip(8) that stand before the object. */
export interface IpOptions {
  readonly family: 4 | 6 | undefined;
  readonly brief: boolean;
  readonly oneline: boolean;
  readonly details: boolean;
  readonly stats: number;
  readonly json: boolean;
  readonly pretty: boolean;
  readonly numeric: boolean;
  readonly all: boolean;
}

/** A word stands for `full` when it is a prefix of it (iproute2's matches()). */
export const matches = (word: string, full: string): boolean => word !== '' && full.startsWith(word);

export type ParsedIp =
  | { readonly ok: true; readonly options: IpOptions; readonly rest: readonly string[] }
  | { readonly ok: false; readonly kind: 'version' | 'help' | 'unknown' | 'missing'; readonly option: string };

export function parseOptions(args: readonly string[]): ParsedIp {
  const o = {
    family: undefined as 4 | 6 | undefined,
    brief: false,
    oneline: false,
    details: false,
    stats: 0,
    json: false,
    pretty: false,
    numeric: false,
    all: false,
  };
  let i = 0;
  for (; i < args.length && (args[i] as string).startsWith('-'); i++) {
    const arg = args[i] as string;
    if (arg === '--') {
      i++;
      break;
    }
    const opt = arg.startsWith('--') ? arg.slice(1) : arg;
    if (opt === '-4') o.family = 4;
    else if (opt === '-6') o.family = 6;
    else if (opt === '-0') o.family = undefined;
    else if (matches(opt, '-loops') && opt.length > 2) i++;
    else if (matches(opt, '-family')) {
      const f = args[++i];
      if (f === undefined) return { ok: false, kind: 'missing', option: arg };
      if (f === 'inet') o.family = 4;
      else if (f === 'inet6') o.family = 6;
    } else if (matches(opt, '-statistics')) o.stats++;
    else if (matches(opt, '-details')) o.details = true;
    else if (matches(opt, '-oneline')) o.oneline = true;
    else if (opt === '-Version' || opt === '-V') return { ok: false, kind: 'version', option: arg };
    else if (opt === '-Numeric' || opt === '-N') o.numeric = true;
    else if (matches(opt, '-brief') && opt !== '-b') o.brief = true;
    else if (matches(opt, '-json')) o.json = true;
    else if (matches(opt, '-pretty')) o.pretty = true;
    else if (opt === '-all' || opt === '-a') o.all = true;
    else if (/^-color(=|$)/.test(opt) || opt === '-c') continue;
    else if (matches(opt, '-timestamp') || matches(opt, '-resolve') || opt === '-human' || opt === '-h') {
      if (opt === '-h' || matches(opt, '-help')) return { ok: false, kind: 'help', option: arg };
    } else if (matches(opt, '-help')) return { ok: false, kind: 'help', option: arg };
    else return { ok: false, kind: 'unknown', option: opt };
  }
  return { ok: true, options: o, rest: args.slice(i) };
}

/** Reads the words of a command one after the other. */
export class Words {
  private at = 0;
  constructor(private readonly words: readonly string[]) {}
  next(): string | undefined {
    return this.words[this.at++];
  }
  peek(): string | undefined {
    return this.words[this.at];
  }
}
