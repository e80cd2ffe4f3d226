import { type Command, type CommandCtx, type CommandResult, fail } from '../command';

function run(ctx: CommandCtx): CommandResult {
  const name = ctx.argv.slice(1).find((a) => !a.startsWith('-'));
  if (name === undefined) return fail('insmod: ERROR: missing filename.');
  return fail(`insmod: ERROR: could not load module ${name}: No such file or directory`);
}

export const insmod: Command = { name: 'insmod', usage: 'insmod FILE', acts: () => false, run };
