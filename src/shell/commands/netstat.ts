import { type Command, type CommandCtx, type CommandResult, fail, out } from '../command';
import { getopt } from '../format/getopt';
import { serviceName } from '../format/services';
import { interfaces } from './ip/model';
import { kernelRoutes } from './route';
import { type SocketRow, socketsOf } from './sockets/list';

const LONG = {
  route: false,
  interfaces: false,
  groups: false,
  statistics: false,
  masquerade: false,
  verbose: false,
  wide: false,
  numeric: false,
  'numeric-hosts': false,
  'numeric-ports': false,
  symbolic: false,
  extend: false,
  programs: false,
  timers: false,
  continuous: false,
  listening: false,
  all: false,
  fib: false,
  cache: false,
  tcp: false,
  udp: false,
  raw: false,
  version: false,
  help: false,
};

/** netstat(8) of net-tools 2.10. */
function run(ctx: CommandCtx): CommandResult {
  const { options, error } = getopt(ctx.argv, { short: 'A:CFMacdegilnNoprsSuUvVWxtwh?64Z', long: LONG });
  if (error) return fail(`netstat: ${error}\n${USAGE}`, 3);
  const has = (...n: string[]): boolean => options.some((o) => n.includes(o.name));
  if (has('V', 'version')) return out(VERSION);
  if (has('h', 'help', '?')) return fail(USAGE, 3);
  if (has('r', 'route')) return out(kernelRoutes(ctx, true));
  if (has('i', 'interfaces')) return out(table(ctx));
  const numeric = has('n', 'numeric');
  const listening = has('l', 'listening');
  const all = has('a', 'all');
  const programs = has('p', 'programs');
  const tcp = has('t', 'tcp');
  const udp = has('u', 'udp');
  const any = !tcp && !udp && !has('w', 'raw', 'x');
  const rows = socketsOf(ctx.reader, ctx.place.netns ?? '')
    .filter((r) => (r.proto === 'tcp' ? any || tcp : r.proto === 'udp' && (any || udp)))
    .filter((r) =>
      all
        ? true
        : listening
          ? r.state === 'LISTEN' || (r.proto === 'udp' && !r.remote)
          : r.state !== 'LISTEN' && (r.proto === 'tcp' || r.remote),
    )
    .sort((a, b) => (a.proto === b.proto ? 0 : a.proto === 'tcp' ? -1 : 1));
  const kind = listening ? 'only servers' : all ? 'servers and established' : 'w/o servers';
  const head = 'Proto Recv-Q Send-Q Local Address           Foreign Address         State      ';
  const lines = rows.map((r) => line(r, numeric, programs, ctx.uid));
  const text = `Active Internet connections (${kind})\n${head}${programs ? ' PID/Program name    ' : ''}\n${lines.join('')}`;
  const hidden = programs && ctx.uid !== 0;
  return {
    stdout: text,
    stderr: hidden
      ? '(Not all processes could be identified, non-owned process info\n will not be shown, you would have to be root to see it all.)\n'
      : '',
    exit: 0,
  };
}

function line(r: SocketRow, numeric: boolean, programs: boolean, uid: number): string {
  const port = (p: number): string =>
    p === 0 ? '*' : numeric ? String(p) : (serviceName(p, r.proto as 'tcp' | 'udp') ?? String(p));
  const local = `${r.local.ip}:${port(r.local.port)}`.padEnd(23);
  const remote = `${r.remote?.ip ?? '0.0.0.0'}:${port(r.remote?.port ?? 0)}`.padEnd(23);
  const state = (r.proto === 'udp' && !r.remote ? '' : r.state).padEnd(11);
  const listenQ = r.state === 'LISTEN' ? 0 : r.sendQ;
  // The table of inodes is filled in the order of /proc: the first holder that may be looked into.
  const holder = r.processes.filter((p) => uid === 0 || p.uid === uid).at(-1);
  const proc = holder ? `${holder.pid}/${holder.title}`.slice(0, 19) : '-';
  return `${r.proto.padEnd(5)} ${String(r.recvQ).padStart(6)} ${String(listenQ).padStart(6)} ${local} ${remote} ${state}${programs ? ` ${proc.padEnd(20)}` : ''}\n`;
}

/** `netstat -i`; the model counts no bytes and errors of devices. */
function table(ctx: CommandCtx): string {
  const rows = interfaces(ctx.reader, ctx.place.netns ?? '')
    .filter((d) => d.up)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(
      (d) =>
        `${d.name.padEnd(15)} ${String(d.mtu).padStart(5)} ${'0'.padStart(8)}      0      0 0      ${'0'.padStart(8)}      0      0      0 ${d.kind === 'lo' ? 'LRU' : 'BMRU'}\n`,
    );
  return `Kernel Interface table\nIface             MTU    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg\n${rows.join('')}`;
}

export const netstat: Command = { name: 'netstat', usage: 'netstat [-tulnpar]', acts: () => false, run };

const VERSION = `net-tools 2.10
Fred Baumgarten, Alan Cox, Bernd Eckenfels, Phil Blundell, Tuan Hoang, Brian Micek and others
`;

const USAGE = `usage: netstat [-vWeenNcCF] [<Af>] -r         netstat {-V|--version|-h|--help}
       netstat [-vWnNcaeol] [<Socket> ...]
       netstat { [-vWeenNac] -i | [-cnNe] -M | -s [-6tuw] }

        -r, --route              display routing table
        -i, --interfaces         display interface table
        -g, --groups             display multicast group memberships
        -s, --statistics         display networking statistics (like SNMP)
        -M, --masquerade         display masqueraded connections

        -v, --verbose            be verbose
        -W, --wide               don't truncate IP addresses
        -n, --numeric            don't resolve names
        --numeric-hosts          don't resolve host names
        --numeric-ports          don't resolve port names
        --numeric-users          don't resolve user names
        -N, --symbolic           resolve hardware names
        -e, --extend             display other/more information
        -p, --programs           display PID/Program name for sockets
        -o, --timers             display timers
        -c, --continuous         continuous listing

        -l, --listening          display listening server sockets
        -a, --all                display all sockets (default: connected)
        -F, --fib                display Forwarding Information Base (default)
        -C, --cache              display routing cache instead of FIB
        -Z, --context            display SELinux security context for sockets

  <Socket>={-t|--tcp} {-u|--udp} {-U|--udplite} {-S|--sctp} {-w|--raw}
           {-x|--unix} --ax25 --ipx --netrom
  <AF>=Use '-6|-4' or '-A <af>' or '--<af>'; default: inet
  List of possible address families (which support routing):
    inet (DARPA Internet) inet6 (IPv6) ax25 (AMPR AX.25) 
    netrom (AMPR NET/ROM) rose (AMPR ROSE) ipx (Novell IPX) 
    ddp (Appletalk DDP) x25 (CCITT X.25) 
`;
