import { byCodeUnit } from '../../engine/base';
import { type Command, type CommandCtx, type CommandResult, fail, out } from '../command';
import { strerror } from '../format/errno';
import { getopt } from '../format/getopt';

const LONG = {
  all: false,
  deprecated: false,
  'dry-run': false,
  binary: false,
  ignore: false,
  names: false,
  values: false,
  load: 'maybe' as const,
  quiet: false,
  write: false,
  system: false,
  pattern: true,
  help: false,
  version: false,
};
const SHORT = 'bneNwfp::qoxaAXr:Vdh';

/** `net/ipv4/ip_forward` and `net.ipv4.ip_forward` name the same key: the first separator met decides. */
export function keyOf(typed: string): string {
  const first = /[./]/.exec(typed)?.[0];
  if (first === '/') return typed.replace(/^\/(?:proc\/sys\/)?/, '').replace(/[./]/g, (c) => (c === '/' ? '.' : '/'));
  return typed;
}
const pathOf = (key: string): string => `/proc/sys/${key.replaceAll('.', '/')}`;

function run(ctx: CommandCtx): CommandResult {
  const { options, args, error } = getopt(ctx.argv, { short: SHORT, long: LONG });
  const has = (...names: string[]): boolean => options.some((o) => names.includes(o.name));
  if (error) return { stdout: USAGE, stderr: `sysctl: ${error}\n`, exit: 0 };
  if (has('help', 'h', 'd')) return out(USAGE);
  if (has('version', 'V'))
    return out(`sysctl from procps-ng ${ctx.place.packages === 'debian13' ? '4.0.4' : '4.0.2'}\n`);
  const show = {
    names: has('N', 'names'),
    values: has('n', 'values'),
    quiet: has('q', 'quiet'),
    binary: has('b', 'binary'),
  };
  const ignore = has('e', 'ignore');
  let stdout = '';
  let stderr = '';
  let exit = 0;
  const print = (key: string, value: string): void => {
    if (show.names) stdout += `${key}\n`;
    else if (show.binary) stdout += value;
    else if (show.values) stdout += `${value}\n`;
    else stdout += `${key} = ${value}\n`;
  };
  const missing = (key: string): void => {
    if (ignore) return;
    stderr += `sysctl: cannot stat ${pathOf(key)}: No such file or directory\n`;
    exit = 1;
  };
  const netns = ctx.place.netns ?? '';
  const read = (typed: string): void => {
    const key = keyOf(typed);
    const value = ctx.sysctl.get(netns, key);
    if (value !== undefined) {
      print(key, value);
      return;
    }
    const below = ctx.sysctl
      .keys(netns)
      .filter((k) => k.startsWith(`${key}.`))
      .sort(byCodeUnit);
    if (below.length === 0) missing(key);
    for (const k of below) print(k, ctx.sysctl.get(netns, k) ?? '');
  };
  const write = (setting: string): void => {
    const eq = setting.indexOf('=');
    const typed = setting.slice(0, eq).trim();
    const value = setting.slice(eq + 1).trim();
    const key = keyOf(typed);
    if (ctx.sysctl.get(netns, key) === undefined) {
      missing(key);
      return;
    }
    const closed = ctx.uid !== 0 ? 'EACCES-open' : ctx.place.readOnlySys ? 'EROFS' : undefined;
    const errno = closed ?? ctx.world?.setSysctl(netns, key, value);
    if (errno === undefined) {
      if (!show.quiet) print(key, value);
      return;
    }
    if (errno === 'EACCES-open' || errno === 'EROFS') {
      stderr += `sysctl: permission denied on key "${key}"${ignore ? ', ignoring' : ''}\n`;
      if (!ignore) exit = 1;
    } else if (errno === 'EACCES') {
      // A key that is read-only in this namespace: procps 4.0.2 tries to write, tells it, and still succeeds.
      const text = ctx.place.packages === 'debian13' ? 'Operation not permitted' : 'Invalid argument';
      stderr += `sysctl: setting key "${key}": ${text}\n`;
    } else {
      stderr += `sysctl: setting key "${key}": ${strerror(errno)}\n`;
      exit = 1;
    }
  };
  const load = options.find((o) => ['p', 'load', 'f'].includes(o.name));
  if (load) {
    const name = load.value ?? args[0] ?? '/etc/sysctl.conf';
    const file = name === '-' ? { text: ctx.stdin } : ctx.files.read(name);
    if (!('text' in file)) return fail(`sysctl: cannot open "${name}": ${strerror(file.errno)}`, 1);
    for (const l of file.text.split('\n')) {
      const line = l.trim();
      if (line === '' || /^[#;]/.test(line)) continue;
      if (line.includes('=')) write(line);
    }
    return { stdout, stderr, exit };
  }
  if (has('a', 'all', 'A', 'X')) {
    const pattern = options.find((o) => o.name === 'r' || o.name === 'pattern')?.value;
    const wanted = pattern === undefined ? undefined : new RegExp(pattern);
    for (const k of [...ctx.sysctl.keys(netns)].sort(byCodeUnit)) {
      if (wanted === undefined || wanted.test(k)) print(k, ctx.sysctl.get(netns, k) ?? '');
    }
    return { stdout, stderr, exit };
  }
  const writing = has('w', 'write');
  if (args.length === 0) {
    if (!writing) return { stdout: '', stderr: USAGE, exit: 1 };
    return fail("sysctl: no variables specified\nTry `sysctl --help' for more information.", 1);
  }
  args.forEach((a, i) => {
    if (a.includes('=')) write(a);
    else if (writing) {
      stderr += `sysctl: command line(${i}): invalid syntax, continuing...\n`;
      exit = 1;
    } else read(a);
  });
  return { stdout, stderr, exit };
}

export const sysctl: Command = {
  name: 'sysctl',
  usage: 'sysctl [options] [variable[=value] ...]',
  acts: (argv) => argv.slice(1).some((a) => a.includes('=') || /^-[a-zA-Z]*[pf]/.test(a) || a.startsWith('--load')),
  run,
  complete: ({ sysctl: view, place }) =>
    place.netns === undefined ? [] : [...view.keys(place.netns)].sort(byCodeUnit),
};

const USAGE = `
Usage:
 sysctl [options] [variable[=value] ...]

Options:
  -a, --all            display all variables
  -A                   alias of -a
  -X                   alias of -a
      --deprecated     include deprecated parameters to listing
      --dry-run        Print the key and values but do not write
  -b, --binary         print value without new line
  -e, --ignore         ignore unknown variables errors
  -N, --names          print variable names without values
  -n, --values         print only values of the given variable(s)
  -p, --load[=<file>]  read values from file
  -f                   alias of -p
      --system         read values from all system directories
  -r, --pattern <expression>
                       select setting that match expression
  -q, --quiet          do not echo variable set
  -w, --write          enable writing a value to variable
  -o                   does nothing
  -x                   does nothing
  -d                   alias of -h

 -h, --help     display this help and exit
 -V, --version  output version information and exit

For more details see sysctl(8).
`;
