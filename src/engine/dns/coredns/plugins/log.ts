import { type DnsMsg, flagsOf, opcodeNumber, replyTo } from '../../message';
import { fqdn, isSubDomain } from '../../names';
import { messageLen } from '../../size';
import { CorefileError } from '../corefile';
import {
  bufSize,
  clientWrite,
  type Handler,
  nextOrFailure,
  type PluginSpec,
  type ProcessEnv,
  qnameOf,
  qtypeOf,
  type Serve,
  type ServeCtx,
  type Writer,
} from '../plugin';
import { classify, type ResponseClass, typify } from '../respond';

/** plugin/log: CommonLogFormat and CombinedLogFormat. */
const COMMON =
  '{remote}:{port} - {>id} "{type} {class} {name} {proto} {size} {>do} {>bufsize}" {rcode} {>rflags} {rsize} {duration}';
const COMBINED = `${COMMON} "{>opcode}"`;

interface Rule {
  readonly scope: string;
  readonly format: string;
  classes: ReadonlySet<ResponseClass>;
}

/** Prints a line for every answered query (plugin/log); sizes are those before truncation. */
class Log implements Handler {
  readonly name = 'log';
  constructor(
    private readonly env: ProcessEnv,
    private readonly rules: readonly Rule[],
    private readonly next: Handler | undefined,
  ) {}

  *serve(ctx: ServeCtx, w: Writer, r: DnsMsg): Serve {
    const rule = this.rules.find((x) => isSubDomain(x.scope, qnameOf(r)));
    if (!rule) return yield* nextOrFailure(this.name, this.next, ctx, w, r);
    const startUs = this.env.sys.nowUs;
    let reply: DnsMsg | undefined;
    let len = 0;
    const recorder: Writer = {
      peer: w.peer,
      write: (m) => {
        reply = m;
        // The length is taken before the writers below add an OPT record or cut the message.
        len += messageLen(m);
        w.write(m);
      },
    };
    const result = yield* nextOrFailure(this.name, this.next, ctx, recorder, r);
    if (!reply && !clientWrite(result.rcode)) {
      reply = replyTo(r, result.rcode);
      len = messageLen(reply);
    }
    const type = typify(reply);
    if (rule.classes.has('all') || rule.classes.has(classify(type)))
      this.env.log(`[INFO] ${this.text(rule.format, w, r, reply, len, startUs)}`);
    return result;
  }

  private text(format: string, w: Writer, r: DnsMsg, m: DnsMsg | undefined, len: number, startUs: number): string {
    const brackets = (ip: string): string => (ip.includes(':') ? `[${ip}]` : ip);
    const value = (label: string): string | undefined => {
      switch (label) {
        case '{type}':
          return qtypeOf(r);
        case '{name}':
          return qnameOf(r);
        case '{class}':
          return r.question[0]?.class ?? '';
        case '{proto}':
          return w.peer.proto;
        case '{size}':
          return String(messageLen(r));
        case '{remote}':
          return brackets(w.peer.ip);
        case '{port}':
          return String(w.peer.port);
        case '{local}':
          return brackets(this.env.localIps()[0] ?? '');
        case '{>id}':
          return String(r.id);
        case '{>opcode}':
          return String(opcodeNumber(r.opcode));
        case '{>do}':
          return String(r.edns?.do ?? false);
        case '{>bufsize}':
          return String(bufSize(r, w.peer.proto));
        case '{rcode}':
          return m?.rcode ?? '-';
        case '{rsize}':
          return String(len);
        case '{duration}':
          return `${(this.env.sys.nowUs - startUs + WORK_US) / 1_000_000}s`;
        case '{>rflags}':
          return m ? flagsOf(m).join(',') : '-';
        default:
          return undefined;
      }
    };
    return format.replace(/\{[^{}]*\}/g, (label) => value(label) ?? (label.startsWith('{/') ? '-' : label));
  }
}

/** What the chain's own work takes (us): the simulated clock stands still meanwhile. */
const WORK_US = 142;

export const log: PluginSpec = {
  name: 'log',
  setup(c) {
    const rules: Rule[] = [];
    while (c.next()) {
      const args = c.remainingArgs();
      let format = COMMON;
      const last = args[args.length - 1];
      if (args.length > 1 && last?.includes('{')) {
        format = last.replaceAll('{common}', COMMON).replaceAll('{combined}', COMBINED);
        args.pop();
      }
      const mine: Rule[] = (args.length === 0 ? ['.'] : args).map((a) => ({
        scope: fqdn(a),
        format,
        classes: new Set<ResponseClass>(['all']),
      }));
      const classes = new Set<ResponseClass>();
      while (c.nextBlock()) {
        if (c.val() !== 'class') throw c.err(`unknown property '${c.val()}'`);
        const names = c.remainingArgs();
        if (names.length === 0) throw c.argErr();
        for (const n of names) {
          if (n !== 'all' && n !== 'denial' && n !== 'error' && n !== 'success')
            throw new CorefileError(`invalid Class: ${n}`);
          classes.add(n);
        }
      }
      if (classes.size > 0) for (const rule of mine) rule.classes = classes;
      rules.push(...mine);
    }
    c.addPlugin((next) => new Log(c.env, rules, next));
  },
};
