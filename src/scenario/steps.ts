import type { TraceEvent } from '../engine/trace/index';
import { enclosing, fieldAt, isFollowed, type Trace } from './query';
import type { Scenario } from './schema';

/**
 * Cursors at which stepping halts in a lesson. Level 1 and 2 step coarsely, about 20 halts for a first packet: the
 * packet is made, a station that has something to say, a rule that matched, a draw, a rewrite, an entry made or
 * found, the route, a drop, the arrival. Level 3 and 4 and the sandbox halt at every event (undefined). `also`: cursors
 * that the lesson itself names (a question, a caption, what fills a slot).
 */
export function stepStops(
  trace: Trace,
  level: number,
  follow: Scenario['follow'],
  origin = 0,
  also: Iterable<number> = [],
): ReadonlySet<number> | undefined {
  if (level > 2) return undefined;
  const stops = new Set<number>(also);
  // By span: whether it lies in a followed flow, and whether in the packet that opens it.
  const known = new Map<number, { readonly followed: boolean; readonly first: boolean }>();
  const about = (e: TraceEvent): { readonly followed: boolean; readonly first: boolean } => {
    let a = known.get(e.span);
    if (a === undefined) {
      const flow = enclosing(trace, e.span, 'flow');
      const packet = enclosing(trace, e.span, 'packet');
      a = { followed: flow !== undefined && isFollowed(flow, follow), first: packet?.facts.no === 1 };
      known.set(e.span, a);
    }
    return a;
  };
  for (let i = origin; i < trace.events.length; i++) {
    const e = trace.events[i] as TraceEvent;
    const { followed, first } = about(e);
    if (followed ? isStop(e, first) : isWorldStop(e)) stops.add(e.seq);
  }
  return stops;
}

/** What is worth a halt on the way of the followed connection. */
function isStop(e: TraceEvent, first: boolean): boolean {
  switch (e.kind) {
    case 'pkt.made':
    case 'pkt.deliver':
    case 'pkt.drop':
    case 'ct.new':
    case 'ct.confirm':
    case 'ct.full':
    case 'ct.invalid':
    case 'ct.evict':
      return true;
    case 'pkt.rewrite':
      // The TTL of a router says nothing about Services.
      return fieldAt(e.facts, 'how') !== 'ttl';
    case 'nf.rule':
      return isDecision(e, first);
    case 'route':
      return first && fieldAt(e.facts, 'stage') === 'input' && fieldAt(e.facts, 'result') !== 'local';
    default:
      return false;
  }
}

/**
 * A rule that decides: in nat whatever matched or drew, elsewhere what ends the packet. A jump in filter that comes
 * back, and the acceptance of a connection that is known, decide nothing new.
 */
function isDecision(e: TraceEvent, first: boolean): boolean {
  if (fieldAt(e.facts, 'draw') !== undefined) return true;
  if (fieldAt(e.facts, 'matched') !== true) return false;
  const ends = ['DROP', 'REJECT'].includes(String(fieldAt(e.facts, 'target')));
  return ends || (first && String(fieldAt(e.facts, 'ruleId')).includes('|nat|'));
}

/** Outside of flows: what the cluster does because of a change. */
function isWorldStop(e: TraceEvent): boolean {
  return (
    e.kind === 'api.write' ||
    e.kind === 'proxy.synced' ||
    e.kind === 'kernel.log' ||
    e.kind === 'sysctl.set' ||
    e.kind === 'command.start'
  );
}
