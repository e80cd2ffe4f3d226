import type { Command, CommandCtx, CommandResult } from '../command';
import { fail, out } from '../command';
import { MATCH_HELP, TARGET_HELP, USAGE } from './iptables/help';

export interface Variant {
  readonly family: 4 | 6;
  readonly backend: 'nft' | 'legacy';
}

/** What the program's name says: family and back end; plain names are the nft variant unless the alternative says legacy. */
export function variantOf(program: string, env: Readonly<Record<string, string>> = {}): Variant {
  const name = program.slice(program.lastIndexOf('/') + 1);
  const legacy = name.includes('-legacy') || (!name.includes('-nft') && env.XTABLES_VARIANT === 'legacy');
  return { family: name.startsWith('ip6') ? 6 : 4, backend: legacy ? 'legacy' : 'nft' };
}

export const versionOf = (ctx: CommandCtx): '1.8.9' | '1.8.11' =>
  ctx.place.packages === 'debian13' ? '1.8.11' : '1.8.9';

/** `iptables v1.8.9 (nf_tables)`: how a program of the family names itself. */
export function banner(ctx: CommandCtx, program: string): string {
  const v = variantOf(ctx.argv[0] as string, ctx.env);
  return `${v.family === 6 ? program.replace('iptables', 'ip6tables') : program} v${versionOf(ctx)} (${v.backend === 'nft' ? 'nf_tables' : 'legacy'})`;
}

/** Names of a program of the family in both families and back ends: `iptables-save`, `iptables-nft-save`, ... */
export const family = (suffix: string): string[] =>
  ['iptables', 'ip6tables'].flatMap((t) => ['', '-nft', '-legacy'].map((v) => `${t}${v}${suffix}`));

/** What an unprivileged user is told (exit 4). */
export function denied(ctx: CommandCtx, program: string): CommandResult | undefined {
  if (ctx.uid === 0) return undefined;
  if (variantOf(ctx.argv[0] as string, ctx.env).backend === 'legacy') {
    return fail("Fatal: can't open lock file /run/xtables.lock: Permission denied", 4);
  }
  return fail(
    `${banner(ctx, program)}: Could not fetch rule set generation id: Permission denied (you must be root)`,
    4,
  );
}

function run(ctx: CommandCtx): CommandResult {
  const args = ctx.argv.slice(1);
  const harmless = args.some((a) => a === '-V' || a === '--version' || a === '-h' || a === '--help');
  const refused = harmless ? undefined : denied(ctx, 'iptables');
  if (refused) return refused;
  const asked = help(ctx, args);
  if (asked) return asked;
  const v = variantOf(ctx.argv[0] as string, ctx.env);
  const r = ctx.netfilter.iptables(ctx.place.netns ?? '', args, { ...v, version: versionOf(ctx), reader: ctx.reader });
  return r;
}

/** `-h`, alone or with the extensions that it shall tell of too. */
function help(ctx: CommandCtx, args: readonly string[]): CommandResult | undefined {
  if (!args.some((a) => a === '-h' || a === '--help')) return undefined;
  const named = (...options: string[]): string[] =>
    args.flatMap((a, i) => (options.includes(args[i - 1] ?? '') ? [a] : []));
  const six = variantOf(ctx.argv[0] as string, ctx.env).family === 6;
  const usage = six ? sixUsage(USAGE) : USAGE;
  const known = [
    ...named('-j', '--jump').map((n) => TARGET_HELP[n]),
    ...named('-p', '--protocol').map((n) => MATCH_HELP[n]),
    ...named('-m', '--match').map((n) => MATCH_HELP[n]),
  ];
  return out(`${banner(ctx, 'iptables')}\n${usage}${known.map((t) => t ?? '').join('')}`);
}

const sixUsage = (text: string): string =>
  text
    .replace(/^((?:Usage:| {6}) )iptables/gm, '$1ip6tables')
    .replace('Nothing (line is ignored by ip6', 'Error (line is ignored by ip6')
    .replace('Error (line is ignored by iptables', 'Nothing (line is ignored by iptables')
    .replace(/^\[!\] --fragment.*\n/m, '');

/** Words that change rules or counters; everything else lists. */
const CHANGES = /^(?:-[a-zA-Z]*[ADIRFZNXPE]|--(?:app|del|ins|rep|flu|zer|new|pol|ren)\w*)/;
const FLAGS = [
  '-t',
  '-L',
  '-S',
  '-n',
  '-v',
  '-x',
  '-A',
  '-D',
  '-I',
  '-F',
  '-Z',
  '-P',
  '-N',
  '-X',
  '-j',
  '-p',
  '-s',
  '-d',
];
const MORE = ['-i', '-o', '-m', '--line-numbers', '--dport', '--sport'];
const TARGETS = ['ACCEPT', 'DROP', 'REJECT', 'RETURN', 'DNAT', 'SNAT', 'MASQUERADE', 'MARK'];

export const iptables: Command = {
  name: 'iptables',
  aliases: family('').filter((n) => n !== 'iptables'),
  usage: 'iptables [-t table] command [options]',
  acts: (argv) => argv.slice(1).some((a) => CHANGES.test(a)),
  run,
  complete: ({ words, word, reader, place, netfilter }) => {
    const prev = words.at(-1);
    if (prev === '-t') return ['nat', 'filter', 'mangle', 'raw', 'security'];
    if (word.startsWith('-')) return [...FLAGS, ...MORE];
    const table = words.includes('-t') ? words[words.indexOf('-t') + 1] : 'filter';
    const saved = netfilter.save(reader, place.netns ?? '', table === undefined ? {} : { table });
    const chains = [...saved.matchAll(/^:(\S+)/gm)].map((m) => m[1] as string);
    return prev === '-j' ? [...TARGETS, ...chains] : chains;
  },
};
