import { cidrContains, parseCidr } from '../../engine/base';
import { type Command, type CommandCtx, type CommandResult, fail, out } from '../command';
import { getopt } from '../format/getopt';
import { serviceName, servicePort } from '../format/services';
import { type SocketRow, socketsOf, unixSockets } from './sockets/list';

/** Names of states as ss spells them (sstate_name) and as its filters do (sstate_namel). */
const SHOWN: Readonly<Record<string, string>> = {
  ESTABLISHED: 'ESTAB',
  SYN_SENT: 'SYN-SENT',
  SYN_RECV: 'SYN-RECV',
  FIN_WAIT1: 'FIN-WAIT-1',
  FIN_WAIT2: 'FIN-WAIT-2',
  TIME_WAIT: 'TIME-WAIT',
  CLOSE: 'UNCONN',
  CLOSE_WAIT: 'CLOSE-WAIT',
  LAST_ACK: 'LAST-ACK',
  LISTEN: 'LISTEN',
  CLOSING: 'CLOSING',
};
const FILTERS: Readonly<Record<string, readonly string[]>> = {
  established: ['ESTABLISHED'],
  'syn-sent': ['SYN_SENT'],
  'syn-recv': ['SYN_RECV'],
  'fin-wait-1': ['FIN_WAIT1'],
  'fin-wait-2': ['FIN_WAIT2'],
  'time-wait': ['TIME_WAIT'],
  closed: ['CLOSE'],
  unconnected: ['CLOSE'],
  'close-wait': ['CLOSE_WAIT'],
  'last-ack': ['LAST_ACK'],
  listening: ['LISTEN', 'CLOSE'],
  closing: ['CLOSING'],
};
const ALL = Object.keys(SHOWN);
const CONNECTED = ALL.filter((s) => s !== 'LISTEN' && s !== 'CLOSE');
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  all: ALL,
  connected: CONNECTED,
  synchronized: CONNECTED.filter((s) => s !== 'SYN_SENT'),
  bucket: ['SYN_RECV', 'TIME_WAIT'],
  big: ALL.filter((s) => s !== 'SYN_RECV' && s !== 'TIME_WAIT'),
};
/** States shown when nothing is asked for. */
const DEFAULT = CONNECTED.filter((s) => s !== 'TIME_WAIT' && s !== 'SYN_RECV');

const LONG = {
  help: false,
  version: false,
  numeric: false,
  resolve: false,
  all: false,
  listening: false,
  options: false,
  extended: false,
  memory: false,
  processes: false,
  threads: false,
  info: false,
  summary: false,
  ipv4: false,
  ipv6: false,
  packet: false,
  tcp: false,
  mptcp: false,
  sctp: false,
  udp: false,
  dccp: false,
  raw: false,
  unix: false,
  'no-header': false,
  oneline: false,
  family: true,
  query: true,
  kill: false,
};

interface Filter {
  readonly test: (r: SocketRow) => boolean;
  readonly states: readonly string[] | undefined;
}

function run(ctx: CommandCtx): CommandResult {
  const { options, args, error } = getopt(ctx.argv, { short: 'hVnraloempTiszZbE460tMSudwxf:A:D:F:vN:KHO', long: LONG });
  if (error) return fail(`ss: ${error}\n${USAGE}`, 255);
  const has = (...n: string[]): boolean => options.some((o) => n.includes(o.name));
  if (has('h', 'help')) return out(USAGE);
  if (has('V', 'version', 'v'))
    return out(
      ctx.place.packages === 'debian13'
        ? 'ss utility, iproute2-6.15.0\n'
        : 'ss utility, iproute2-6.1.0, libbpf 1.1.2\n',
    );
  const rows = socketsOf(ctx.reader, ctx.place.netns ?? '');
  if (has('s', 'summary')) return out(summary(rows, unixSockets(ctx.reader, ctx.place.netns ?? '')));
  const filter = parseFilter(args);
  if (typeof filter === 'string') return fail(filter, 255);
  const wantTcp = has('t', 'tcp');
  const wantUdp = has('u', 'udp');
  const any =
    !wantTcp && !wantUdp && !has('w', 'raw', 'x', 'unix', 'S', 'sctp', 'M', 'mptcp', 'd', 'dccp', '0', 'packet');
  const states = filter.states ?? (has('a', 'all') ? ALL : has('l', 'listening') ? ['LISTEN', 'CLOSE'] : DEFAULT);
  const shown = rows
    .filter((r) => (r.proto === 'tcp' ? any || wantTcp : r.proto === 'udp' && (any || wantUdp)))
    .filter((r) => states.includes(r.state) && !has('6', 'ipv6') && filter.test(r))
    .sort((a, b) => (a.proto === b.proto ? 0 : a.proto === 'udp' ? -1 : 1));
  const netid = any || (wantTcp && wantUdp);
  const single = filter.states?.length === 1 || (filter.states !== undefined && FILTERS.listening === filter.states);
  const numeric = has('n', 'numeric');
  const table = new Table(ctx.cols, !has('H', 'no-header'));
  table.columns = [
    netid ? 'Netid' : '',
    single ? '' : 'State',
    'Recv-Q',
    'Send-Q',
    'Local Address:',
    'Port',
    'Peer Address:',
    'Port',
    // Later versions leave the column out when nothing goes there.
    ctx.place.packages === 'debian13' && !has('p', 'processes') ? '' : 'Process',
  ];
  for (const r of shown) {
    const port = (p: number): string =>
      p === 0 ? '*' : numeric ? String(p) : (serviceName(p, r.proto as 'tcp' | 'udp') ?? String(p));
    const extra: string[] = [];
    const holders = r.processes.filter((p) => ctx.uid === 0 || p.uid === ctx.uid);
    if (has('p', 'processes') && holders.length > 0) {
      extra.push(`users:(${holders.map((p) => `("${p.name}",pid=${p.pid},fd=${p.fd})`).join(',')})`);
    }
    if (has('o', 'options')) extra.push(...timer(ctx, r));
    if (has('i', 'info') && r.proto === 'tcp') extra.push(`\n\t ${internals(ctx, r)}`);
    if (has('e', 'extended')) extra.push(`ino:${r.inode} sk:${r.inode.toString(16)}`);
    table.rows.push([
      netid ? r.proto : '',
      single ? '' : (SHOWN[r.state] ?? r.state),
      String(r.recvQ),
      String(r.sendQ),
      `${r.local.ip}:`,
      port(r.local.port),
      `${r.remote?.ip ?? '0.0.0.0'}:`,
      port(r.remote?.port ?? 0),
      extra.join(' '),
    ]);
  }
  const stderr = any ? 'RTNETLINK answers: Invalid argument\n' : '';
  return { stdout: table.text(), stderr, exit: 0 };
}

/** Retransmission timer of a socket: what it waits for, until when, how often it fired. */
function timer(ctx: CommandCtx, r: SocketRow): string[] {
  const t = r.record.tcp;
  if (t?.timerKind !== 'rtx') return [];
  const left = Math.max(0, t.rtoUs);
  const sec = Math.floor(left / 1_000_000);
  const ms = Math.floor((left % 1_000_000) / 1000);
  return [`timer:(on,${sec > 0 ? `${sec}.${String(ms).padStart(3, '0')}` : String(ms)}ms,${t.retransmits})`].filter(
    () => ctx.reader.nowUs >= 0,
  );
}

/** tcp_info as `-i` prints it, as far as the model keeps it. */
function internals(ctx: CommandCtx, r: SocketRow): string {
  const t = r.record.tcp;
  if (!t) return 'cubic';
  const scale = t.wscaleOk ? [`wscale:${t.sndWscale},${ownScale(ctx, r)}`] : [];
  const mss = t.mss - (t.tsOk ? 12 : 0);
  return [
    ...(t.tsOk ? ['ts'] : []),
    ...(t.sackOk ? ['sack'] : []),
    'cubic',
    ...scale,
    `rto:${Math.floor(t.rtoUs / 1000)}`,
    ...(t.retransmits > 0 ? [`backoff:${t.retransmits}`] : []),
    `mss:${mss}`,
    `cwnd:${t.cwnd}`,
    ...(t.sndUna === t.iss ? [] : [`bytes_acked:${(t.sndUna - t.iss) >>> 0}`]),
  ].join(' ');
}

/** The scale that this end offered. */
function ownScale(ctx: CommandCtx, r: SocketRow): number {
  const max = Number(ctx.sysctl.get(r.record.netns, 'net.ipv4.tcp_rmem')?.split('\t')[2] ?? 0);
  let scale = 0;
  for (let space = max; space >= 65_536 && scale < 14; space = Math.floor(space / 2)) scale++;
  return scale;
}

/** `state X`, then expressions `dst A`, `src A`, `dport = :N`, `sport ge N`, joined by `and` (default) and `or`. */
function parseFilter(words: readonly string[]): Filter | string {
  const tokens = words.flatMap((w) => w.trim().split(/\s+/)).filter((w) => w !== '');
  let states: readonly string[] | undefined;
  let i = 0;
  while (tokens[i] === 'state' || tokens[i] === 'exclude') {
    const name = tokens[i + 1] ?? '';
    const group = FILTERS[name] ?? GROUPS[name];
    if (!group) return `ss: wrong state name: ${name}\n${USAGE}`;
    states =
      tokens[i] === 'state'
        ? states === undefined
          ? group
          : [...states, ...group]
        : (states ?? ALL).filter((s) => !group.includes(s));
    i += 2;
  }
  type Test = (r: SocketRow) => boolean;
  const wrong = 'Error: an inet prefix is expected rather than "".\nCannot parse dst/src address.\n';
  const syntax = `ss: bison bellows (while parsing filter): "syntax error!" Sorry.\n${USAGE}`;
  let test: Test | undefined;
  let or = false;
  while (i < tokens.length) {
    const word = tokens[i] as string;
    if (word === 'and' || word === '&&' || word === '(' || word === ')') {
      i++;
      continue;
    }
    if (word === 'or' || word === '||') {
      or = true;
      i++;
      continue;
    }
    let next: Test;
    if (word === 'dst' || word === 'src') {
      const text = tokens[i + 1];
      if (text === undefined) return syntax;
      const [host = '', port] = text.split(':');
      const cidr = host === '' || host === '*' ? undefined : parseCidr(host);
      if (host !== '' && host !== '*' && !cidr) return wrong.replace('""', JSON.stringify(text));
      next = (r) => {
        const end = word === 'src' ? r.local : r.remote;
        return (
          end !== undefined &&
          (cidr === undefined || cidrContains(cidr, end.ip)) &&
          (port === undefined || port === '*' || Number(port) === end.port)
        );
      };
      i += 2;
    } else if (word === 'dport' || word === 'sport') {
      const ops: Readonly<Record<string, (a: number, b: number) => boolean>> = {
        '=': (a, b) => a === b,
        '==': (a, b) => a === b,
        eq: (a, b) => a === b,
        '!=': (a, b) => a !== b,
        ne: (a, b) => a !== b,
        '>': (a, b) => a > b,
        gt: (a, b) => a > b,
        '<': (a, b) => a < b,
        lt: (a, b) => a < b,
        '>=': (a, b) => a >= b,
        ge: (a, b) => a >= b,
        '<=': (a, b) => a <= b,
        le: (a, b) => a <= b,
      };
      const op = ops[tokens[i + 1] ?? ''] ?? ops.eq;
      const value = (ops[tokens[i + 1] ?? ''] ? tokens[i + 2] : tokens[i + 1]) ?? '';
      const name = value.replace(/^.*:/, '');
      const port = /^\d+$/.test(name) ? Number(name) : servicePort(name, 'tcp');
      if (port === undefined) return syntax;
      next = (r) => (op as (a: number, b: number) => boolean)((word === 'sport' ? r.local : r.remote)?.port ?? 0, port);
      i += ops[tokens[i + 1] ?? ''] ? 3 : 2;
    } else return syntax;
    const before = test;
    const joined = or;
    test = before === undefined ? next : (r) => (joined ? before(r) || next(r) : before(r) && next(r));
    or = false;
  }
  return { test: test ?? (() => true), states };
}

function summary(rows: readonly SocketRow[], unix: number): string {
  const tcp = rows.filter((r) => r.proto === 'tcp');
  const n = (state: string): number => tcp.filter((r) => r.state === state).length;
  const live = tcp.length - n('TIME_WAIT');
  const udp = rows.filter((r) => r.proto === 'udp').length;
  const raw = rows.filter((r) => r.proto === 'raw').length;
  const line = (name: string, a: number): string =>
    `${name.padEnd(4)}\t  ${String(a).padEnd(9)} ${String(a).padEnd(9)} ${'0'.padEnd(9)}\n`;
  return `Total: ${live + udp + raw + unix}\nTCP:   ${tcp.length} (estab ${n('ESTABLISHED')}, closed ${n('TIME_WAIT')}, orphaned ${tcp.filter((r) => r.record.orphan && r.state !== 'TIME_WAIT').length}, timewait ${n('TIME_WAIT')})\n\nTransport Total     IP        IPv6\n${line('RAW', raw)}${line('UDP', udp)}${line('TCP', live)}${line('INET', live + udp + raw)}${line('FRAG', 0)}\n`;
}

/** ss's own layout: columns as wide as their contents; on a terminal the rest of the width is shared out. */
class Table {
  columns: string[] = [];
  readonly rows: string[][] = [];
  constructor(
    private readonly width: number | undefined,
    private readonly header: boolean,
  ) {}

  text(): string {
    const all = this.header ? [this.columns, ...this.rows] : this.rows;
    const delim = (i: number): string => (i === 1 || i === 2 || i === 3 || i === 4 || i === 6 ? ' ' : '');
    // The last field of all is not measured any more when the widths are worked out, and text on lines of its own is none.
    const measured = (r: readonly string[], i: number): number =>
      i === 8 && r === all.at(-1) && r !== this.columns ? 0 : (r[i] as string).replace(/^\n.*/, '').length;
    const widths = this.columns.map((_, i) => Math.max(0, ...all.map((r) => measured(r, i))));
    const first = widths.findIndex((w) => w > 0);
    widths.forEach((w, i) => {
      if (w > 0 && i !== first) widths[i] = w + delim(i).length;
    });
    if (this.width !== undefined) {
      const total = widths.reduce((n, w) => n + w, 0);
      const used = widths.filter((w) => w > 0).length;
      const pad = Math.max(0, this.width - total);
      const spacing = used === 0 ? 0 : Math.floor(pad / used);
      let rest = used === 0 ? 0 : pad % used;
      for (let i = widths.length - 1; i >= 0; i--) {
        if (widths[i] === 0) continue;
        widths[i] = (widths[i] as number) + spacing + (rest > 0 ? 1 : 0);
        if (rest > 0) rest--;
      }
    }
    const cell = (text: string, i: number): string => {
      const w = widths[i] as number;
      if (w === 0) return '';
      const full = i === first ? text : `${delim(i)}${text}`;
      return i === 4 || i === 6 ? full.padStart(w) : full.padEnd(w);
    };
    return all.map((r) => `${r.map(cell).join('')}\n`).join('');
  }
}

export const ss: Command = {
  name: 'ss',
  usage: 'ss [ OPTIONS ] [ FILTER ]',
  acts: () => false,
  run,
  complete: ({ words }) =>
    words.at(-1) === 'state'
      ? Object.keys(FILTERS)
      : ['-tlnp', '-tan', '-uln', '-s', 'state', 'dst', 'src', 'dport', 'sport'],
};

const USAGE = `Usage: ss [ OPTIONS ]
       ss [ OPTIONS ] [ FILTER ]
   -h, --help          this message
   -V, --version       output version information
   -n, --numeric       don't resolve service names
   -r, --resolve       resolve host names
   -a, --all           display all sockets
   -l, --listening     display listening sockets
   -o, --options       show timer information
   -e, --extended      show detailed socket information
   -m, --memory        show socket memory usage
   -p, --processes     show process using socket
   -T, --threads       show thread using socket
   -i, --info          show internal TCP information
       --tipcinfo      show internal tipc socket information
   -s, --summary       show socket usage summary
       --tos           show tos and priority information
       --cgroup        show cgroup information
   -b, --bpf           show bpf filter socket information
   -E, --events        continually display sockets as they are destroyed
   -Z, --context       display task SELinux security contexts
   -z, --contexts      display task and socket SELinux security contexts
   -N, --net           switch to the specified network namespace name

   -4, --ipv4          display only IP version 4 sockets
   -6, --ipv6          display only IP version 6 sockets
   -0, --packet        display PACKET sockets
   -t, --tcp           display only TCP sockets
   -M, --mptcp         display only MPTCP sockets
   -S, --sctp          display only SCTP sockets
   -u, --udp           display only UDP sockets
   -d, --dccp          display only DCCP sockets
   -w, --raw           display only RAW sockets
   -x, --unix          display only Unix domain sockets
       --tipc          display only TIPC sockets
       --vsock         display only vsock sockets
       --xdp           display only XDP sockets
   -f, --family=FAMILY display sockets of type FAMILY
       FAMILY := {inet|inet6|link|unix|netlink|vsock|tipc|xdp|help}

   -K, --kill          forcibly close sockets, display what was closed
   -H, --no-header     Suppress header line
   -O, --oneline       socket's data printed on a single line
       --inet-sockopt  show various inet socket options

   -A, --query=QUERY, --socket=QUERY
       QUERY := {all|inet|tcp|mptcp|udp|raw|unix|unix_dgram|unix_stream|unix_seqpacket|packet|packet_raw|packet_dgram|netlink|dccp|sctp|vsock_stream|vsock_dgram|tipc|xdp}[,QUERY]

   -D, --diag=FILE     Dump raw information about TCP sockets to FILE
   -F, --filter=FILE   read filter information from FILE
       FILTER := [ state STATE-FILTER ] [ EXPRESSION ]
       STATE-FILTER := {all|connected|synchronized|bucket|big|TCP-STATES}
         TCP-STATES := {established|syn-sent|syn-recv|fin-wait-{1,2}|time-wait|closed|close-wait|last-ack|listening|closing}
          connected := {established|syn-sent|syn-recv|fin-wait-{1,2}|time-wait|close-wait|last-ack|closing}
       synchronized := {established|syn-recv|fin-wait-{1,2}|time-wait|close-wait|last-ack|closing}
             bucket := {syn-recv|time-wait}
                big := {established|syn-sent|fin-wait-{1,2}|closed|close-wait|last-ack|listening|closing}
`;
