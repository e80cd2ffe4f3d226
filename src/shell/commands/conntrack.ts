import type { Command, CommandCtx, CommandResult } from '../command';

/** How long `-E` listens when nobody interrupts it (us). */
const LISTEN_US = 10_000_000;
const LISTENS = /^(?:-E|--event)/;

function run(ctx: CommandCtx): CommandResult {
  const sinceUs = ctx.reader.nowUs;
  const words = ctx.argv.slice(1);
  if (ctx.uid === 0 && words.some((a) => LISTENS.test(a))) {
    // Wrong options end it at once.
    const tried = answer(ctx, sinceUs);
    if (tried.exit !== 0) return tried;
    ctx.world?.advance(ctx.interruptUs ?? LISTEN_US);
  }
  return answer(ctx, sinceUs);
}

function answer(ctx: CommandCtx, sinceUs: number): CommandResult {
  return ctx.netfilter.conntrack(ctx.place.netns ?? '', ctx.argv.slice(1), {
    reader: ctx.reader,
    version: ctx.place.packages === 'debian13' ? '1.4.8' : '1.4.7',
    uid: ctx.uid,
    sinceUs,
  });
}

export const conntrack: Command = {
  name: 'conntrack',
  usage: 'conntrack [commands] [options]',
  acts: (argv) => argv.slice(1).some((a) => /^-[DFIUAE]|^--(?:delete|flush|create|update|add|event)/.test(a)),
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
