import { type Captured, devName, type NetDevice, packetLen } from '../../engine/net';
import { type Command, type CommandCtx, type CommandResult, fail, out } from '../command';
import { nowSeconds } from '../format/clock';
import { getopt, type Opts } from '../format/getopt';
import { serviceName } from '../format/services';
import { strftime } from '../format/time';
import { interfaces } from './ip/model';
import { compileFilter, type Filter, FilterError } from './tcpdump/filter';
import { Printer } from './tcpdump/print';
import { hexDump, wire } from './tcpdump/wire';

/** How long a capture lasts that nobody interrupts (us). */
const LISTEN_US = 10_000_000;
const LONG = {
  version: false,
  help: false,
  'list-interfaces': false,
  interface: true,
  number: false,
  count: false,
} as const;
const SHORT = 'Ab:B:c:C:dDeEfF:G:hHi:IJj:KlLm:M:nNOpqQ:r:s:StT:uUvV:w:W:xXy:Yz:Z:#';

/** One frame with the time it was seen. */
interface Seen extends Captured {
  readonly atUs: number;
}

/** tcpdump(8) 4.99.3 on the network's packet sockets. */
function run(ctx: CommandCtx): CommandResult {
  const opts = getopt(ctx.argv, { short: SHORT, long: LONG });
  const has = (...n: string[]): boolean => opts.options.some((o) => n.includes(o.name));
  if (opts.error !== undefined) return { stdout: '', stderr: `tcpdump: ${opts.error}\n${VERSION}${USAGE}`, exit: 1 };
  if (has('version')) return out(VERSION);
  if (has('h', 'help')) return out(VERSION + USAGE);
  if (has('D', 'list-interfaces')) return out(devices(ctx));
  const value = (n: string): string | undefined => opts.options.find((o) => o.name === n)?.value;
  const count = value('c');
  if (count !== undefined && !/^[1-9]\d*$/.test(count)) return fail(`tcpdump: invalid packet count ${count}`);
  const file = value('r');
  if (file !== undefined) return fail(`tcpdump: ${file}: No such file or directory`);
  const name = value('i') ?? value('interface') ?? firstDevice(ctx);
  const dev = interfaces(ctx.reader, ctx.place.netns ?? '').find((d) => d.name === name || String(d.ifindex) === name);
  if (ctx.uid !== 0) {
    const why = "You don't have permission to perform this capture on that device\n(socket: Operation not permitted)";
    return fail(`tcpdump: ${name}: ${why}`);
  }
  if (name !== 'any' && !dev) return fail(`tcpdump: ${name}: No such device exists\n(No such device exists)`);
  const any = dev ? '' : 'tcpdump: data link type LINUX_SLL2\n';
  try {
    const filter = compileFilter(opts.args.join(' '), (host) => addressesOf(ctx, host));
    return capture(ctx, opts, { name, dev, filter, count: count === undefined ? undefined : Number(count), any });
  } catch (e) {
    if (e instanceof FilterError) return { stdout: '', stderr: `${any}tcpdump: ${e.message}\n`, exit: 1 };
    throw e;
  }
}

interface Capture {
  readonly name: string;
  readonly dev: NetDevice | undefined;
  readonly filter: Filter;
  readonly count: number | undefined;
  readonly any: string;
}

function capture(ctx: CommandCtx, opts: Opts, c: Capture): CommandResult {
  const { world } = ctx;
  if (!world) return fail('', 1);
  const seen: Seen[] = [];
  const stop = world.tap(c.dev ? { dev: c.dev.id } : { netns: ctx.place.netns ?? '' }, (f) => {
    if (c.filter(f)) seen.push({ ...f, atUs: ctx.reader.nowUs });
  });
  const limit = ctx.interruptUs ?? LISTEN_US;
  const full = (): boolean => c.count !== undefined && seen.length >= c.count;
  const ended = world.runUntil(full, limit);
  // What follows at once still reaches the socket's buffer before the program has ended.
  if (ended) world.advance(LINGER_US);
  stop();
  const shown = c.count === undefined ? seen : seen.slice(0, c.count);
  const verbose = opts.options.filter((o) => o.name === 'v').length;
  const link = c.dev ? 'EN10MB (Ethernet)' : 'LINUX_SLL2 (Linux cooked v2)';
  const head =
    verbose > 0 ? 'tcpdump: ' : 'tcpdump: verbose output suppressed, use -v[v]... for full protocol decode\n';
  const plural = (n: number): string => `${n} packet${n === 1 ? '' : 's'}`;
  const counts = `${plural(shown.length)} captured\n${plural(seen.length)} received by filter\n0 packets dropped by kernel\n`;
  return {
    stdout: lines(ctx, opts, c.dev, shown) + (ended ? '' : '\n'),
    stderr: `${c.any}${head}listening on ${c.name}, link-type ${link}, snapshot length 262144 bytes\n${counts}`,
    exit: 0,
  };
}

/** Simulated time that a program takes to end, us. */
const LINGER_US = 100_000;

function lines(ctx: CommandCtx, opts: Opts, dev: NetDevice | undefined, seen: readonly Seen[]): string {
  const count = (n: string): number => opts.options.filter((o) => o.name === n).length;
  const numeric = count('n') > 0;
  const hosts = numeric ? new Map<string, string>() : hostNames(ctx);
  const printer = new Printer({
    verbose: count('v'),
    quiet: count('q') > 0,
    absoluteSeq: count('S') > 0,
    host: (ip) => hosts.get(ip) ?? ip,
    port: (p, proto) => (numeric ? undefined : serviceName(p, proto)) ?? String(p),
  });
  const baseUs = ctx.reader.nowUs;
  const base = nowSeconds(ctx.reader);
  const devs = new Map(interfaces(ctx.reader, ctx.place.netns ?? '').map((d) => [d.id, d]));
  const ether = count('e') > 0;
  let previous = seen[0]?.atUs ?? 0;
  return seen
    .map((f, i) => {
      const us = f.atUs % 1_000_000;
      const seconds = base - Math.floor(baseUs / 1_000_000) + Math.floor(f.atUs / 1_000_000);
      const stamp = stampOf(count('t'), seconds, us, f.atUs - previous);
      previous = f.atUs;
      const number = count('#') + count('number') > 0 ? `${String(i + 1).padStart(5)}  ` : '';
      const from = devs.get(f.dev);
      const partial = f.dir === 'out' || from?.kind === 'veth' || from?.kind === 'bridge' || from?.kind === 'lo';
      const where = dev ? '' : `${devName(f.dev).padEnd(5)} ${direction(f, from).padEnd(3)} `;
      const link = ether ? linkText(f, dev, from) : 'IP ';
      const body = printer.packet(f.packet, partial);
      return `${number}${stamp}${where}${link}${body}\n${dump(opts, f, partial)}`;
    })
    .join('');
}

/** The packet type of a cooked capture (sll.h). */
function direction(f: Seen, dev: NetDevice | undefined): string {
  if (f.dir === 'out') return 'Out';
  if (f.dstMac === 'ff:ff:ff:ff:ff:ff') return 'B';
  if ((Number.parseInt(f.dstMac.slice(0, 2), 16) & 1) === 1) return 'M';
  return dev && dev.kind !== 'lo' && f.dstMac !== dev.mac ? 'P' : 'In';
}

function linkText(f: Seen, dev: NetDevice | undefined, from: NetDevice | undefined): string {
  const type = f.packet.ip.family === 4 ? 'IPv4 (0x0800)' : 'IPv6 (0x86dd)';
  const len = packetLen(f.packet);
  return dev
    ? `${f.srcMac} > ${f.dstMac}, ethertype ${type}, length ${len + 14}: `
    : `ifindex ${from?.ifindex ?? 0} ${f.srcMac} ethertype ${type}, length ${len + 20}: `;
}

function dump(opts: Opts, f: Seen, partial: boolean): string {
  const count = (n: string): number => opts.options.filter((o) => o.name === n).length;
  if (count('A') > 0) {
    const text = wire(f.packet, partial).map((b) =>
      b === 10 || b === 13 || b === 9 || (b >= 32 && b < 127) ? String.fromCharCode(b) : '.',
    );
    return `${text.join('').replaceAll('\r', '')}\n`;
  }
  if (count('X') > 0) return hexDump(wire(f.packet, partial), true);
  return count('x') > 0 ? hexDump(wire(f.packet, partial), false) : '';
}

function stampOf(t: number, seconds: number, us: number, deltaUs: number): string {
  const six = (n: number): string => String(n).padStart(6, '0');
  switch (t) {
    case 0:
      return `${strftime('%H:%M:%S', seconds)}.${six(us)} `;
    case 1:
      return '';
    case 2:
      return `${seconds}.${six(us)} `;
    case 3:
      return ` ${strftime('%H:%M:%S', Math.floor(deltaUs / 1_000_000))}.${six(deltaUs % 1_000_000)} `;
    default:
      return `${strftime('%Y-%m-%d %H:%M:%S', seconds)}.${six(us)} `;
  }
}

/** Names of addresses in /etc/hosts; no resolver answers for the others in time. */
function hostNames(ctx: CommandCtx): Map<string, string> {
  const names = new Map<string, string>();
  for (const [ip, first] of hostLines(ctx)) if (ip && first && !names.has(ip)) names.set(ip, first);
  return names;
}

function hostLines(ctx: CommandCtx): string[][] {
  const r = ctx.files.read('/etc/hosts');
  const text = 'text' in r ? r.text : '';
  return text.split('\n').map((l) => (l.split('#')[0] as string).trim().split(/\s+/));
}

const addressesOf = (ctx: CommandCtx, name: string): string[] =>
  hostLines(ctx).flatMap(([ip, ...names]) => (ip !== undefined && names.includes(name) ? [ip] : []));

/** The first device that is up and no loopback, as pcap_lookupdev picks it. */
function firstDevice(ctx: CommandCtx): string {
  const devs = interfaces(ctx.reader, ctx.place.netns ?? '');
  return (devs.find((d) => d.up && d.kind !== 'lo') ?? devs[0])?.name ?? 'any';
}

function devices(ctx: CommandCtx): string {
  const devs = interfaces(ctx.reader, ctx.place.netns ?? '');
  const up = devs.filter((d) => d.kind !== 'lo' && d.up).map((d) => `${d.name} [Up, Running, Connected]`);
  const lo = devs.filter((d) => d.kind === 'lo' && d.up).map((d) => `${d.name} [Up, Running, Loopback]`);
  const down = devs.filter((d) => !d.up).map((d) => `${d.name} [${d.kind === 'lo' ? 'Loopback' : 'none'}]`);
  const any = 'any (Pseudo-device that captures on all interfaces) [Up, Running]';
  return [...up, any, ...lo, ...down, ...PSEUDO].map((l, i) => `${i + 1}.${l}\n`).join('');
}

const PSEUDO = [
  'bluetooth-monitor (Bluetooth Linux Monitor) [Wireless]',
  'nflog (Linux netfilter log (NFLOG) interface) [none]',
  'nfqueue (Linux netfilter queue (NFQUEUE) interface) [none]',
  'dbus-system (D-Bus system bus) [none]',
  'dbus-session (D-Bus session bus) [none]',
];

export const tcpdump: Command = {
  name: 'tcpdump',
  usage: 'tcpdump [-nevX] [-i interface] [-c count] [expression]',
  acts: (argv) => !argv.some((a) => /^(?:-D|-h|--version|--help|--list-interfaces)$/.test(a)),
  run,
  complete: ({ words, reader, place }) =>
    words.at(-1) === '-i'
      ? ['any', ...interfaces(reader, place.netns ?? '').map((d) => d.name)]
      : ['-ni', '-i', '-c', '-e', '-v', 'host', 'port', 'tcp', 'udp', 'icmp', 'src', 'dst', 'and', 'or', 'not'],
};

const VERSION = `tcpdump version 4.99.3
libpcap version 1.10.3 (with TPACKET_V3)
OpenSSL 3.0.19 27 Jan 2026
`;

const USAGE = `Usage: tcpdump [-AbdDefhHIJKlLnNOpqStuUvxX#] [ -B size ] [ -c count ] [--count]
		[ -C file_size ] [ -E algo:secret ] [ -F file ] [ -G seconds ]
		[ -i interface ] [ --immediate-mode ] [ -j tstamptype ]
		[ -M secret ] [ --number ] [ --print ] [ -Q in|out|inout ]
		[ -r file ] [ -s snaplen ] [ -T type ] [ --version ]
		[ -V file ] [ -w file ] [ -W filecount ] [ -y datalinktype ]
		[ --time-stamp-precision precision ] [ --micro ] [ --nano ]
		[ -z postrotate-command ] [ -Z user ] [ expression ]
`;
