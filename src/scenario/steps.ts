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
  const flows = new Map<number, boolean>();
  const followed = (e: TraceEvent): boolean => {
    let yes = flows.get(e.span);
    if (yes === undefined) {
      const flow = enclosing(trace, e.span, 'flow');
      yes = flow !== undefined && isFollowed(flow, follow);
      flows.set(e.span, yes);
    }
    return yes;
  };
  for (let i = origin; i < trace.events.length; i++) {
    const e = trace.events[i] as TraceEvent;
    if (followed(e) ? isStop(e) : isWorldStop(e)) stops.add(e.seq);
  }
  return stops;
}

/** What is worth a halt on the way of the followed connection. */
function isStop(e: TraceEvent): boolean {
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
      return fieldAt(e.facts, 'matched') === true || fieldAt(e.facts, 'draw') !== undefined;
    case 'route':
      return !e.where.netns?.includes('/');
    case 'nf.station':
      return fieldAt(e.facts, 'walked') === false && fieldAt(e.facts, 'station') === 'nat';
    default:
      return false;
  }
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
