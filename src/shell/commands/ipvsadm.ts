import { type Command, type CommandCtx, type CommandResult, fail } from '../command';

/** ipvsadm(8) on a kernel without ip_vs: it tries to load the module and gives up before it reads its options. */
function run(ctx: CommandCtx): CommandResult {
  // The later set has no modprobe.
  const modprobe =
    ctx.place.packages === 'debian13'
      ? ''
      : `modprobe: FATAL: Module ip_vs not found in directory /lib/modules/${ctx.place.kernel.release}\n`;
  if (ctx.uid !== 0) {
    return fail(
      `${modprobe}Can't initialize ipvs: Permission denied (you must be root)\nAre you sure that IP Virtual Server is built in the kernel or as module?`,
      2,
    );
  }
  return fail(
    `${modprobe}Can't initialize ipvs: Protocol not available\nAre you sure that IP Virtual Server is built in the kernel or as module?`,
    2,
  );
}

export const ipvsadm: Command = {
  name: 'ipvsadm',
  aliases: ['ipvsadm-save'],
  usage: 'ipvsadm COMMAND [protocol] service-address',
  acts: () => false,
  run,
};
