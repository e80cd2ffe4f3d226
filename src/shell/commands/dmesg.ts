import { KLOG } from '../../engine/net';
import { type Command, type CommandCtx, type CommandResult, fail, out } from '../command';
import { nowSeconds } from '../format/clock';
import { getopt } from '../format/getopt';
import { formatCtime } from '../format/time';

/** dmesg(1) of util-linux: the kernel log of the machine, with seconds since its boot. */
function run(ctx: CommandCtx): CommandResult {
  const { options, error } = getopt(ctx.argv, {
    short: 'CcDdEeF:f:HhJKkLl::n:PprSs:TtuVwWx',
    long: {
      ctime: false,
      notime: false,
      help: false,
      version: false,
      follow: false,
      clear: false,
      human: false,
      level: true,
      facility: true,
      decode: false,
      kernel: false,
      nopager: false,
      raw: false,
    },
  });
  if (error) return fail(`dmesg: ${error}\nTry 'dmesg --help' for more information.`);
  const has = (...n: string[]): boolean => options.some((o) => n.includes(o.name));
  if (has('help', 'h')) return out(USAGE);
  if (has('version', 'V'))
    return out(`dmesg from util-linux ${ctx.place.packages === 'debian13' ? '2.41' : '2.38.1'}\n`);
  const map = ctx.reader.map(KLOG);
  const epoch = nowSeconds(ctx.reader) - Math.floor(ctx.reader.nowUs / 1_000_000);
  const text = map.by('node', ctx.place.machine).map((k) => {
    const r = map.get(k);
    if (!r) return '';
    if (has('t', 'notime')) return `${r.line}\n`;
    if (has('T', 'ctime')) return `[${formatCtime(epoch + Math.floor(r.atUs / 1_000_000))}] ${r.line}\n`;
    const us = r.atUs - ctx.place.kernel.bootUs;
    return `[${String(Math.floor(us / 1_000_000)).padStart(5)}.${String(us % 1_000_000).padStart(6, '0')}] ${r.line}\n`;
  });
  return out(text.join(''));
}

export const dmesg: Command = { name: 'dmesg', usage: 'dmesg [options]', acts: () => false, run };

const USAGE = `
Usage:
 dmesg [options]

Display or control the kernel ring buffer.

Options:
 -C, --clear                 clear the kernel ring buffer
 -c, --read-clear            read and clear all messages
 -D, --console-off           disable printing messages to console
 -E, --console-on            enable printing messages to console
 -F, --file <file>           use the file instead of the kernel log buffer
 -f, --facility <list>       restrict output to defined facilities
 -H, --human                 human readable output
 -k, --kernel                display kernel messages
 -l, --level <list>          restrict output to defined levels
 -r, --raw                   print the raw message buffer
 -T, --ctime                 show human-readable timestamp
 -t, --notime                don't show any timestamp with messages
 -w, --follow                wait for new messages
 -x, --decode                decode facility and level to readable string

 -h, --help                  display this help
 -V, --version               display version

For more details see dmesg(1).
`;
