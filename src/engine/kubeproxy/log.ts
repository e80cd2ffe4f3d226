import { defineMap, type WorldReader } from '../base/recordmap';
import { wallTime } from '../k8s/index';
import type { Ctx } from '../trace/context';

/** One line of kube-proxy's log. */
export interface ProxyLogLine {
  readonly node: string;
  readonly atUs: number;
  readonly severity: 'I' | 'W' | 'E';
  /** `proxier.go:655`. */
  readonly source: string;
  /** Message with its key=value part, as klog prints it. */
  readonly text: string;
}

/** Log lines by `node/NNNNNN`. */
export const PROXY_LOG = defineMap<ProxyLogLine>('kubeproxy.log', { node: (l) => l.node });

const pad = (n: number, width: number): string => String(n).padStart(width, '0');

type Value = string | number | boolean;

/** klog's key=value: strings quoted, the rest bare. */
export function kv(pairs: readonly (readonly [string, Value])[]): string {
  return pairs.map(([k, v]) => ` ${k}=${typeof v === 'string' ? JSON.stringify(v) : String(v)}`).join('');
}

/** Appends a structured line. */
export function writeLog(
  ctx: Ctx,
  node: string,
  severity: ProxyLogLine['severity'],
  source: string,
  message: string,
  pairs: readonly (readonly [string, Value])[] = [],
): void {
  const map = ctx.world.map(PROXY_LOG);
  const text = `"${message}"${kv(pairs)}`;
  map.set(`${node}/${pad(map.by('node', node).length, 6)}`, { node, atUs: ctx.sim.now, severity, source, text });
}

/** A new process has a log of its own. */
export function clearLog(ctx: Ctx, node: string): void {
  const map = ctx.world.map(PROXY_LOG);
  for (const k of [...map.by('node', node)]) map.delete(k);
}

/** The log of a node's kube-proxy as text: `I0101 00:00:00.000000       1 proxier.go:655] ...`. */
export function proxyLogText(reader: WorldReader, node: string, pid = 1): string {
  const map = reader.map(PROXY_LOG);
  return map
    .by('node', node)
    .map((k) => {
      const l = map.get(k) as ProxyLogLine;
      const t = wallTime(l.atUs);
      const clock = `${pad(t.hour, 2)}:${pad(t.minute, 2)}:${pad(t.second, 2)}.${pad(t.us, 6)}`;
      return `${l.severity}${pad(t.month, 2)}${pad(t.day, 2)} ${clock} ${String(pid).padStart(7, ' ')} ${l.source}] ${l.text}\n`;
    })
    .join('');
}
