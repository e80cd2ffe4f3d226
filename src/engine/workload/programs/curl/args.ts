import { TRY } from './text';

export interface CurlOptions {
  readonly urls: string[];
  silent: boolean;
  showError: boolean;
  fail: boolean;
  include: boolean;
  head: boolean;
  verbose: boolean;
  location: boolean;
  maxRedirs: number;
  http09: boolean;
  insecure: boolean;
  get: boolean;
  remoteName: boolean;
  noBuffer: boolean;
  output: string | undefined;
  writeOut: string | undefined;
  /** Microseconds; 0: none. */
  maxTimeUs: number;
  connectTimeoutUs: number;
  method: string | undefined;
  data: string[];
  headers: string[];
  agent: string | undefined;
  user: string | undefined;
  referer: string | undefined;
  resolve: string[];
  bindTo: string | undefined;
  localPort: number;
  retry: number;
  retryDelayUs: number;
  retryConnRefused: boolean;
  version: boolean;
  help: boolean;
  http10: boolean;
}

export type ParsedArgs =
  | { readonly ok: true; readonly options: CurlOptions }
  | { readonly ok: false; readonly message: string };

type Flag = (o: CurlOptions, on: boolean) => void;
/** Takes a value; gives what is wrong with it. */
type Param = (o: CurlOptions, value: string) => string | undefined;

/** Names of the options that hold values of type T. */
type KeysOf<T> = { [K in keyof CurlOptions]: CurlOptions[K] extends T ? K : never }[keyof CurlOptions];

const NUMBER = 'expected a proper numerical parameter';

function flag(key: KeysOf<boolean>): Flag {
  return (o, on) => {
    o[key] = on;
  };
}
function seconds(key: 'maxTimeUs' | 'connectTimeoutUs' | 'retryDelayUs'): Param {
  return (o, v) => {
    if (!/^\d+(\.\d*)?$/.test(v)) return NUMBER;
    const [whole = '0', part = ''] = v.split('.');
    o[key] = Number(whole) * 1_000_000 + Number(part.padEnd(6, '0').slice(0, 6));
    return undefined;
  };
}
function integer(key: 'localPort' | 'retry' | 'maxRedirs'): Param {
  return (o, v) => {
    if (!/^\d+$/.test(v)) return NUMBER;
    o[key] = Number(v);
    return undefined;
  };
}
function text(key: 'output' | 'writeOut' | 'method' | 'agent' | 'user' | 'referer' | 'bindTo'): Param {
  return (o, v) => {
    o[key] = v;
    return undefined;
  };
}
function append(key: 'urls' | 'data' | 'headers' | 'resolve'): Param {
  return (o, v) => {
    o[key].push(v);
    return undefined;
  };
}
const cookie: Param = (o, v) => append('headers')(o, `Cookie: ${v}`);
const none: Flag = () => undefined;
const ignored: Param = () => undefined;

/** Letter ('' for none), long name, what it does. */
const FLAGS: readonly (readonly [string, string, Flag])[] = [
  ['s', 'silent', flag('silent')],
  ['S', 'show-error', flag('showError')],
  ['f', 'fail', flag('fail')],
  ['i', 'include', flag('include')],
  ['I', 'head', flag('head')],
  ['v', 'verbose', flag('verbose')],
  ['L', 'location', flag('location')],
  ['k', 'insecure', flag('insecure')],
  ['G', 'get', flag('get')],
  ['O', 'remote-name', flag('remoteName')],
  ['N', 'no-buffer', flag('noBuffer')],
  ['V', 'version', flag('version')],
  ['0', 'http1.0', flag('http10')],
  ['', 'http1.1', none],
  ['', 'http2', none],
  ['', 'http0.9', flag('http09')],
  ['4', 'ipv4', none],
  ['6', 'ipv6', none],
  ['#', 'progress-bar', none],
  ['g', 'globoff', none],
  ['n', 'netrc', none],
  ['q', 'disable', none],
  ['', 'compressed', none],
  ['', 'retry-connrefused', flag('retryConnRefused')],
  ['', 'retry-all-errors', flag('retryConnRefused')],
  ['', 'tcp-nodelay', none],
  ['', 'fail-with-body', none],
  ['', 'path-as-is', none],
  ['', 'no-keepalive', none],
];

const PARAMS: readonly (readonly [string, string, Param])[] = [
  ['o', 'output', text('output')],
  ['w', 'write-out', text('writeOut')],
  ['m', 'max-time', seconds('maxTimeUs')],
  ['', 'connect-timeout', seconds('connectTimeoutUs')],
  ['X', 'request', text('method')],
  ['d', 'data', append('data')],
  ['', 'data-raw', append('data')],
  ['', 'data-binary', append('data')],
  ['H', 'header', append('headers')],
  ['A', 'user-agent', text('agent')],
  ['u', 'user', text('user')],
  ['e', 'referer', text('referer')],
  ['', 'url', append('urls')],
  ['', 'resolve', append('resolve')],
  ['', 'interface', text('bindTo')],
  ['', 'local-port', integer('localPort')],
  ['', 'retry', integer('retry')],
  ['', 'retry-delay', seconds('retryDelayUs')],
  ['', 'retry-max-time', ignored],
  ['', 'max-redirs', integer('maxRedirs')],
  ['', 'cacert', ignored],
  ['b', 'cookie', cookie],
  ['x', 'proxy', ignored],
];

const fail = (option: string, why: string): ParsedArgs => ({
  ok: false,
  message: `curl: option ${option}: ${why}\n${TRY}`,
});

/** Long names may be shortened while they stay unique; `--no-x` turns a flag off. */
function longOption<T>(list: readonly (readonly [string, string, T])[], name: string): T | undefined {
  const exact = list.find(([, n]) => n === name);
  if (exact) return exact[2];
  const near = list.filter(([, n]) => n.startsWith(name));
  return near.length === 1 ? near[0]?.[2] : undefined;
}

/** Command line of curl(1) (src/tool_getparam.c). */
export function parseCurl(argv: readonly string[]): ParsedArgs {
  const o: CurlOptions = {
    urls: [],
    silent: false,
    showError: false,
    fail: false,
    include: false,
    head: false,
    verbose: false,
    location: false,
    maxRedirs: 50,
    http09: false,
    insecure: false,
    get: false,
    remoteName: false,
    noBuffer: false,
    output: undefined,
    writeOut: undefined,
    maxTimeUs: 0,
    connectTimeoutUs: 0,
    method: undefined,
    data: [],
    headers: [],
    agent: undefined,
    user: undefined,
    referer: undefined,
    resolve: [],
    bindTo: undefined,
    localPort: 0,
    retry: 0,
    retryDelayUs: 0,
    retryConnRefused: false,
    version: false,
    help: false,
    http10: false,
  };
  for (let i = 1; i < argv.length; i++) {
    const a = argv[i] as string;
    if (!a.startsWith('-') || a === '-') {
      o.urls.push(a);
      continue;
    }
    if (a.startsWith('--')) {
      const name = a.slice(2);
      if (name === '') continue;
      if (name === 'help') {
        o.help = true;
        return { ok: true, options: o };
      }
      const param = longOption(PARAMS, name);
      const flag = longOption(FLAGS, name) ?? longOption(FLAGS, name.replace(/^no-/, ''));
      if (param && !(flag && FLAGS.some(([, n]) => n === name))) {
        if (i + 1 >= argv.length) return fail(a, 'requires parameter');
        const why = param(o, argv[++i] as string);
        if (why !== undefined) return fail(a, why);
      } else if (flag) flag(o, !name.startsWith('no-'));
      else return fail(a, 'is unknown');
      continue;
    }
    // Letters are taken one by one; an argument may follow its letter directly.
    const letters = [...a.slice(1)];
    for (let k = 0; k < letters.length; k++) {
      const letter = letters[k] as string;
      if (letter === 'h') {
        o.help = true;
        return { ok: true, options: o };
      }
      const flag = FLAGS.find(([l]) => l === letter);
      const param = PARAMS.find(([l]) => l === letter);
      if (flag) flag[2](o, true);
      else if (param) {
        const rest = letters.slice(k + 1).join('');
        if (rest === '' && i + 1 >= argv.length) return fail(a, 'requires parameter');
        const why = param[2](o, rest === '' ? (argv[++i] as string) : rest);
        if (why !== undefined) return fail(a, why);
        break;
      } else return fail(a, 'is unknown');
    }
  }
  return { ok: true, options: o };
}
