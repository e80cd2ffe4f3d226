import { type Command, type CommandCtx, type CommandResult, fail } from '../command';
import { strerror } from '../format/errno';
import { keyOf } from './sysctl';

/** Writes to kernel files: what the shell language's file system does for `echo 1 > /proc/sys/...`. */
function run(ctx: CommandCtx): CommandResult {
  let stderr = '';
  for (const path of ctx.argv.slice(1).filter((a) => !a.startsWith('-'))) {
    const errno = writeKernelFile(ctx, path, ctx.stdin);
    if (errno !== undefined) stderr += `tee: ${path}: ${strerror(errno)}\n`;
  }
  return stderr === '' ? { stdout: ctx.stdin, stderr, exit: 0 } : fail(stderr, 1, ctx.stdin);
}

function writeKernelFile(ctx: CommandCtx, path: string, text: string): string | undefined {
  if (!path.startsWith('/proc/sys/')) return 'EACCES';
  const netns = ctx.place.netns ?? '';
  const key = keyOf(path);
  if (ctx.sysctl.get(netns, key) === undefined) return 'ENOENT';
  if (ctx.place.readOnlySys) return 'EROFS';
  if (ctx.uid !== 0 || !ctx.sysctl.writable(netns, key)) return 'EACCES';
  // Opening the file for writing empties it: nothing to set yet.
  if (text === '') return undefined;
  return ctx.world?.setSysctl(netns, key, text.replace(/\n$/, ''));
}

export const tee: Command = { name: 'tee', usage: 'tee [FILE]...', acts: () => true, run };
