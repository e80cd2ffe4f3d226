import type { Obj } from '../api';
import { list, nameOf, namespaceOf, rec, sortedKeys, str } from '../fields';
import { nodeRoles } from '../tables';
import { quantityPercent } from './quantity';
import { type DescribeCtx, Describer, events, longTime } from './writer';

/** `kubectl describe node` (describeNode and describeNodeResource). */
export function describeNode(o: Obj, ctx: DescribeCtx): string {
  const d = new Describer();
  d.line(0, `Name:\t${nameOf(o)}`);
  d.line(0, `Roles:\t${nodeRoles(o).join(',') || '<none>'}`);
  d.multiline(0, 'Labels', rec(o, 'metadata', 'labels'));
  d.annotations('Annotations', o);
  d.line(0, `CreationTimestamp:\t${longTime(str(o, 'metadata', 'creationTimestamp'))}`);
  const taints = list(o, 'spec', 'taints').map(
    (t) => `${str(t, 'key')}${str(t, 'value') === '' ? '' : `=${str(t, 'value')}`}:${str(t, 'effect')}`,
  );
  if (taints.length === 0) d.line(0, 'Taints:\t<none>');
  for (const [i, t] of taints.sort().entries()) d.line(0, `${i === 0 ? 'Taints:' : ''}\t${t}`);
  d.line(0, `Unschedulable:\t${rec(o, 'spec').unschedulable === true}`);
  describeLease(d, o, ctx);
  const conditions = list(o, 'status', 'conditions');
  if (conditions.length > 0) {
    d.line(0, 'Conditions:');
    d.line(1, 'Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage');
    d.line(1, '----\t------\t-----------------\t------------------\t------\t-------');
    for (const c of conditions) {
      const times = `${longTime(str(c, 'lastHeartbeatTime'))} \t${longTime(str(c, 'lastTransitionTime'))} `;
      d.line(1, `${str(c, 'type')} \t${str(c, 'status')} \t${times}\t${str(c, 'reason')} \t${str(c, 'message')}`);
    }
  }
  d.line(0, 'Addresses:');
  for (const a of list(o, 'status', 'addresses')) d.line(1, `${str(a, 'type')}:\t${str(a, 'address')}`);
  for (const [label, key] of [
    ['Capacity', 'capacity'],
    ['Allocatable', 'allocatable'],
  ] as const) {
    const map = rec(o, 'status', key);
    if (Object.keys(map).length === 0) continue;
    d.line(0, `${label}:`);
    for (const k of sortedKeys(map)) d.line(1, `${k}:\t${String(map[k])}`);
  }
  const info = (key: string): string => str(o, 'status', 'nodeInfo', key);
  d.line(0, 'System Info:');
  for (const [label, key] of [
    ['Machine ID', 'machineID'],
    ['System UUID', 'systemUUID'],
    ['Boot ID', 'bootID'],
    ['Kernel Version', 'kernelVersion'],
    ['OS Image', 'osImage'],
    ['Operating System', 'operatingSystem'],
    ['Architecture', 'architecture'],
    ['Container Runtime Version', 'containerRuntimeVersion'],
    ['Kubelet Version', 'kubeletVersion'],
  ] as const) {
    d.line(1, `${label}:\t${info(key)}`);
  }
  if (str(o, 'spec', 'podCIDR') !== '') d.line(0, `PodCIDR:\t${str(o, 'spec', 'podCIDR')}`);
  const cidrs = list(o, 'spec', 'podCIDRs').map(String);
  if (cidrs.length > 0) d.line(0, `PodCIDRs:\t${cidrs.join(',')}`);
  if (str(o, 'spec', 'providerID') !== '') d.line(0, `ProviderID:\t${str(o, 'spec', 'providerID')}`);
  describePods(d, o, ctx);
  events(d, ctx, o);
  return d.finish();
}

function describeLease(d: Describer, o: Obj, ctx: DescribeCtx): void {
  const lease = ctx.list('Lease', 'kube-node-lease').find((l) => nameOf(l) === nameOf(o));
  if (!lease) {
    d.line(0, `Lease:\tFailed to get lease: leases.coordination.k8s.io "${nameOf(o)}" not found`);
    return;
  }
  d.line(0, 'Lease:');
  d.line(1, `HolderIdentity:\t${str(lease, 'spec', 'holderIdentity') || '<unset>'}`);
  d.line(
    1,
    `AcquireTime:\t${str(lease, 'spec', 'acquireTime') === '' ? '<unset>' : longTime(str(lease, 'spec', 'acquireTime'))}`,
  );
  d.line(
    1,
    `RenewTime:\t${str(lease, 'spec', 'renewTime') === '' ? '<unset>' : longTime(str(lease, 'spec', 'renewTime'))}`,
  );
}

function describePods(d: Describer, o: Obj, ctx: DescribeCtx): void {
  const pods = ctx
    .list('Pod', '')
    .filter(
      (p) => str(p, 'spec', 'nodeName') === nameOf(o) && !['Succeeded', 'Failed'].includes(str(p, 'status', 'phase')),
    );
  const allocatable = rec(o, 'status', 'allocatable');
  d.line(0, `Non-terminated Pods:\t(${pods.length} in total)`);
  d.line(1, 'Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge');
  d.line(1, '---------\t----\t\t------------\t----------\t---------------\t-------------\t---');
  const sums = { requests: { cpu: 0, memory: 0 }, limits: { cpu: 0, memory: 0 } };
  for (const p of pods) {
    const cells: string[] = [];
    for (const resource of ['cpu', 'memory'] as const) {
      for (const kind of ['requests', 'limits'] as const) {
        const wanted = list(p, 'spec', 'containers').map((c) => str(c, 'resources', kind, resource));
        const q = quantityPercent(resource, wanted, str(allocatable, resource));
        sums[kind][resource] += q.value;
        cells.push(q.text);
      }
    }
    d.line(
      1,
      `${namespaceOf(p)}\t${nameOf(p)}\t\t${cells.join('\t')}\t${ctx.age(str(p, 'metadata', 'creationTimestamp'))}`,
    );
  }
  d.line(0, 'Allocated resources:').line(1, '(Total limits may be over 100 percent, i.e., overcommitted.)');
  d.line(1, 'Resource\tRequests\tLimits');
  d.line(1, '--------\t--------\t------');
  for (const resource of ['cpu', 'memory'] as const) {
    const cell = (kind: 'requests' | 'limits'): string =>
      quantityPercent(resource, [], str(allocatable, resource), sums[kind][resource]).text;
    d.line(1, `${resource}\t${cell('requests')}\t${cell('limits')}`);
  }
  d.line(1, 'ephemeral-storage\t0 (0%)\t0 (0%)');
}
