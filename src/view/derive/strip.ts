import type { FactsByKind, TraceEvent } from '../../engine/trace';

const CONTROL = new Set(['api.write', 'proxy.notice', 'proxy.sync', 'proxy.synced', 'nf.ruleset']);

let kept:
  | { source: readonly TraceEvent[]; first: TraceEvent | undefined; upTo: number; picked: TraceEvent[] }
  | undefined;

/** The control-plane events among `events`; reading a longer trace again looks at the new ones only. */
export function controlEvents(events: readonly TraceEvent[]): readonly TraceEvent[] {
  if (kept === undefined || kept.source !== events || kept.first !== events[0] || kept.upTo > events.length)
    kept = { source: events, first: events[0], upTo: 0, picked: [] };
  for (; kept.upTo < events.length; kept.upTo++) {
    const e = events[kept.upTo] as TraceEvent;
    if (CONTROL.has(e.kind)) kept.picked.push(e);
  }
  return kept.picked;
}

export interface StripNode {
  readonly node: string;
  /** When kube-proxy last heard of the Service or its slices (us). */
  readonly noticedUs: number | undefined;
  readonly syncedUs: number | undefined;
  readonly rules: number | undefined;
  /** Since when the kernel's rules are older than the slice (us); undefined: they are not. */
  readonly staleSinceUs: number | undefined;
}

export interface Strip {
  readonly service:
    | { readonly namespace: string; readonly name: string; readonly resourceVersion: string; readonly sinceUs: number }
    | undefined;
  readonly slice:
    | { readonly name: string; readonly sinceUs: number; readonly staleSinceUs: number | undefined }
    | undefined;
  readonly nodes: readonly StripNode[];
}

type Write = FactsByKind['api.write'];

const write = (e: TraceEvent): Write | undefined =>
  e.kind === 'api.write' ? (e.facts as unknown as Write) : undefined;

/** Slices are named after their Service with a generated end: `web-z6swc`. */
const ofService = (slice: string, service: string): boolean =>
  slice === service || (slice.startsWith(`${service}-`) && !slice.slice(service.length + 1).includes('-'));

/** Services that every cluster has; another one is what the reader works on. */
const SYSTEM = new Set(['default/kubernetes', 'kube-system/kube-dns']);

/** The way from a Service's object to each node's kernel, as it stands at `cursor`. */
export function stripAt(events: readonly TraceEvent[], cursor: number, want?: string): Strip {
  const log = controlEvents(events).filter((e) => e.seq <= cursor);
  let service: Strip['service'];
  for (const e of log) {
    const w = write(e);
    if (w?.kind !== 'Service') continue;
    const name = `${w.namespace}/${w.name}`;
    if (want === undefined ? SYSTEM.has(name) && service !== undefined : name !== want) continue;
    if (w.verb === 'delete') {
      if (service?.name === w.name && service.namespace === w.namespace) service = undefined;
      continue;
    }
    service = { namespace: w.namespace, name: w.name, resourceVersion: w.resourceVersion, sinceUs: e.atUs };
  }
  let slice: Strip['slice'];
  let source: TraceEvent | undefined;
  const nodes = new Map<string, { noticed?: TraceEvent; synced?: TraceEvent }>();
  for (const e of log) {
    const w = write(e);
    if (w !== undefined && service !== undefined && w.namespace === service.namespace) {
      if (w.kind === 'EndpointSlice' && ofService(w.name, service.name)) {
        slice = w.verb === 'delete' ? undefined : { name: w.name, sinceUs: e.atUs, staleSinceUs: undefined };
        source = e;
      } else if (w.kind === 'Service' && w.name === service.name) source = e;
    }
    if (e.kind === 'proxy.notice' || e.kind === 'proxy.sync' || e.kind === 'proxy.synced') {
      const node = (e.facts as { node?: string } | null)?.node ?? e.where.node ?? '';
      const at = nodes.get(node) ?? {};
      if (e.kind === 'proxy.notice') at.noticed = e;
      if (e.kind === 'proxy.synced') at.synced = e;
      nodes.set(node, at);
    }
  }
  return {
    service,
    slice,
    nodes: [...nodes.keys()].sort().map((node) => {
      const at = nodes.get(node) ?? {};
      const rules = (at.synced?.facts as { rulesAfter?: number } | undefined)?.rulesAfter;
      const stale = source !== undefined && (at.synced === undefined || at.synced.seq < source.seq);
      return {
        node,
        noticedUs: at.noticed?.atUs,
        syncedUs: at.synced?.atUs,
        rules,
        staleSinceUs: stale ? source?.atUs : undefined,
      };
    }),
  };
}
