import type { WorldReader } from '../base/recordmap';
import { getObject, type KObject, type Service, wallTime } from '../k8s/index';
import { PROXIES, PROXY_CACHE, type ProxyState } from './records';
import { servicePorts } from './serviceports';
import { familyView } from './view';

/** Answer to a GET of one of kube-proxy's HTTP servers; header names in the order in which they go out. */
export interface ProxyPage {
  readonly status: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** --healthz-bind-address and --metrics-bind-address (the latter on 127.0.0.1 only). */
export const HEALTHZ_PORT = 10256;
export const METRICS_PORT = 10249;

const pad = (n: number, w = 2): string => String(n).padStart(w, '0');

/** RFC 3339 with nanoseconds, without trailing zeros (Go's RFC3339Nano). */
function nano(us: number): string {
  const t = wallTime(us);
  const fraction = t.us === 0 ? '' : `.${pad(t.us, 6).replace(/0+$/, '')}`;
  return `${t.year}-${pad(t.month)}-${pad(t.day)}T${pad(t.hour)}:${pad(t.minute)}:${pad(t.second)}${fraction}Z`;
}

const NOSNIFF = ['X-Content-Type-Options', 'nosniff'] as const;
const JSON_TYPE = ['Content-Type', 'application/json'] as const;
const TEXT_TYPE = ['Content-Type', 'text/plain; charset=utf-8'] as const;

const page = (status: string, headers: ProxyPage['headers'], body: string): ProxyPage => ({ status, headers, body });
const missing = (): ProxyPage => page('404 Not Found', [TEXT_TYPE, NOSNIFF], '404 page not found\n');
const verdict = (good: boolean): string => (good ? '200 OK' : '503 Service Unavailable');

const DELETION_TAINT = 'ToBeDeletedByClusterAutoscaler';

function healthz(reader: WorldReader, s: ProxyState, withNode: boolean): ProxyPage {
  const node = getObject(reader, 'Node', undefined, s.node);
  const eligible = !node?.metadata.deletionTimestamp && !node?.spec?.taints?.some((t) => t.key === DELETION_TAINT);
  const updated = nano(Math.max(0, s.lastSyncUs));
  const now = nano(reader.nowUs);
  const family = { lastUpdated: updated, healthy: s.healthy };
  const body = {
    lastUpdated: s.healthy ? now : updated,
    currentTime: now,
    ...(withNode ? { nodeEligible: eligible } : {}),
    healthy: s.healthy,
    // The real one always runs both families.
    status: { IPv4: family, IPv6: family },
  };
  return page(verdict(s.healthy && (eligible || !withNode)), [JSON_TYPE, NOSNIFF], JSON.stringify(body));
}

function cached(reader: WorldReader, node: string): KObject[] {
  const map = reader.map(PROXY_CACHE);
  return map.by('node', node).flatMap((k) => map.get(k) ?? []);
}

/** Health-check node ports that a node's kube-proxy serves. */
export function healthCheckPorts(reader: WorldReader, node: string): number[] {
  const ports = cached(reader, node)
    .filter((o): o is Service => o.kind === 'Service')
    .flatMap((s) => servicePorts(s, 4))
    .map((p) => p.healthCheckNodePort)
    .filter((p) => p !== 0);
  return [...new Set(ports)].sort((a, b) => a - b);
}

/** A load balancer asks whether this node has endpoints of its own for a Service (pkg/proxy/healthcheck). */
function healthCheck(reader: WorldReader, s: ProxyState, port: number): ProxyPage | undefined {
  const map = reader.map(PROXY_CACHE);
  const view = familyView(map, map.by('node', s.node), 4, s.node, undefined);
  const mine = view.ports.filter((v) => v.port.healthCheckNodePort === port);
  const first = mine[0];
  if (!first) return undefined;
  const local = new Set(mine.flatMap((v) => v.endpoints.filter((e) => e.local && e.ready).map((e) => e.ip))).size;
  const [namespace, name] = first.port.service.split('/');
  const body = [
    '{',
    '\t"service": {',
    `\t\t"namespace": "${namespace}",`,
    `\t\t"name": "${name}"`,
    '\t},',
    `\t"localEndpoints": ${local},`,
    `\t"serviceProxyHealthy": ${s.healthy}`,
    '}',
  ].join('\n');
  const weight = ['X-Load-Balancing-Endpoint-Weight', String(local)] as const;
  return page(verdict(local > 0 && s.healthy), [JSON_TYPE, NOSNIFF, weight], body);
}

/** What a node's kube-proxy answers to `GET path` on one of its ports; undefined: nothing listens there. */
export function proxyPage(reader: WorldReader, node: string, port: number, path: string): ProxyPage | undefined {
  const s = reader.map(PROXIES).get(node);
  if (!s?.running) return undefined;
  const bare = path.replace(/\?.*$/, '');
  if (port === HEALTHZ_PORT) {
    if (bare === '/healthz') return healthz(reader, s, true);
    return bare === '/livez' ? healthz(reader, s, false) : missing();
  }
  if (port === METRICS_PORT) {
    if (bare === '/healthz') return page('200 OK', [TEXT_TYPE, NOSNIFF], 'ok');
    return bare === '/proxyMode' ? page('200 OK', [TEXT_TYPE, NOSNIFF], s.mode) : missing();
  }
  return healthCheck(reader, s, port);
}
