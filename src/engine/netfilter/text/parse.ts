import type { Json } from '../../base/json';
import { parseAddrMask, protocolNumber } from '../args';
import type { Family, IptablesBackend } from '../door';
import { findMatch, KNOWN_MATCHES } from '../known-matches';
import { findTarget, KNOWN_TARGETS } from '../known-targets';
import type { AddrSpec, MatchSpec, NamedSpec, RuleSpec, TargetSpec } from '../model';
import { type AnyMatch, type AnyTarget, type ParseCtx, paramProblem, XtError, type XtOption } from '../xt';

export type Verb = 'A' | 'D' | 'C' | 'I' | 'R' | 'L' | 'S' | 'F' | 'Z' | 'N' | 'X' | 'E' | 'P' | 'V' | 'h';

/** One command line as parsed; the rule where the verb takes one. */
export interface Command {
  table: string;
  verb: Verb | undefined;
  chain: string | undefined;
  rulenum: number | undefined;
  newName: string | undefined;
  policy: string | undefined;
  /** One rule per combination of source and destination addresses. */
  rules: RuleSpec[];
  /** Arguments after the chain's name, as loaded. */
  text: string;
  verbose: number;
  numeric: boolean;
  exact: boolean;
  lineNumbers: boolean;
  zero: boolean;
  counters: { packets: number; bytes: number } | undefined;
  family: Family | undefined;
  help: { readonly match?: AnyMatch; readonly target?: string } | undefined;
}

export interface ParseOptions {
  readonly family: Family;
  readonly backend: IptablesBackend;
  readonly version: '1.8.9' | '1.8.11';
  /** Whether a chain exists in a table (jump targets). */
  chainExists(table: string, chain: string): boolean;
  setExists(name: string): boolean;
  hosts?(name: string): string | undefined;
  /** Restore lines: chains of jumps are checked when the table is committed. */
  readonly inRestore?: boolean;
}

const VERBS: readonly (readonly [Verb, string, string])[] = [
  ['A', '-A', '--append'],
  ['D', '-D', '--delete'],
  ['C', '-C', '--check'],
  ['I', '-I', '--insert'],
  ['R', '-R', '--replace'],
  ['L', '-L', '--list'],
  ['S', '-S', '--list-rules'],
  ['F', '-F', '--flush'],
  ['Z', '-Z', '--zero'],
  ['N', '-N', '--new-chain'],
  ['X', '-X', '--delete-chain'],
  ['E', '-E', '--rename-chain'],
  ['P', '-P', '--policy'],
  ['V', '-V', '--version'],
  ['h', '-h', '--help'],
];
const LONG: Readonly<Record<string, string>> = {
  '--source': '-s',
  '--src': '-s',
  '--destination': '-d',
  '--dst': '-d',
  '--protocol': '-p',
  '--proto': '-p',
  '--in-interface': '-i',
  '--out-interface': '-o',
  '--jump': '-j',
  '--goto': '-g',
  '--match': '-m',
  '--table': '-t',
  '--numeric': '-n',
  '--verbose': '-v',
  '--exact': '-x',
  '--wait': '-w',
  '--wait-interval': '-W',
  '--fragments': '-f',
  '--fragment': '-f',
  '--set-counters': '-c',
  '--modprobe': '-M',
  '--line-numbers': '--line-numbers',
  '--ipv4': '-4',
  '--ipv6': '-6',
};
/** Short options without and with an argument, for clusters such as -nvL. */
const SHORT_FLAGS = 'nvxf46Vh';
const SHORT_ARGS = 'sdpiojgmtcMWADCIRNEP';
const SHORT_OPTIONAL = 'LSFZXw';

/** Verbs that take a rule; the options a rule may carry belong to them only. */
const RULE_VERBS = 'ADCIR';
interface Loaded {
  readonly match: AnyMatch;
  readonly state: Json;
  readonly given: Set<string>;
}

interface OptionHit {
  readonly option: XtOption;
  readonly owner: { readonly kind: 'match'; readonly loaded: Loaded } | { readonly kind: 'target' };
}

/** Parses one iptables command line, argv without the program's name. Throws XtError with the real words. */
export function parseCommand(argv: readonly string[], o: ParseOptions): Command {
  return new Parser(argv, o).run();
}

class Parser {
  private pos = 0;
  private readonly args: string[];
  private not = false;
  private readonly cmd: Command = {
    table: 'filter',
    verb: undefined,
    chain: undefined,
    rulenum: undefined,
    newName: undefined,
    policy: undefined,
    rules: [],
    text: '',
    verbose: 0,
    numeric: false,
    exact: false,
    lineNumbers: false,
    zero: false,
    counters: undefined,
    family: undefined,
    help: undefined,
  };
  private src: { list: string; not: boolean } | undefined;
  private dst: { list: string; not: boolean } | undefined;
  private inIf: NamedSpec | undefined;
  private outIf: NamedSpec | undefined;
  private proto: { num: number; not: boolean } | undefined;
  private frag: { not: boolean } | undefined;
  private readonly matches: Loaded[] = [];
  private readonly specs: (Loaded | { readonly unknown: string; readonly text: string })[] = [];
  private target: AnyTarget | undefined;
  private targetState: Json = {};
  private readonly targetGiven = new Set<string>();
  private jump: string | undefined;
  private goto: string | undefined;
  private unknownTarget: string | undefined;
  private readonly unsupported: string[] = [];
  private ruleStart = 0;

  constructor(
    argv: readonly string[],
    private readonly o: ParseOptions,
  ) {
    this.args = explode(argv);
  }

  private get ctx(): ParseCtx {
    return {
      family: this.o.family,
      table: this.cmd.table,
      proto: this.proto,
      setExists: (name) => this.o.setExists(name),
    };
  }

  /** The option as the real program names it in messages. */
  private naming(opt: string): string {
    if (this.o.version === '1.8.9') return opt;
    const long = Object.entries(LONG).find(([, s]) => s === opt)?.[0];
    return VERBS.find(([, s]) => s === opt)?.[2] ?? long ?? opt;
  }

  private value(opt: string): string {
    const v = this.args[this.pos];
    if (v === undefined) throw paramProblem(`option "${opt}" requires an argument`);
    this.pos++;
    return v;
  }

  /** The next word, if it is not an option. */
  private optional(): string | undefined {
    const v = this.args[this.pos];
    if (v === undefined || v.startsWith('-') || v === '!') return undefined;
    this.pos++;
    return v;
  }

  run(): Command {
    while (this.pos < this.args.length) this.step(this.args[this.pos++] as string);
    if (this.not) throw paramProblem('nothing appropriate following !');
    this.finish();
    return this.cmd;
  }

  private step(word: string): void {
    if (word === '!') {
      if (this.not) throw paramProblem('multiple consecutive ! not allowed');
      this.not = true;
      return;
    }
    const spelled = word;
    const short = VERBS.find(([, s, l]) => s === word || l === word)?.[1] ?? LONG[word] ?? word;
    if (!word.startsWith('-') || word === '-') {
      throw new XtError(`Bad argument \`${word}'`, 2, 'plain');
    }
    const verb = VERBS.find(([, s]) => s === short);
    if (verb) this.verbOption(verb[0], spelled);
    else if (!this.coreOption(short, spelled)) this.extOption(short, spelled);
  }

  private noBang(opt: string): void {
    if (this.not) throw paramProblem(`unexpected ! flag before ${opt.startsWith('--') ? opt : this.naming(opt)}`);
  }

  private verbOption(verb: Verb, spelled: string): void {
    const c = this.cmd;
    if (this.not) throw paramProblem(`unexpected ! flag before ${spelled}`);
    if (verb === 'V' || verb === 'h') {
      if (verb === 'h') {
        c.help = {
          ...(this.matches.length > 0 ? { match: this.matches[this.matches.length - 1]?.match as AnyMatch } : {}),
          ...(this.target ? { target: this.target.name } : {}),
        };
      }
      c.verb = verb;
      this.pos = this.args.length;
      return;
    }
    if (c.verb !== undefined) {
      // -L -Z and -S -Z may stand together.
      if (verb === 'Z' && (c.verb === 'L' || c.verb === 'S')) {
        c.zero = true;
        c.chain ??= this.optional();
        return;
      }
      if (c.verb === 'Z' && (verb === 'L' || verb === 'S')) {
        c.zero = true;
        c.verb = verb;
        c.chain ??= this.optional();
        return;
      }
      throw paramProblem(`Cannot use -${verb} with -${c.verb}`);
    }
    c.verb = verb;
    if ('ADCIRNEP'.includes(verb)) c.chain = this.value(spelled);
    else c.chain = this.optional();
    this.ruleStart = this.pos;
    switch (verb) {
      case 'D':
      case 'I':
      case 'R':
      case 'L':
      case 'S':
      case 'Z': {
        const n = this.args[this.pos];
        if (verb === 'R' && (n === undefined || n.startsWith('-') || n === '!')) {
          throw paramProblem('-R requires a rule number');
        }
        if (c.chain !== undefined && n !== undefined && !n.startsWith('-') && n !== '!') {
          this.pos++;
          c.rulenum = ruleNumber(n);
          this.ruleStart = this.pos;
        } else if (verb === 'I') c.rulenum = 1;
        break;
      }
      case 'N':
        this.checkChainName(c.chain as string, true);
        break;
      case 'E':
        c.newName = this.optional();
        if (c.newName === undefined) throw paramProblem('-E requires old-chain-name and new-chain-name');
        break;
      case 'P':
        c.policy = this.optional();
        if (c.policy === undefined) throw paramProblem('-P requires a chain and a policy');
        break;
      default:
    }
  }

  private checkChainName(name: string, fresh: boolean): void {
    if (name.startsWith('-') || name.startsWith('!')) {
      throw paramProblem(`chain name not allowed to start with \`${name[0]}'`);
    }
    if (!fresh) return;
    if (findTarget(name) || KNOWN_TARGETS.includes(name) || ['ACCEPT', 'DROP', 'RETURN', 'QUEUE'].includes(name)) {
      throw paramProblem('chain name may not clash with target name');
    }
    if (/\s/.test(name)) throw paramProblem(`Invalid chain name \`${name}'`);
    if (name.length > 28) {
      throw paramProblem(`chain name \`${name}' too long (must be under ${29} chars)`);
    }
  }

  private once(flag: boolean, opt: string): void {
    if (!flag) return;
    throw paramProblem(
      this.o.version === '1.8.9'
        ? `multiple ${opt} flags not allowed`
        : `multiple ${this.naming(opt)} options not allowed`,
    );
  }

  /** Options of the program itself; false when it is none of them. */
  private coreOption(opt: string, spelled: string): boolean {
    const c = this.cmd;
    const not = this.not;
    switch (opt) {
      case '-t':
        this.noBang(spelled);
        c.table = this.value(spelled);
        return true;
      case '-s':
      case '-d': {
        const v = this.addrValue(spelled);
        this.once((opt === '-s' ? this.src : this.dst) !== undefined, opt);
        if (opt === '-s') this.src = { list: v, not };
        else this.dst = { list: v, not };
        this.not = false;
        return true;
      }
      case '-p': {
        const v = this.addrValue(spelled);
        this.once(this.proto !== undefined, opt);
        const num = protocolNumber(v);
        if (num === 0 && not) throw paramProblem('rule would never match protocol');
        this.proto = { num, not };
        this.not = false;
        return true;
      }
      case '-i':
      case '-o': {
        const v = this.addrValue(spelled);
        this.once((opt === '-i' ? this.inIf : this.outIf) !== undefined, opt);
        if (v.length > 15) {
          throw paramProblem(
            `interface name \`${v}' must be shorter than ${this.o.version === '1.8.9' ? 'IFNAMSIZ (15)' : '16 characters'}`,
          );
        }
        if (v === '') throw paramProblem('Empty interface is likely to be undesired');
        if (opt === '-i') this.inIf = { name: v, not };
        else this.outIf = { name: v, not };
        this.not = false;
        return true;
      }
      case '-f':
        this.frag = { not };
        this.not = false;
        return true;
      case '-j':
      case '-g':
        this.noBangTarget(spelled);
        if (opt === '-j') this.setJump(this.value(spelled));
        else {
          this.goto = this.value(spelled);
        }
        return true;
      case '-m':
        this.noBang(spelled);
        this.loadMatch(this.value(spelled));
        return true;
      case '-n':
        c.numeric = true;
        return true;
      case '-v':
        c.verbose++;
        return true;
      case '-x':
        c.exact = true;
        return true;
      case '-w':
        this.optionalNumber();
        return true;
      case '-W':
      case '-M':
        this.value(spelled);
        return true;
      case '-c': {
        const p = this.value(spelled);
        let b = p.includes(',') ? p.slice(p.indexOf(',') + 1) : undefined;
        const packets = p.includes(',') ? p.slice(0, p.indexOf(',')) : p;
        b ??= this.optional();
        if (b === undefined) throw paramProblem('-c requires packet and byte counter');
        if (!/^\d+$/.test(packets)) throw paramProblem('-c packet counter not numeric');
        if (!/^\d+$/.test(b)) throw paramProblem('-c byte counter not numeric');
        c.counters = { packets: Number(packets), bytes: Number(b) };
        return true;
      }
      case '-4':
      case '-6':
        c.family = opt === '-4' ? 4 : 6;
        return true;
      case '--line-numbers':
        c.lineNumbers = true;
        return true;
      default:
        // getopt takes any beginning of a long option that is not ambiguous.
        if (!'--line-numbers'.startsWith(opt) || opt.length < 5) return false;
        c.lineNumbers = true;
        return true;
    }
  }

  /** `-s ! addr`, the old place of the bang, is refused: the word after it is a stray argument. */
  private addrValue(spelled: string): string {
    const v = this.value(spelled);
    if (v === '!') {
      const next = this.args[this.pos];
      if (next !== undefined) throw new XtError(`Bad argument \`${next}'`, 2, 'plain');
    }
    return v;
  }
  private noBangTarget(spelled: string): void {
    if (!this.not) return;
    if (this.args[this.pos] === undefined) throw paramProblem(`option "${spelled}" requires an argument`);
    throw paramProblem(`cannot have ! before ${this.naming(spelled)}`);
  }
  private optionalNumber(): void {
    const v = this.args[this.pos];
    if (v !== undefined && /^\d+$/.test(v)) this.pos++;
  }

  private setJump(name: string): void {
    this.once(this.jump !== undefined, '-j');
    this.jump = name;
    if (['ACCEPT', 'DROP', 'RETURN', 'QUEUE'].includes(name)) return;
    const t = findTarget(name);
    if (t && !this.o.chainExists(this.cmd.table, name)) {
      this.target = t;
      this.targetState = t.init();
    } else if (!t && KNOWN_TARGETS.includes(name) && !this.o.chainExists(this.cmd.table, name)) {
      this.unknownTarget = name;
      this.unsupported.push(`target ${name}`);
    }
  }

  private loadMatch(name: string): void {
    const m = findMatch(name);
    if (m) {
      const loaded: Loaded = { match: m, state: m.init(), given: new Set() };
      this.matches.push(loaded);
      this.specs.push(loaded);
      return;
    }
    if (KNOWN_MATCHES.includes(name)) {
      this.unsupported.push(`match ${name}`);
      this.specs.push({ unknown: name, text: '' });
      return;
    }
    throw paramProblem(`Couldn't load match \`${name}':No such file or directory\n`);
  }

  private findOption(name: string): OptionHit | undefined {
    if (this.target) {
      const option = this.target.options.find((x) => x.names.includes(name));
      if (option) return { option, owner: { kind: 'target' } };
    }
    for (let i = this.matches.length - 1; i >= 0; i--) {
      const loaded = this.matches[i] as Loaded;
      const option = loaded.match.options.find((x) => x.names.includes(name));
      if (option) return { option, owner: { kind: 'match', loaded } };
    }
    return undefined;
  }

  private extOption(opt: string, spelled: string): void {
    const name = opt.replace(/^--/, '');
    let hit = opt.startsWith('--') ? this.findOption(name) : undefined;
    if (!hit && opt.startsWith('--') && this.proto && !this.proto.not) {
      // The match of the protocol loads by itself.
      const m = findMatch(PROTO_MATCH[this.proto.num] ?? '');
      if (m && !this.matches.some((x) => x.match === m) && m.options.some((x) => x.names.includes(name))) {
        this.loadMatch(m.name);
        hit = this.findOption(name);
      }
    }
    if (!hit) {
      if (this.unsupported.length > 0 && opt.startsWith('--')) {
        // An option of an extension that the model does not know: its words up to the next option go with it.
        while (
          this.pos < this.args.length &&
          !(this.args[this.pos] as string).startsWith('-') &&
          this.args[this.pos] !== '!'
        )
          this.pos++;
        this.not = false;
        return;
      }
      throw paramProblem(`unknown option "${spelled}"`);
    }
    const { option, owner } = hit;
    const ext = owner.kind === 'match' ? owner.loaded.match.name : (this.target?.name as string);
    const key = option.names[0] as string;
    const given = owner.kind === 'match' ? owner.loaded.given : this.targetGiven;
    const args: string[] = [];
    for (let i = 0; i < option.args; i++) {
      const v = this.args[this.pos];
      if (v === undefined || (i > 0 && v.startsWith('-'))) {
        if (i > 0) break;
        throw paramProblem(`option "${spelled}" requires an argument`);
      }
      args.push(v);
      this.pos++;
    }
    if (this.not && !option.not) throw new XtError(`${ext}: option "--${key}" cannot be inverted.\n`);
    if (given.has(key) && !option.multi) {
      if (PORTS_ONCE.includes(ext) && key.endsWith('-port')) throw paramProblem(`Only one \`--${key}' allowed`);
      throw new XtError(`${ext}: option "--${key}" can only be used once.\n`);
    }
    for (const x of option.excludes ?? []) {
      if (given.has(x)) throw new XtError(`${ext}: option "--${x}" cannot be used together with "--${key}".\n`);
    }
    if (option.args === 2 && args.length < 2 && ext === 'tcp') {
      throw paramProblem(`--${key} requires two args.`);
    }
    given.add(key);
    if (owner.kind === 'match') owner.loaded.match.parse(owner.loaded.state, key, args, this.not, this.ctx);
    else this.target?.parse(this.targetState, key, args, this.not, this.ctx);
    this.not = false;
  }

  private finish(): void {
    const c = this.cmd;
    if (c.verb === undefined) throw paramProblem('no command specified');
    if (!RULE_VERBS.includes(c.verb) || (c.verb === 'D' && c.rulenum !== undefined)) {
      this.checkNoRule();
      return;
    }
    for (const m of this.matches)
      this.checkGiven(m.match.name, m.match.options, m.given, () => m.match.check?.(m.state, m.given, this.ctx));
    if (this.target) {
      const t = this.target;
      this.checkGiven(t.name, t.options, this.targetGiven, () =>
        t.check?.(this.targetState, this.targetGiven, this.ctx),
      );
    }
    if (c.numeric) throw paramProblem(`Illegal option \`${this.naming('-n')}' with this command`);
    this.checkInterfaces();
    c.text = this.args
      .slice(this.ruleStart)
      .map((w) => (/[\s"]/.test(w) ? `"${w.replace(/(["\\])/g, '\\$1')}"` : w))
      .join(' ');
    c.rules = this.build();
  }

  private checkNoRule(): void {
    const c = this.cmd;
    const used = [
      ['-s', this.src],
      ['-d', this.dst],
      ['-p', this.proto],
      ['-j', this.jump],
      ['-i', this.inIf],
      ['-o', this.outIf],
    ].find(([, v]) => v !== undefined)?.[0] as string | undefined;
    // 1.8.11 looks at what both verbs of -L -Z allow.
    if (this.o.version !== '1.8.9' && c.zero && c.numeric) {
      throw paramProblem(`Illegal option \`${this.naming('-n')}' with this command`);
    }
    if (used !== undefined) throw paramProblem(`Illegal option \`${this.naming(used)}' with this command`);
    if (c.chain !== undefined && 'LSFZXDEP'.includes(c.verb as string)) this.checkChainName(c.chain, false);
    if (c.verb === 'P' && c.table === 'nat' && c.policy === 'DROP') {
      throw paramProblem(
        '\nThe "nat" table is not intended for filtering, the use of DROP is therefore inhibited.\n\n',
      );
    }
    if (c.newName !== undefined) this.checkChainName(c.newName, true);
  }

  private checkGiven(ext: string, options: readonly XtOption[], given: ReadonlySet<string>, own: () => void): void {
    own();
    for (const o of options) {
      const key = o.names[0] as string;
      if (o.required && !given.has(key)) throw new XtError(`${ext}: option "--${key}" must be specified\n`);
      if (o.also && given.has(key) && !given.has(o.also)) {
        throw new XtError(`${ext}: option "--${key}" also requires "--${o.also}".\n`);
      }
    }
  }

  private checkInterfaces(): void {
    const chain = this.cmd.chain;
    const bad = (opt: string): XtError =>
      paramProblem(`Can't use ${this.naming(opt)} with ${chain}${this.o.version === '1.8.9' ? '\n' : ''}`);
    if (this.inIf && (chain === 'POSTROUTING' || chain === 'OUTPUT')) throw bad('-i');
    if (this.outIf && (chain === 'PREROUTING' || chain === 'INPUT')) throw bad('-o');
  }

  private buildTarget(): TargetSpec | undefined {
    if (this.goto !== undefined) {
      this.needChain(this.goto);
      return { kind: 'goto', chain: this.goto };
    }
    const j = this.jump;
    if (j === undefined) return undefined;
    if (j === 'ACCEPT' || j === 'DROP' || j === 'RETURN' || j === 'QUEUE') return { kind: 'verdict', name: j };
    if (this.target) return { kind: 'ext', name: this.target.name, data: this.targetState };
    if (this.unknownTarget !== undefined) return { kind: 'ext', name: this.unknownTarget, data: null };
    this.needChain(j);
    return { kind: 'jump', chain: j };
  }

  private needChain(name: string): void {
    if (this.o.chainExists(this.cmd.table, name)) return;
    throw this.o.backend === 'nft'
      ? paramProblem(`Chain '${name}' does not exist`)
      : paramProblem(`Couldn't load target \`${name}':No such file or directory\n`);
  }

  private build(): RuleSpec[] {
    const target = this.buildTarget();
    const addrs = (x: { list: string; not: boolean } | undefined): (AddrSpec | undefined)[] => {
      if (!x) return [undefined];
      const parts = x.list.split(',');
      if (parts.length > 1 && x.not) {
        throw paramProblem('! not allowed with multiple source or destination IP addresses');
      }
      return parts.map((p) => ({ ...parseAddrMask(p, this.o.family, this.o.hosts), not: x.not }));
    };
    const matches: MatchSpec[] = this.specs.map((s) =>
      'match' in s ? { name: s.match.name, data: s.state } : { name: s.unknown, data: null },
    );
    const out: RuleSpec[] = [];
    const dsts = addrs(this.dst);
    for (const src of addrs(this.src)) {
      for (const dst of dsts) {
        out.push({
          ...(src && !isAny(src) ? { src } : {}),
          ...(dst && !isAny(dst) ? { dst } : {}),
          ...(this.inIf && this.inIf.name !== '+' ? { in: this.inIf } : {}),
          ...(this.outIf && this.outIf.name !== '+' ? { out: this.outIf } : {}),
          ...(this.proto && this.proto.num !== 0 ? { proto: this.proto } : {}),
          ...(this.frag ? { frag: this.frag } : {}),
          matches,
          ...(target ? { target } : {}),
          ...(this.unsupported.length > 0 ? { unsupported: this.unsupported } : {}),
        });
      }
    }
    return out;
  }
}

const isAny = (a: AddrSpec): boolean => !a.not && (a.mask === '0.0.0.0' || a.mask === '::');

/** Matches that load by themselves with -p. */
const PROTO_MATCH: Readonly<Record<number, string>> = { 6: 'tcp', 17: 'udp', 132: 'sctp', 1: 'icmp', 58: 'icmp6' };
const PORTS_ONCE = ['tcp', 'udp', 'sctp'];

function ruleNumber(text: string): number {
  const n = /^\d+$/.test(text) ? Number(text) : 0;
  if (n < 1 || n > 0xffffffff) throw paramProblem(`Invalid rule number \`${text}'`);
  return n;
}

/** Takes clusters of short options apart (-nvL, -s10.0.0.1, -tnat) and `--long=value`, as getopt does. */
export function explode(argv: readonly string[]): string[] {
  const out: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const w = argv[i] as string;
    if (w.startsWith('--')) {
      const eq = w.indexOf('=');
      if (eq > 0) out.push(w.slice(0, eq), w.slice(eq + 1));
      else out.push(w);
      continue;
    }
    if (!w.startsWith('-') || w.length <= 2) {
      out.push(w);
      continue;
    }
    let k = 1;
    while (k < w.length) {
      const ch = w[k] as string;
      if (SHORT_FLAGS.includes(ch)) {
        out.push(`-${ch}`);
        k++;
      } else if (SHORT_ARGS.includes(ch) || SHORT_OPTIONAL.includes(ch)) {
        out.push(`-${ch}`);
        if (k + 1 < w.length && (SHORT_ARGS.includes(ch) || !isCluster(w.slice(k + 1)))) {
          out.push(w.slice(k + 1));
          k = w.length;
        } else k++;
      } else {
        out.push(`-${ch}`);
        k++;
      }
    }
  }
  return out;
}

const isCluster = (rest: string): boolean => [...rest].every((c) => `${SHORT_FLAGS}${SHORT_OPTIONAL}t`.includes(c));
