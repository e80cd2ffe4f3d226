import type { DnsMsg } from '../../message';
import { rcodeNumber } from '../../message';
import { sleep, type Task } from '../../tasks';
import { CorefileError } from '../corefile';
import { durationText, parseDuration } from '../duration';
import {
  type Controller,
  ERR_ONCE,
  type Handler,
  logLine,
  nextOrFailure,
  type PluginSpec,
  type ProcessEnv,
  qnameOf,
  qtypeOf,
  type Serve,
  type ServeCtx,
  type Writer,
} from '../plugin';
import { goRegExp } from '../regexp';

interface Pattern {
  readonly periodUs: number;
  readonly source: string;
  readonly re: RegExp;
  readonly level: 'INFO' | 'WARNING' | 'ERROR' | 'DEBUG';
  readonly showFirst: boolean;
  count: number;
}

/** Prints what went wrong while a query was answered; may fold errors that look alike (plugin/errors). */
class Errors implements Handler {
  readonly name = 'errors';
  constructor(
    private readonly env: ProcessEnv,
    private readonly patterns: readonly Pattern[],
    private readonly next: Handler | undefined,
  ) {}

  *serve(ctx: ServeCtx, w: Writer, r: DnsMsg): Serve {
    const name = qnameOf(r);
    const type = qtypeOf(r);
    const result = yield* nextOrFailure(this.name, this.next, ctx, w, r);
    const { err } = result;
    if (err === undefined) return result;
    const p = this.patterns.find((x) => x.re.test(err));
    if (p && this.fold(p)) return result;
    this.print(p?.level ?? 'ERROR', `${rcodeNumber(result.rcode)} ${name} ${type}: ${err}`);
    return result;
  }

  private print(level: Pattern['level'], text: string): void {
    if (level !== 'DEBUG') logLine(this.env, level, 'errors', text);
  }

  private fold(p: Pattern): boolean {
    p.count++;
    if (p.count > 1) return true;
    this.env.tasks.go(this.later(p));
    return !p.showFirst;
  }

  private *later(p: Pattern): Task {
    yield* sleep(p.periodUs);
    const n = p.count;
    p.count = 0;
    if (n > 1 || (n === 1 && !p.showFirst))
      this.print(p.level, `${n} errors like '${p.source}' occurred in last ${durationText(p.periodUs)}`);
  }
}

function consolidate(c: Controller): Pattern {
  const args = c.remainingArgs();
  if (args.length < 2 || args.length > 4) throw c.argErr();
  const periodUs = parseDuration(args[0] as string);
  if (periodUs === undefined) throw c.err(`time: invalid duration ${JSON.stringify(args[0])}`);
  const re = goRegExp(args[1] as string);
  if (typeof re === 'string') throw c.err(re);
  let level: Pattern['level'] | undefined;
  let showFirst = false;
  for (const a of args.slice(2)) {
    if (a === 'warning' || a === 'error' || a === 'info' || a === 'debug') {
      if (level) throw c.err('multiple log levels specified in consolidate');
      if (showFirst) throw c.err('log level must come before show_first in consolidate');
      level = a.toUpperCase() as Pattern['level'];
    } else if (a === 'show_first') showFirst = true;
    else throw c.err(`unknown option in consolidate: ${a}`);
  }
  return { periodUs, source: args[1] as string, re, level: level ?? 'ERROR', showFirst, count: 0 };
}

export const errors: PluginSpec = {
  name: 'errors',
  setup(c) {
    const patterns: Pattern[] = [];
    let seen = false;
    while (c.next()) {
      if (seen) throw new CorefileError(ERR_ONCE);
      seen = true;
      const args = c.remainingArgs();
      if (args.length > 1) throw c.argErr();
      if (args.length === 1 && args[0] !== 'stdout') throw c.err(`invalid log file: ${args[0]}`);
      while (c.nextBlock()) {
        if (c.val() === 'stacktrace') continue;
        if (c.val() !== 'consolidate') throw c.syntaxErr(`Unknown field ${c.val()}`);
        patterns.push(consolidate(c));
      }
    }
    c.addPlugin((next) => new Errors(c.env, patterns, next));
  },
};
