import { type Command, type CommandCtx, type CommandResult, fail, out } from '../command';
import { getopt } from '../format/getopt';

/** nsenter(1) of util-linux: processes have no numbers that it could enter, so that it ends with its own messages. */
function run(ctx: CommandCtx): CommandResult {
  const { options, args, error } = getopt(ctx.argv, {
    short: '+ahVt:m::u::i::n::p::C::U::T::S:G:r::w::W:FZ',
    long: {
      all: false,
      help: false,
      version: false,
      target: true,
      mount: 'maybe',
      uts: 'maybe',
      ipc: 'maybe',
      net: 'maybe',
      pid: 'maybe',
      cgroup: 'maybe',
      user: 'maybe',
      time: 'maybe',
      setuid: true,
      setgid: true,
      root: 'maybe',
      wd: 'maybe',
      wdns: true,
      'no-fork': false,
      'preserve-credentials': false,
      'follow-context': false,
    },
  });
  if (error) return fail(`nsenter: ${error}\nTry 'nsenter --help' for more information.`);
  const has = (...n: string[]): boolean => options.some((o) => n.includes(o.name));
  if (has('help', 'h')) return out(USAGE);
  if (has('version', 'V')) return out('nsenter from util-linux 2.38.1\n');
  const target = options.find((o) => o.name === 't' || o.name === 'target')?.value;
  if (target !== undefined && !/^\d+$/.test(target)) return fail(`nsenter: failed to parse pid: '${target}'`);
  if (target === undefined) {
    if (has('n', 'net')) return fail('nsenter: neither filename nor target pid supplied for ns/net');
    return fail('nsenter: no target PID specified for --all');
  }
  if (ctx.uid !== 0) return fail(`nsenter: cannot open /proc/${target}/ns/net: Permission denied`);
  if (target !== '1') return fail(`nsenter: cannot open /proc/${target}/ns/net: No such file or directory`);
  return ctx.world?.runIn(ctx.place, args, ctx.stdin) ?? fail('');
}

export const nsenter: Command = {
  name: 'nsenter',
  usage: 'nsenter [options] [<program> [<argument>...]]',
  acts: () => true,
  run,
};

const USAGE = `
Usage:
 nsenter [options] [<program> [<argument>...]]

Run a program with namespaces of other processes.

Options:
 -a, --all              enter all namespaces
 -t, --target <pid>     target process to get namespaces from
 -m, --mount[=<file>]   enter mount namespace
 -u, --uts[=<file>]     enter UTS namespace (hostname etc)
 -i, --ipc[=<file>]     enter System V IPC namespace
 -n, --net[=<file>]     enter network namespace
 -p, --pid[=<file>]     enter pid namespace
 -C, --cgroup[=<file>]  enter cgroup namespace
 -U, --user[=<file>]    enter user namespace
 -T, --time[=<file>]    enter time namespace
 -S, --setuid <uid>     set uid in entered namespace
 -G, --setgid <gid>     set gid in entered namespace
     --preserve-credentials do not touch uids or gids
 -r, --root[=<dir>]     set the root directory
 -w, --wd[=<dir>]       set the working directory
 -W. --wdns <dir>       set the working directory in namespace
 -F, --no-fork          do not fork before exec'ing <program>
 -Z, --follow-context   set SELinux context according to --target PID

 -h, --help             display this help
 -V, --version          display version

For more details see nsenter(1).
`;
