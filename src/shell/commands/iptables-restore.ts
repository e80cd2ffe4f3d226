import { type Command, type CommandCtx, type CommandResult, fail, out } from '../command';
import { getopt } from '../format/getopt';
import { banner, denied, family, type Variant, variantOf, versionOf } from './iptables';

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
  const noflush = has('n', 'noflush');
  const emptied = has('v', 'verbose') && !noflush ? emptying(ctx, text, v) : new Map<string, string>();
  const r = ctx.netfilter.restore(ctx.place.netns ?? '', text, {
    ...v,
    ...(table === undefined ? {} : { table }),
    noflush,
    counters: has('c', 'counters'),
    test: has('t', 'test'),
    by: name,
  });
  if (r.ok) return out(has('v', 'verbose') && !has('t', 'test') ? verbose(ctx, text, v, emptied) : '');
  return fail(r.message.replace('v1.8.9 (', `v${versionOf(ctx)} (`), r.exit);
}

/** `-v`: chains that go, by table. */
function emptying(ctx: CommandCtx, text: string, v: Variant): Map<string, string> {
  const tables = [...text.matchAll(/^\*(\S+)/gm)].map((m) => m[1] as string);
  return new Map(
    tables.map((table) => {
      const saved = ctx.netfilter.save(ctx.reader, ctx.place.netns ?? '', { table, ...v });
      const chains = [...saved.matchAll(/^:(\S+) (\S+)/gm)].map((m) => ({ name: m[1] as string, own: m[2] === '-' }));
      const say = (what: string, c: { name: string }): string => `${what} chain \`${c.name}'\n`;
      const gone = chains.filter((c) => c.own).map((c) => say('Deleting', c));
      return [table, chains.map((c) => say('Flushing', c)).join('') + gone.join('')];
    }),
  );
}

/** `-v`: what went, and each rule as `iptables -v -A` prints it. */
function verbose(ctx: CommandCtx, text: string, v: Variant, emptied: ReadonlyMap<string, string>): string {
  let table = 'filter';
  let said = '';
  for (const line of text.split('\n')) {
    const named = /^\*(\S+)/.exec(line)?.[1];
    if (named !== undefined) {
      table = named;
      said += emptied.get(table) ?? '';
    }
    const rule = /^(?:\[\d+:\d+\] )?-A (.*)$/.exec(line)?.[1];
    if (rule === undefined) continue;
    const words = [...rule.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map((m) => m[1] ?? (m[2] as string));
    const argv = ['-t', table, '-v', '-C', ...words];
    said += ctx.netfilter.iptables(ctx.place.netns ?? '', argv, {
      ...v,
      version: versionOf(ctx),
      reader: ctx.reader,
    }).stdout;
  }
  return said;
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
