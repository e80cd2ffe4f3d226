import { ipFamily } from '../../../engine/base';
import { NEIGHS, type NeighRecord, type NetDevice } from '../../../engine/net';
import { type CommandCtx, type CommandResult, fail, out } from '../../command';
import { matches } from './args';
import { interfaces, linkFlags, neighState, peerOf, qdisc } from './model';
import { tableRoutes } from './route';

/** ip of busybox (networking/libiproute): the listings, in its own words. */
export function busyboxIp(ctx: CommandCtx): CommandResult {
  const words = ctx.argv.slice(1).filter((a) => !a.startsWith('-'));
  const [object = '', verb = 'show', ...rest] = words;
  if (!['show', 'list', 'lst'].some((v) => matches(verb, v))) return fail(`ip: invalid argument '${verb}' to 'ip'`, 1);
  const dev = rest.at(-1);
  const all = interfaces(ctx.reader, ctx.place.netns ?? '');
  const devs = dev === undefined ? all : all.filter((d) => d.name === dev);
  if (dev !== undefined && devs.length === 0) return fail(`ip: can't find device '${dev}'`, 1);
  if (matches(object, 'address')) return out(devs.map((d) => link(ctx, d, all) + addresses(d)).join(''));
  if (matches(object, 'link')) return out(devs.map((d) => link(ctx, d, all)).join(''));
  if (matches(object, 'route')) return out(routes(ctx, dev));
  if (matches(object, 'neighbour') || matches(object, 'neighbor')) return out(neighbours(ctx, dev));
  return { stdout: '', stderr: USAGE, exit: 1 };
}

/** print_linkinfo; the other end of a veth is looked up among the indexes of this namespace. */
function link(ctx: CommandCtx, d: NetDevice, all: readonly NetDevice[]): string {
  const peer = peerOf(ctx.reader, d);
  const here = peer && all.find((x) => x.ifindex === peer.ifindex);
  const name = peer ? `${d.name}@${here?.name ?? `if${peer.ifindex}`}` : d.name;
  const flags = linkFlags(ctx.reader, d).filter((f) => f !== 'M-DOWN');
  if (peer && here?.up !== true) flags.push('M-DOWN');
  const master = d.master === undefined ? '' : ` master ${d.master.slice(d.master.lastIndexOf(':') + 1)}`;
  const [kind, mac, brd] =
    d.kind === 'lo' ? ['loopback', '00:00:00:00:00:00', '00:00:00:00:00:00'] : ['ether', d.mac, 'ff:ff:ff:ff:ff:ff'];
  return `${d.ifindex}: ${name}: <${flags.join(',')}> mtu ${d.mtu} qdisc ${qdisc(d)}${master} qlen 1000\n    link/${kind} ${mac} brd ${brd}\n`;
}

function addresses(d: NetDevice): string {
  return d.addrs
    .map((a) => {
      const six = ipFamily(a.ip) === 6;
      const scope = a.scope ?? (d.kind === 'lo' ? 'host' : 'global');
      return `    inet${six ? '6' : ''} ${a.ip}/${a.prefix} scope ${scope} ${six ? '' : d.name}\n       valid_lft forever preferred_lft forever\n`;
    })
    .join('');
}

function routes(ctx: CommandCtx, dev: string | undefined): string {
  return tableRoutes(ctx.reader, ctx.place.netns ?? '', 'main')
    .map((r) => ({ r, name: r.dev === undefined ? '' : r.dev.slice(r.dev.lastIndexOf(':') + 1) }))
    .filter(({ name }) => dev === undefined || name === dev)
    .map(({ r, name }) => {
      const type = r.kind === 'unicast' ? '' : `${r.kind} `;
      const dst = r.prefix === 0 ? 'default' : r.prefix === 32 ? r.dst : `${r.dst}/${r.prefix}`;
      const via = r.via === undefined ? '' : `via ${r.via} `;
      const at = name === '' ? '' : `dev ${name} `;
      const scope = r.scope === 'global' ? '' : `scope ${r.scope} `;
      const src = r.prefsrc === undefined ? '' : ` src ${r.prefsrc} `;
      return `${type}${dst} ${via}${at}${scope}${src}${r.metric === 0 ? '' : ` metric ${r.metric} `}\n`;
    })
    .join('');
}

function neighbours(ctx: CommandCtx, dev: string | undefined): string {
  const map = ctx.reader.map(NEIGHS);
  return map
    .by('netns', ctx.place.netns ?? '')
    .map((k) => map.get(k) as NeighRecord)
    .map((n) => ({ n, name: n.dev.slice(n.dev.lastIndexOf(':') + 1) }))
    .filter(({ name }) => dev === undefined || name === dev)
    .map(({ n, name }) => {
      const at = dev === undefined ? ` dev ${name}` : '';
      return `${n.ip}${at}${n.mac === undefined ? ' ' : ` lladdr ${n.mac}`} used 0/0/0 probes ${n.state === 'FAILED' ? 6 : 0} ${neighState(ctx.reader, n)}\n`;
    })
    .join('');
}

const USAGE = `Usage: ip [OPTIONS] address|route|link|neigh|rule [ARGS]

OPTIONS := -f[amily] inet|inet6|link | -o[neline]

ip addr add|del IFADDR dev IFACE | show|flush [dev IFACE] [to PREFIX]
ip route list|flush|add|del|change|append|replace|test ROUTE
ip link set IFACE [up|down] [arp on|off] [multicast on|off]
ip neigh show|flush [to PREFIX] [dev DEV] [nud STATE]
ip rule [list] | add|del SELECTOR ACTION
`;
