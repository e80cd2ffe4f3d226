import { type Command, type CommandCtx, type CommandResult, fail, out } from '../command';

/** modinfo(8) for modules that the kernel can load. */
function run(ctx: CommandCtx): CommandResult {
  const name = ctx.argv.slice(1).find((a) => !a.startsWith('-'));
  if (name === undefined) return fail('modinfo: ERROR: missing module or filename.');
  const { available, modules, release } = ctx.place.kernel;
  if (!available.includes(name) && !(modules ?? []).some(([n]) => n === name))
    return fail(`modinfo: ERROR: Module ${name} not found.`);
  return out(`filename:       /lib/modules/${release}/kernel/${name}.ko\nname:           ${name}\n`);
}

export const modinfo: Command = { name: 'modinfo', usage: 'modinfo MODULE', acts: () => false, run };
