import type { Json } from '../../engine/base';
import { humanDuration, parseRfc3339 } from '../format/time';
import type { Obj } from './api';
import { endpointSliceAddresses, endpointsText } from './endpoints';
import { formatLabels, list, nameOf, num, rec, sortedKeys, str } from './fields';

/** Columns of the server-side table of a kind (kubernetes/pkg/printers/internalversion). `wide` columns come last. */
export interface TableSpec {
  readonly columns: readonly string[];
  readonly wide: readonly string[];
  /** `age` turns a creation or start time into an age at the reader's now. */
  row(o: Obj, age: Age): readonly string[];
}
export type Age = (timestamp: string) => string;

/** Age of a time stamp at `nowS` (seconds since 1970); `<unknown>` when there is none. */
export const ageAt =
  (nowS: number): Age =>
  (timestamp) => {
    const t = parseRfc3339(timestamp);
    return t === undefined ? '<unknown>' : humanDuration(nowS - t);
  };

const created = (o: Obj, age: Age): string => age(str(o, 'metadata', 'creationTimestamp'));
const orNone = (text: string): string => (text === '' ? '<none>' : text);

/** STATUS of a pod (printPod): phase, reason, then what init and app containers say. */
export function podStatus(pod: Obj): string {
  let reason = str(pod, 'status', 'reason') || str(pod, 'status', 'phase');
  const gated = list(pod, 'status', 'conditions').some(
    (c) => str(c, 'type') === 'PodScheduled' && str(c, 'reason') === 'SchedulingGated',
  );
  if (gated) reason = 'SchedulingGated';
  const inits = list(pod, 'status', 'initContainerStatuses');
  for (const [i, c] of inits.entries()) {
    const terminated = rec(c, 'state', 'terminated');
    if (Object.keys(terminated).length > 0 && terminated.exitCode === 0) continue;
    if (Object.keys(terminated).length > 0)
      return `Init:${str(terminated, 'reason') || `ExitCode:${str(terminated, 'exitCode')}`}`;
    const waiting = str(c, 'state', 'waiting', 'reason');
    return waiting !== '' && waiting !== 'PodInitializing'
      ? `Init:${waiting}`
      : `Init:${i}/${list(pod, 'spec', 'initContainers').length}`;
  }
  let running = false;
  for (const c of [...list(pod, 'status', 'containerStatuses')].reverse()) {
    const waiting = str(c, 'state', 'waiting', 'reason');
    const terminated = rec(c, 'state', 'terminated');
    if (waiting !== '') reason = waiting;
    else if (str(terminated, 'reason') !== '') reason = str(terminated, 'reason');
    else if (Object.keys(terminated).length > 0) {
      const signal = num(terminated, 'signal') ?? 0;
      reason = signal !== 0 ? `Signal:${signal}` : `ExitCode:${str(terminated, 'exitCode')}`;
    } else if (c !== null && rec(c).ready === true && Object.keys(rec(c, 'state')).includes('running')) running = true;
  }
  if (reason === 'Completed' && running) reason = isReady(pod) ? 'Running' : 'NotReady';
  if (str(pod, 'metadata', 'deletionTimestamp') !== '') {
    return str(pod, 'status', 'reason') === 'NodeLost' ? 'Unknown' : 'Terminating';
  }
  return reason;
}

export const isReady = (pod: Obj): boolean =>
  list(pod, 'status', 'conditions').some((c) => str(c, 'type') === 'Ready' && str(c, 'status') === 'True');

function podRow(o: Obj, age: Age): readonly string[] {
  const statuses = list(o, 'status', 'containerStatuses');
  const restarts = statuses.reduce<number>((n, c) => n + (num(c, 'restartCount') ?? 0), 0);
  const last = statuses
    .map((c) => str(c, 'lastState', 'terminated', 'finishedAt'))
    .filter((t) => t !== '')
    .sort()
    .at(-1);
  const ips = list(o, 'status', 'podIPs');
  return [
    nameOf(o),
    `${statuses.filter((c) => rec(c).ready === true).length}/${list(o, 'spec', 'containers').length}`,
    podStatus(o),
    restarts > 0 && last ? `${restarts} (${age(last)} ago)` : String(restarts),
    created(o, age),
    orNone(ips.length > 0 ? str(ips[0], 'ip') : str(o, 'status', 'podIP')),
    orNone(str(o, 'spec', 'nodeName')),
    orNone(str(o, 'status', 'nominatedNodeName')),
    readinessGates(o),
  ];
}

function readinessGates(o: Obj): string {
  const gates = list(o, 'spec', 'readinessGates');
  if (gates.length === 0) return '<none>';
  const met = gates.filter((g) =>
    list(o, 'status', 'conditions').some(
      (c) => str(c, 'type') === str(g, 'conditionType') && str(c, 'status') === 'True',
    ),
  );
  return `${met.length}/${gates.length}`;
}

/** `80:30080/TCP,443/TCP` of a Service. */
export function servicePorts(o: Obj): string {
  const ports = list(o, 'spec', 'ports').map((p) => {
    const node = num(p, 'nodePort') ?? 0;
    return `${str(p, 'port')}${node > 0 ? `:${node}` : ''}/${str(p, 'protocol')}`;
  });
  return orNone(ports.join(','));
}

/** EXTERNAL-IP of a Service (getServiceExternalIP). */
export function externalIp(o: Obj): string {
  const external = list(o, 'spec', 'externalIPs').map(String);
  switch (str(o, 'spec', 'type')) {
    case 'LoadBalancer': {
      const lb = list(o, 'status', 'loadBalancer', 'ingress').map((i) => str(i, 'ip') || str(i, 'hostname'));
      const all = [...lb.sort(), ...external];
      return all.length > 0 ? all.join(',') : '<pending>';
    }
    case 'ExternalName':
      return str(o, 'spec', 'externalName');
    default:
      return orNone(external.join(','));
  }
}

function nodeRow(o: Obj, age: Age): readonly string[] {
  const conditions = list(o, 'status', 'conditions');
  const ready = conditions.find((c) => str(c, 'type') === 'Ready');
  const status = [ready ? (str(ready, 'status') === 'True' ? 'Ready' : 'NotReady') : 'Unknown'];
  if (rec(o, 'spec').unschedulable === true) status.push('SchedulingDisabled');
  const roles = nodeRoles(o);
  const address = (type: string): string =>
    orNone(
      str(
        list(o, 'status', 'addresses').find((a) => str(a, 'type') === type),
        'address',
      ),
    );
  const info = (key: string): string => str(o, 'status', 'nodeInfo', key);
  const arch = info('architecture');
  return [
    nameOf(o),
    status.join(','),
    orNone(roles.join(',')),
    created(o, age),
    info('kubeletVersion'),
    address('InternalIP'),
    address('ExternalIP'),
    info('osImage') || '<unknown>',
    `${info('kernelVersion') || '<unknown>'}${arch ? ` (${arch})` : ''}`,
    info('containerRuntimeVersion') || '<unknown>',
  ];
}

export function nodeRoles(o: Obj): string[] {
  const labels = rec(o, 'metadata', 'labels');
  return sortedKeys(labels)
    .map((k) =>
      k.startsWith('node-role.kubernetes.io/') ? k.slice(24) : k === 'kubernetes.io/role' ? String(labels[k]) : '',
    )
    .filter((role) => role !== '');
}

/** Label selector of workloads as text (metav1.FormatLabelSelector). */
export function selectorText(selector: Json | undefined): string {
  const labels = rec(selector, 'matchLabels');
  return orNone(
    sortedKeys(labels)
      .map((k) => `${k}=${String(labels[k])}`)
      .join(','),
  );
}

const containers = (o: Obj): readonly string[] => {
  const all = list(o, 'spec', 'template', 'spec', 'containers');
  return [
    all.map((c) => str(c, 'name')).join(','),
    all.map((c) => str(c, 'image')).join(','),
    selectorText(rec(o, 'spec', 'selector')),
  ];
};
const count = (o: Obj, ...path: string[]): string => String(num(o, ...path) ?? 0);

const simple = (columns: readonly string[], row: TableSpec['row'], wide: readonly string[] = []): TableSpec => ({
  columns,
  wide,
  row,
});

/** Table of each kind; kinds that are not named here have NAME and AGE. */
export const TABLES: Readonly<Record<string, TableSpec>> = {
  Pod: simple(['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'], podRow, [
    'IP',
    'NODE',
    'NOMINATED NODE',
    'READINESS GATES',
  ]),
  Service: simple(
    ['NAME', 'TYPE', 'CLUSTER-IP', 'EXTERNAL-IP', 'PORT(S)', 'AGE'],
    (o, age) => [
      nameOf(o),
      str(o, 'spec', 'type'),
      orNone(str(o, 'spec', 'clusterIP')),
      externalIp(o),
      servicePorts(o),
      created(o, age),
      formatLabels(rec(o, 'spec', 'selector')),
    ],
    ['SELECTOR'],
  ),
  Endpoints: simple(['NAME', 'ENDPOINTS', 'AGE'], (o, age) => [nameOf(o), endpointsText(o), created(o, age)]),
  EndpointSlice: simple(['NAME', 'ADDRESSTYPE', 'PORTS', 'ENDPOINTS', 'AGE'], (o, age) => [
    nameOf(o),
    str(o, 'addressType'),
    more(
      list(o, 'ports').map((p) => (num(p, 'port') === undefined ? '*' : str(p, 'port'))),
      ',',
    ),
    more(endpointSliceAddresses(o), ','),
    created(o, age),
  ]),
  Node: simple(['NAME', 'STATUS', 'ROLES', 'AGE', 'VERSION'], nodeRow, [
    'INTERNAL-IP',
    'EXTERNAL-IP',
    'OS-IMAGE',
    'KERNEL-VERSION',
    'CONTAINER-RUNTIME',
  ]),
  Namespace: simple(['NAME', 'STATUS', 'AGE'], (o, age) => [nameOf(o), str(o, 'status', 'phase'), created(o, age)]),
  ConfigMap: simple(['NAME', 'DATA', 'AGE'], (o, age) => [
    nameOf(o),
    String(Object.keys(rec(o, 'data')).length + Object.keys(rec(o, 'binaryData')).length),
    created(o, age),
  ]),
  Secret: simple(['NAME', 'TYPE', 'DATA', 'AGE'], (o, age) => [
    nameOf(o),
    str(o, 'type'),
    String(Object.keys(rec(o, 'data')).length),
    created(o, age),
  ]),
  Deployment: simple(
    ['NAME', 'READY', 'UP-TO-DATE', 'AVAILABLE', 'AGE'],
    (o, age) => [
      nameOf(o),
      `${count(o, 'status', 'readyReplicas')}/${count(o, 'spec', 'replicas')}`,
      count(o, 'status', 'updatedReplicas'),
      count(o, 'status', 'availableReplicas'),
      created(o, age),
      ...containers(o),
    ],
    ['CONTAINERS', 'IMAGES', 'SELECTOR'],
  ),
  ReplicaSet: simple(
    ['NAME', 'DESIRED', 'CURRENT', 'READY', 'AGE'],
    (o, age) => [
      nameOf(o),
      count(o, 'spec', 'replicas'),
      count(o, 'status', 'replicas'),
      count(o, 'status', 'readyReplicas'),
      created(o, age),
      ...containers(o),
    ],
    ['CONTAINERS', 'IMAGES', 'SELECTOR'],
  ),
  DaemonSet: simple(
    ['NAME', 'DESIRED', 'CURRENT', 'READY', 'UP-TO-DATE', 'AVAILABLE', 'NODE SELECTOR', 'AGE'],
    (o, age) => [
      nameOf(o),
      count(o, 'status', 'desiredNumberScheduled'),
      count(o, 'status', 'currentNumberScheduled'),
      count(o, 'status', 'numberReady'),
      count(o, 'status', 'updatedNumberScheduled'),
      count(o, 'status', 'numberAvailable'),
      formatLabels(rec(o, 'spec', 'template', 'spec', 'nodeSelector')),
      created(o, age),
      ...containers(o),
    ],
    ['CONTAINERS', 'IMAGES', 'SELECTOR'],
  ),
  StatefulSet: simple(
    ['NAME', 'READY', 'AGE'],
    (o, age) => [
      nameOf(o),
      `${count(o, 'status', 'readyReplicas')}/${count(o, 'spec', 'replicas')}`,
      created(o, age),
      ...containers(o).slice(0, 2),
    ],
    ['CONTAINERS', 'IMAGES'],
  ),
  NetworkPolicy: simple(['NAME', 'POD-SELECTOR', 'AGE'], (o, age) => [
    nameOf(o),
    selectorText(rec(o, 'spec', 'podSelector')),
    created(o, age),
  ]),
  ServiceCIDR: simple(['NAME', 'CIDRS', 'AGE'], (o, age) => [
    nameOf(o),
    list(o, 'spec', 'cidrs').join(','),
    created(o, age),
  ]),
  IPAddress: simple(['NAME', 'PARENTREF'], (o) => {
    const p = rec(o, 'spec', 'parentRef');
    return [nameOf(o), [str(p, 'resource'), str(p, 'namespace'), str(p, 'name')].join('/')];
  }),
  Lease: simple(['NAME', 'HOLDER', 'AGE'], (o, age) => [nameOf(o), str(o, 'spec', 'holderIdentity'), created(o, age)]),
  ServiceAccount: simple(['NAME', 'AGE'], (o, age) => [nameOf(o), created(o, age)]),
  Event: simple(['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'], (o, age) => {
    const ref = rec(o, 'involvedObject');
    return [
      age(
        str(o, 'lastTimestamp') ||
          str(o, 'eventTime') ||
          str(o, 'firstTimestamp') ||
          str(o, 'metadata', 'creationTimestamp'),
      ),
      str(o, 'type'),
      str(o, 'reason'),
      `${str(ref, 'kind').toLowerCase()}/${str(ref, 'name')}`,
      str(o, 'message').trim(),
    ];
  }),
};

const DEFAULT: TableSpec = simple(['NAME', 'AGE'], (o, age) => [nameOf(o), created(o, age)]);
export const tableOf = (kind: string): TableSpec => TABLES[kind] ?? DEFAULT;

/** The first three, then `+ N more...`; `<unset>` for none (printers' formatDiscoveryPorts and -Endpoints). */
function more(items: readonly string[], separator: string): string {
  if (items.length === 0) return '<unset>';
  const shown = items.slice(0, 3).join(separator);
  return items.length > 3 ? `${shown} + ${items.length - 3} more...` : shown;
}
