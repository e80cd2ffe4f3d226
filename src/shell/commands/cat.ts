import { type Command, type CommandCtx, type CommandResult, fail } from '../command';
import { strerror } from '../format/errno';

/**
 * Reads files of a place. The shell language has a cat of its own; this one is what its file system asks for the
 * contents of /proc, /sys and /etc, so that they are read at the terminal's cursor.
 */
function run(ctx: CommandCtx): CommandResult {
  let stdout = '';
  let stderr = '';
  for (const path of ctx.argv.slice(1)) {
    const file = path === '-' ? { text: ctx.stdin } : ctx.files.read(path);
    if ('text' in file) stdout += file.text;
    else stderr += `cat: ${path}: ${strerror(file.errno)}\n`;
  }
  if (ctx.argv.length === 1) stdout = ctx.stdin;
  return stderr === '' ? { stdout, stderr, exit: 0 } : fail(stderr, 1, stdout);
}

export const cat: Command = { name: 'cat', usage: 'cat [FILE]...', acts: () => false, run };
