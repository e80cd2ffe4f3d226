import type { Command, CommandCtx, CommandResult } from '../command';

function run(ctx: CommandCtx): CommandResult {
  return ctx.netfilter.conntrack(ctx.place.netns ?? '', ctx.argv.slice(1), {
    reader: ctx.reader,
    version: ctx.place.packages === 'debian13' ? '1.4.8' : '1.4.7',
    uid: ctx.uid,
  });
}

export const conntrack: Command = {
  name: 'conntrack',
  usage: 'conntrack [commands] [options]',
  acts: (argv) => argv.slice(1).some((a) => /^-[DFIUA]|^--(?:delete|flush|create|update|add)/.test(a)),
  run,
  complete: ({ words, word }) => {
    if (words.at(-1) === '-p') return ['tcp', 'udp', 'icmp', 'sctp'];
    if (words.at(-1) === '--state') return ['ESTABLISHED', 'SYN_SENT', 'TIME_WAIT', 'CLOSE', 'CLOSE_WAIT'];
    return word.startsWith('-') || words.length === 1
      ? [
          '-L',
          '-C',
          '-S',
          '-D',
          '-F',
          '-E',
          '-p',
          '-s',
          '-d',
          '--orig-dst',
          '--orig-src',
          '--dport',
          '--sport',
          '--state',
          '-u',
          '-o',
          '--src-nat',
          '--dst-nat',
        ]
      : [];
  },
};
