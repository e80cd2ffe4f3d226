import type { TraceEvent } from '../../engine/trace';
import { factsOf, known } from './facts';
import { ruleTitle } from './rule-text';
import type { ChainPanel, ChainRow, Opened, RuleView } from './types';

type Chains = Extract<Opened, { kind: 'chains' }>;
type RuleRow = Extract<ChainRow, { kind: 'rule' }>;

interface Frame {
  readonly chain: string;
  readonly callerRule: number | undefined;
  rows: ChainRow[];
  /** Last rule that was looked at. */
  seen: number;
  total: number | undefined;
}

/** Verdicts after which the walk of the table goes on. */
const GOES_ON = new Set(['jump', 'goto', 'continue', 'return']);
const REWRITERS = /^(DNAT|SNAT|MASQUERADE|REDIRECT|NETMAP|MARK|CONNMARK)$/;
const DRAW_RANGE = 2 ** 31;

const short = (x: number): string => String(Math.round(x * 1e5) / 1e5);

export interface ChainContext {
  /** Events of one table's walk, the station's own first. */
  readonly events: readonly TraceEvent[];
  readonly hook: string;
  readonly table: string;
  readonly stop: number;
  /** Events after the cursor may be shown. */
  readonly open: boolean;
  readonly rules: (chain: string) => readonly RuleView[] | undefined;
  readonly pinned: readonly string[];
}

function ruleRow(f: NonNullable<ReturnType<typeof factsOf<'nf.rule'>>>, pinned: readonly string[]): RuleRow {
  const text = ruleTitle(f.text);
  const row = {
    kind: 'rule' as const,
    number: f.number,
    ruleId: f.ruleId,
    matched: f.matched,
    back: false,
    rewrites: f.matched && f.target !== null && REWRITERS.test(f.target),
    current: false,
    pinned: pinned.includes(f.ruleId),
    text: f.text,
  };
  const drew = f.draw && {
    as: 'word' as const,
    code: 'drew' as const,
    values: {
      draw: (f.draw.value / DRAW_RANGE).toFixed(3),
      below: short(f.draw.below / DRAW_RANGE),
      matched: f.matched ? 1 : 0,
    },
  };
  if (f.matched) return { ...row, title: drew ?? text.title, detail: text.detail };
  return { ...row, title: text.title, detail: drew ?? { as: 'word', code: 'does-not-match' } };
}

/** Folds the walk of one table into the panels that stand open at its last event. */
export function foldChains(c: ChainContext): Chains | undefined {
  const stack: Frame[] = [];
  let exit: Chains['exit'];
  let returning = false;
  let current: { frame: Frame; index: number } | undefined;

  const open = (chain: string, callerRule: number | undefined): Frame => {
    const frame: Frame = { chain, callerRule, rows: [], seen: 0, total: c.rules(chain)?.length };
    stack.push(frame);
    return frame;
  };
  /** The frame of a chain; leaving what lies above it. */
  const frameOf = (chain: string): Frame => {
    const at = stack.map((f) => f.chain).lastIndexOf(chain);
    if (at < 0) return open(chain, undefined);
    if (at < stack.length - 1) {
      stack.length = at + 1;
      const top = stack[at] as Frame;
      const last = top.rows[top.rows.length - 1];
      if (last?.kind === 'rule') top.rows[top.rows.length - 1] = { ...last, back: true };
    }
    return stack[at] as Frame;
  };
  const add = (frame: Frame, row: ChainRow): void => {
    current = { frame, index: frame.rows.push(row) - 1 };
  };

  c.events.forEach((event, i) => {
    const last = i === c.events.length - 1;
    const e = known(event);
    switch (e.kind) {
      case 'nf.station':
        open(c.hook.toUpperCase(), undefined);
        break;
      case 'nf.skip': {
        const frame = frameOf(e.facts.chain);
        const { first, count, reason } = e.facts;
        frame.seen = e.facts.last;
        add(frame, { kind: 'skip', first, last: e.facts.last, count, reason, current: false });
        break;
      }
      case 'nf.rule': {
        const f = e.facts;
        const frame = frameOf(f.chain);
        frame.seen = f.number;
        frame.total = f.rules;
        add(frame, ruleRow(f, c.pinned));
        if (f.matched && (f.verdict === 'jump' || f.verdict === 'goto')) {
          const to = f.goesTo ?? f.target;
          if (to !== null && to !== undefined) {
            open(to, f.number);
            current = undefined;
          }
        } else if (f.matched && !GOES_ON.has(f.verdict)) {
          const ends = /drop|reject/i.test(f.verdict);
          exit = { verdict: f.target ?? f.verdict, how: 'rule', shown: c.open && !ends };
        }
        break;
      }
      case 'nf.return': {
        const frame = frameOf(e.facts.chain);
        const caller = stack[stack.length - 2];
        if (last) {
          returning = caller !== undefined;
          add(frame, { kind: 'return', to: caller?.chain ?? e.facts.to, current: false });
        } else if (caller) frameOf(caller.chain);
        break;
      }
      case 'nf.policy': {
        const frame = frameOf(e.facts.chain);
        frame.seen = Math.max(frame.seen, frame.total ?? 0);
        add(frame, { kind: 'policy', policy: e.facts.policy, current: false });
        exit = { verdict: e.facts.policy, how: 'policy', shown: c.open && e.facts.policy !== 'DROP' };
        break;
      }
      default:
        break;
    }
  });
  if (stack.length === 0) return undefined;
  const top = stack[stack.length - 1] as Frame;
  if (stack.length === 1 && top.rows.length === 0 && (top.total ?? 0) === 0) return undefined;

  const panels = stack.map((frame): ChainPanel => {
    const rows = frame.rows.map((row, index) =>
      current?.frame === frame && current.index === index && 'current' in row ? { ...row, current: true } : row,
    );
    const rest = Math.max(0, (frame.total ?? frame.seen) - frame.seen);
    if (exit) {
      if (rest > 0) rows.push({ kind: 'rest', count: rest, read: 'not-reached' });
    } else if (frame === top && !returning) {
      const next = rows.length === 0 ? c.rules(frame.chain)?.[0] : undefined;
      if (next) {
        const { title } = ruleTitle(next.text);
        rows.push({ kind: 'test', number: 1, of: frame.total, ruleId: next.id, title, text: next.text });
      }
      const unread = rest - (next ? 1 : 0);
      if (unread > 0) rows.push({ kind: 'rest', count: unread, read: 'not-yet' });
    }
    return { chain: frame.chain, rows, current: frame === top, callerRule: frame.callerRule };
  });

  // The base chain of kube-proxy's tables only jumps on: it is named on the branch, and the panels show what matters.
  const base = panels[0];
  const only = base?.rows[0];
  const plain =
    panels.length > 1 &&
    only?.kind === 'rule' &&
    only.matched &&
    only.title.as === 'word' &&
    base?.rows.every((r) => r === only || r.kind === 'rest') === true;
  return {
    kind: 'chains',
    stop: c.stop,
    table: c.table,
    via: plain && base && only.kind === 'rule' ? { chain: base.chain, rule: only.number } : undefined,
    panels: plain ? panels.slice(1) : panels,
    exit,
    returning,
  };
}

/** Rules looked at and rules that did not match, in a run of events. */
export function countRules(events: readonly TraceEvent[]): { read: number; missed: number } {
  let read = 0;
  let missed = 0;
  for (const e of events) {
    const skip = factsOf(e, 'nf.skip');
    const rule = factsOf(e, 'nf.rule');
    if (skip) {
      read += skip.count;
      missed += skip.count;
    } else if (rule) {
      read += 1;
      if (!rule.matched) missed += 1;
    }
  }
  return { read, missed };
}
