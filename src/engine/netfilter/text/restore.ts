import { byCodeUnit } from '../../base/json';
import type { NetnsId } from '../../net/types';
import type { RestoreOptions, RestoreResult } from '../door';
import { findTarget, KNOWN_TARGETS } from '../known-targets';
import { BASE_CHAINS, isTable, type TableName } from '../model';
import type { Netfilter } from '../netfilter';
import type { EditError, TableDraft } from '../ruleset';
import { type Refusal, validate } from '../validate';
import { XtError } from '../xt';
import { edit, editText, forgets, parseOptions, programName, variantName } from './command';
import { splitLine } from './lex';
import { parseCommand } from './parse';

/** Lines of a restore text at most; beyond it the text is refused. */
const MAX_LINES = 2_000_000;
/** Bytes of one line at most (the real buffer ends at 10240). */
const MAX_LINE = 10_240;

class RestoreError extends Error {
  constructor(
    readonly line: number,
    /** Standard error as the program prints it, without the last line feed. */
    message: string,
    readonly exit: number,
  ) {
    super(message);
  }
}

/** iptables-restore: each table is committed at its COMMIT; nothing of a failed table takes effect. */
export function runRestore(nf: Netfilter, netns: NetnsId, text: string, o: RestoreOptions = {}): RestoreResult {
  const before = nf.ruleCount(nf.ctx.world, netns);
  const restore = new Restore(nf, netns, o);
  try {
    restore.run(text);
  } catch (e) {
    if (e instanceof RestoreError) return { ok: false, line: e.line, message: e.message, exit: e.exit };
    throw e;
  }
  const stdout = o.verbose ? restore.said : '';
  return {
    ok: true,
    rulesBefore: before,
    rulesAfter: nf.ruleCount(nf.ctx.world, netns),
    ...(stdout === '' ? {} : { stdout }),
  };
}

class Restore {
  private draft: TableDraft | undefined;
  private line = 0;
  /** What -v prints: each chain that is emptied and deleted. */
  said = '';
  private readonly program: string;
  private readonly backend;
  private readonly family;
  private readonly version = '1.8.9' as const;

  constructor(
    private readonly nf: Netfilter,
    private readonly netns: NetnsId,
    private readonly o: RestoreOptions,
  ) {
    this.backend = o.backend ?? 'nft';
    this.family = o.family ?? 4;
    this.program = programName(this.family, '-restore');
  }

  private fail(text: string, exit: number): never {
    throw new RestoreError(this.line, text, exit);
  }
  /** "PROGRAM: line N failed: text." of a refused edit. */
  private failEdit(e: EditError): never {
    const text = e === 'bad-policy' ? 'Bad policy name.' : editText(e);
    this.fail(`${this.program}: line ${this.line} failed${this.backend === 'nft' ? `: ${text}` : ''}`, 1);
  }
  private head(): string {
    return `${this.program} v${this.version} (${variantName(this.backend)}): `;
  }
  private hint(): string {
    return `Try \`${this.program} -h' or '${this.program} --help' for more information.`;
  }
  private usage(text: string, plain = false): never {
    this.fail(`${plain ? '' : this.head()}${text}\nError occurred at line: ${this.line}\n${this.hint()}`, 2);
  }

  run(text: string): void {
    const lines = text.split('\n');
    if (lines[lines.length - 1] === '') lines.pop();
    if (lines.length > MAX_LINES) this.fail(`${this.program}: more than ${MAX_LINES} lines`, 1);
    for (const raw of lines) {
      this.line++;
      if (raw.length > MAX_LINE) this.usage('Input line too long');
      this.one(raw);
    }
    if (this.draft) {
      this.line++;
      this.fail(`${this.program}: COMMIT expected at line ${this.line}`, 1);
    }
  }

  private one(raw: string): void {
    if (raw === '' || raw.startsWith('#')) return;
    if (this.draft && raw.trimEnd() === 'COMMIT') {
      this.commit();
      return;
    }
    if (raw.startsWith('*') && !this.draft) {
      this.begin(raw.slice(1).split(/[ \t]/)[0] as string);
      return;
    }
    if (!this.draft) this.fail(`${this.program}: line ${this.line} failed`, 1);
    if (raw.startsWith(':')) this.chainLine(raw.slice(1));
    else this.ruleLine(raw);
  }

  private begin(table: string): void {
    if (!isTable(table)) {
      this.usage(
        this.backend === 'nft'
          ? `${this.program}: line ${this.line} table name '${table}' invalid`
          : `${this.program}: unable to initialize table '${table}'`,
      );
    }
    this.draft = this.nf.draft(this.netns, this.family, this.backend, table as TableName);
    if (forgets(this.backend, this.o.version ?? this.version)) this.draft.forgetPolicies();
    if (this.o.noflush) return;
    const d = this.draft;
    const base = BASE_CHAINS[d.table].map((x) => x.chain).filter((n) => d.has(n));
    const user = d
      .names()
      .filter((n) => !d.isBase(n))
      .sort(byCodeUnit);
    for (const n of [...base, ...user]) this.said += `Flushing chain \`${n}'\n`;
    for (const n of user) this.said += `Deleting chain \`${n}'\n`;
    this.draft.wipe();
  }

  private chainLine(text: string): void {
    const d = this.draft as TableDraft;
    const [name = '', policy, counters] = text.split(/[ \t]+/);
    if (name === '') this.usage(`${this.program}: line ${this.line} chain name invalid`);
    if (policy === undefined) this.usage(`${this.program}: line ${this.line} policy invalid`);
    if (name.length > 28) {
      this.usage(`Invalid chain name \`${name}' (${28} chars max)`);
    }
    let count: { packets: number; bytes: number } | undefined;
    if (this.o.counters && counters !== undefined) {
      const m = /^\[(\d+):(\d+)\]$/.exec(counters);
      if (!m) this.usage(`invalid policy counters for chain '${name}'`);
      else count = { packets: Number(m[1]), bytes: Number(m[2]) };
    }
    if (policy === '-') {
      if (d.isBase(name)) {
        // A built-in chain without policy is flushed and keeps the one it has.
        d.flush(name);
        return;
      }
      if (d.has(name)) d.flush(name);
      else d.create(name);
      return;
    }
    if (!d.isBase(name)) this.failPolicy(policy as string, name, 'no-chain');
    if (d.has(name)) d.flush(name);
    const e = d.setPolicy(name, policy as string);
    if (e) this.failPolicy(policy as string, name, e);
    const id = d.countersOf(name);
    if (id !== undefined && (count || !this.o.noflush)) d.setCounters(id, count);
  }

  private failPolicy(policy: string, name: string, e: EditError): never {
    if (this.backend === 'nft') return this.failEdit(e);
    this.fail(`${this.head()}Can't set policy \`${policy}' on \`${name}' line ${this.line}: Bad policy name`, 1);
  }

  private ruleLine(raw: string): void {
    const d = this.draft as TableDraft;
    let text = raw;
    let counters: { packets: number; bytes: number } | undefined;
    const m = /^\[(\d+):(\d+)\]\s*(.*)$/.exec(raw);
    if (m) {
      if (this.o.counters) counters = { packets: Number(m[1]), bytes: Number(m[2]) };
      text = m[3] as string;
    }
    const { words, quoted } = splitLine(text);
    if (words.some((w, i) => !quoted[i] && (w === '-t' || w.startsWith('--table')))) {
      this.usage(`The -t option cannot be used in ${this.program}.`);
    }
    try {
      const base = parseOptions(this.nf, this.netns, this.family, this.backend, this.version);
      const cmd = parseCommand(['-t', d.table, ...words], {
        ...base,
        // nft looks for the chains of jumps only when the table is committed.
        chainExists: (_t, chain) => d.has(chain) || d.isBase(chain) || (this.backend === 'nft' && !isExtension(chain)),
        inRestore: true,
      });
      cmd.text = text.replace(/^-[AIDRC]\s+\S+\s*(\d+\s+)?/, '').trim();
      if (counters && !cmd.counters) cmd.counters = counters;
      if (this.o.verbose) cmd.verbose++;
      this.said += edit({ backend: this.backend, family: this.family, version: this.version }, d, cmd, {
        ...(this.o.file === undefined ? {} : { file: this.o.file }),
        line: this.line,
      });
    } catch (e) {
      if (!(e instanceof XtError)) throw e;
      this.failParse(e);
    }
  }

  private failParse(e: XtError): never {
    if (e.exit === 2) this.usage(e.message, e.style === 'plain');
    if (e.exit === 4) this.fail(`${this.head()}\nline ${this.line}: ${e.message.trimStart()}`, 4);
    this.fail(`${this.program}: line ${this.line} failed${this.backend === 'nft' ? `: ${e.message}` : ''}`, 1);
  }

  private commit(): void {
    const d = this.draft as TableDraft;
    const bad = validate(d);
    if (bad) this.failKernel(d, bad);
    this.draft = undefined;
    if (this.o.test) return;
    if (this.o.table !== undefined && this.o.table !== d.table) return;
    this.nf.commit(this.netns, [d], this.o.by ?? this.program);
  }

  private failKernel(d: TableDraft, bad: Refusal): never {
    if (bad.reason === 'missing-chain') this.usage(`Chain '${bad.name}' does not exist`);
    if (this.backend === 'legacy') this.fail(`${this.program}: line ${this.line} failed`, 1);
    // Each rule is checked as it comes: the one that came last made the way complete.
    let chain = bad.chain;
    let line = 0;
    for (const name of bad.path) {
      const on = bad.reason === 'loop' || bad.reason === 'depth' ? bad.path : undefined;
      for (const r of d.rules(name)) {
        const leads =
          on === undefined || ('chain' in (r.target ?? {}) && on.includes((r.target as { chain: string }).chain));
        if (!leads || r.line === undefined || r.line <= line) continue;
        line = r.line;
        chain = name;
      }
    }
    if (line > 0) this.line = line;
    this.fail(`${this.head()}\nline ${this.line}: RULE_APPEND failed (${bad.text}): rule in chain ${chain}`, 4);
  }
}

const isExtension = (name: string): boolean => findTarget(name) !== undefined || KNOWN_TARGETS.includes(name);
