import { NF_TABLES } from '../../engine/netfilter';
import { type Command, type CommandCtx, type CommandResult, fail, out } from '../command';
import { nowSeconds } from '../format/clock';
import { getopt } from '../format/getopt';
import { formatCtime } from '../format/time';
import { banner, denied, family, variantOf, versionOf } from './iptables';

const TABLES = ['filter', 'nat', 'mangle', 'raw', 'security'];

/** iptables-save(8): every table under a header with the time, or one of them. */
function run(ctx: CommandCtx): CommandResult {
  const v = variantOf(ctx.argv[0] as string, ctx.env);
  const { options, args, error } = getopt(ctx.argv, {
    short: 'bcdt:M:f:46V',
    long: {
      counters: false,
      version: false,
      dump: false,
      table: true,
      modprobe: true,
      file: true,
      ipv4: false,
      ipv6: false,
    },
  });
  if (error) return fail(`iptables-save: ${error}\nLook at manual page \`iptables-save.8' for more information.`);
  if (args.length > 0) return fail('Unknown arguments found on commandline');
  const value = (...n: string[]): string | undefined => options.filter((o) => n.includes(o.name)).at(-1)?.value;
  const has = (...n: string[]): boolean => options.some((o) => n.includes(o.name));
  if (has('V', 'version')) return out(`${banner(ctx, 'iptables-save')}\n`);
  if (ctx.uid !== 0 && v.backend === 'legacy') {
    return fail('Failed to list table names in /proc/net/ip_tables_names: Permission denied');
  }
  const refused = denied(ctx, 'iptables-save');
  if (refused) return refused;
  const table = value('t', 'table');
  if (table !== undefined && !TABLES.includes(table)) {
    return v.backend === 'nft'
      ? fail(`Table \`${table}' does not exist`)
      : fail(`${banner(ctx, 'iptables-save')}: Cannot initialize: Table does not exist (do you need to insmod?)`);
  }
  const text = ctx.netfilter.save(ctx.reader, ctx.place.netns ?? '', {
    ...v,
    ...(table === undefined ? {} : { table }),
    counters: has('c', 'counters'),
    header: true,
    version: versionOf(ctx),
    date: formatCtime(nowSeconds(ctx.reader)),
  });
  const path = value('f', 'file');
  const stderr = v.backend === 'nft' && hasLegacy(ctx, v.family) ? LEGACY[v.family] : '';
  return path === undefined
    ? { stdout: text, stderr, exit: 0 }
    : { stdout: '', stderr, exit: 0, files: { [path]: text } };
}

const LEGACY = {
  4: '# Warning: iptables-legacy tables present, use iptables-legacy-save to see them\n',
  6: '# Warning: ip6tables-legacy tables present, use ip6tables-legacy-save to see them\n',
};

/** Whether the other back end's tables exist too. */
function hasLegacy(ctx: CommandCtx, family: 4 | 6): boolean {
  const map = ctx.reader.map(NF_TABLES);
  return map.by('netns', ctx.place.netns ?? '').some((k) => {
    const t = map.get(k);
    return t?.backend === 'legacy' && t.family === family;
  });
}

export const iptablesSave: Command = {
  name: 'iptables-save',
  aliases: family('-save').filter((n) => n !== 'iptables-save'),
  usage: 'iptables-save [-c] [-t table]',
  acts: () => false,
  run,
  complete: () => ['-t', '-c', 'nat', 'filter', 'mangle', 'raw'],
};
