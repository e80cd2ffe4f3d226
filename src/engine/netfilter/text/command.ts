import { byCodeUnit } from '../../base/json';
import type { WorldReader } from '../../base/recordmap';
import type { ExecResult } from '../../net/stack';
import type { NetnsId } from '../../net/types';
import type { Family, IptablesBackend } from '../door';
import {
  BASE_CHAINS,
  type ChainRecord,
  isTable,
  NF_CHAINS,
  NF_COUNTERS,
  NF_TABLES,
  type RuleRecord,
  type RuleSpec,
  type TableName,
  ZERO,
} from '../model';
import type { Netfilter } from '../netfilter';
import type { EditError, TableDraft } from '../ruleset';
import { validate } from '../validate';
import { XtError } from '../xt';
import { type Command, type ParseOptions, parseCommand } from './parse';
import { type ListFormat, listHeader, listRule, printCtx, ruleText } from './print';
import { chainsOf } from './save';

export interface IptablesOptions {
  readonly family?: Family;
  readonly backend?: IptablesBackend;
  readonly reader?: WorldReader;
  readonly version?: '1.8.9' | '1.8.11';
}

interface Run {
  readonly nf: Netfilter;
  readonly netns: NetnsId;
  readonly family: Family;
  readonly backend: IptablesBackend;
  readonly version: '1.8.9' | '1.8.11';
  readonly reader: WorldReader;
  readonly program: string;
}

const EDIT_TEXT: Readonly<Record<EditError, string>> = {
  'no-chain': 'No chain/target/match by that name.',
  exists: 'Chain already exists.',
  'index-insert': 'Index of insertion too big.',
  'index-replace': 'Index of replacement too big.',
  'index-delete': 'Index of deletion too big.',
  'no-rule': 'Bad rule (does a matching rule exist in that chain?).',
  'bad-policy': "Bad policy name. Run `dmesg' for more information.",
  busy: 'Too many links.',
  'base-chain': "Invalid argument. Run `dmesg' for more information.",
};
export const editText = (e: EditError): string => EDIT_TEXT[e];

const refuse = (text: string, exit = 1): XtError => new XtError(text, exit, 'short');
/** A transaction that the kernel's nf_tables refused. */
const nftFailed = (verb: string, why: string, what: string): XtError =>
  new XtError(` ${verb} failed (${why}): ${what}`, 4, 'program');

export const programName = (family: Family, suffix = ''): string =>
  `${family === 4 ? 'iptables' : 'ip6tables'}${suffix}`;
export const variantName = (backend: IptablesBackend): string => (backend === 'nft' ? 'nf_tables' : 'legacy');

/** A thrown refusal as the program's standard error and exit status. */
export function errorResult(e: XtError, program: string, version: string, backend: IptablesBackend): ExecResult {
  const hint = `Try \`${program} -h' or '${program} --help' for more information.\n`;
  const head = `${program} v${version} (${variantName(backend)}): `;
  const body =
    e.style === 'program'
      ? `${head}${e.message}\n`
      : e.style === 'short'
        ? `${program}: ${e.message}\n`
        : `${e.message}\n`;
  return { stdout: '', stderr: e.exit === 2 ? body + hint : body, exit: e.exit };
}

export function parseOptions(
  nf: Netfilter,
  netns: NetnsId,
  family: Family,
  backend: IptablesBackend,
  version: '1.8.9' | '1.8.11',
): ParseOptions {
  const map = nf.ctx.world.map(NF_CHAINS);
  return {
    family,
    backend,
    version,
    chainExists: (table, chain) =>
      map.has(`${netns}|${family}|${backend}|${table}|${chain}`) || (isTable(table) && isBase(table, chain)),
    setExists: (name) => nf.sets.exists(netns, name),
    ...(nf.options.hosts ? { hosts: (name: string) => nf.options.hosts?.(netns, name) } : {}),
  };
}

const isBase = (table: TableName, chain: string): boolean => BASE_CHAINS[table].some((b) => b.chain === chain);

/** One iptables command line. */
export function runIptables(
  nf: Netfilter,
  netns: NetnsId,
  argv: readonly string[],
  o: IptablesOptions = {},
): ExecResult {
  const family = o.family ?? 4;
  const run: Run = {
    nf,
    netns,
    family,
    backend: o.backend ?? 'nft',
    version: o.version ?? '1.8.9',
    reader: o.reader ?? nf.ctx.world,
    program: programName(family),
  };
  try {
    const cmd = parseCommand(argv, parseOptions(nf, netns, family, run.backend, run.version));
    return execute(run, cmd);
  } catch (e) {
    if (e instanceof XtError) return errorResult(e, run.program, run.version, run.backend);
    throw e;
  }
}

function tableOf(run: Run, cmd: Command): TableName {
  if (isTable(cmd.table)) return cmd.table;
  throw new XtError(
    run.backend === 'nft'
      ? `table '${cmd.table}' does not exist\nPerhaps ${run.program} or your kernel needs to be upgraded.`
      : `can't initialize ${run.program} table \`${cmd.table}': Table does not exist (do you need to insmod?)\nPerhaps ${run.program} or your kernel needs to be upgraded.`,
    3,
  );
}

function execute(run: Run, cmd: Command): ExecResult {
  if (cmd.verb === 'V') {
    return { stdout: `${run.program} v${run.version} (${variantName(run.backend)})\n`, stderr: '', exit: 0 };
  }
  if (cmd.verb === 'h')
    return { stdout: `${run.program} v${run.version} (${variantName(run.backend)})\n`, stderr: '', exit: 0 };
  const table = tableOf(run, cmd);
  let stdout = '';
  if (run.backend === 'legacy' && run.reader === run.nf.ctx.world) {
    // The kernel makes a table when somebody asks for it (xt_find_table_lock).
    const asked = run.nf.draft(run.netns, run.family, run.backend, table);
    if (asked.fresh) run.nf.commit(run.netns, [asked], run.program);
  }
  if (cmd.verb === 'L' || cmd.verb === 'S') {
    stdout = cmd.verb === 'L' ? list(run, table, cmd) : listRules(run, table, cmd);
    if (!cmd.zero) return { stdout, stderr: legacyWarning(run), exit: 0 };
  }
  const draft = run.nf.draft(run.netns, run.family, run.backend, table);
  if (forgets(run.backend, run.version) && cmd.verb !== 'C' && cmd.verb !== 'Z') draft.forgetPolicies();
  stdout += edit(run, draft, cmd);
  check(run, draft, cmd);
  run.nf.commit(run.netns, [draft], run.program);
  return { stdout, stderr: legacyWarning(run), exit: 0 };
}

/** Legacy iptables 1.8.9 loses the counts of policies with every change; later versions keep them. */
export const forgets = (backend: IptablesBackend, version: string): boolean =>
  backend === 'legacy' && version === '1.8.9';

/** nft says when the other back end's tables exist too. */
export function legacyWarning(
  run: Pick<Run, 'reader' | 'netns' | 'family' | 'backend'>,
  program = 'iptables-legacy',
): string {
  if (run.backend !== 'nft') return '';
  const map = run.reader.map(NF_TABLES);
  const any = map.by('netns', run.netns).some((k) => {
    const t = map.get(k);
    return t?.backend === 'legacy' && t.family === run.family;
  });
  const name = run.family === 4 ? program : program.replace('iptables', 'ip6tables');
  return any ? `# Warning: ${name.replace('-save', '')} tables present, use ${name} to see them\n` : '';
}

const NFT_VERB: Readonly<Record<string, string>> = { A: 'RULE_APPEND', I: 'RULE_INSERT', R: 'RULE_REPLACE' };

/** The kernel's own checks of the changed table. */
function check(run: Run, draft: TableDraft, cmd: Command): void {
  const bad = validate(draft);
  if (!bad) return;
  if (run.backend === 'legacy') {
    throw refuse(bad.reason === 'loop' ? `${bad.text}.` : "Invalid argument. Run `dmesg' for more information.");
  }
  throw nftFailed(NFT_VERB[cmd.verb ?? 'A'] ?? 'RULE_APPEND', bad.text, `rule in chain ${cmd.chain ?? bad.chain}`);
}

function fail(e: EditError | undefined): void {
  if (e !== undefined) throw refuse(editText(e));
}

/** Applies an acting verb to a draft; returns what -v prints. Throws XtError. */
export function edit(
  run: Pick<Run, 'backend' | 'family' | 'version'>,
  d: TableDraft,
  cmd: Command,
  origin: { file?: string; line?: number } = {},
): string {
  const chain = cmd.chain;
  let out = '';
  const say = (spec: RuleSpec): void => {
    if (cmd.verbose === 0) return;
    const f: ListFormat = { numeric: true, verbose: true, exact: false, lineNumbers: false };
    out += `${listRule(spec, 0, ZERO, f, printCtx(spec, { numeric: true, family: run.family, version: run.version, backend: run.backend }), undefined, true)}\n`;
  };
  const add = (spec: RuleSpec, at?: number): void => {
    const r = d.add(chain as string, spec, cmd.text, origin, at);
    if (typeof r === 'string') fail(r);
    else if (cmd.counters) d.setCounters(r.id, cmd.counters);
    say(spec);
  };
  switch (cmd.verb) {
    case 'A':
      for (const spec of cmd.rules) add(spec);
      break;
    case 'I':
      // Several addresses: inserted one after the other at the same place, so the last comes first.
      for (const spec of cmd.rules) add(spec, cmd.rulenum ?? 1);
      break;
    case 'R': {
      const spec = cmd.rules[0] as RuleSpec;
      if (cmd.rules.length > 1) throw new XtError('Replacement rule does not specify a unique address');
      const r = d.replace(chain as string, cmd.rulenum as number, spec, cmd.text);
      if (typeof r === 'string') fail(r);
      else if (cmd.counters) d.setCounters(r.id, cmd.counters);
      say(spec);
      break;
    }
    case 'D':
      if (cmd.rulenum !== undefined) fail(d.delete(chain as string, cmd.rulenum));
      else {
        for (const spec of cmd.rules) {
          fail(d.delete(chain as string, spec));
          say(spec);
        }
      }
      break;
    case 'C':
      for (const spec of cmd.rules) {
        if (!d.find(chain as string, spec)) fail('no-rule');
        say(spec);
      }
      break;
    case 'F':
      if (cmd.verbose) for (const n of chain === undefined ? d.names() : [chain]) out += `Flushing chain \`${n}'\n`;
      fail(d.flush(chain));
      break;
    case 'N':
      fail(d.create(chain as string));
      break;
    case 'X':
      out += removeChains(run, d, cmd);
      break;
    case 'E': {
      const e = d.rename(chain as string, cmd.newName as string);
      if (e === 'exists') throw refuse('File exists.');
      if (e === 'base-chain') throw refuse(editText('no-chain'));
      fail(e);
      break;
    }
    case 'P': {
      const e = d.setPolicy(chain as string, cmd.policy as string);
      if (e === 'no-chain') throw refuse('Bad built-in chain name.');
      fail(e);
      if (cmd.counters) d.setCounters(d.countersOf(chain as string) ?? '', cmd.counters);
      break;
    }
    default:
      zero(run, d, cmd);
      if (cmd.verbose > 0) {
        for (const n of chain === undefined ? d.names() : [chain]) out += `Zeroing chain \`${n}'\n`;
      }
  }
  return out;
}

function zero(run: Pick<Run, 'backend'>, d: TableDraft, cmd: Command): void {
  if (
    cmd.chain !== undefined &&
    cmd.rulenum !== undefined &&
    d.has(cmd.chain) &&
    cmd.rulenum > d.rules(cmd.chain).length
  ) {
    throw refuse(run.backend === 'nft' ? editText('no-rule') : 'Index of counter too big.');
  }
  fail(d.zero(cmd.chain, cmd.rulenum));
}

function removeChains(run: Pick<Run, 'backend'>, d: TableDraft, cmd: Command): string {
  // Without a name all user chains go: nft in the order of their making, legacy by name.
  const all = d.names().filter((n) => !d.isBase(n));
  const names = cmd.chain !== undefined ? [cmd.chain] : run.backend === 'nft' ? all : all.sort(byCodeUnit);
  let out = '';
  for (const n of names) {
    const busy = d.has(n) && !d.isBase(n) && (d.rules(n).length > 0 || d.references(n) > 0);
    if (run.backend === 'nft' && (busy || d.isBase(n))) {
      throw nftFailed('CHAIN_DEL', 'Device or resource busy', `chain ${n}`);
    }
    if (cmd.verbose) out += `Deleting chain \`${n}'\n`;
    fail(d.remove(n));
  }
  return out;
}

function findChain(run: Run, table: TableName, name: string): { name: string; rec: ChainRecord | undefined } {
  const { base, user } = chainsOf(run.reader, run.netns, run.family, run.backend, table);
  const hit =
    base.find((b) => b.name === name) ?? user.map((u) => ({ name: u.name, rec: u })).find((u) => u.name === name);
  if (hit) return hit;
  if (run.backend === 'nft' && run.version === '1.8.9') {
    throw new XtError(`chain \`${name}' in table \`${table}' is incompatible, use 'nft' tool.`, 1);
  }
  throw refuse(editText('no-chain'));
}

function allChains(run: Run, table: TableName): { name: string; rec: ChainRecord | undefined }[] {
  const { base, user } = chainsOf(run.reader, run.netns, run.family, run.backend, table);
  return [...base, ...user.map((u) => ({ name: u.name, rec: u }))];
}

/** -L. */
function list(run: Run, table: TableName, cmd: Command): string {
  const f: ListFormat = {
    numeric: cmd.numeric,
    verbose: cmd.verbose > 0,
    exact: cmd.exact,
    lineNumbers: cmd.lineNumbers,
  };
  const everything = allChains(run, table);
  const chosen = cmd.chain === undefined ? everything : [findChain(run, table, cmd.chain)];
  const refs = new Map<string, number>();
  for (const c of everything) {
    for (const r of c.rec?.rules ?? []) {
      const t = r.target;
      if (t?.kind === 'jump' || t?.kind === 'goto') refs.set(t.chain, (refs.get(t.chain) ?? 0) + 1);
    }
  }
  const counters = run.reader.map(NF_COUNTERS);
  const blocks = chosen.map((c) => {
    const lines: string[] = [];
    if (cmd.rulenum === undefined) {
      if (c.rec?.hook !== undefined || !c.rec) {
        const k = (c.rec && counters.get(c.rec.id)) ?? ZERO;
        const counts = f.verbose ? ` ${short(k.packets, f.exact)} packets, ${short(k.bytes, f.exact)} bytes` : '';
        lines.push(`Chain ${c.name} (policy ${c.rec?.policy ?? 'ACCEPT'}${counts})`);
      } else lines.push(`Chain ${c.name} (${refs.get(c.name) ?? 0} references)`);
      lines.push(listHeader(f));
    }
    (c.rec?.rules ?? []).forEach((r, i) => {
      if (cmd.rulenum !== undefined && cmd.rulenum !== i + 1) return;
      const ctx = printCtx(r, { numeric: f.numeric, family: run.family, version: run.version, backend: run.backend });
      const hosts = run.nf.options.hosts ? (a: string) => run.nf.options.hosts?.(run.netns, a) : undefined;
      lines.push(listRule(r, i + 1, counters.get(r.id) ?? ZERO, f, ctx, hosts));
    });
    return lines.map((l) => `${l}\n`).join('');
  });
  return blocks.join('\n');
}

/** Counts in a chain's header: shortened without blanks in front. */
function short(n: number, exact: boolean): string {
  if (exact || n <= 99999) return String(n);
  let v = n;
  for (const unit of ['K', 'M', 'G']) {
    v = Math.floor((v + 500) / 1000);
    if (v <= 9999) return `${v}${unit}`;
  }
  return `${Math.floor((v + 500) / 1000)}T`;
}

/** -S: rules as commands; with -v their counters. */
function listRules(run: Run, table: TableName, cmd: Command): string {
  const chosen = cmd.chain === undefined ? allChains(run, table) : [findChain(run, table, cmd.chain)];
  const counters = run.reader.map(NF_COUNTERS);
  const lines: string[] = [];
  const v = cmd.verbose > 0;
  if (cmd.rulenum === undefined) {
    for (const c of chosen) {
      if (c.rec && c.rec.hook === undefined) lines.push(`-N ${c.name}`);
      else {
        const k = (c.rec && counters.get(c.rec.id)) ?? ZERO;
        lines.push(`-P ${c.name} ${c.rec?.policy ?? 'ACCEPT'}${v ? ` -c ${k.packets} ${k.bytes}` : ''}`);
      }
    }
  }
  for (const c of chosen) {
    (c.rec?.rules ?? []).forEach((r: RuleRecord, i) => {
      if (cmd.rulenum !== undefined && cmd.rulenum !== i + 1) return;
      const ctx = printCtx(r, { numeric: true, family: run.family, version: run.version, backend: run.backend });
      const text = ruleText(r, ctx, v ? (counters.get(r.id) ?? ZERO) : undefined);
      lines.push(text === '' ? `-A ${c.name}` : `-A ${c.name} ${text}`);
    });
  }
  return lines.map((l) => `${l}\n`).join('');
}
