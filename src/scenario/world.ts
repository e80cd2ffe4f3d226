import type { WorldReader } from '../engine/base/index';
import { getObject, type KObject, listObjects, slicesOf } from '../engine/k8s/index';
import { SYSCTLS } from '../engine/net/index';
import { type CtEntry, NF_CHAINS, NF_CONNTRACK, NF_CTSTATS, stateName } from '../engine/netfilter/index';
import { fieldAt, fits } from './query';
import type { Expected, RowQuery } from './schema';

/** A conntrack entry as goals, pins and questions see it. */
export interface EntryView {
  readonly id: string;
  readonly node: string;
  readonly orig: CtEntry['orig'];
  readonly reply: CtEntry['reply'];
  readonly state: string | undefined;
  readonly assured: boolean;
  readonly confirmed: boolean;
}

const ASSURED = 4;
const CONFIRMED = 8;

export function entryView(e: CtEntry): EntryView {
  return {
    id: e.id,
    node: e.netns,
    orig: e.orig,
    reply: e.reply,
    state: stateName(e),
    assured: (e.status & ASSURED) !== 0,
    confirmed: (e.status & CONFIRMED) !== 0,
  };
}

/** Whether an entry is the one meant: its node and each named field. */
export function entryFits(e: EntryView, q: RowQuery): boolean {
  if (q.node !== undefined && !fits(e.node, q.node)) return false;
  return Object.entries(q.fields).every(([path, expected]) => fits(fieldAt(e, path), expected));
}

/** Entries of a node's table (or of all tables) that are in it, not only noted. */
export function entries(reader: WorldReader, node?: Expected): EntryView[] {
  const map = reader.map(NF_CONNTRACK);
  const all = typeof node !== 'string' ? map.values() : map.by('netns', node).map((k) => map.get(k) as CtEntry);
  return all.map(entryView).filter((e) => e.confirmed);
}

/** One entry by its key, confirmed or not. */
export function entryByKey(reader: WorldReader, key: string): EntryView | undefined {
  const e = reader.map(NF_CONNTRACK).get(key);
  return e && entryView(e);
}

/** First packets that a node's full table has cost so far (`drop` of conntrack -S). */
export const conntrackDrops = (reader: WorldReader, node: string): number =>
  reader.map(NF_CTSTATS).get(node)?.drop ?? 0;

/** Endpoints of a Service (`namespace/name`) that are ready; `managed`: only in slices that the controller wrote. */
export function readyEndpoints(reader: WorldReader, service: string, managed: boolean): string[] {
  const [namespace = '', name = ''] = service.split('/');
  const out: string[] = [];
  for (const slice of slicesOf(reader, namespace, name)) {
    const by = slice.metadata.labels?.['endpointslice.kubernetes.io/managed-by'];
    if (managed && by !== 'endpointslice-controller.k8s.io') continue;
    for (const e of slice.endpoints ?? []) if (e.conditions?.ready !== false) out.push(...e.addresses);
  }
  return [...new Set(out)];
}

/** A stored object by `Kind namespace/name` (or `Kind name`). */
export function objectNamed(reader: WorldReader, text: string): KObject | undefined {
  const [kind = '', rest = ''] = text.split(' ');
  const slash = rest.indexOf('/');
  return slash < 0
    ? getObject(reader, kind, undefined, rest)
    : getObject(reader, kind, rest.slice(0, slash), rest.slice(slash + 1));
}

/** Pods that carry all of these labels. */
export function podsWith(reader: WorldReader, labels: Readonly<Record<string, string>>): number {
  return listObjects(reader, 'Pod').filter((p) =>
    Object.entries(labels).every(([k, v]) => p.metadata.labels?.[k] === v),
  ).length;
}

/** How many rules of a node's table mention a text (an address, a chain) in their conditions or target. */
export function rulesMentioning(reader: WorldReader, node: string, table: string, text: string): number {
  const map = reader.map(NF_CHAINS);
  let n = 0;
  for (const key of map.by('netns', node)) {
    const chain = map.get(key);
    if (!chain || chain.table !== table || chain.family !== 4) continue;
    for (const rule of chain.rules) if (mentions(rule, text)) n++;
  }
  return n;
}

/** Looks through a rule's plain data, its comments aside: a comment that names an address is no condition. */
function mentions(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value === text || value.startsWith(`${text}:`);
  if (Array.isArray(value)) return value.some((v) => mentions(v, text));
  if (typeof value === 'object' && value !== null) {
    if ((value as { name?: unknown }).name === 'comment') return false;
    return Object.entries(value).some(([k, v]) => k !== 'text' && k !== 'file' && k !== 'id' && mentions(v, text));
  }
  return false;
}

/** The kernel's own limit on the recorded machine (24 GB). */
const DEFAULT_CONNTRACK_MAX = 262_144;

/** Entries of a node and its limit. */
export function conntrackUse(reader: WorldReader, node: string): { readonly count: number; readonly max: number } {
  const max = sysctlAt(reader, node, 'net.netfilter.nf_conntrack_max');
  return { count: entries(reader, node).length, max: max === undefined ? DEFAULT_CONNTRACK_MAX : Number(max) };
}

/** A sysctl that somebody has set, as text; undefined where it has its default. */
export const sysctlAt = (reader: WorldReader, netns: string, key: string): string | undefined =>
  reader.map(SYSCTLS).get(`${netns}|${key}`)?.value;
