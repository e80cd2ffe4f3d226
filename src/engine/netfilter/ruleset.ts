import { freeze } from '../base/json';
import type { World } from '../base/recordmap';
import type { NetnsId } from '../net/types';
import type { Family, IptablesBackend } from './door';
import {
  BASE_CHAINS,
  type ChainRecord,
  type CounterRecord,
  chainId,
  NF_CHAINS,
  NF_COUNTERS,
  NF_TABLES,
  type RuleRecord,
  type RuleSpec,
  type TableName,
  type TableRecord,
  tableId,
} from './model';

/** Why an edit failed; each back end has its own words for it. */
export type EditError =
  | 'no-chain'
  | 'exists'
  | 'index-insert'
  | 'index-replace'
  | 'index-delete'
  | 'no-rule'
  | 'bad-policy'
  | 'busy'
  | 'base-chain';

interface ChainDraft {
  readonly id: string;
  readonly name: string;
  hook?: ChainRecord['hook'];
  priority?: number;
  policy?: ChainRecord['policy'];
  rules: readonly RuleRecord[];
  readonly ord: number;
  changed: boolean;
}

/** Two rules are the same when everything that is printed of them is. */
const sameSpec = (a: RuleSpec, b: RuleSpec): boolean => specText(a) === specText(b);
const specText = (r: RuleSpec): string => {
  const { matches, target, src, dst, proto, frag } = r;
  return JSON.stringify([matches, target, src, dst, r.in, r.out, proto, frag]);
};

/** Changes of one table in the making: taken back by forgetting it, carried out by `commit`. */
export class TableDraft {
  private readonly chains = new Map<string, ChainDraft>();
  private readonly removed = new Set<string>();
  private readonly counters = new Map<string, CounterRecord | undefined>();
  private handle: number;
  readonly fresh: boolean;
  /** legacy replaces the whole table whenever anything in it changes. */
  touched = false;

  constructor(
    private readonly world: World,
    readonly netns: NetnsId,
    readonly family: Family,
    readonly backend: IptablesBackend,
    readonly table: TableName,
  ) {
    const rec = world.map(NF_TABLES).get(this.id);
    this.fresh = rec === undefined;
    this.handle = rec?.nextHandle ?? 1;
    const map = world.map(NF_CHAINS);
    const inOrder = map.by('table', this.id).map((key) => map.get(key) as ChainRecord);
    for (const c of inOrder.sort((a, b) => a.ord - b.ord)) {
      this.chains.set(c.name, {
        id: c.id,
        name: c.name,
        ...(c.hook === undefined ? {} : { hook: c.hook, priority: c.priority as number, policy: c.policy as 'ACCEPT' }),
        rules: c.rules,
        ord: c.ord,
        changed: false,
      });
    }
    // A legacy table has all its built-in chains from the start.
    if (backend === 'legacy') for (const b of BASE_CHAINS[table]) this.base(b.chain);
  }

  get id(): string {
    return tableId(this.netns, this.family, this.backend, this.table);
  }

  has(name: string): boolean {
    return this.chains.has(name);
  }
  isBase(name: string): boolean {
    return BASE_CHAINS[this.table].some((b) => b.chain === name);
  }
  names(): string[] {
    return [...this.chains.keys()];
  }
  rules(name: string): readonly RuleRecord[] {
    return this.chains.get(name)?.rules ?? [];
  }
  policyOf(name: string): string | undefined {
    return this.chains.get(name)?.policy;
  }

  /** A built-in chain, made if it is not there yet (nft_xt_builtin_init). */
  private base(name: string): ChainDraft | undefined {
    const have = this.chains.get(name);
    if (have) return have;
    const b = BASE_CHAINS[this.table].find((x) => x.chain === name);
    if (!b) return undefined;
    const c: ChainDraft = {
      id: chainId(this.netns, this.family, this.backend, this.table, name),
      name,
      hook: b.hook,
      priority: b.priority,
      policy: 'ACCEPT',
      rules: [],
      ord: this.handle++,
      changed: true,
    };
    this.chains.set(name, c);
    this.removed.delete(name);
    this.touched = true;
    return c;
  }

  private need(name: string): ChainDraft | undefined {
    return this.base(name) ?? this.chains.get(name);
  }

  private touch(c: ChainDraft): ChainDraft {
    c.changed = true;
    this.touched = true;
    return c;
  }

  create(name: string): EditError | undefined {
    if (this.chains.has(name) || this.isBase(name)) return 'exists';
    this.chains.set(name, {
      id: chainId(this.netns, this.family, this.backend, this.table, name),
      name,
      rules: [],
      ord: this.handle++,
      changed: true,
    });
    this.removed.delete(name);
    this.touched = true;
    return undefined;
  }

  private record(
    spec: RuleSpec,
    text: string,
    origin: { file?: string; line?: number },
    chain: ChainDraft,
  ): RuleRecord {
    return freeze({
      ...spec,
      id: `${chain.id}#${this.handle++}`,
      text,
      ...(origin.file === undefined ? {} : { file: origin.file }),
      ...(origin.line === undefined ? {} : { line: origin.line }),
    });
  }

  /** Appends (at: undefined) or inserts before rule `at` (1-based). Returns the new rule. */
  add(
    chain: string,
    spec: RuleSpec,
    text: string,
    origin: { file?: string; line?: number },
    at?: number,
  ): RuleRecord | EditError {
    const c = this.need(chain);
    if (!c) return 'no-chain';
    if (at !== undefined && at > c.rules.length + 1) return 'index-insert';
    const r = this.record(spec, text, origin, c);
    const i = at === undefined ? c.rules.length : at - 1;
    if (at === undefined && c.changed && !Object.isFrozen(c.rules)) (c.rules as RuleRecord[]).push(r);
    else c.rules = [...c.rules.slice(0, i), r, ...c.rules.slice(i)];
    this.touch(c);
    return r;
  }

  replace(chain: string, n: number, spec: RuleSpec, text: string): RuleRecord | EditError {
    const c = this.need(chain);
    if (!c) return 'no-chain';
    const old = c.rules[n - 1];
    if (!old) return 'index-replace';
    const r = this.record(spec, text, {}, c);
    c.rules = c.rules.map((x) => (x === old ? r : x));
    this.counters.set(old.id, undefined);
    this.touch(c);
    return r;
  }

  find(chain: string, spec: RuleSpec): RuleRecord | undefined {
    return this.need(chain)?.rules.find((r) => sameSpec(r, spec));
  }

  delete(chain: string, what: number | RuleSpec): EditError | undefined {
    const c = this.chains.get(chain) ?? (this.isBase(chain) ? this.need(chain) : undefined);
    if (!c) return typeof what === 'number' ? 'no-chain' : 'no-rule';
    const r = typeof what === 'number' ? c.rules[what - 1] : c.rules.find((x) => sameSpec(x, what));
    if (!r) return typeof what === 'number' ? 'index-delete' : 'no-rule';
    c.rules = c.rules.filter((x) => x !== r);
    this.counters.set(r.id, undefined);
    this.touch(c);
    return undefined;
  }

  flush(chain?: string): EditError | undefined {
    if (chain !== undefined && !this.need(chain)) return 'no-chain';
    for (const c of chain === undefined ? [...this.chains.values()] : [this.chains.get(chain) as ChainDraft]) {
      if (c.rules.length === 0) continue;
      for (const r of c.rules) this.counters.set(r.id, undefined);
      c.rules = [];
      this.touch(c);
    }
    return undefined;
  }

  /** What legacy iptables does with every change: the packets that met a policy are forgotten (libiptc). */
  forgetPolicies(): void {
    for (const c of this.chains.values()) if (c.hook !== undefined) this.counters.set(c.id, undefined);
  }

  zero(chain?: string, rule?: number): EditError | undefined {
    if (chain !== undefined && !this.need(chain)) return 'no-chain';
    for (const c of chain === undefined ? [...this.chains.values()] : [this.chains.get(chain) as ChainDraft]) {
      if (rule === undefined && c.hook !== undefined) this.counters.set(c.id, undefined);
      c.rules.forEach((r, i) => {
        if (rule === undefined || rule === i + 1) this.counters.set(r.id, undefined);
      });
    }
    return undefined;
  }

  setPolicy(chain: string, policy: string): EditError | undefined {
    if (policy !== 'ACCEPT' && policy !== 'DROP') return 'bad-policy';
    const c = this.base(chain);
    if (!c || c.hook === undefined) return 'no-chain';
    if (c.policy !== policy) {
      c.policy = policy;
      this.touch(c);
    }
    return undefined;
  }

  setCounters(id: string, c: CounterRecord | undefined): void {
    this.counters.set(id, c && (c.packets !== 0 || c.bytes !== 0) ? c : undefined);
  }
  countersOf(chain: string): string | undefined {
    return this.chains.get(chain)?.id;
  }

  /** Jumps and gotos to a chain, in rules of this table. */
  references(name: string): number {
    let n = 0;
    for (const c of this.chains.values()) {
      for (const r of c.rules) {
        const t = r.target;
        if ((t?.kind === 'jump' || t?.kind === 'goto') && t.chain === name) n++;
      }
    }
    return n;
  }

  remove(name: string, force = false): EditError | undefined {
    const c = this.chains.get(name);
    if (!c) return this.isBase(name) ? 'base-chain' : 'no-chain';
    if (c.hook !== undefined) return 'base-chain';
    if (!force && (c.rules.length > 0 || this.references(name) > 0)) return 'busy';
    for (const r of c.rules) this.counters.set(r.id, undefined);
    this.chains.delete(name);
    this.removed.add(name);
    this.touched = true;
    return undefined;
  }

  rename(from: string, to: string): EditError | undefined {
    const c = this.chains.get(from);
    if (!c) return 'no-chain';
    if (this.chains.has(to) || this.isBase(to)) return 'exists';
    if (c.hook !== undefined) return 'base-chain';
    const next: ChainDraft = {
      id: chainId(this.netns, this.family, this.backend, this.table, to),
      name: to,
      rules: [],
      ord: this.handle++,
      changed: true,
    };
    next.rules = c.rules.map((r) => {
      const id = `${next.id}#${r.id.slice(r.id.lastIndexOf('#') + 1)}`;
      const was = this.world.map(NF_COUNTERS).get(r.id);
      if (was) this.counters.set(id, was);
      this.counters.set(r.id, undefined);
      return freeze({ ...r, id });
    });
    this.chains.delete(from);
    this.removed.add(from);
    this.chains.set(to, next);
    for (const o of this.chains.values()) {
      if (!o.rules.some((r) => isJumpTo(r, from))) continue;
      o.rules = o.rules.map((r) =>
        isJumpTo(r, from) ? freeze({ ...r, target: { kind: r.target?.kind as 'jump', chain: to } }) : r,
      );
      this.touch(o);
    }
    this.touched = true;
    return undefined;
  }

  /** What a full restore does first: built-in chains emptied, user chains gone. */
  wipe(): void {
    for (const name of [...this.chains.keys()]) {
      const c = this.chains.get(name) as ChainDraft;
      for (const r of c.rules) this.counters.set(r.id, undefined);
      if (c.hook !== undefined) this.counters.set(c.id, undefined);
      if (this.backend === 'nft' || c.hook === undefined) {
        this.chains.delete(name);
        this.removed.add(name);
      } else {
        c.rules = [];
        c.policy = 'ACCEPT';
        c.changed = true;
      }
    }
    this.touched = true;
  }

  /** Chains that `name` leads into, for the checks of loops and hooks. */
  targetsOf(name: string): string[] {
    const out: string[] = [];
    for (const r of this.chains.get(name)?.rules ?? []) {
      const t = r.target;
      if (t?.kind === 'jump' || t?.kind === 'goto') out.push(t.chain);
    }
    return out;
  }
  baseNames(): string[] {
    return [...this.chains.values()].filter((c) => c.hook !== undefined).map((c) => c.name);
  }

  get changed(): boolean {
    return this.touched || this.counters.size > 0;
  }

  /** Writes everything into the records. `order`: rank for a table made now. */
  commit(order: number): void {
    const tables = this.world.map(NF_TABLES);
    const chains = this.world.map(NF_CHAINS);
    const counters = this.world.map(NF_COUNTERS);
    const was = tables.get(this.id);
    if (this.touched || this.fresh) {
      const rec: TableRecord = {
        id: this.id,
        netns: this.netns,
        family: this.family,
        backend: this.backend,
        table: this.table,
        order: was?.order ?? order,
        nextHandle: this.handle,
      };
      if (!was || was.nextHandle !== rec.nextHandle) tables.set(this.id, rec);
    }
    for (const name of this.removed) {
      if (!this.chains.has(name)) chains.delete(chainId(this.netns, this.family, this.backend, this.table, name));
    }
    for (const c of this.chains.values()) {
      if (!c.changed) continue;
      chains.set(c.id, {
        id: c.id,
        netns: this.netns,
        family: this.family,
        backend: this.backend,
        table: this.table,
        name: c.name,
        ...(c.hook === undefined ? {} : { hook: c.hook, priority: c.priority as number, policy: c.policy ?? 'ACCEPT' }),
        rules: c.rules,
        ord: c.ord,
      });
    }
    for (const [id, c] of this.counters) {
      if (c) counters.set(id, c);
      else counters.delete(id);
    }
  }
}

const isJumpTo = (r: RuleRecord, name: string): boolean =>
  (r.target?.kind === 'jump' || r.target?.kind === 'goto') && r.target.chain === name;
