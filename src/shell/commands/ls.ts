import { byCodeUnit } from '../../engine/base';
import { type Command, type CommandCtx, type CommandResult, fail } from '../command';

/** Lists directories of a place for the shell language's file system; one name a line. */
function run(ctx: CommandCtx): CommandResult {
  let stdout = '';
  let stderr = '';
  for (const path of ctx.argv.slice(1).filter((a) => !a.startsWith('-'))) {
    const names = ctx.files.list(path);
    if (names)
      stdout += [...names]
        .sort(byCodeUnit)
        .map((n) => `${n}\n`)
        .join('');
    else if ('text' in ctx.files.read(path)) stdout += `${path}\n`;
    else stderr += `ls: cannot access '${path}': No such file or directory\n`;
  }
  return stderr === '' ? { stdout, stderr, exit: 0 } : fail(stderr, 2, stdout);
}

export const ls: Command = { name: 'ls', usage: 'ls [FILE]...', acts: () => false, run };
