import type { RecordMap, World } from '../../base/recordmap';
import { ACCEPT, type Hook, type HookVerdict, type NetnsId, type Packet, packetLen, type Skb } from '../../net/types';
import type { Place } from '../../trace/events';
import type { Recorder } from '../../trace/recorder';
import { changedFields } from '../conntrack/conntrack';
import type { Family, IptablesBackend } from '../door';
import { lastDraw } from '../matches/statistic';
import { type ChainRecord, type CounterRecord, chainId, NF_CHAINS, NF_COUNTERS, type TableName, ZERO } from '../model';
import { Facts, type TargetCtx, type TargetResult, type XtEnv } from '../xt';
import { type CompiledRule, compileRule, ruleLine } from './compile';

/** Depth of jumps at most; the loader refuses deeper rulesets (NFT_JUMP_STACK_SIZE), so this is a safety net. */
const MAX_DEPTH = 512;

type ChainEnd = HookVerdict | 'return';

interface CompiledChain {
  readonly rec: ChainRecord;
  readonly rules: readonly CompiledRule[];
}

/** Walks the chains of one table of one namespace for a packet (ipt_do_table, nft_do_chain). */
export class TableWalker {
  private readonly chains: RecordMap<ChainRecord>;
  private readonly counters: RecordMap<CounterRecord>;
  private readonly compiled = new Map<string, CompiledChain>();
  private readonly rules = new WeakMap<ChainRecord['rules'][number], CompiledRule>();

  constructor(
    world: World,
    private readonly trace: Recorder,
    private readonly env: XtEnv,
    readonly netns: NetnsId,
    private readonly node: string,
    readonly family: Family,
    readonly backend: IptablesBackend,
    readonly table: TableName,
    private readonly assumed: (what: string, assumption: string) => void,
  ) {
    this.chains = world.map(NF_CHAINS);
    this.counters = world.map(NF_COUNTERS);
  }

  private chain(name: string): CompiledChain | undefined {
    const rec = this.chains.get(chainId(this.netns, this.family, this.backend, this.table, name));
    if (!rec) return undefined;
    const have = this.compiled.get(name);
    if (have?.rec === rec) return have;
    const rules = rec.rules.map((r) => {
      let c = this.rules.get(r);
      if (!c) {
        c = compileRule(r, this.env, this.family);
        this.rules.set(r, c);
      }
      return c;
    });
    const c = { rec, rules };
    this.compiled.set(name, c);
    return c;
  }

  private place(hook: Hook, chain: string): Place {
    return { node: this.node, netns: this.netns, hook, table: this.table, chain };
  }

  private count(id: string, bytes: number): void {
    const was = this.counters.get(id) ?? ZERO;
    this.counters.set(id, { packets: was.packets + 1, bytes: was.bytes + bytes });
  }

  /** Walks a base chain; the policy decides what falls out of it. */
  run(base: string, skb: Skb, hook: Hook, priority: number): HookVerdict {
    const chain = this.chain(base);
    if (!chain) return ACCEPT;
    if (this.trace.detailed) {
      this.trace.emit(
        'nf.station',
        { packet: skb.packet, station: this.table, priority, walked: true },
        this.place(hook, base),
      );
    }
    const facts = new Facts().load(skb, hook);
    const walk = (): HookVerdict => {
      const end = this.walk(chain, facts, hook, 0);
      if (end !== 'return') return end;
      this.count(chain.rec.id, packetLen(skb.packet));
      const policy = chain.rec.policy ?? 'ACCEPT';
      const number = chain.rules.length + 1;
      this.trace.emit('nf.policy', { chain: base, policy, number }, this.place(hook, base));
      if (policy === 'ACCEPT') return ACCEPT;
      return {
        kind: 'drop',
        cause: { reason: 'policy', hook, table: this.table, chain: base, rule: number },
      };
    };
    if (!this.trace.detailed) return walk();
    return this.trace.inSpan({ kind: 'table', label: this.table, where: this.place(hook, base) }, walk);
  }

  private walk(chain: CompiledChain, f: Facts, hook: Hook, depth: number): ChainEnd {
    const { rules } = chain;
    const name = chain.rec.name;
    const detailed = this.trace.detailed;
    // The run of misses not yet told, as first number and the reason of its first failing test.
    let first = 0;
    let reason = '';
    const flush = (last: number): void => {
      if (first === 0) return;
      this.trace.emit('nf.skip', { chain: name, first, last, count: last - first + 1, reason }, this.place(hook, name));
      first = 0;
    };
    for (let i = 0; i < rules.length; i++) {
      const rule = rules[i] as CompiledRule;
      const { tests } = rule;
      let k = 0;
      while (k < tests.length && (tests[k] as (f: Facts) => boolean)(f)) k++;
      if (k < tests.length || rule.unsupported) {
        if (k === tests.length) {
          this.assumed(
            `${(rule.rec.unsupported ?? []).join(', ')} of rule ${i + 1} of ${this.table} ${name}`,
            'no match',
          );
        }
        if (!detailed) continue;
        const failed = rule.shown[k];
        if (failed?.neverFold) {
          flush(i);
          this.emitRule(chain, i, f, hook, false, k);
          continue;
        }
        const code = failed?.code ?? 'unsupported';
        if (first === 0) {
          first = i + 1;
          reason = code;
        } else if (reason !== code) reason = 'mixed';
        continue;
      }
      if (detailed) {
        flush(i);
        this.emitRule(chain, i, f, hook, true, k);
      }
      this.count(rule.rec.id, packetLen(f.packet));
      const end = this.act(chain, i, rule, f, hook, depth);
      if (end !== undefined) return end;
    }
    if (detailed) {
      flush(rules.length);
      if (chain.rec.hook === undefined) {
        this.trace.emit('nf.return', { chain: name, number: rules.length + 1, to: '' }, this.place(hook, name));
      }
    }
    return 'return';
  }

  /** Carries out a matched rule's target; undefined goes on with the next rule. */
  private act(
    chain: CompiledChain,
    i: number,
    rule: CompiledRule,
    f: Facts,
    hook: Hook,
    depth: number,
  ): ChainEnd | undefined {
    const t = rule.rec.target;
    if (!t) return undefined;
    switch (t.kind) {
      case 'verdict':
        if (t.name === 'ACCEPT') return ACCEPT;
        if (t.name === 'RETURN') return 'return';
        return {
          kind: 'drop',
          cause: {
            reason: 'rule',
            hook,
            table: this.table,
            chain: chain.rec.name,
            rule: i + 1,
            ruleId: rule.rec.id,
          },
        };
      case 'jump':
      case 'goto': {
        const next = this.chain(t.chain);
        if (!next || depth >= MAX_DEPTH) return undefined;
        const end = this.trace.detailed
          ? this.trace.inSpan({ kind: 'chain', label: t.chain, where: this.place(hook, t.chain) }, () =>
              this.walk(next, f, hook, depth + 1),
            )
          : this.walk(next, f, hook, depth + 1);
        if (t.kind === 'goto') return end;
        return end === 'return' ? undefined : end;
      }
      default: {
        if (!rule.target) return undefined;
        const r: TargetResult = rule.target.run(t.data, f, this.targetCtx(chain, i, rule, hook));
        if (r.kind === 'continue') return undefined;
        return r.kind === 'accept' ? ACCEPT : r.verdict;
      }
    }
  }

  private targetCtx(chain: CompiledChain, i: number, rule: CompiledRule, hook: Hook): TargetCtx {
    const place = this.place(hook, chain.rec.name);
    return {
      env: this.env,
      hook,
      table: this.table,
      chain: chain.rec.name,
      rule: i + 1,
      ruleId: rule.rec.id,
      setMark: (f: Facts, mark: number) => {
        const before = f.skb.mark;
        if (before === mark) return;
        f.skb.mark = mark;
        this.trace.emit('pkt.mark', { before, after: mark }, place);
      },
      setPacket: (f: Facts, packet: Packet, how: string) => {
        const before = f.skb.packet;
        f.skb.packet = packet;
        this.trace.emit('pkt.rewrite', { packet, before, how, fields: changedFields(before, packet) }, place);
        f.load(f.skb, hook);
      },
    };
  }

  /** nf.rule. `tested`: how many tests were done; the last one failed unless `matched`. */
  private emitRule(chain: CompiledChain, i: number, f: Facts, hook: Hook, matched: boolean, tested: number): void {
    const rule = chain.rules[i] as CompiledRule;
    const t = rule.rec.target;
    const random = rule.rec.matches.some((m) => m.name === 'statistic');
    const goesTo = t?.kind === 'jump' || t?.kind === 'goto' ? t.chain : undefined;
    const shown = matched ? rule.shown : rule.shown.slice(0, tested + 1);
    this.trace.emit(
      'nf.rule',
      {
        packet: f.packet,
        ruleId: rule.rec.id,
        chain: chain.rec.name,
        number: i + 1,
        rules: chain.rules.length,
        matched,
        matches: shown.map((s, k) => ({ name: s.name, ok: matched || k < tested, value: s.value(f) })),
        target: targetWord(rule),
        verdict: matched ? verdictWord(rule) : 'continue',
        ...(goesTo === undefined ? {} : { goesTo }),
        ...(random && (matched || rule.shown[tested]?.code === 'statistic') ? { draw: { ...lastDraw } } : {}),
        text: ruleLine(chain.rec.name, rule.rec, this.family),
      },
      this.place(hook, chain.rec.name),
    );
  }
}

function targetWord(rule: CompiledRule): string | null {
  const t = rule.rec.target;
  if (!t) return null;
  return t.kind === 'jump' || t.kind === 'goto' ? t.chain : t.name;
}

function verdictWord(rule: CompiledRule): string {
  const t = rule.rec.target;
  if (!t) return 'continue';
  if (t.kind === 'jump' || t.kind === 'goto') return t.kind;
  return t.name.toLowerCase();
}
