import type { ExecResult } from '../../net/stack';
import type { NetnsId } from '../../net/types';
import { XtError } from '../xt';
import { memberKey, parseElement } from './element';
import type { SetStore } from './store';
import { SET_TYPES, type SetMember, type SetRecord } from './types';

const VERSION = 'ipset v7.17';

const done = (stdout = ''): ExecResult => ({ stdout, stderr: '', exit: 0 });
const fail = (message: string): ExecResult => ({ stdout: '', stderr: `${VERSION}: ${message}\n`, exit: 1 });

/** Words of a restore line; quotes hold comments together. */
const words = (line: string): string[] =>
  [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map((m) => m[1] ?? (m[2] as string));

interface Options {
  readonly exist: boolean;
  readonly rest: string[];
}
function split(argv: readonly string[]): Options {
  const rest = argv.filter((a) => a !== '-exist' && a !== '-!' && a !== '--exist');
  return { exist: rest.length !== argv.length, rest };
}

/** ipset(8): the commands that make and fill sets (create, add, del, test, flush, destroy, list, save, restore). */
export class IpsetCommand {
  constructor(
    private readonly sets: SetStore,
    /** Whether a rule or a list:set names the set. */
    private readonly inUse: (netns: NetnsId, name: string) => boolean,
    private readonly nowUs: () => number,
  ) {}

  run(netns: NetnsId, argv: readonly string[], stdin = ''): ExecResult {
    const { exist, rest } = split(argv);
    const [cmd = '', ...args] = rest;
    try {
      switch (cmd) {
        case 'create':
        case 'n':
        case '-N':
          return this.create(netns, args, exist);
        case 'add':
        case '-A':
          return this.add(netns, args, exist);
        case 'del':
        case '-D':
          return this.del(netns, args, exist);
        case 'test':
        case '-T':
          return this.test(netns, args);
        case 'flush':
        case '-F':
          for (const s of this.chosen(netns, args[0])) this.sets.put(s, { ...s, members: [] });
          return done();
        case 'destroy':
        case '-X':
        case 'x':
          return this.destroy(netns, args[0]);
        case 'list':
        case '-L':
        case 'save':
        case '-S':
          return this.show(netns, args, cmd === 'save' || cmd === '-S');
        case 'restore':
        case '-R':
          return this.restore(netns, stdin, exist);
        case '':
          return {
            stdout: '',
            stderr: `${VERSION}: No command specified.\nTry \`ipset help' for more information.\n`,
            exit: 2,
          };
        default:
          return fail(`Syntax error: Unknown argument ${cmd}`);
      }
    } catch (e) {
      if (e instanceof XtError) return fail(e.message);
      throw e;
    }
  }

  private need(netns: NetnsId, name: string | undefined): SetRecord {
    const s = this.sets.get(netns, name ?? '');
    if (!s) throw new XtError('The set with the given name does not exist', 1, 'plain');
    return s;
  }
  private chosen(netns: NetnsId, name: string | undefined): SetRecord[] {
    return name === undefined ? this.sets.list(netns) : [this.need(netns, name)];
  }

  private create(netns: NetnsId, args: readonly string[], exist: boolean): ExecResult {
    const [name = '', typeArg = ''] = args;
    const type =
      { iphash: 'hash:ip', nethash: 'hash:net', ipporthash: 'hash:ip,port', portmap: 'bitmap:port' }[typeArg] ??
      typeArg;
    if (!SET_TYPES[type]) return fail(`Syntax error: unknown settype ${typeArg}`);
    if (name.length > 31) return fail(`Syntax error: setname '${name}' is longer than 31 characters`);
    if (this.sets.exists(netns, name)) {
      return exist ? done() : fail('Set cannot be created: set with the same name already exists');
    }
    const set: Record<string, unknown> = {};
    for (let i = 2; i < args.length; i++) {
      const key = args[i] as string;
      if (key === 'counters' || key === 'comment' || key === 'forceadd' || key === 'skbinfo') {
        set[key] = true;
        continue;
      }
      const value = args[++i];
      if (value === undefined) return fail(`Syntax error: Missing mandatory argument of option \`${key}'`);
      if (key === 'range') set.range = value.split('-');
      else if (key === 'family') set.family = value === 'inet6' ? 6 : 4;
      else if (['hashsize', 'maxelem', 'timeout', 'netmask', 'size'].includes(key)) set[key] = Number(value);
      else if (key !== 'bucketsize' && key !== 'initval') return fail(`Unknown argument: \`${key}'`);
    }
    if (type === 'bitmap:port' && !set.range) return fail("Syntax error: Mandatory option `range' is missing");
    this.sets.put(undefined, {
      netns,
      name,
      type,
      family: 4,
      hashsize: 1024,
      maxelem: 65536,
      ...(type === 'list:set' ? { size: 8 } : {}),
      ...set,
      members: [],
    } as SetRecord);
    return done();
  }

  private member(set: SetRecord, args: readonly string[]): SetMember[] {
    const extra: { -readonly [K in keyof SetMember]?: SetMember[K] } = {};
    let timeout = set.timeout;
    for (let i = 2; i < args.length; i++) {
      const key = args[i];
      if (key === 'nomatch') extra.nomatch = true;
      else if (key === 'timeout') timeout = Number(args[++i]);
      else if (key === 'comment') extra.comment = args[++i] as string;
      else if (key === 'packets') extra.packets = Number(args[++i]);
      else if (key === 'bytes') extra.bytes = Number(args[++i]);
      else throw new XtError(`Unknown argument: \`${key}'`, 1, 'plain');
    }
    if (set.timeout !== undefined && timeout) extra.expiresAtUs = this.nowUs() + timeout * 1_000_000;
    if (set.counters) {
      extra.packets ??= 0;
      extra.bytes ??= 0;
    }
    return parseElement(args[1] ?? '', set).map((m) => ({ ...m, ...extra }));
  }

  private add(netns: NetnsId, args: readonly string[], exist: boolean): ExecResult {
    const set = this.need(netns, args[0]);
    const fresh = this.member(set, args);
    const have = new Map(set.members.map((m) => [memberKey(m), m]));
    for (const m of fresh) {
      if (set.type === 'list:set' && !this.sets.exists(netns, m.parts[0] as string)) {
        return fail(`Set to be added/deleted/tested as element does not exist.`);
      }
      if (have.has(memberKey(m)) && !exist) return fail("Element cannot be added to the set: it's already added");
      have.set(memberKey(m), m);
      if (have.size > set.maxelem) return fail('Hash is full, cannot add more elements');
    }
    this.sets.put(set, { ...set, members: [...have.values()] });
    return done();
  }

  private del(netns: NetnsId, args: readonly string[], exist: boolean): ExecResult {
    const set = this.need(netns, args[0]);
    const gone = new Set(parseElement(args[1] ?? '', set).map(memberKey));
    const rest = set.members.filter((m) => !gone.has(memberKey(m)));
    if (rest.length === set.members.length && !exist) {
      return fail("Element cannot be deleted from the set: it's not added");
    }
    this.sets.put(set, { ...set, members: rest });
    return done();
  }

  private test(netns: NetnsId, args: readonly string[]): ExecResult {
    const set = this.need(netns, args[0]);
    const key = memberKey(parseElement(args[1] ?? '', set)[0] ?? { parts: [] });
    const hit = set.members.some((m) => memberKey(m) === key);
    const line = `${args[1]} is ${hit ? '' : 'NOT '}in set ${set.name}.\n`;
    return { stdout: '', stderr: line, exit: hit ? 0 : 1 };
  }

  private destroy(netns: NetnsId, name: string | undefined): ExecResult {
    for (const s of this.chosen(netns, name)) {
      if (this.inUse(netns, s.name)) return fail('Set cannot be destroyed: it is in use by a kernel component');
    }
    for (const s of this.chosen(netns, name)) this.sets.remove(netns, s.name);
    return done();
  }

  private show(netns: NetnsId, args: readonly string[], save: boolean): ExecResult {
    const names = args.filter((a) => !a.startsWith('-'));
    const sets = this.chosen(netns, names[0]);
    if (args.includes('-n') || args.includes('-name')) return done(sets.map((s) => `${s.name}\n`).join(''));
    if (save) {
      return done(
        sets
          .map(
            (s) =>
              `create ${s.name} ${header(s, true)}\n${s.members.map((m) => `add ${s.name} ${memberText(m, this.nowUs())}\n`).join('')}`,
          )
          .join(''),
      );
    }
    return done(
      sets
        .map(
          (s) =>
            `Name: ${s.name}\nType: ${s.type}\nRevision: ${REVISIONS[s.type] ?? 0}\nHeader: ${header(s, false)}\nSize in memory: ${200 + s.members.length * 88}\nReferences: ${this.inUse(netns, s.name) ? 1 : 0}\nNumber of entries: ${s.members.length}\nMembers:\n${s.members.map((m) => `${memberText(m, this.nowUs())}\n`).join('')}`,
        )
        .join('\n'),
    );
  }

  private restore(netns: NetnsId, text: string, exist: boolean): ExecResult {
    let n = 0;
    for (const line of text.split('\n')) {
      n++;
      const w = words(line);
      if (w.length === 0 || w[0]?.startsWith('#') || w[0] === 'COMMIT') continue;
      const r = this.run(netns, exist ? [...w, '-exist'] : w);
      if (r.exit !== 0) {
        return { ...r, stderr: r.stderr.replace(`${VERSION}: `, `${VERSION}: Error in line ${n}: `) };
      }
    }
    return done();
  }
}

const REVISIONS: Readonly<Record<string, number>> = {
  'bitmap:port': 3,
  'hash:ip': 6,
  'hash:net': 7,
  'hash:ip,port': 7,
  'hash:ip,port,ip': 7,
  'hash:ip,port,net': 9,
  'list:set': 3,
};

function header(s: SetRecord, save: boolean): string {
  const parts: string[] = save ? [s.type] : [];
  if (s.type === 'list:set') parts.push(`size ${s.size ?? 8}`);
  else if (s.range) parts.push(`range ${s.range.join('-')}`);
  else {
    parts.push(`family ${s.family === 4 ? 'inet' : 'inet6'} hashsize ${s.hashsize} maxelem ${s.maxelem}`);
    if (s.netmask !== undefined) parts.push(`netmask ${s.netmask}`);
  }
  if (s.timeout !== undefined) parts.push(`timeout ${s.timeout}`);
  if (s.counters) parts.push('counters');
  if (s.comment) parts.push('comment');
  if (s.type.startsWith('hash:')) parts.push('bucketsize 12 initval 0x00000000');
  return parts.join(' ');
}

function memberText(m: SetMember, nowUs: number): string {
  return [
    m.parts.join(','),
    ...(m.nomatch ? ['nomatch'] : []),
    ...(m.expiresAtUs === undefined ? [] : [`timeout ${Math.max(0, Math.floor((m.expiresAtUs - nowUs) / 1_000_000))}`]),
    ...(m.packets === undefined ? [] : [`packets ${m.packets} bytes ${m.bytes ?? 0}`]),
    ...(m.comment === undefined ? [] : [`comment "${m.comment}"`]),
  ].join(' ');
}
