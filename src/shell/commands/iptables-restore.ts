import { type Command, type CommandCtx, type CommandResult, fail, out } from '../command';
import { getopt } from '../format/getopt';
import { banner, denied, family, variantOf, versionOf } from './iptables';

/** iptables-restore(8): reads a file or stdin and replaces tables (or adds to them with -n) as one transaction. */
function run(ctx: CommandCtx): CommandResult {
  const v = variantOf(ctx.argv[0] as string, ctx.env);
  const name = v.family === 6 ? 'ip6tables-restore' : 'iptables-restore';
  const { options, args, error } = getopt(ctx.argv, {
    short: 'bcvVthnwWT:M:46',
    long: {
      counters: false,
      verbose: false,
      version: false,
      test: false,
      help: false,
      noflush: false,
      modprobe: true,
      table: true,
      wait: 'maybe',
      'wait-interval': 'maybe',
      ipv4: false,
      ipv6: false,
    },
  });
  const has = (...n: string[]): boolean => options.some((o) => n.includes(o.name));
  if (error) return fail(`${name}: ${error}\nTry \`${name} -h' for more information.`);
  if (has('V', 'version')) return out(`${banner(ctx, 'iptables-restore')}\n`);
  if (has('h', 'help')) return { stdout: '', stderr: usage(v.backend), exit: 0 };
  const refused = denied(ctx, 'iptables-restore');
  if (refused) return refused;
  if (args.length > 1) return fail(`Unknown arguments found on commandline`);
  let text = ctx.stdin;
  if (args[0] !== undefined) {
    const file = ctx.files.read(args[0]);
    if (!('text' in file)) return fail(`Can't open ${args[0]}: No such file or directory`);
    text = file.text;
  }
  const table = options.find((o) => o.name === 'T' || o.name === 'table')?.value;
  const r = ctx.netfilter.restore(ctx.place.netns ?? '', text, {
    ...v,
    ...(table === undefined ? {} : { table }),
    noflush: has('n', 'noflush'),
    verbose: has('v', 'verbose'),
    version: versionOf(ctx),
    counters: has('c', 'counters'),
    test: has('t', 'test'),
    by: name,
  });
  if (r.ok) return out(r.stdout ?? '');
  return fail(r.message.replace('v1.8.9 (', `v${versionOf(ctx)} (`), r.exit);
}

const usage = (backend: 'nft' | 'legacy'): string =>
  backend === 'nft'
    ? `Usage: iptables-restore [-c] [-v] [-V] [-t] [-h] [-n] [-T table] [-M command] [-4] [-6] [file]
	   [ --counters ]
	   [ --verbose ]
	   [ --version]
	   [ --test ]
	   [ --help ]
	   [ --noflush ]
	   [ --table=<TABLE> ]
	   [ --modprobe=<command> ]
	   [ --ipv4 ]
	   [ --ipv6 ]
`
    : `Usage: iptables-restore [-c] [-v] [-V] [-t] [-h] [-n] [-w secs] [-W usecs] [-T table] [-M command] [file]
	   [ --counters ]
	   [ --verbose ]
	   [ --version]
	   [ --test ]
	   [ --help ]
	   [ --noflush ]
	   [ --wait=<seconds>
	   [ --table=<TABLE> ]
	   [ --modprobe=<command> ]
`;

export const iptablesRestore: Command = {
  name: 'iptables-restore',
  aliases: family('-restore').filter((n) => n !== 'iptables-restore'),
  usage: 'iptables-restore [-c] [-n] [file]',
  acts: () => true,
  run,
};
