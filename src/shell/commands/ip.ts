import { NETNS } from '../../engine/net';
import { isApplet } from '../client';
import { type Command, type CommandCtx, type CommandResult, fail, out } from '../command';
import { ipAddr } from './ip/addr';
import { matches, parseOptions } from './ip/args';
import { busyboxIp } from './ip/busybox';
import { paintIp } from './ip/color';
import { HELP } from './ip/help';
import { ipLink } from './ip/link';
import { interfaces, netnsName, podNamespaces } from './ip/model';
import { ipNeigh } from './ip/neigh';
import { ipRoute, routeKeys } from './ip/route';

/** Objects of ip(8) in the order in which abbreviations are tried (ip.c cmds). */
const OBJECTS = ['address', 'maddress', 'route', 'rule', 'neighbor', 'neighbour', 'link', 'netns'];

const VERSIONS = {
  debian12: 'ip utility, iproute2-6.1.0, libbpf 1.1.2',
  debian13: 'ip utility, iproute2-6.15.0, libbpf 1.5.0',
};
const CHANGES = /^(?:a(?:dd?)?|ch\w*|rep\w*|app\w*|d(?:el(?:ete)?)?|s(?:et?)?|f(?:lush)?|exec)$/;

function run(ctx: CommandCtx): CommandResult {
  if (isApplet(ctx.place, 'ip')) return busyboxIp(ctx);
  return paintIp(ctx, iproute(ctx));
}

function iproute(ctx: CommandCtx): CommandResult {
  const parsed = parseOptions(ctx.argv.slice(1));
  if (!parsed.ok) {
    if (parsed.kind === 'version') return out(`${VERSIONS[ctx.place.packages]}\n`);
    if (parsed.kind === 'help') return fail(USAGE, 255);
    if (parsed.kind === 'missing') return fail('Command line is not complete. Try option "help"', 255);
    return fail(`Option "${parsed.option}" is unknown, try "ip -help".`, 255);
  }
  const [object, ...rest] = parsed.rest;
  if (object === undefined || object === 'help') return fail(USAGE, 255);
  const name = OBJECTS.find((o) => matches(object, o));
  const help = HELP[name === 'neighbor' || name === 'neighbour' ? 'neigh' : (name ?? '')];
  if (help !== undefined && rest[0] !== undefined && rest[0] !== 'h' && matches(rest[0], 'help'))
    return fail(help, 255);
  switch (name) {
    case 'address':
      return ipAddr(ctx, parsed.options, rest);
    case 'route':
      return ipRoute(ctx, parsed.options, rest);
    case 'link':
      return ipLink(ctx, parsed.options, rest);
    case 'neighbor':
    case 'neighbour':
      return ipNeigh(ctx, rest);
    case 'rule':
      return out('0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n');
    case 'netns':
      return netns(ctx, rest);
    default:
      return fail(`Object "${object}" is unknown, try "ip help".`, 1);
  }
}

function netns(ctx: CommandCtx, args: readonly string[]): CommandResult {
  const verb = args[0] ?? 'list';
  const names = podNamespaces(ctx.reader, ctx.place.machine);
  if (matches(verb, 'list') || matches(verb, 'show') || matches(verb, 'lst'))
    return out(names.map((n) => `${n}\n`).join(''));
  if (matches(verb, 'identify')) return fail('Cannot open network namespace: Permission denied', 1);
  if (matches(verb, 'exec')) {
    const [name, ...command] = args.slice(1);
    if (name === undefined) return fail('No netns name specified', 1);
    if (command.length === 0) return fail('No command specified', 1);
    const id = findNetns(ctx, name);
    if (id === undefined) return fail(`Cannot open network namespace "${name}": No such file or directory`, 255);
    return ctx.world?.runIn({ ...ctx.place, netns: id }, command, ctx.stdin) ?? fail('', 1);
  }
  return fail(`Command "${verb}" is unknown, try "ip netns help".`, 255);
}

/** A namespace of this machine by the name below /run/netns. */
function findNetns(ctx: CommandCtx, name: string): string | undefined {
  return ctx.reader
    .map(NETNS)
    .by('node', ctx.place.machine)
    .find((id) => id.includes('/') && netnsName(id) === name);
}

export const ip: Command = {
  name: 'ip',
  usage: 'ip [ OPTIONS ] OBJECT { COMMAND | help }',
  acts: (argv) => {
    const parsed = parseOptions(argv.slice(1));
    if (!parsed.ok) return false;
    const [, verb] = parsed.rest;
    return verb !== undefined && CHANGES.test(verb);
  },
  run,
  complete: ({ words, reader, place }) => {
    const rest = words.slice(1).filter((w) => !w.startsWith('-'));
    if (rest.length === 0) return ['address', 'route', 'link', 'neigh', 'rule', 'netns'];
    if (rest.length === 1) return ['show', 'add', 'del', 'set', 'get'];
    const netnsId = place.netns;
    if (netnsId === undefined) return [];
    if (rest[0]?.startsWith('r'))
      return rest.at(-1) === 'dev' ? interfaces(reader, netnsId).map((d) => d.name) : routeKeys(reader, netnsId);
    return ['dev', ...interfaces(reader, netnsId).map((d) => d.name)];
  },
};

const USAGE = `Usage: ip [ OPTIONS ] OBJECT { COMMAND | help }
       ip [ -force ] -batch filename
where  OBJECT := { address | addrlabel | amt | fou | help | ila | ioam | l2tp |
                   link | macsec | maddress | monitor | mptcp | mroute | mrule |
                   neighbor | neighbour | netconf | netns | nexthop | ntable |
                   ntbl | route | rule | sr | tap | tcpmetrics |
                   token | tunnel | tuntap | vrf | xfrm }
       OPTIONS := { -V[ersion] | -s[tatistics] | -d[etails] | -r[esolve] |
                    -h[uman-readable] | -iec | -j[son] | -p[retty] |
                    -f[amily] { inet | inet6 | mpls | bridge | link } |
                    -4 | -6 | -M | -B | -0 |
                    -l[oops] { maximum-addr-flush-attempts } | -br[ief] |
                    -o[neline] | -t[imestamp] | -ts[hort] | -b[atch] [filename] |
                    -rc[vbuf] [size] | -n[etns] name | -N[umeric] | -a[ll] |
                    -c[olor]}`;
