import type { EndpointInfo } from './endpoints';
import { type ServicePortInfo, usesClusterEndpoints, usesLocalEndpoints } from './serviceports';

/** Which endpoints a node uses for a Service port. */
export interface Categorized {
  /** For the cluster policy. */
  readonly cluster: readonly EndpointInfo[];
  /** For the Local policies. */
  readonly local: readonly EndpointInfo[];
  /** Everything that one of the two may pick. */
  readonly reachable: readonly EndpointInfo[];
  /** Whether there is a usable endpoint anywhere in the cluster. */
  readonly any: boolean;
}

const NONE: Categorized = { cluster: [], local: [], reachable: [], any: false };

const isFallback = (e: EndpointInfo): boolean => e.serving && e.terminating;

type TopologyMode = '' | 'node' | 'zone';

/** Hints count only when every ready endpoint has one and this node's name (or zone) is in one of them. */
function topologyMode(endpoints: readonly EndpointInfo[], node: string, zone: string | undefined): TopologyMode {
  const ready = endpoints.filter((e) => e.ready);
  if (ready.length === 0) return '';
  if (ready.every((e) => e.nodeHints.length > 0) && ready.some((e) => e.nodeHints.includes(node))) return 'node';
  if (zone === undefined || zone === '') return '';
  return ready.every((e) => e.zoneHints.length > 0) && ready.some((e) => e.zoneHints.includes(zone)) ? 'zone' : '';
}

/** pkg/proxy/topology.go CategorizeEndpoints. */
export function categorize(
  endpoints: readonly EndpointInfo[],
  svc: ServicePortInfo,
  node: string,
  zone: string | undefined,
): Categorized {
  if (endpoints.length === 0) return NONE;
  let cluster: readonly EndpointInfo[] = [];
  let mode: TopologyMode = '';
  let any = false;
  if (usesClusterEndpoints(svc)) {
    mode = topologyMode(endpoints, node, zone);
    cluster = endpoints.filter(
      (e) =>
        e.ready && (mode === '' || (mode === 'node' ? e.nodeHints.includes(node) : e.zoneHints.includes(zone ?? ''))),
    );
    // No ready endpoint anywhere: those that are on their way out but still answer.
    if (cluster.length === 0) cluster = endpoints.filter(isFallback);
    any = cluster.length > 0;
  }
  if (!usesLocalEndpoints(svc)) return { cluster, local: [], reachable: cluster, any };

  any ||= endpoints.some((e) => e.ready || isFallback(e));
  const localReady = endpoints.filter((e) => e.local && e.ready);
  const fallback = localReady.length === 0;
  const local = fallback ? endpoints.filter((e) => e.local && isFallback(e)) : localReady;
  if (!usesClusterEndpoints(svc)) return { cluster, local, reachable: local, any };
  if (mode === '' && !fallback) return { cluster, local, reachable: cluster, any };
  const both = new Set([...cluster, ...local].map((e) => e.text));
  return { cluster, local, reachable: endpoints.filter((e) => both.has(e.text)), any };
}
