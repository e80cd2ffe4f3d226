import { CLASSES, type DnsMsg, isRcodeName, parseRR, type RR, replyTo, TYPES } from '../../message';
import { matchZones } from '../../names';
import { fallZones, origins } from '../normalize';
import {
  type Handler,
  nextOrFailure,
  OK,
  type PluginSpec,
  qnameOf,
  qtypeOf,
  type Serve,
  type ServeCtx,
  type Writer,
} from '../plugin';
import { goRegExp } from '../regexp';

interface Template {
  readonly zones: readonly string[];
  readonly class: string;
  readonly type: string;
  readonly regex: RegExp[];
  readonly answer: string[];
  readonly additional: string[];
  readonly authority: string[];
  rcode: string;
  ede: { code: number; reason: string } | undefined;
  fall: readonly string[];
}

interface Data {
  readonly fields: Readonly<Record<string, string>>;
  readonly match: readonly (string | undefined)[];
  readonly group: Readonly<Record<string, string>>;
}

/** Fills Go's text/template for the forms that CoreDNS documents: fields, `index .Match n`, `.Group.x`. */
function fill(text: string, d: Data): string {
  return text.replace(/\{\{-?\s*(.*?)\s*-?\}\}/g, (_all, expr: string) => {
    const index = /^index \.Match (\d+)$/.exec(expr);
    if (index) return d.match[Number(index[1])] ?? '';
    const group = /^(?:\.Group\.(\w+)|index \.Group "(\w+)")$/.exec(expr);
    if (group) return d.group[(group[1] ?? group[2]) as string] ?? '';
    return d.fields[expr.slice(1)] ?? '';
  });
}

/** Makes answers from patterns (plugin/template). */
class TemplateHandler implements Handler {
  readonly name = 'template';
  constructor(
    private readonly templates: readonly Template[],
    private readonly next: Handler | undefined,
  ) {}

  *serve(ctx: ServeCtx, w: Writer, r: DnsMsg): Serve {
    const name = qnameOf(r);
    const zones = this.templates.flatMap((t) => t.zones);
    if (matchZones(zones, name) === '') return yield* nextOrFailure(this.name, this.next, ctx, w, r);
    for (const t of this.templates) {
      const found = this.match(t, w, r);
      if (found === 'stop') return { rcode: 'SERVFAIL' };
      if (found === 'continue') continue;
      if (t.rcode === 'SERVFAIL') return { rcode: 'SERVFAIL' };
      const m = replyTo(r, t.rcode);
      m.aa = true;
      const make = (text: string): RR | undefined => parseRR(fill(text, found));
      const answer: RR[] = [];
      for (const text of t.answer) {
        const rr = make(text);
        if (!rr) return { rcode: 'SERVFAIL', err: `dns: bad record: ${JSON.stringify(fill(text, found))}` };
        answer.push(rr);
        const type = qtypeOf(r);
        if (rr.type === 'CNAME' && (type === 'A' || type === 'AAAA')) {
          const up = yield* ctx.lookup(w, r, rr.rdata, type);
          if (up) {
            m.tc = up.tc;
            answer.push(...up.answer);
          }
        }
      }
      m.answer = answer;
      m.additional = t.additional.map(make).filter((x) => x !== undefined);
      m.authority = t.authority.map(make).filter((x) => x !== undefined);
      if (t.ede) {
        const hex = t.ede.code.toString(16).padStart(4, '0');
        const options = [{ code: 15, len: 2 + t.ede.reason.length, text: hex }];
        m.edns = { udp: 4096, do: true, version: 0, options };
      }
      w.write(m);
      return t.rcode === 'NOERROR' ? OK : { rcode: t.rcode };
    }
    return yield* nextOrFailure(this.name, this.next, ctx, w, r);
  }

  private match(t: Template, w: Writer, r: DnsMsg): Data | 'stop' | 'continue' {
    const q = r.question[0];
    const name = qnameOf(r);
    const zone = matchZones(t.zones, name);
    if (zone === '' || !q) return 'continue';
    if (t.class !== 'ANY' && q.class !== 'ANY' && q.class !== t.class) return 'continue';
    if (t.type !== 'ANY' && q.type !== 'ANY' && q.type !== t.type) return 'continue';
    for (const re of t.regex) {
      const m = re.exec(name);
      if (!m) continue;
      const group: Record<string, string> = { ...m.groups };
      m.forEach((g, i) => {
        group[String(i)] = g ?? '';
      });
      const cls = q.class === 'ANY' ? t.class : q.class;
      const type = q.type === 'ANY' ? t.type : q.type;
      return {
        fields: { Zone: zone, Name: name, Class: cls, Type: type, Remote: w.peer.ip, Regex: re.source },
        match: [...m],
        group,
      };
    }
    return matchZones(t.fall, name) === '' ? 'stop' : 'continue';
  }
}

export const template: PluginSpec = {
  name: 'template',
  setup(c) {
    const templates: Template[] = [];
    while (c.next()) {
      if (!c.nextArg()) throw c.argErr();
      const cls = c.val();
      if (CLASSES[cls] === undefined) throw c.err(`invalid query class ${cls}`);
      if (!c.nextArg()) throw c.argErr();
      const type = c.val();
      if (TYPES[type] === undefined) throw c.err(`invalid RR class ${type}`);
      const t: Template = {
        zones: origins(c.remainingArgs(), c.keys),
        class: cls,
        type,
        regex: [],
        answer: [],
        additional: [],
        authority: [],
        rcode: 'NOERROR',
        ede: undefined,
        fall: [],
      };
      while (c.nextBlock()) {
        const option = c.val();
        switch (option) {
          case 'match': {
            const args = c.remainingArgs();
            if (args.length === 0) throw c.argErr();
            for (const a of args) {
              const re = goRegExp(a);
              if (typeof re === 'string') throw c.err(`could not parse regex: ${a}, ${re}`);
              t.regex.push(re);
            }
            break;
          }
          case 'answer':
          case 'additional':
          case 'authority': {
            const args = c.remainingArgs();
            if (args.length === 0) throw c.argErr();
            t[option].push(...args);
            break;
          }
          case 'rcode': {
            if (!c.nextArg()) throw c.argErr();
            if (!isRcodeName(c.val())) throw c.err(`unknown rcode ${c.val()}`);
            t.rcode = c.val();
            break;
          }
          case 'ederror': {
            const args = c.remainingArgs();
            if (args.length !== 1 && args.length !== 2) throw c.argErr();
            t.ede = { code: Number(args[0]), reason: args[1] ?? '' };
            break;
          }
          case 'fallthrough':
            t.fall = fallZones(c.remainingArgs());
            break;
          case 'upstream':
            c.remainingArgs();
            break;
          default:
            throw c.argErr();
        }
      }
      if (t.regex.length === 0) t.regex.push(/.*/);
      templates.push(t);
    }
    c.addPlugin((next) => new TemplateHandler(templates, next));
  },
};
