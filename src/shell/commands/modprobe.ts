import { type Command, type CommandCtx, type CommandResult, fail, out } from '../command';
import { getopt } from '../format/getopt';

/** modprobe(8) of kmod 30: silent for modules that the kernel has or that can be loaded. */
function run(ctx: CommandCtx): CommandResult {
  const { options, args, error } = getopt(ctx.argv, {
    short: 'arRibfDcnC:d:S:sqvVh',
    long: {
      all: false,
      remove: false,
      'dry-run': false,
      'show-depends': false,
      quiet: false,
      verbose: false,
      version: false,
      help: false,
      'first-time': false,
    },
  });
  if (error) return fail(`modprobe: ${error}`);
  const has = (...n: string[]): boolean => options.some((o) => n.includes(o.name));
  if (has('V', 'version')) return out('kmod version 30\n+ZSTD +XZ -ZLIB +LIBCRYPTO -EXPERIMENTAL\n');
  if (args.length === 0) return fail('modprobe: ERROR: missing parameters. See -h.');
  const { modules, available, release } = ctx.place.kernel;
  const known = (m: string): boolean => available.includes(m) || (modules ?? []).some(([n]) => n === m);
  const all = has('a', 'all');
  const wanted = all ? args : args.slice(0, 1);
  const lost = wanted.filter((m) => !known(m.replaceAll('-', '_')));
  if (lost.length === 0) return out('');
  const quiet = has('q', 'quiet');
  if (quiet) return fail('', 1);
  return fail(
    lost
      .map((m) => `modprobe: ${all ? 'WARNING' : 'FATAL'}: Module ${m} not found in directory /lib/modules/${release}`)
      .join('\n'),
  );
}

export const modprobe: Command = {
  name: 'modprobe',
  usage: 'modprobe [options] [-a] modulename...',
  acts: () => false,
  run,
};
