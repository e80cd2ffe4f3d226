import { type Command, type CommandCtx, type CommandResult, fail } from '../command';

/** rmmod(8): modules of the model are in use or not loaded. */
function run(ctx: CommandCtx): CommandResult {
  const name = ctx.argv.slice(1).find((a) => !a.startsWith('-'));
  if (name === undefined) return fail('rmmod: ERROR: missing module name.');
  const loaded = (ctx.place.kernel.modules ?? []).some(([n]) => n === name);
  return fail(
    loaded ? `rmmod: ERROR: Module ${name} is in use` : `rmmod: ERROR: Module ${name} is not currently loaded`,
  );
}

export const rmmod: Command = { name: 'rmmod', usage: 'rmmod MODULE', acts: () => false, run };
