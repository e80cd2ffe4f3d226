import { type Command, type CommandCtx, type CommandResult, fail, out } from '../command';
import { nowSeconds } from '../format/clock';
import { parseRfc3339, strftime } from '../format/time';

/** date(1) of coreutils on the simulated clock; TZ is UTC. */
function run(ctx: CommandCtx): CommandResult {
  let seconds = nowSeconds(ctx.reader);
  let micros = ctx.reader.nowUs % 1_000_000;
  let format = '%a %b %e %H:%M:%S %Z %Y';
  const args = ctx.argv.slice(1);
  for (let i = 0; i < args.length; i++) {
    const a = args[i] as string;
    if (a.startsWith('+')) format = a.slice(1);
    else if (a === '-u' || a === '--utc' || a === '--universal') continue;
    else if (a === '-R' || a === '--rfc-email') format = '%a, %d %b %Y %H:%M:%S +0000';
    else if (a === '-I' || a === '--iso-8601' || a === '-Idate') format = '%Y-%m-%d';
    else if (a === '-Iseconds' || a === '--iso-8601=seconds') format = '%Y-%m-%dT%H:%M:%S+00:00';
    else if (a === '-d' || a.startsWith('--date=')) {
      const text = a === '-d' ? (args[++i] ?? '') : a.slice(7);
      const at = /^@(\d+)$/.exec(text);
      const parsed = at ? Number(at[1]) : text === 'now' ? seconds : parseRfc3339(text);
      if (parsed === undefined) return fail(`date: invalid date ‘${text}’`);
      if (text !== 'now') micros = 0;
      seconds = parsed;
    } else if (a.startsWith('-')) {
      const what = a.startsWith('--') ? `unrecognized option '${a}'` : `invalid option -- '${a.charAt(1)}'`;
      return fail(`date: ${what}\nTry 'date --help' for more information.`);
    } else return fail(`date: invalid date ‘${a}’`);
  }
  return out(`${strftime(format, seconds, micros)}\n`);
}

export const date: Command = { name: 'date', usage: 'date [OPTION]... [+FORMAT]', acts: () => false, run };
