import { type Command, type CommandCtx, type CommandResult, fail } from '../command';

/** ipset(8): 7.17 of Debian 12, 7.22 of Debian 13. */
function run(ctx: CommandCtx): CommandResult {
  if (
    ctx.uid !== 0 &&
    ctx.argv.length > 1 &&
    !ctx.argv.some((a) => ['-h', '-v', 'help', 'version', '--help', '--version'].includes(a))
  ) {
    return fail(
      `ipset ${ctx.place.packages === 'debian13' ? 'v7.22' : 'v7.17'}: Kernel error received: Operation not permitted`,
    );
  }
  const r = ctx.netfilter.ipset?.run(ctx.place.netns ?? '', ctx.argv.slice(1), ctx.stdin);
  if (!r) return fail('ipset: not available', 1);
  if (ctx.place.packages !== 'debian13') return r;
  return { ...r, stdout: r.stdout.replace('v7.17', 'v7.22'), stderr: r.stderr.replace('v7.17', 'v7.22') };
}

const LISTS = /^(?:list|-L|--list|save|-S|--save|test|-T|--test|help|-h|--help|version|-v|--version|-o|-t|-n|-s|-q)$/;

export const ipset: Command = {
  name: 'ipset',
  usage: 'ipset [options] COMMAND',
  acts: (argv) => argv.slice(1).length > 0 && !argv.slice(1).some((a) => LISTS.test(a)),
  run,
  complete: ({ words }) =>
    words.length === 1 ? ['list', 'save', 'create', 'add', 'del', 'test', 'flush', 'destroy'] : [],
};
