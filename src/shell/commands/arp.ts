import { NEIGHS } from '../../engine/net';
import { type Command, type CommandCtx, type CommandResult, out } from '../command';

/** arp(8) -n of net-tools. */
function run(ctx: CommandCtx): CommandResult {
  const map = ctx.reader.map(NEIGHS);
  const rows = map.by('netns', ctx.place.netns ?? '').map((k) => {
    const n = map.get(k);
    if (!n) return '';
    const dev = n.dev.slice(n.dev.lastIndexOf(':') + 1);
    if (n.mac === undefined) return `${n.ip.padEnd(24)} ${''.padEnd(7)} (incomplete)${' '.repeat(30)} ${dev}\n`;
    return `${n.ip.padEnd(24)} ether   ${n.mac.padEnd(19)} ${(n.state === 'PERMANENT' ? 'CM' : 'C').padEnd(21)} ${dev}\n`;
  });
  return out(`Address                  HWtype  HWaddress           Flags Mask            Iface\n${rows.join('')}`);
}

export const arp: Command = { name: 'arp', usage: 'arp [-n]', acts: () => false, run };
