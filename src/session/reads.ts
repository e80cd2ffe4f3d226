import type { Change, MapDef, WorldReader } from '../engine/base';
import { type EndpointSlice, K8S_OBJECTS, listObjects, type Pod, type Service } from '../engine/k8s';
import { PROXIES } from '../engine/kubeproxy';
import { DEVS, HOOKS, KLOG, NETNS, protoName, SYSCTLS } from '../engine/net';
import {
  type ChainRecord,
  type CtEntry,
  chainsOf,
  ctFacts,
  NF_CHAINS,
  NF_CONNTRACK,
  NF_COUNTERS,
  savedRule,
  tablesOf,
} from '../engine/netfilter';
import { topologyOf } from './topology';

/** Keeps an answer for as long as none of the maps that it is read from has changed: most steps touch none of them. */
function whileUnchanged<T>(
  reader: () => WorldReader,
  maps: readonly MapDef<never>[],
  read: (from: WorldReader) => T,
): () => T {
  let from: WorldReader | undefined;
  let versions = '';
  let kept: T;
  return () => {
    const r = reader();
    const now = maps.map((m) => r.map(m).version).join();
    if (from !== r || now !== versions) {
      kept = read(r);
      from = r;
      versions = now;
    }
    return kept;
  };
}

/** Rows that the page's panels list, read from the world at a cursor. The view's Reads is this shape. */
export function readsOf(reader: () => WorldReader) {
  const topology = whileUnchanged(reader, [NETNS, DEVS, SYSCTLS, K8S_OBJECTS, PROXIES] as never, topologyOf);
  const objects = <T>(kind: string, row: (o: never) => T) =>
    whileUnchanged(reader, [K8S_OBJECTS] as never, (r) => listObjects(r, kind).map((o) => row(o as never)));
  return {
    conntrack: () =>
      reader()
        .map(NF_CONNTRACK)
        .values()
        .map((e) => ctRow(e, reader().nowUs)),
    conntrackMax: (node: string) => {
      const v = reader().map(SYSCTLS).get(`${node}|net.netfilter.nf_conntrack_max`)?.value;
      return v === undefined ? 262_144 : Number(v);
    },
    rules: (netns: string) => ruleTables(reader(), netns),
    slices: objects('EndpointSlice', sliceRow),
    services: objects('Service', (s: Service) => ({
      namespace: s.metadata.namespace ?? 'default',
      name: s.metadata.name,
      clusterIP: s.spec.clusterIP,
      resourceVersion: s.metadata.resourceVersion ?? '',
    })),
    pods: objects('Pod', (p: Pod) => ({
      namespace: p.metadata.namespace ?? 'default',
      name: p.metadata.name,
      node: p.spec.nodeName,
      ip: p.status?.podIP,
    })),
    nodes: () => topology().nodes.map((n) => ({ name: n.name, ip: n.address })),
    machines: () => topology().machines.map((m) => ({ name: m.name, ip: m.address })),
    sysctls: (netns: string) => {
      const map = reader().map(SYSCTLS);
      return map.by('netns', netns).map((k) => map.get(k) as { netns: string; key: string; value: string });
    },
    kernelLog: () => reader().map(KLOG).values(),
    topology,
    ruleDiff,
    namespaces: () => reader().map(NETNS).values(),
    hooks: () => reader().map(HOOKS).values(),
    /** Rules of one chain, as iptables-save prints them; undefined: no such chain. */
    chain: (netns: string, table: string, chain: string) => {
      const { base, user } = chainsOf(reader(), netns, 4, 'nft', table as Parameters<typeof chainsOf>[4]);
      const found = [...base.flatMap((b) => (b.rec ? [b.rec] : [])), ...user].find((c) => c.name === chain);
      return found?.rules.map((r) => ({ id: r.id, text: `-A ${chain} ${savedRule(r, 4, 'nft')}`.trimEnd() }));
    },
    /** Rules of all tables of a namespace. */
    ruleCount: (netns: string) => {
      const map = reader().map(NF_CHAINS);
      return map.by('netns', netns).reduce((n, k) => n + (map.get(k)?.rules.length ?? 0), 0);
    },
    /** Entries in the tables of all kernels, or of one. */
    conntrackCount: (netns?: string) =>
      reader()
        .map(NF_CONNTRACK)
        .values()
        .reduce((n, e) => ((e.status & CONFIRMED) !== 0 && (netns === undefined || e.netns === netns) ? n + 1 : n), 0),
  };
}

/** Rules that a step took away and added, as iptables-save prints them, chain by chain. */
function ruleDiff(changes: readonly Change[]) {
  const out: { sign: '+' | '-'; text: string }[] = [];
  for (const c of changes) {
    if (c.map !== NF_CHAINS.name) continue;
    const before = c.before as ChainRecord | undefined;
    const after = c.after as ChainRecord | undefined;
    const name = (after ?? before)?.name ?? '';
    const lines = (chain: ChainRecord | undefined): string[] =>
      (chain?.rules ?? []).map((r) =>
        `-A ${name} ${savedRule(r, chain?.family ?? 4, chain?.backend ?? 'nft')}`.trimEnd(),
      );
    const [was, is] = [lines(before), lines(after)];
    if (before === undefined) out.push({ sign: '+', text: `:${name} - [0:0]` });
    for (const text of was) if (!is.includes(text)) out.push({ sign: '-', text });
    for (const text of is) if (!was.includes(text)) out.push({ sign: '+', text });
    if (after === undefined) out.push({ sign: '-', text: `:${name} - [0:0]` });
  }
  return out;
}

const CONFIRMED = 8;

function ctRow(e: CtEntry, nowUs: number) {
  const f = ctFacts(e);
  const confirmed = (e.status & CONFIRMED) !== 0;
  const left = confirmed ? e.expiresAtUs - nowUs : e.expiresAtUs;
  return {
    id: e.id,
    netns: e.netns,
    proto: protoName(e.proto),
    orig: f.orig,
    reply: f.reply,
    state: f.state,
    flags: f.status,
    seconds: Math.max(0, Math.floor(left / 1_000_000)),
    confirmed,
  };
}

function ruleTables(reader: WorldReader, netns: string) {
  const counters = reader.map(NF_COUNTERS);
  return tablesOf(reader, netns, 4, 'nft').map(({ table }) => {
    const { base, user } = chainsOf(reader, netns, 4, 'nft', table);
    const chains = [...base.flatMap((b) => (b.rec ? [b.rec] : [])), ...user];
    return {
      table,
      chains: chains.map((c) => ({
        chain: c.name,
        policy: c.policy,
        rules: c.rules.map((r, i) => {
          const n = counters.get(r.id);
          return {
            ruleId: r.id,
            number: i + 1,
            text: `-A ${c.name} ${savedRule(r, 4, 'nft')}`.trimEnd(),
            packets: n?.packets ?? 0,
            bytes: n?.bytes ?? 0,
          };
        }),
      })),
    };
  });
}

function sliceRow(s: EndpointSlice) {
  return {
    namespace: s.metadata.namespace ?? 'default',
    name: s.metadata.name,
    service: s.metadata.labels?.['kubernetes.io/service-name'],
    ports: (s.ports ?? []).map((p) => `${p.name ? `${p.name} ` : ''}${p.port ?? ''}/${p.protocol ?? 'TCP'}`),
    endpoints: (s.endpoints ?? []).map((e) => ({
      addresses: e.addresses,
      ready: e.conditions?.ready !== false,
      serving: e.conditions?.serving !== false,
      terminating: e.conditions?.terminating === true,
      node: e.nodeName,
      target: e.targetRef?.name,
    })),
    resourceVersion: s.metadata.resourceVersion ?? '',
  };
}
