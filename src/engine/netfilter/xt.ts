import type { IpFamily } from '../base/ip';
import type { Json } from '../base/json';
import type { World } from '../base/recordmap';
import type { NetStack } from '../net/stack';
import type { Hook, HookVerdict, NetnsId, Packet, Skb } from '../net/types';
import type { ConntrackApi } from './conntrack/api';
import type { SetStore } from './ipset/store';

/** A refusal as the real program words it. `exit` 2 adds the "Try `iptables -h'" hint. */
export class XtError extends Error {
  constructor(
    message: string,
    readonly exit = 2,
    /** `program`: prefixed "iptables v1.8.9 (nf_tables): ". `plain`: printed as it is. `short`: "iptables: ". */
    readonly style: 'program' | 'plain' | 'short' = 'program',
  ) {
    super(message);
  }
}

export const paramProblem = (message: string): XtError => new XtError(message);

/** The program's name in front of a message of an extension, as xtables' option checks print it. */
export const extProblem = (ext: string, message: string): XtError => new XtError(`${ext}: ${message}`);

export interface ParseCtx {
  readonly family: IpFamily;
  readonly table: string;
  /** -p seen so far. */
  readonly proto: { readonly num: number; readonly not: boolean } | undefined;
  setExists(name: string): boolean;
}

export interface XtOption {
  /** Long name without dashes; further spellings follow. */
  readonly names: readonly string[];
  /** How many words the option takes: most take one; `--tcp-flags`, `--match-set` take two. */
  readonly args: 0 | 1 | 2;
  /** `!` before it is allowed. */
  readonly not?: boolean;
  /** May be given more than once. */
  readonly multi?: boolean;
  readonly required?: boolean;
  /** One of the names of which another option may not be given together with this one. */
  readonly excludes?: readonly string[];
  /** Name of an option that must be given too. */
  readonly also?: string;
}

/** Values of a rule's matching state. `load` is called whenever the packet changed. */
export class Facts {
  skb!: Skb;
  packet!: Packet;
  hook: Hook = 'prerouting';
  family: IpFamily = 4;
  src = 0;
  dst = 0;
  proto = 0;
  /** -1: the protocol has no ports. */
  sport = -1;
  dport = -1;

  load(skb: Skb, hook: Hook): this {
    this.skb = skb;
    this.hook = hook;
    const p = skb.packet;
    this.packet = p;
    this.family = p.ip.family;
    this.proto = p.ip.proto;
    if (p.ip.family === 4) {
      this.src = ip4(p.ip.src);
      this.dst = ip4(p.ip.dst);
    }
    if (p.l4.kind === 'tcp' || p.l4.kind === 'udp') {
      this.sport = p.l4.sport;
      this.dport = p.l4.dport;
    } else {
      this.sport = -1;
      this.dport = -1;
    }
    return this;
  }
}

/** Memo of dotted quads; bounded, and only a cache of a pure function. */
const memo = new Map<string, number>();
export function ip4(text: string): number {
  let v = memo.get(text);
  if (v === undefined) {
    v = 0;
    for (const part of text.split('.')) v = v * 256 + Number(part);
    if (memo.size > 50_000) memo.clear();
    memo.set(text, v);
  }
  return v;
}

/** Where chance comes from: the world's named streams, or a list given with a walk. */
export interface Draws {
  /** 31-bit number for `statistic --mode random`. */
  u31(): number;
  /** Unsigned 16-bit number for port allocation (get_random_u16). */
  u16(): number;
  below(n: number): number;
}

/** What matches and targets may see besides the packet. */
export interface XtEnv {
  readonly netns: NetnsId;
  readonly world: World;
  readonly net: NetStack;
  readonly ct: ConntrackApi;
  readonly sets: SetStore;
  readonly draws: Draws;
  /** Printed by LOG, NFLOG, TRACE. */
  log(line: string): void;
  /** Hands a packet to whoever listens on an NFQUEUE number; false when nobody does. */
  queue(num: number, skb: Skb, hook: Hook, table: string): boolean;
  /** 'explain' leaves no traces: hidden inputs answer undefined. */
  readonly mode: 'walk' | 'explain';
}

export type Test = (f: Facts) => boolean;

export interface XtMatch<S> {
  readonly name: string;
  readonly options: readonly XtOption[];
  /** Protocols by number for which it may be used; others refuse. */
  init(): S;
  parse(s: S, option: string, args: readonly string[], not: boolean, ctx: ParseCtx): void;
  /** After the last option; `given` holds the names of the options seen. */
  check?(s: S, given: ReadonlySet<string>, ctx: ParseCtx): void;
  /** As iptables -S prints it, without `-m name`: "--dport 80". */
  print(s: S, ctx: PrintCtx): string;
  /** As iptables -L prints it: "tcp dpt:80". '' prints nothing. */
  list(s: S, ctx: PrintCtx): string;
  /** Builds the test of one rule. `key` names its state in nf.state. */
  compile(s: S, env: XtEnv, key: string): Test;
  /** The packet's own value next to which ✓/✗ stands. */
  value(s: S, f: Facts, env: XtEnv): string;
  /** Whether it depends on more than the packet (state, chance, tables): such misses are never folded. */
  readonly hidden?: boolean;
  /** Loading a rule with it switches conntrack on in the namespace (nf_ct_netns_get). */
  needsConntrack?(s: S): boolean;
  /** Key of a named list that lives as long as a rule names it (recent, hashlimit). */
  list_key?(s: S): string | undefined;
}

export interface PrintCtx {
  readonly numeric: boolean;
  readonly family: IpFamily;
  readonly proto: number;
  readonly version: '1.8.9' | '1.8.11';
  readonly backend: 'nft' | 'legacy';
}

/** What a target did. `continue` goes on with the next rule. */
export type TargetResult =
  | { readonly kind: 'accept' }
  | { readonly kind: 'continue' }
  | { readonly kind: 'verdict'; readonly verdict: HookVerdict };

export const CONTINUE: TargetResult = Object.freeze({ kind: 'continue' });
export const DONE_ACCEPT: TargetResult = Object.freeze({ kind: 'accept' });

export interface TargetCtx {
  readonly env: XtEnv;
  readonly hook: Hook;
  readonly table: string;
  readonly chain: string;
  readonly rule: number;
  readonly ruleId: string;
  /** Emits pkt.mark / pkt.rewrite and reloads the facts. */
  setMark(f: Facts, mark: number): void;
  setPacket(f: Facts, packet: Packet, how: string): void;
}

export interface XtTarget<S> {
  readonly name: string;
  readonly options: readonly XtOption[];
  init(): S;
  parse(s: S, option: string, args: readonly string[], not: boolean, ctx: ParseCtx): void;
  check?(s: S, given: ReadonlySet<string>, ctx: ParseCtx): void;
  print(s: S, ctx: PrintCtx): string;
  list(s: S, ctx: PrintCtx): string;
  run(s: S, f: Facts, ctx: TargetCtx): TargetResult;
  readonly tables?: readonly string[];
  readonly hooks?: readonly Hook[];
  /** The kernel's own look at the rest of the rule (checkentry); false: EINVAL. */
  accepts?(s: S, rule: { readonly proto?: { readonly num: number; readonly not: boolean } }): boolean;
  needsConntrack?(s: S): boolean;
  /** Name in -L's target column, where it differs (NOTRACK is listed as CT). */
  readonly listName?: string;
}

export type AnyMatch = XtMatch<Json>;
export type AnyTarget = XtTarget<Json>;
export const defineMatch = <S>(m: XtMatch<S>): AnyMatch => m as unknown as AnyMatch;
export const defineTarget = <S>(t: XtTarget<S>): AnyTarget => t as unknown as AnyTarget;
