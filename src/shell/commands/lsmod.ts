import { type Command, type CommandCtx, type CommandResult, fail, out } from '../command';

/** lsmod(8) of kmod 30. */
function run(ctx: CommandCtx): CommandResult {
  const modules = ctx.place.kernel.modules;
  if (modules === undefined) {
    return fail(
      'libkmod: ERROR ../libkmod/libkmod-module.c:1725 kmod_module_new_from_loaded: could not open /proc/modules: No such file or directory\nError: could not get list of modules: No such file or directory',
    );
  }
  const rows = modules.map(
    ([name, size, users]) =>
      `${name.padEnd(19)} ${String(size).padStart(7)}  ${users.length}${users.length > 0 ? ` ${users.join(',')}` : ''}\n`,
  );
  return out(`Module                  Size  Used by\n${rows.join('')}`);
}

export const lsmod: Command = { name: 'lsmod', usage: 'lsmod', acts: () => false, run };
