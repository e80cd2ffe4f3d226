import { type Command, type CommandCtx, type CommandResult, out } from '../command';
import { tableRoutes } from './ip/route';

/** route(8) and `netstat -r` of net-tools: the main table in its old columns. */
export function kernelRoutes(ctx: CommandCtx, netstat: boolean): string {
  const head = netstat
    ? 'Destination     Gateway         Genmask         Flags   MSS Window  irtt Iface'
    : 'Destination     Gateway         Genmask         Flags Metric Ref    Use Iface';
  const rows = tableRoutes(ctx.reader, ctx.place.netns ?? '', 'main').map((r) => {
    const mask = r.prefix === 0 ? 0 : (0xffffffff << (32 - r.prefix)) >>> 0;
    const genmask = [24, 16, 8, 0].map((n) => (mask >>> n) & 255).join('.');
    const reject = ['unreachable', 'prohibit', 'blackhole'].includes(r.kind);
    const flags = reject ? '!' : `U${r.via === undefined ? '' : 'G'}${r.prefix === 32 ? 'H' : ''}`;
    const dev = r.dev === undefined ? '-' : r.dev.slice(r.dev.lastIndexOf(':') + 1);
    const left = `${r.dst.padEnd(15)} ${(r.via ?? (reject ? '-' : '0.0.0.0')).padEnd(15)} ${genmask.padEnd(15)} ${flags.padEnd(5)}`;
    return netstat ? `${left}     0 0          0 ${dev}` : `${left} ${String(r.metric).padEnd(6)} 0        0 ${dev}`;
  });
  return ['Kernel IP routing table', head, ...rows].map((l) => `${l}\n`).join('');
}

const run = (ctx: CommandCtx): CommandResult => out(kernelRoutes(ctx, false));

export const route: Command = { name: 'route', usage: 'route [-n]', acts: () => false, run };
