import type { CommandCtx, CommandResult } from '../../command';

/** Colours of iproute2 (lib/color.c, dark on light: attr_colors). */
const CYAN = 36;
const YELLOW = 33;
const MAGENTA = 35;
const BLUE = 34;
const GREEN = 32;
const RED = 31;

const paint = (color: number, text: string): string => `\u001b[${color}m${text}\u001b[0m`;
const address = (text: string): string => paint(text.includes(':') ? BLUE : MAGENTA, text);

/** Debian 13 builds iproute2 with colours on terminals (CONF_COLOR=auto). */
export function paintIp(ctx: CommandCtx, r: CommandResult): CommandResult {
  if (ctx.place.packages !== 'debian13' || ctx.cols === undefined || r.stdout.startsWith('[')) return r;
  const route = ctx.argv.some((a) => /^r(?:o(?:u(?:te?)?)?)?$/.test(a));
  return {
    ...r,
    stdout: r.stdout
      .split('\n')
      .map(route ? paintRoute : paintLine)
      .join('\n'),
  };
}

/** Lines of ip link, addr and neigh. */
function paintLine(line: string): string {
  return line
    .replace(/^(\d+: )(\S+: )/, (_, n: string, name: string) => n + paint(CYAN, name))
    .replace(/ state (\S+ )/, (_, s: string) => ` state ${s === 'UNKNOWN ' ? s : paint(s === 'UP ' ? GREEN : RED, s)}`)
    .replace(
      /^( +link\/\S+) (\S+)( brd )(\S+)/,
      (_, kind: string, mac: string, brd: string, all: string) =>
        `${kind} ${paint(YELLOW, mac)}${brd}${paint(YELLOW, all)}`,
    )
    .replace(/^( +inet6? )([^/ ]+)/, (_, kind: string, ip: string) => kind + address(ip))
    .replace(
      /^([\d.:a-f]+ )(dev )(\S+ )?/,
      (_, ip: string, dev: string, name = '') => address(ip) + dev + paint(CYAN, name),
    )
    .replace(/(lladdr )(\S+ )/, (_, word: string, mac: string) => word + paint(YELLOW, mac));
}

function paintRoute(line: string): string {
  return line
    .replace(/^((?:[a-z]+ )?)([\d.]+(?:\/\d+)? )/, (_, type: string, dst: string) => type + address(dst))
    .replace(/(via )(\S+ )/, (_, word: string, ip: string) => word + address(ip))
    .replace(/(dev )(\S+ )/, (_, word: string, name: string) => word + paint(CYAN, name))
    .replace(/(src )(\S+ )/, (_, word: string, ip: string) => word + address(ip));
}
