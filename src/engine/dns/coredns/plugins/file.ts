import { type DnsMsg, type RR, replyTo } from '../../message';
import { matchZones } from '../../names';
import { CorefileError } from '../corefile';
import { origins } from '../normalize';
import {
  type Handler,
  logLine,
  nextOrFailure,
  OK,
  type PluginSpec,
  qnameOf,
  qtypeOf,
  type Serve,
  type ServeCtx,
  type Writer,
} from '../plugin';
import { parseZone, type Zone } from '../zone';

/** Serves zones out of files in the form of RFC 1035 section 5 (plugin/file). */
class File implements Handler {
  readonly name = 'file';
  constructor(
    private readonly zones: ReadonlyMap<string, Zone>,
    private readonly next: Handler | undefined,
  ) {}

  *serve(ctx: ServeCtx, w: Writer, r: DnsMsg): Serve {
    const apex = matchZones([...this.zones.keys()], qnameOf(r));
    const zone = this.zones.get(apex);
    if (!zone) return yield* nextOrFailure(this.name, this.next, ctx, w, r);
    const found = zone.lookup(r.question[0]?.name ?? '.', qtypeOf(r));
    const m = replyTo(r, found.rcode);
    m.aa = found.authoritative;
    m.answer = found.answer;
    m.authority = found.authority;
    m.additional = found.additional;
    const last = m.answer[m.answer.length - 1];
    const type = qtypeOf(r);
    if (last?.type === 'CNAME' && type !== 'CNAME' && matchZones([apex], last.rdata) === '') {
      const up = yield* ctx.lookup(w, r, last.rdata, type);
      if (up) m.answer = [...m.answer, ...up.answer];
    }
    w.write(m);
    return OK;
  }

  transfer(zone: string): RR[] | undefined {
    return this.zones.get(zone)?.all();
  }
}

export const file: PluginSpec = {
  name: 'file',
  setup(c) {
    const zones = new Map<string, Zone>();
    while (c.next()) {
      if (!c.nextArg()) throw c.argErr();
      const path = c.val();
      const names = origins(c.remainingArgs(), c.keys);
      const text = c.env.sys.readFile(path);
      if (text === undefined) throw new CorefileError(`open ${path}: no such file or directory`);
      for (const n of names) {
        const zone = parseZone(text, n);
        if (typeof zone === 'string') throw new CorefileError(zone);
        zones.set(n, zone);
        logLine(c.env, 'INFO', 'file', `Successfully reloaded zone ${JSON.stringify(n)} in ${JSON.stringify(path)}`);
      }
      while (c.nextBlock()) c.remainingArgs();
    }
    c.addPlugin((next) => new File(zones, next));
  },
};
