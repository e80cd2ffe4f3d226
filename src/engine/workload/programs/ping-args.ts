import { PING_USAGE } from './ping-usage';

export interface PingOptions {
  target: string;
  count: number | undefined;
  intervalUs: number;
  lingerUs: number | undefined;
  deadlineUs: number | undefined;
  size: number;
  ttl: number | undefined;
  df: boolean | undefined;
  numeric: boolean;
  quiet: boolean;
  version: boolean;
  /** -I: interface name or address. */
  device: string | undefined;
  /** Source address found by the probe. */
  source: string | undefined;
}

export type PingArgs =
  | { readonly ok: true; readonly options: PingOptions }
  | { readonly ok: false; readonly message: string; readonly exit: number };

const bad = (message: string): PingArgs => ({ ok: false, message: `ping: ${message}\n`, exit: 1 });
const unusable = (what: string): PingArgs => ({ ok: false, message: `ping: ${what}\n${PING_USAGE}`, exit: 2 });
const WITH_VALUE = 'cCiIlmMpQsStTwWeF';
const FLAGS = 'aAbBdDfhHLnOqrRUvV46';

/** Decimal seconds → us, or undefined. */
function seconds(v: string): number | undefined {
  if (!/^\d+(\.\d*)?$/.test(v)) return undefined;
  const [whole = '0', part = ''] = v.split('.');
  return Number(whole) * 1_000_000 + Number(part.padEnd(6, '0').slice(0, 6));
}

/** Command line of iputils ping. */
export function pingArgs(args: readonly string[]): PingArgs {
  const o: PingOptions = {
    target: '',
    count: undefined,
    intervalUs: 1_000_000,
    lingerUs: undefined,
    deadlineUs: undefined,
    size: 56,
    ttl: undefined,
    df: undefined,
    numeric: false,
    quiet: false,
    version: false,
    device: undefined,
    source: undefined,
  };
  const rest: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const a = args[i] as string;
    if (!a.startsWith('-') || a === '-') {
      rest.push(a);
      continue;
    }
    for (let k = 1; k < a.length; k++) {
      const letter = a[k] as string;
      if (WITH_VALUE.includes(letter)) {
        const value = k + 1 < a.length ? a.slice(k + 1) : args[++i];
        if (value === undefined) return unusable(`option requires an argument -- '${letter}'`);
        const why = setValue(o, letter, value);
        if (why !== undefined) return bad(why);
        break;
      }
      if (letter === 'h') return { ok: false, message: PING_USAGE, exit: 2 };
      if (!FLAGS.includes(letter)) return unusable(`invalid option -- '${letter}'`);
      if (letter === 'n') o.numeric = true;
      else if (letter === 'q') o.quiet = true;
      else if (letter === 'V') o.version = true;
    }
  }
  if (!o.version && rest.length === 0) return bad('usage error: Destination address required');
  o.target = rest.at(-1) ?? '';
  return { ok: true, options: o };
}

function setValue(o: PingOptions, letter: string, v: string): string | undefined {
  const invalid = `invalid argument: '${v}'`;
  const int = /^\d+$/.test(v) ? Number(v) : undefined;
  const us = seconds(v);
  switch (letter) {
    case 'c':
      if (int === undefined) return invalid;
      if (int < 1) return `invalid argument: '${v}': out of range: 1 <= value <= 9223372036854775807`;
      o.count = int;
      return undefined;
    case 'i':
      if (us === undefined) return `bad timing interval: ${v}`;
      o.intervalUs = us;
      return undefined;
    case 'W':
      if (us === undefined) return `bad linger time: ${v}`;
      o.lingerUs = us;
      return undefined;
    case 'w':
      if (us === undefined) return invalid;
      o.deadlineUs = us;
      return undefined;
    case 's':
      if (int === undefined) return invalid;
      if (int > 65507) return `invalid argument: '${v}': out of range: 0 <= value <= 65507`;
      o.size = int;
      return undefined;
    case 't':
      if (int === undefined) return invalid;
      if (int > 255) return `invalid argument: '${v}': out of range: 0 <= value <= 255`;
      o.ttl = int;
      return undefined;
    case 'M':
      if (v !== 'do' && v !== 'dont' && v !== 'want' && v !== 'probe')
        return 'wrong value for -M: do, dont, want, probe are valid ones.';
      o.df = v === 'do' || v === 'probe' ? true : v === 'dont' ? false : undefined;
      return undefined;
    case 'I':
      o.device = v;
      return undefined;
    default:
      return undefined;
  }
}
