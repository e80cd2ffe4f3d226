import type { TraceEvent } from '../../engine/trace';
import { foldChains } from './chains';
import {
  destinationOf,
  deviceName,
  factsOf,
  known,
  nodeOfNetns,
  packetOf,
  podOfNetns,
  sourceOf,
  tupleText,
} from './facts';
import { hookMarks, priorityText } from './traversal';
import type {
  CardMarks,
  ChainPanel,
  Crumb,
  DropMarks,
  EntryMarks,
  HookMarks,
  MapMarks,
  Opened,
  Rewrite,
  Scene,
  SceneInput,
  TopoService,
} from './types';
import { hookOf, visits } from './visits';

/** The last change of an address or port in a run of events. */
function lastRewrite(events: readonly TraceEvent[]): Rewrite | undefined {
  for (const e of [...events].reverse()) {
    const f = factsOf(e, 'pkt.rewrite');
    if (!f) continue;
    const was = { src: sourceOf(f.before), dst: destinationOf(f.before) };
    const is = { src: sourceOf(f.packet), dst: destinationOf(f.packet) };
    if (was.dst !== is.dst) return { field: 'destination', before: was.dst, after: is.dst, how: f.how, seq: e.seq };
    if (was.src !== is.src) return { field: 'source', before: was.src, after: is.src, how: f.how, seq: e.seq };
  }
  return undefined;
}

/** Services that every cluster has: not what the reader came for. */
const SYSTEM = /^(kube-system\/|default\/kubernetes$)/;

/** The Service that the packet asked for, or comes back from: the one whose address it carried at first. */
function serviceOf(input: SceneInput): TopoService | undefined {
  const { topology, service } = input;
  if (service) return topology.services.find((s) => s.namespace === service.namespace && s.name === service.name);
  if (input.packetEvents.length === 0) return topology.services.find((s) => !SYSTEM.test(`${s.namespace}/${s.name}`));
  const addresses: string[] = [];
  for (const e of input.packetEvents) {
    const p = packetOf(e);
    if (p) addresses.push(p.ip.dst, p.ip.src);
    const ct = (e.facts as { ct?: { orig?: { dst?: string } } } | null)?.ct?.orig?.dst;
    if (typeof ct === 'string') addresses.push(ct);
  }
  return (
    topology.services.find((s) => s.clusterIP !== undefined && addresses.includes(s.clusterIP)) ??
    topology.services.find((s) => s.endpoints.some((ip) => addresses.includes(ip)))
  );
}

function mapMarks(input: SceneInput, hook: HookMarks | undefined, inNetns: readonly TraceEvent[]): MapMarks {
  const { topology, packetEvents, cursor, event } = input;
  const all = visits(topology, packetEvents);
  const walked = all.filter((v) => v.seq <= cursor);
  const passed = packetEvents.filter((e) => e.seq <= cursor);
  const atCursor = passed[passed.length - 1];
  const here = walked[walked.length - 1]?.spot;
  const moved = atCursor !== undefined && atCursor.seq === event?.seq;
  const earlier = walked.filter((v) => moved && v.seq < cursor);
  const first = all[0]?.spot;
  const local: Record<string, 'IN' | 'OUT'> = {};
  for (const e of packetEvents) {
    const node = e.where.netns === undefined ? undefined : nodeOfNetns(topology, e.where.netns);
    const h = hookOf(e);
    if (node && (h === 'input' || h === 'output')) local[node.name] = h === 'input' ? 'IN' : 'OUT';
  }
  return {
    walked,
    ahead: all.filter((v) => v.seq > cursor),
    before: moved ? (earlier[earlier.length - 1]?.spot ?? here) : here,
    here,
    room: here !== undefined && 'node' in here ? here.node : undefined,
    from: first?.at === 'pod' || first?.at === 'machine' ? first.netns : undefined,
    local,
    dropped: hook?.dropped ?? passed.some((e) => e.kind === 'pkt.drop'),
    arrived: atCursor?.kind === 'pkt.deliver',
    rewrite: lastRewrite(inNetns),
  };
}

const TABLES = new Set(['raw', 'mangle', 'nat', 'filter', 'security']);

/** Which thing an event opens; undefined: what was open stays. */
function opener(
  e: TraceEvent,
  rulesHere: boolean,
): 'chains' | 'entry' | 'route' | 'drop' | 'station' | 'process' | 'device' | undefined {
  switch (known(e).kind) {
    case 'nf.station':
      return 'station';
    case 'nf.skip':
    case 'nf.rule':
    case 'nf.return':
    case 'nf.policy':
      return 'chains';
    case 'ct.new':
    case 'ct.found':
    case 'ct.confirm':
    case 'ct.destroy':
    case 'ct.clash':
      return 'entry';
    case 'ct.nat':
    case 'pkt.rewrite':
      return rulesHere ? undefined : 'entry';
    case 'route':
      return 'route';
    case 'pkt.drop':
    case 'ct.full':
      return 'drop';
    case 'pkt.made':
    case 'pkt.deliver':
      return 'process';
    case 'dev.rcv':
    case 'dev.xmit':
    case 'bridge.forward':
      return 'device';
    default:
      return undefined;
  }
}

function entryOf(events: readonly TraceEvent[], at: TraceEvent): EntryMarks | undefined {
  let ct: EntryMarks | undefined;
  for (const e of events) {
    const a = known(e);
    switch (a.kind) {
      case 'ct.new':
      case 'ct.confirm':
      case 'ct.destroy':
      case 'ct.nat':
      case 'ct.clash':
      case 'ct.found': {
        const { ct: f } = a.facts;
        ct = {
          phase:
            a.kind === 'ct.new'
              ? 'new'
              : a.kind === 'ct.confirm'
                ? 'confirmed'
                : a.kind === 'ct.destroy'
                  ? 'destroyed'
                  : a.kind === 'ct.nat'
                    ? 'nat'
                    : 'found',
          orig: tupleText(f.orig),
          reply: tupleText(f.reply),
          match: a.kind === 'ct.found' ? a.facts.dir : a.kind === 'ct.new' ? 'original' : ct?.match,
          state: f.state,
          status: f.status,
          rewrite: undefined,
        };
        break;
      }
      default:
        break;
    }
  }
  if (!ct) return undefined;
  return at.kind === 'pkt.rewrite' ? { ...ct, phase: 'translated', rewrite: lastRewrite([at]) } : ct;
}

function dropOf(input: SceneInput, hook: HookMarks, e: TraceEvent, before: readonly TraceEvent[]): DropMarks {
  const drop = factsOf(e, 'pkt.drop');
  const full = before.map((b) => factsOf(b, 'ct.full')).find((f) => f !== undefined);
  const stop = hook.stops[hook.at];
  const cause = drop?.cause;
  const priority = stop?.priority === undefined ? undefined : priorityText(stop.priority);
  const station = stop?.kind === 'station' ? `${stop.name}${priority === undefined ? '' : ` ${priority}`}` : undefined;
  const known = input.conntrack;
  return {
    reason: cause?.reason ?? 'conntrack-full',
    where: {
      name: hook.name,
      ...(cause?.hook === undefined && stop?.hook === undefined
        ? {}
        : { hook: (cause?.hook ?? stop?.hook ?? '').toUpperCase() }),
      ...(cause?.table === undefined ? {} : { table: cause.table }),
      ...(cause?.chain === undefined ? {} : { chain: cause.chain }),
      ...(cause?.rule === undefined ? {} : { rule: cause.rule }),
      ...(station === undefined ? {} : { station }),
    },
    symptom: drop?.symptom ?? '',
    answered: cause?.answered,
    neverReached: hook.stops.slice(hook.at + 1).filter((s) => s.kind === 'station' || s.kind === 'route').length,
    conntrack: full
      ? { count: full.count, max: full.max, assured: known?.assured ?? 0, closing: known?.closing ?? 0 }
      : known,
    kernelLine: input.kernelLine,
  };
}

/** A FIB record's key (`netns|destination|metric|device`) as ip route prints the line. */
function routeLine(f: { readonly routeKey?: string; readonly via?: string }): string | undefined {
  const [, dst, , dev] = f.routeKey?.split('|') ?? [];
  if (dst === undefined || dev === undefined) return f.routeKey;
  const to = dst === '0.0.0.0/0' || dst === '::/0' ? 'default' : dst;
  return `${to}${f.via === undefined ? '' : ` via ${f.via}`} dev ${deviceName(dev)}`;
}

function openedAt(
  input: SceneInput,
  hook: HookMarks,
  before: readonly TraceEvent[],
  stopAt: readonly number[],
): Opened | undefined {
  const stop = hook.at;
  const here = before.filter((_, i) => stopAt[i] === stop);
  let from = 0;
  here.forEach((e, i) => {
    if (e.kind === 'nf.station') from = i;
  });
  const walk = here.slice(from);
  const rulesHere = walk.some((e) => e.kind === 'nf.rule' || e.kind === 'nf.skip');
  const e = [...walk].reverse().find((w) => opener(w, rulesHere) !== undefined);
  if (!e) return undefined;
  const at = hook.stops[stop];
  const chains = (): Opened | undefined =>
    at?.hook === undefined
      ? undefined
      : foldChains({
          events: walk,
          hook: at.hook,
          table: walk[0]?.where.table ?? at.name,
          stop,
          open: input.horizon > input.cursor,
          rules: (chain) => input.rules?.(hook.netns, walk[0]?.where.table ?? at.name, chain),
          pinned: input.pinnedRules ?? [],
        });
  switch (opener(e, rulesHere)) {
    case 'chains':
      return chains();
    case 'station': {
      const f = factsOf(e, 'nf.station');
      if (f && !f.walked && f.reason !== undefined)
        return { kind: 'not-asked', stop, table: f.station, reason: f.reason };
      return f && TABLES.has(f.station) ? chains() : undefined;
    }
    case 'entry': {
      const entry = entryOf(before, e);
      return entry && { kind: 'entry', stop, entry };
    }
    case 'route': {
      const f = factsOf(e, 'route');
      if (!f) return undefined;
      return {
        kind: 'route',
        stop,
        facts: {
          dst: f.packet.ip.dst,
          result: f.result,
          oif: f.oif === undefined ? undefined : deviceName(f.oif),
          via: f.via,
          prefsrc: f.prefsrc,
          route: routeLine(f),
          stage: f.stage,
        },
      };
    }
    case 'drop':
      // A rule that ends the packet stays in sight; the drop stands on its row.
      if (rulesHere) return chains();
      return { kind: 'drop', stop, drop: dropOf(input, hook, e, before) };
    case 'device':
    case 'process': {
      const p = packetOf(e);
      const what = opener(e, rulesHere) === 'device' ? ('device' as const) : ('process' as const);
      return {
        kind: what,
        stop,
        name: what === 'device' ? deviceName(e.where.dev ?? at?.name ?? '') : hook.name,
        lines: p ? [`${sourceOf(p)} → ${destinationOf(p)}`] : [],
      };
    }
    default:
      return undefined;
  }
}

type Chains = Extract<Opened, { kind: 'chains' }>;

/** What moved between two states of the same table: panels that opened, and the row where the packet stood. */
function branchMotion(was: Opened | undefined, now: Opened | undefined): Pick<Scene, 'newPanels' | 'branchFrom'> {
  if (now?.kind !== 'chains') return { newPanels: undefined, branchFrom: undefined };
  if (was?.kind !== 'chains' || was.stop !== now.stop) return { newPanels: 0, branchFrom: undefined };
  const top = was.panels[was.panels.length - 1];
  const panel = now.panels.findIndex((p) => p.chain === top?.chain);
  const first = now.panels.findIndex((p) => !was.panels.some((q: ChainPanel) => q.chain === p.chain));
  const row = top?.rows.findIndex((r) => ('current' in r && r.current) || r.kind === 'test') ?? -1;
  return { newPanels: first < 0 ? undefined : first, branchFrom: panel < 0 ? undefined : { panel, row } };
}

/** What stood open one event of the packet earlier. */
function openedBefore(input: SceneInput, now: Opened | undefined): Opened | undefined {
  if ((now as Chains | undefined)?.kind !== 'chains') return undefined;
  const earlier = input.packetEvents.filter((e) => e.seq < input.cursor);
  const last = earlier[earlier.length - 1];
  if (!last) return undefined;
  const line = hookMarks({ ...input, cursor: last.seq });
  return line && openedAt({ ...input, cursor: last.seq }, line.marks, line.before, line.stopAt);
}

function crumbsOf(input: SceneInput, hook: HookMarks | undefined, opened: Opened | undefined): Crumb[] {
  const out: Crumb[] = [{ level: 'cluster', text: 'cluster', mono: false }];
  if (!hook) return out;
  const pod = podOfNetns(input.topology, hook.netns);
  out.push({ level: 'node', text: pod?.node.name ?? hook.name, mono: false });
  if (pod) out.push({ level: 'node', text: pod.pod.name, mono: false });
  const stop = hook.stops[hook.at];
  if (stop?.hook === undefined) {
    if (stop && stop.kind !== 'process') out.push({ level: 'hook', text: stop.name, mono: stop.kind === 'device' });
    return out;
  }
  out.push({ level: 'hook', text: stop.hook.toUpperCase(), mono: false });
  const top = opened?.kind === 'chains' ? opened.panels[opened.panels.length - 1] : undefined;
  if (top) {
    out.push({ level: 'table', text: stop.name, mono: false });
    out.push({ level: 'chain', text: top.chain, mono: true });
  } else {
    const p = stop.priority === undefined ? undefined : priorityText(stop.priority);
    out.push({ level: 'table', text: p === undefined ? stop.name : `${stop.name} ${p}`, mono: false });
  }
  return out;
}

function cardOf(input: SceneInput): CardMarks | undefined {
  const e = input.event;
  // Records that changed on their own have no place and no values to show.
  if (!e || e.kind === 'state.changed') return undefined;
  const facts =
    e.facts !== null && typeof e.facts === 'object' && !Array.isArray(e.facts) ? Object.entries(e.facts) : [];
  const { node, netns, hook, table, chain, dev } = e.where;
  return {
    kind: e.kind,
    place: [node, netns === node ? undefined : netns, hook, table, chain, dev].filter((s) => s !== undefined),
    facts: facts.flatMap(([name, value]) => (name === 'packet' || value === undefined ? [] : [{ name, value }])),
    changed: e.diff.length,
  };
}

/** The picture at the cursor, as meaning: what stands where and what is lit. Layout gives it coordinates. */
export function buildScene(given: SceneInput): Scene {
  const input: SceneInput = { ...given, packetEvents: given.packetEvents.filter((e) => e.seq <= given.horizon) };
  const line = hookMarks(input);
  const hook = line?.marks;
  const opened = line && openedAt(input, line.marks, line.before, line.stopAt);
  const ended =
    [...(line?.before ?? [])].reverse().find((e) => e.kind === 'pkt.drop') ??
    line?.before.find((e) => e.kind === 'ct.full');
  const ofPacket = input.event !== undefined && input.packetEvents.some((e) => e.seq === input.event?.seq);
  return {
    cursor: input.cursor,
    droppedNow: input.event?.kind === 'pkt.drop' || input.event?.kind === 'ct.full',
    ...branchMotion(openedBefore(input, opened), opened),
    topology: input.topology,
    packet: input.packetEvents.some((e) => e.seq <= input.cursor) ? input.packet : undefined,
    service: serviceOf(input),
    map: mapMarks(input, hook, line?.before ?? []),
    hook,
    drop: ended && hook?.dropped === true ? dropOf(input, hook, ended, line?.before ?? []) : undefined,
    opened,
    card: ofPacket && opened !== undefined ? undefined : ofPacket && hook ? undefined : cardOf(input),
    crumbs: crumbsOf(input, hook, opened),
    predicted: input.predicted,
    open: input.horizon > input.cursor,
    held: input.asking === true,
  };
}
