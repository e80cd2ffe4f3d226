import { canonicalIp, ipFamily } from '../../../base/ip';
import { type DnsMsg, type RR, replyTo } from '../../message';
import { labelsOf, matchZones } from '../../names';
import { CorefileError } from '../corefile';
import { atoi, parseDuration } from '../duration';
import { addressFromReverse, fallZones, normalName, origins } from '../normalize';
import {
  type Controller,
  ERR_ONCE,
  type Handler,
  logLine,
  nextOrFailure,
  OK,
  type PluginSpec,
  type ProcessEnv,
  qnameOf,
  qtypeOf,
  type Serve,
  type ServeCtx,
  type Writer,
} from '../plugin';

interface Options {
  path: string;
  zones: string[];
  fall: string[];
  fallUnsupported: boolean;
  reverse: boolean;
  ttl: number;
  readonly inline: string[];
}

interface Table {
  readonly v4: Map<string, string[]>;
  readonly v6: Map<string, string[]>;
  readonly names: Map<string, string[]>;
}

/** Answers out of a hosts file and lines of the Corefile (plugin/hosts). */
class Hosts implements Handler {
  readonly name = 'hosts';
  private readonly inline: Table;
  private fileText: string | undefined;
  private file: Table = { v4: new Map(), v6: new Map(), names: new Map() };

  constructor(
    private readonly env: ProcessEnv,
    private readonly o: Options,
    private readonly next: Handler | undefined,
  ) {
    this.inline = this.parse(o.inline.join('\n'));
  }

  private parse(text: string): Table {
    const t: Table = { v4: new Map(), v6: new Map(), names: new Map() };
    const add = (m: Map<string, string[]>, k: string, v: string): void => {
      m.set(k, [...(m.get(k) ?? []), v]);
    };
    for (const raw of text.split('\n')) {
      const f = raw.replace(/#.*/, '').trim().split(/\s+/);
      const ip = canonicalIp((f[0] ?? '').replace(/%.*$/, ''));
      if (ip === undefined) continue;
      for (const word of f.slice(1)) {
        const name = normalName(word);
        if (matchZones(this.o.zones, name) === '') continue;
        add(ipFamily(ip) === 4 ? t.v4 : t.v6, name, ip);
        if (this.o.reverse && !name.startsWith('*.')) add(t.names, ip, name);
      }
    }
    return t;
  }

  private tables(): readonly Table[] {
    const text = this.env.sys.readFile(this.o.path) ?? '';
    if (text !== this.fileText) {
      this.fileText = text;
      this.file = this.parse(text);
    }
    return [this.file, this.inline];
  }

  private addresses(name: string, family: 'v4' | 'v6'): string[] {
    const wild = `*.${labelsOf(name).slice(1).join('.')}.`;
    return this.tables().flatMap((t) => t[family].get(name) ?? t[family].get(wild) ?? []);
  }

  *serve(ctx: ServeCtx, w: Writer, r: DnsMsg): Serve {
    const name = qnameOf(r);
    const type = qtypeOf(r);
    const pass = (): Serve => nextOrFailure(this.name, this.next, ctx, w, r);
    if (matchZones(this.o.zones, name) === '' && type !== 'PTR') return yield* pass();
    const rr = (t: string, rdata: string): RR => ({ name, ttl: this.o.ttl, class: 'IN', type: t, rdata });
    let answers: RR[] = [];
    if (type === 'PTR') {
      const ip = addressFromReverse(name);
      const names = this.tables().flatMap((t) => t.names.get(ip) ?? []);
      if (names.length === 0) return yield* pass();
      answers = names.map((n) => rr('PTR', n));
    } else if (type === 'A') answers = this.addresses(name, 'v4').map((ip) => rr('A', ip));
    else if (type === 'AAAA') answers = this.addresses(name, 'v6').map((ip) => rr('AAAA', ip));
    else if (this.o.fallUnsupported && matchZones(this.o.fall, name) !== '') return yield* pass();
    const exists = this.addresses(name, 'v4').length > 0 || this.addresses(name, 'v6').length > 0;
    if (answers.length === 0 && !exists) {
      if (matchZones(this.o.fall, name) !== '') return yield* pass();
      // There is no SOA for an NXDOMAIN, so the answer is SERVFAIL.
      return { rcode: 'SERVFAIL' };
    }
    const m = replyTo(r);
    m.aa = true;
    m.answer = answers;
    w.write(m);
    return OK;
  }
}

function parse(c: Controller): Options {
  const o: Options = {
    path: '/etc/hosts',
    zones: [],
    fall: [],
    fallUnsupported: false,
    reverse: true,
    ttl: 3600,
    inline: [],
  };
  const args = c.remainingArgs();
  if (args.length >= 1) {
    o.path = args.shift() as string;
    if (c.env.sys.readFile(o.path) === undefined) logLine(c.env, 'WARNING', 'hosts', `File does not exist: ${o.path}`);
  }
  o.zones = origins(args, c.keys);
  while (c.nextBlock()) {
    switch (c.val()) {
      case 'fallthrough':
        o.fall = fallZones(c.remainingArgs());
        break;
      case 'fallthrough_unsupported':
        if (c.remainingArgs().length > 0) throw c.argErr();
        o.fallUnsupported = true;
        break;
      case 'no_reverse':
        o.reverse = false;
        break;
      case 'ttl': {
        const a = c.remainingArgs();
        if (a.length < 1) throw c.err('ttl needs a time in second');
        const n = atoi(a[0] as string);
        if (typeof n === 'string') throw c.err('ttl needs a number of second');
        if (n <= 0 || n > 65535) throw c.err('ttl provided is invalid');
        o.ttl = n;
        break;
      }
      case 'reload': {
        const a = c.remainingArgs();
        if (a.length !== 1) throw c.err('reload needs a duration (zero seconds to disable)');
        const us = parseDuration(a[0] as string);
        if (us === undefined) throw c.err(`invalid duration for reload '${a[0]}'`);
        if (us < 0) throw c.err(`invalid negative duration for reload '${a[0]}'`);
        break;
      }
      default:
        if (o.fall.length > 0) throw c.err(`unknown property '${c.val()}'`);
        o.inline.push([c.val(), ...c.remainingArgs()].join(' '));
    }
  }
  if (o.fallUnsupported && o.fall.length === 0) throw c.err('fallthrough_unsupported requires fallthrough');
  return o;
}

export const hosts: PluginSpec = {
  name: 'hosts',
  setup(c) {
    let o: Options | undefined;
    while (c.next()) {
      if (o) throw new CorefileError(ERR_ONCE);
      o = parse(c);
    }
    const options = o as Options;
    c.addPlugin((next) => new Hosts(c.env, options, next));
  },
};
