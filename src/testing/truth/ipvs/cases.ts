import { assert } from '../../../engine/base/assert';
import type { Json } from '../../../engine/base/json';
import { type ControlPlane, createControlPlane, listObjects } from '../../../engine/k8s/index';
import {
  createKubeProxy,
  ipvsAddresses,
  ipvsadmList,
  ipvsadmSave,
  ipvsadmTimeouts,
} from '../../../engine/kubeproxy/index';
import { createNet } from '../../../engine/net';
import { createNetfilter } from '../../../engine/netfilter';
import { createCtx } from '../../../engine/trace';
import { compareLists, compareSets, compareSlices, type Difference, parseSave } from '../proxy/compare';
import { readDocs } from '../proxy/yaml';
import type { TruthFiles } from '../types';

interface Meta {
  readonly node: string;
  readonly flags: readonly string[];
  readonly ipv6?: string;
  readonly pod_status?: readonly { name: string; namespace: string; node: string; podIP: string; ready: boolean }[];
  readonly after_apply_ops?: readonly {
    readonly op: string;
    readonly wait_s_before?: number;
    readonly args?: string;
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly patch?: Json;
  }[];
}

type Doc = { readonly [key: string]: unknown };
const NODE = 'node-1';
const SETTLE_US = 10_000_000;
const by = { by: 'lab' };

/** Pods that exist in every case: name, node, address. */
const PODS: readonly [string, number, string][] = [
  ['web-1', 1, '10.244.1.10'],
  ['web-2', 1, '10.244.1.11'],
  ['web-3', 2, '10.244.2.10'],
  ['web-4', 2, '10.244.2.11'],
  ['web-5', 3, '10.244.3.10'],
  ['web-6', 3, '10.244.3.11'],
  ['web-7', 3, '10.244.3.12'],
  ['web-8', 3, '10.244.3.13'],
  ['web-9', 3, '10.244.3.14'],
  ['web-10', 3, '10.244.3.15'],
];
/** Which pods carry which label (with the value `in`). */
const LABELS: Readonly<Record<string, readonly number[]>> = {
  one: [1],
  two: [1, 3],
  three: [1, 3, 5],
  five: [1, 2, 3, 4, 5],
  ten: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  remote: [3, 5],
};

const status = (node: string, ip: string, ready: boolean): Json => ({
  status: {
    phase: 'Running',
    hostIP: `192.168.10.1${node.slice(-1)}`,
    podIP: ip,
    podIPs: [{ ip }],
    conditions: ['Ready', 'ContainersReady'].map((type) => ({ type, status: ready ? 'True' : 'False' })),
  },
});

function makePods(cp: ControlPlane): void {
  for (const [i, [name, node, ip]] of PODS.entries()) {
    const extra = Object.entries(LABELS).flatMap(([k, pods]) => (pods.includes(i + 1) ? [[k, 'in'] as const] : []));
    const labels = { app: 'web', ...Object.fromEntries(extra) };
    const containers = [{ name: 'web', image: 'web:1', ports: [{ name: 'http', containerPort: 8080 }] }];
    const made = cp.api.create(
      { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec: { nodeName: `node-${node}`, containers } },
      by,
    );
    assert(made.ok, made.ok ? '' : made.error.message);
    patchStatus(cp, 'Pod', 'default', name, status(`node-${node}`, ip, true));
  }
}

function patchStatus(cp: ControlPlane, kind: string, namespace: string, name: string, patch: Json): void {
  const r = cp.api.patch(kind, namespace, name, 'merge', patch, { ...by, subresource: 'status' });
  assert(r.ok, r.ok ? '' : r.error.message);
}

/** One case: what node-1's kube-proxy made of the objects. */
export function replayCase(files: TruthFiles, dir: string): Difference {
  const text = files.read(`${dir}/meta.json`);
  assert(text !== undefined, `${dir} has no meta.json`);
  const meta = JSON.parse(text) as Meta;
  const ctx = createCtx(1);
  const net = createNet(ctx);
  const door = createNetfilter(ctx, net);
  net.addNamespace({ id: NODE, node: NODE, kind: 'node', init: false });
  const dual = meta.ipv6 !== 'off';
  const cp = createControlPlane(ctx, {
    nodes: [1, 2, 3].map((i) => ({
      name: `node-${i}`,
      ips: [`192.168.10.1${i}`],
      podCidrs: [`10.244.${i}.0/24`],
      zone: i === 3 ? 'zone-b' : 'zone-a',
    })),
    serviceCidrs: ['10.96.0.0/12'],
    apiServer: { ip: '192.168.10.1', port: 36443 },
    garbageCollection: false,
  });
  const settle = (us = SETTLE_US): void => void ctx.sim.run({ untilUs: ctx.sim.now + us });
  makePods(cp);
  settle();
  const sysctls = new Map(Object.entries(SYSCTLS));
  const proxy = createKubeProxy(ctx, {
    node: NODE,
    netns: NODE,
    controlPlane: cp,
    door,
    flags: meta.flags,
    families: dual ? [4, 6] : [4],
    localAddresses: () => ['127.0.0.1', '192.168.10.11', '10.244.1.1'],
    sysctl: { get: (k) => sysctls.get(k), set: (k, v) => void sysctls.set(k, v) },
    ipset: (argv) => door.ipset.run(NODE, argv),
  });
  const started = proxy.start();
  assert(started.ok, started.ok ? '' : started.error);
  settle();
  applyAll(files, dir, meta, cp, settle);
  settle();
  assert(proxy.state?.healthy, 'a sync failed');

  const read = (name: string): string | undefined => files.read(`${dir}/${name}`);
  const slices = listObjects(ctx.world, 'EndpointSlice').filter((s) => s.metadata.name !== 'kubernetes');
  const wanted = (readDocs(files, `${dir}/endpointslices.yaml`) ?? []).filter(
    (s) => (s.metadata as { name?: string }).name !== 'kubernetes',
  );
  return (
    compareSlices(dir, slices.map(controllerName), wanted.map(controllerName), false) ??
    compareServers(ipvsadmSave(ctx.world, NODE), read('ipvsadm-Sn.txt') ?? '', (l) => l.startsWith('-A ')) ??
    compareServers(ipvsadmList(ctx.world, NODE), read('ipvsadm-Ln.txt') ?? '', (l) => /^(TCP|UDP|SCTP) /.test(l)) ??
    compareSets('ipset', setLines(door.ipset.run(NODE, ['save']).stdout), setLines(read('ipset-save.txt') ?? '')) ??
    compareOrdered(door.save(ctx.world, NODE, { header: false }), read('iptables-save.txt') ?? '') ??
    compareAddresses(ipvsAddresses(ctx.world, NODE), read('ip-addr-kube-ipvs0.txt') ?? '') ??
    compareTimeouts(ipvsadmTimeouts(ctx.world, NODE), read('ipvsadm-timeout.txt')) ??
    compareSysctls(sysctls, read('sysctl.txt'))
  );
}

/** A fresh node, as far as the recorded keys go. */
const SYSCTLS = {
  'net.ipv4.vs.conntrack': '0',
  'net.ipv4.vs.conn_reuse_mode': '1',
  'net.ipv4.vs.expire_nodest_conn': '0',
  'net.ipv4.vs.expire_quiescent_template': '0',
  'net.ipv4.ip_forward': '1',
  'net.ipv4.conf.all.arp_ignore': '0',
  'net.ipv4.conf.all.arp_announce': '0',
  'net.ipv4.conf.all.route_localnet': '0',
};

function applyAll(files: TruthFiles, dir: string, meta: Meta, cp: ControlPlane, settle: (us?: number) => void): void {
  for (const o of readDocs(files, `${dir}/objects.yaml`) ?? []) {
    const { status: given, ...rest } = o as Doc & { status?: Json };
    const made = cp.api.create(rest, by);
    if (!made.ok && made.error.reason === 'AlreadyExists' && o.kind === 'Namespace') continue;
    assert(made.ok, made.ok ? '' : made.error.message);
    const { kind, metadata } = made.value.object;
    if (given !== undefined) patchStatus(cp, kind, metadata.namespace ?? '', metadata.name, { status: given });
    const pod = kind === 'Pod' ? meta.pod_status?.find((p) => p.name === metadata.name) : undefined;
    if (pod) patchStatus(cp, 'Pod', pod.namespace, pod.name, status(pod.node, pod.podIP, pod.ready));
  }
  for (const op of meta.after_apply_ops ?? []) {
    settle((op.wait_s_before ?? 2) * 1_000_000);
    if (op.op === 'patch-status') {
      patchStatus(cp, op.kind ?? '', op.namespace ?? 'default', op.name ?? '', op.patch ?? {});
      continue;
    }
    const words = (op.args ?? '').split(/\s+/).filter((w) => !w.startsWith('-'));
    assert(words[0] === 'delete' && /^pods?$/.test(words[1] ?? ''), `kubectl ${op.args}`);
    for (const name of words.slice(2)) cp.api.delete('Pod', 'default', name, by);
  }
}

/** Recorded slices have no generateName: the random end of names that a controller made is cut off here. */
function controllerName(s: unknown): unknown {
  const slice = s as { metadata: { name: string; namespace?: string; labels?: Record<string, string> } };
  const { name, namespace, labels } = slice.metadata;
  const made = labels?.['endpointslice.kubernetes.io/managed-by']?.startsWith('endpointslice') ?? false;
  return { ...slice, metadata: { name: made ? name.slice(0, -5) : name, namespace, labels } };
}

/** Services as a set, the lines of each as a set. */
function compareServers(got: string, want: string, isHead: (line: string) => boolean): Difference {
  const groups = (t: string): string[] => {
    const out: string[][] = [[]];
    for (const line of t.split('\n').map((l) => l.trimEnd())) {
      if (line === '') continue;
      if (isHead(line)) out.push([line]);
      else out.at(-1)?.push(line);
    }
    return out.map(([head = '', ...rest]) => [head, ...rest.sort()].join(' | '));
  };
  return compareSets('ipvsadm', groups(got), groups(want));
}

const setLines = (t: string): string[] =>
  t
    .split('\n')
    .filter((l) => l !== '')
    .map((l) => l.replace(/initval 0x\w+/, 'initval X'));

/** Tables, chains as sets, rules in order. */
function compareOrdered(got: string, want: string): Difference {
  const a = parseSave(got);
  const e = parseSave(want);
  for (const [name, table] of e) {
    const mine = a.get(name);
    if (!mine) return `no table ${name}`;
    const d = compareSets(name, [...mine.chains.keys()], [...table.chains.keys()]);
    if (d) return d;
    for (const chain of table.chains.keys()) {
      const differs = compareLists(`${name} ${chain}`, mine.rules.get(chain) ?? [], table.rules.get(chain) ?? []);
      if (differs) return differs;
    }
  }
  return undefined;
}

const compareAddresses = (got: readonly string[], want: string): Difference =>
  compareSets(
    'kube-ipvs0',
    got.map((ip) => `${ip}/${ip.includes(':') ? 128 : 32}`),
    [...want.matchAll(/inet6? (\S+)/g)].map((m) => m[1] as string).filter((a) => !a.startsWith('fe80:')),
  );

const compareTimeouts = (got: string, want: string | undefined): Difference =>
  want === undefined ? undefined : compareLists('timeouts', got.trim().split('\n'), want.trim().split('\n'));

function compareSysctls(got: ReadonlyMap<string, string>, want: string | undefined): Difference {
  if (want === undefined) return undefined;
  const lines = want.trim().split('\n');
  return compareLists(
    'sysctl',
    lines.map((l) => `${l.split(' = ')[0]} = ${got.get(l.split(' = ')[0] ?? '')}`),
    lines,
  );
}
