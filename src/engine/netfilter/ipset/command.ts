import type { ExecResult } from '../../net/stack';
import type { NetnsId } from '../../net/types';
import { XtError } from '../xt';
import { exists, newSet, sameSet } from './create';
import { holds, memberKey, parseElement } from './element';
import { knowsNomatch, type Listing, showSets } from './show';
import type { SetStore } from './store';
import type { SetMember, SetRecord } from './types';
import { type Line, number, parseLine, refused, syntax, UsageError, wordsOf } from './words';

export type IpsetVersion = '7.17' | '7.22';

const done = (stdout = ''): ExecResult => ({ stdout, stderr: '', exit: 0 });

/** Output modes of each version. */
const MODES: Readonly<Record<IpsetVersion, readonly string[]>> = {
  '7.17': ['plain', 'save', 'xml'],
  '7.22': ['plain', 'save', 'xml', 'json'],
};
const MAX_TIMEOUT = 2_147_483;
const MAX_COMMENT = 255;
const U64 = Number.MAX_SAFE_INTEGER;

/** ipset(8): the commands that make, fill, rename and list sets. */
export class IpsetCommand {
  constructor(
    private readonly sets: SetStore,
    /** Whether a rule or a list:set names the set. */
    private readonly inUse: (netns: NetnsId, name: string) => boolean,
    private readonly nowUs: () => number,
  ) {}

  run(netns: NetnsId, argv: readonly string[], stdin = '', version: IpsetVersion = '7.17'): ExecResult {
    const program = `ipset v${version}`;
    let quiet = argv.some((a) => a === '-q' || a === '-quiet' || a === '--quiet');
    try {
      const line = parseLine(argv);
      quiet = line.quiet;
      const r = this.perform(netns, line, stdin, version);
      return quiet ? { ...r, stderr: '' } : r;
    } catch (e) {
      if (e instanceof UsageError) {
        const stderr = `${program}: ${e.message}\nTry \`ipset help' for more information.\n`;
        return { stdout: '', stderr: quiet ? '' : stderr, exit: 2 };
      }
      if (e instanceof XtError) return { stdout: '', stderr: quiet ? '' : `${program}: ${e.message}\n`, exit: 1 };
      throw e;
    }
  }

  private perform(netns: NetnsId, line: Line, stdin: string, version: IpsetVersion): ExecResult {
    const [first = '', second = ''] = line.args;
    switch (line.command) {
      case 'create':
        return this.create(netns, line);
      case 'add':
        return this.add(netns, line);
      case 'del':
        return this.del(netns, line);
      case 'test':
        return this.test(netns, line);
      case 'flush':
        for (const s of this.chosen(netns, line.args[0])) this.sets.put(s, { ...s, members: [] });
        return done();
      case 'destroy':
        return this.destroy(netns, line.args[0]);
      case 'list':
      case 'save':
        return this.show(netns, line, version);
      case 'restore':
        return this.restore(netns, stdin, line.exist, version);
      case 'rename':
        return this.rename(netns, first, second);
      case 'swap':
        return this.swap(netns, first, second);
      default:
        return done(`ipset v${version}, protocol version: 7\n`);
    }
  }

  private need(netns: NetnsId, name: string): SetRecord {
    const s = this.sets.get(netns, name);
    if (!s) throw refused('The set with the given name does not exist');
    return s;
  }

  private chosen(netns: NetnsId, name: string | undefined): SetRecord[] {
    return name === undefined ? this.sets.list(netns) : [this.need(netns, name)];
  }

  private create(netns: NetnsId, line: Line): ExecResult {
    const made = newSet(netns, line.args);
    const old = this.sets.get(netns, made.name);
    if (old && !(line.exist && sameSet(old, made))) throw exists();
    if (!old) this.sets.put(undefined, { ...made, index: this.sets.freeIndex(netns) });
    return done();
  }

  /** Elements of `add` and `del` with their extensions. */
  private members(set: SetRecord, args: readonly string[]): SetMember[] {
    const extra: { -readonly [K in keyof SetMember]?: SetMember[K] } = {};
    let timeout = set.timeout;
    const used = new Set<string>();
    for (let i = 2; i < args.length; i++) {
      const key = args[i] as string;
      if (key === 'nomatch' && knowsNomatch(set.type)) {
        extra.nomatch = true;
        continue;
      }
      if (!['timeout', 'comment', 'packets', 'bytes', 'skbmark', 'skbprio', 'skbqueue'].includes(key)) {
        throw new UsageError(`Unknown argument: \`${key}'`);
      }
      const value = args[++i];
      if (value === undefined) throw new UsageError(`Missing mandatory argument of option \`${key}'`);
      used.add(key);
      if (key === 'timeout') timeout = number(value, 0, MAX_TIMEOUT);
      else if (key === 'comment') extra.comment = comment(value);
      else if (key === 'packets') extra.packets = number(value, 0, U64);
      else if (key === 'bytes') extra.bytes = number(value, 0, U64);
    }
    const all = parseElement(args[1] as string, set);
    const without = 'set was created without';
    if (used.has('timeout') && set.timeout === undefined)
      throw refused(`Timeout cannot be used: ${without} timeout support`);
    if ((used.has('packets') || used.has('bytes')) && !set.counters)
      throw refused(`Packet/byte counters cannot be used: ${without} counter support`);
    if (used.has('comment') && !set.comment) throw refused(`Comment cannot be used: ${without} comment support`);
    if (set.timeout !== undefined && timeout) extra.expiresAtUs = this.nowUs() + timeout * 1_000_000;
    if (set.counters) {
      extra.packets ??= 0;
      extra.bytes ??= 0;
    }
    return all.map((m) => ({ ...m, ...extra }));
  }

  private add(netns: NetnsId, line: Line): ExecResult {
    const set = this.need(netns, line.args[0] as string);
    if (set.type === 'list:set') return this.addToList(netns, set, line);
    const have = new Map(set.members.filter((m) => this.alive(m)).map((m) => [memberKey(m), m]));
    for (const m of this.members(set, line.args)) {
      if (have.has(memberKey(m)) && !line.exist)
        throw refused("Element cannot be added to the set: it's already added");
      have.set(memberKey(m), m);
      if (!set.range && have.size > set.maxelem) throw refused('Hash is full, cannot add more elements');
    }
    this.sets.put(set, { ...set, members: [...have.values()] });
    return done();
  }

  /** list:set: `NAME [before|after NAME]`. */
  private addToList(netns: NetnsId, set: SetRecord, line: Line): ExecResult {
    const at = line.args.findIndex((a, i) => i >= 2 && (a === 'before' || a === 'after'));
    const args = at < 0 ? line.args : line.args.filter((_, i) => i !== at && i !== at + 1);
    const [m] = this.members(set, args);
    if (!m) return done();
    const key = memberKey(m);
    if (!this.sets.exists(netns, key)) throw refused('Set to be added/deleted/tested as element does not exist.');
    if (set.members.some((x) => memberKey(x) === key)) {
      if (line.exist) return done();
      throw refused("Element cannot be added to the set: it's already added");
    }
    const members = [...set.members];
    const mark = at < 0 ? members.length : members.findIndex((x) => memberKey(x) === line.args[at + 1]);
    if (mark < 0) throw refused('Element cannot be added to the set: the reference set does not exist');
    members.splice(line.args[at] === 'after' ? mark + 1 : mark, 0, m);
    this.sets.put(set, { ...set, members });
    return done();
  }

  private alive(m: SetMember): boolean {
    return m.expiresAtUs === undefined || m.expiresAtUs > this.nowUs();
  }

  private del(netns: NetnsId, line: Line): ExecResult {
    const set = this.need(netns, line.args[0] as string);
    const gone = new Set(parseElement(line.args[1] as string, set).map(memberKey));
    const rest = set.members.filter((m) => !gone.has(memberKey(m)));
    if (rest.length === set.members.length && !line.exist) {
      throw refused("Element cannot be deleted from the set: it's not added");
    }
    this.sets.put(set, { ...set, members: rest });
    return done();
  }

  private test(netns: NetnsId, line: Line): ExecResult {
    const set = this.need(netns, line.args[0] as string);
    const typed = line.args[1] as string;
    if (set.type === 'bitmap:port' && /^\d+-\d+$/.test(typed)) {
      throw refused('FROM-TO port range is not allowed in command test with set type bitmap:port and family unspec');
    }
    const [asked] = parseElement(typed, { ...set, netmask: undefined } as SetRecord);
    const several = /\/|-/.test(typed) && !set.type.includes('net');
    const hit = !several && asked !== undefined && holds(set, asked, this.nowUs());
    const line_ = hit ? `Warning: ${typed} is in set ${set.name}.\n` : `${typed} is NOT in set ${set.name}.\n`;
    return { stdout: '', stderr: line_, exit: hit ? 0 : 1 };
  }

  private destroy(netns: NetnsId, name: string | undefined): ExecResult {
    const sets = this.chosen(netns, name);
    if (sets.some((s) => this.inUse(netns, s.name))) {
      throw refused('Set cannot be destroyed: it is in use by a kernel component');
    }
    for (const s of sets) this.sets.remove(netns, s.name);
    return done();
  }

  private rename(netns: NetnsId, from: string, to: string): ExecResult {
    const set = this.need(netns, from);
    if (this.inUse(netns, from)) throw refused('Set cannot be renamed: it is in use by another system');
    if (this.sets.exists(netns, to)) throw refused('Set cannot be renamed: a set with the new name already exists');
    this.sets.remove(netns, from);
    this.sets.put(set, { ...set, name: to });
    return done();
  }

  private swap(netns: NetnsId, from: string, to: string): ExecResult {
    const a = this.need(netns, from);
    const b = this.sets.get(netns, to);
    if (!b) throw refused('Sets cannot be swapped: the second set does not exist');
    if (a.type !== b.type || a.family !== b.family)
      throw refused('The sets cannot be swapped: their type does not match');
    const slot = (s: SetRecord): { name: string; index?: number } => ({
      name: s.name,
      ...(s.index === undefined ? {} : { index: s.index }),
    });
    this.sets.put(a, { ...b, ...slot(a) });
    this.sets.put(b, { ...a, ...slot(b) });
    return done();
  }

  private show(netns: NetnsId, line: Line, version: IpsetVersion): ExecResult {
    const mode = line.output ?? (line.command === 'save' ? 'save' : 'plain');
    if (!MODES[version].includes(mode)) throw syntax(`unknown output mode '${mode}'`);
    const sets = this.chosen(netns, line.args[0]);
    if (line.names) return done(sets.map((s) => `${s.name}\n`).join(''));
    return done(
      showSets(sets, {
        mode: mode as Listing['mode'],
        terse: line.terse,
        sorted: line.sorted,
        nowUs: this.nowUs(),
        references: (s) => (this.inUse(netns, s.name) ? 1 : 0),
      }),
    );
  }

  private restore(netns: NetnsId, text: string, exist: boolean, version: IpsetVersion): ExecResult {
    let n = 0;
    for (const line of text.split('\n')) {
      n++;
      const w = wordsOf(line);
      if (w.length === 0 || w[0]?.startsWith('#') || w[0] === 'COMMIT' || w[0] === 'quit') continue;
      const r = this.run(netns, exist ? [...w, '-exist'] : w, '', version);
      const program = `ipset v${version}: `;
      if (r.exit !== 0) return { ...r, stderr: r.stderr.replace(program, `${program}Error in line ${n}: `) };
    }
    return done();
  }
}

function comment(value: string): string {
  if (value.length > MAX_COMMENT) {
    throw syntax(`Comment is longer than the maximum allowed ${MAX_COMMENT} characters`);
  }
  if (value.includes('"')) throw syntax('" character is not permitted in comments');
  return value;
}
