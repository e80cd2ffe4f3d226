import type { Json } from '../../../engine/base';
import type { Obj } from '../api';
import { list, nameOf, namespaceOf, num, rec, sortedKeys, str } from '../fields';
import { type DescribeCtx, Describer, events, longTime } from './writer';

/** `kubectl describe pod` (describePod). */
export function describePod(o: Obj, ctx: DescribeCtx): string {
  const d = new Describer();
  d.line(0, `Name:\t${nameOf(o)}`);
  d.line(0, `Namespace:\t${namespaceOf(o)}`);
  if (num(o, 'spec', 'priority') !== undefined) d.line(0, `Priority:\t${str(o, 'spec', 'priority')}`);
  for (const [label, key] of [
    ['Priority Class Name', 'priorityClassName'],
    ['Runtime Class Name', 'runtimeClassName'],
    ['Service Account', 'serviceAccountName'],
  ] as const) {
    if (str(o, 'spec', key) !== '') d.line(0, `${label}:\t${str(o, 'spec', key)}`);
  }
  const node = str(o, 'spec', 'nodeName');
  d.line(0, `Node:\t${node === '' ? '<none>' : `${node}/${str(o, 'status', 'hostIP')}`}`);
  if (str(o, 'status', 'startTime') !== '') d.line(0, `Start Time:\t${longTime(str(o, 'status', 'startTime'))}`);
  d.multiline(0, 'Labels', rec(o, 'metadata', 'labels'));
  d.annotations('Annotations', o);
  const deleting = str(o, 'metadata', 'deletionTimestamp');
  if (deleting !== '') {
    d.line(0, `Status:\tTerminating (lasts ${ctx.age(deleting)})`);
    d.line(0, `Termination Grace Period:\t${str(o, 'metadata', 'deletionGracePeriodSeconds')}s`);
  } else d.line(0, `Status:\t${str(o, 'status', 'phase')}`);
  if (str(o, 'status', 'reason') !== '') d.line(0, `Reason:\t${str(o, 'status', 'reason')}`);
  if (str(o, 'status', 'message') !== '') d.line(0, `Message:\t${str(o, 'status', 'message')}`);
  d.line(0, `IP:\t${str(o, 'status', 'podIP')}`);
  const ips = list(o, 'status', 'podIPs').map((i) => str(i, 'ip'));
  if (ips.length === 0) d.line(0, 'IPs:\t<none>');
  else {
    d.line(0, 'IPs:');
    for (const ip of ips) d.line(1, `IP:\t${ip}`);
  }
  const owner = list(o, 'metadata', 'ownerReferences').find((r) => rec(r).controller === true);
  if (owner) d.line(0, `Controlled By:\t${str(owner, 'kind')}/${str(owner, 'name')}`);
  const inits = list(o, 'spec', 'initContainers');
  if (inits.length > 0) describeContainers(d, 'Init Containers', inits, list(o, 'status', 'initContainerStatuses'), 0);
  describeContainers(d, 'Containers', list(o, 'spec', 'containers'), list(o, 'status', 'containerStatuses'), 0);
  const gates = list(o, 'spec', 'readinessGates');
  if (gates.length > 0) {
    d.line(0, 'Readiness Gates:').line(1, 'Type\tStatus');
    for (const g of gates) {
      const c = list(o, 'status', 'conditions').find((x) => str(x, 'type') === str(g, 'conditionType'));
      d.line(1, `${str(g, 'conditionType')} \t${c ? str(c, 'status') : '<none>'} `);
    }
  }
  const conditions = list(o, 'status', 'conditions');
  if (conditions.length > 0) {
    d.line(0, 'Conditions:').line(1, 'Type\tStatus');
    for (const c of conditions) d.line(1, `${str(c, 'type')} \t${str(c, 'status')} `);
  }
  describeVolumes(d, list(o, 'spec', 'volumes'), '');
  d.line(0, `QoS Class:\t${str(o, 'status', 'qosClass') || 'BestEffort'}`);
  d.multiline(0, 'Node-Selectors', rec(o, 'spec', 'nodeSelector'));
  describeTolerations(d, list(o, 'spec', 'tolerations'), '');
  events(d, ctx, o);
  return d.finish();
}

/** Containers of a pod or of a pod template; `template` ones are one blank deeper and have no state. */
export function describeContainers(
  d: Describer,
  title: string,
  containers: readonly Json[],
  statuses: readonly Json[],
  level: number,
  pad = '',
): void {
  if (containers.length === 0) {
    d.line(level, `${pad}${title}:\t<none>`);
    return;
  }
  d.line(level, `${pad}${title}:`);
  const inner = pad === '' ? '' : ' ';
  // Templates indent their containers by one blank instead of a level (describe.go's space argument).
  const at = (n: number, text: string): void =>
    void d.line(level + n - (pad === '' ? 0 : 1), `${pad === '' ? '' : `${pad.slice(2)}${inner}`}${text}`);
  for (const c of containers) {
    const status = statuses.find((s) => str(s, 'name') === str(c, 'name'));
    at(1, `${str(c, 'name')}:`);
    if (status) at(2, `Container ID:\t${str(status, 'containerID')}`);
    at(2, `Image:\t${str(c, 'image')}`);
    if (status) at(2, `Image ID:\t${str(status, 'imageID')}`);
    const ports = list(c, 'ports');
    const named = (p: Json): string => (pad === '' && str(p, 'name') !== '' ? ` (${str(p, 'name')})` : '');
    const text = (key: string): string =>
      ports.length === 0
        ? '<none>'
        : ports.map((p) => `${num(p, key) ?? 0}/${str(p, 'protocol') || 'TCP'}${named(p)}`).join(', ');
    const label = ports.length > 1 ? 's' : '';
    at(2, `Port${label}:\t${text('containerPort')}`);
    at(2, `Host Port${label}:\t${text('hostPort')}`);
    for (const key of ['command', 'args'] as const) {
      const words = list(c, key).map(String);
      if (words.length === 0) continue;
      at(2, `${key === 'command' ? 'Command' : 'Args'}:`);
      for (const w of words) for (const l of w.split('\n')) at(3, l);
    }
    if (status) describeState(at, status);
    for (const [label2, key] of [
      ['Limits', 'limits'],
      ['Requests', 'requests'],
    ] as const) {
      const map = rec(c, 'resources', key);
      if (Object.keys(map).length === 0) continue;
      at(2, `${label2}:`);
      for (const k of sortedKeys(map)) at(3, `${k}:\t${String(map[k])}`);
    }
    for (const [label3, key] of [
      ['Liveness', 'livenessProbe'],
      ['Readiness', 'readinessProbe'],
      ['Startup', 'startupProbe'],
    ] as const) {
      if (Object.keys(rec(c, key)).length > 0) at(2, `${label3}:\t${probe(rec(c, key))}`);
    }
    const env = list(c, 'env');
    if (env.length === 0) at(2, 'Environment:\t<none>');
    else {
      at(2, 'Environment:');
      for (const e of env) at(3, `${str(e, 'name')}:\t${str(e, 'value')}`);
    }
    const mounts = list(c, 'volumeMounts');
    if (mounts.length === 0) at(2, 'Mounts:\t<none>');
    else {
      at(2, 'Mounts:');
      for (const m of mounts)
        at(3, `${str(m, 'mountPath')} from ${str(m, 'name')} (${rec(m).readOnly === true ? 'ro' : 'rw'})`);
    }
  }
}

function describeState(at: (n: number, text: string) => void, status: Json): void {
  const show = (label: string, state: Readonly<Record<string, Json>>): void => {
    if ('running' in state) {
      at(2, `${label}:\tRunning`);
      at(3, `Started:\t${longTime(str(state, 'running', 'startedAt'))}`);
    } else if ('waiting' in state) {
      at(2, `${label}:\tWaiting`);
      if (str(state, 'waiting', 'reason') !== '') at(3, `Reason:\t${str(state, 'waiting', 'reason')}`);
    } else if ('terminated' in state) {
      at(2, `${label}:\tTerminated`);
      const t = rec(state, 'terminated');
      if (str(t, 'reason') !== '') at(3, `Reason:\t${str(t, 'reason')}`);
      if (str(t, 'message') !== '') at(3, `Message:\t${str(t, 'message')}`);
      at(3, `Exit Code:\t${str(t, 'exitCode')}`);
      if ((num(t, 'signal') ?? 0) > 0) at(3, `Signal:\t${str(t, 'signal')}`);
      at(3, `Started:\t${longTime(str(t, 'startedAt'))}`);
      at(3, `Finished:\t${longTime(str(t, 'finishedAt'))}`);
    } else at(2, `${label}:\tWaiting`);
  };
  show('State', rec(status, 'state'));
  if ('terminated' in rec(status, 'lastState')) show('Last State', rec(status, 'lastState'));
  at(2, `Ready:\t${rec(status).ready === true ? 'True' : 'False'}`);
  at(2, `Restart Count:\t${num(status, 'restartCount') ?? 0}`);
}

/** A probe on one line (describeProbe). */
function probe(p: Readonly<Record<string, Json>>): string {
  const n = (key: string, fallback: number): number => num(p, key) ?? fallback;
  const attrs = `delay=${n('initialDelaySeconds', 0)}s timeout=${n('timeoutSeconds', 1)}s period=${n('periodSeconds', 10)}s #success=${n('successThreshold', 1)} #failure=${n('failureThreshold', 3)}`;
  if ('httpGet' in p) {
    const h = rec(p, 'httpGet');
    const scheme = (str(h, 'scheme') || 'HTTP').toLowerCase();
    return `http-get ${scheme}://${str(h, 'host')}:${str(h, 'port')}${str(h, 'path')} ${attrs}`;
  }
  if ('tcpSocket' in p) return `tcp-socket ${str(p, 'tcpSocket', 'host')}:${str(p, 'tcpSocket', 'port')} ${attrs}`;
  if ('exec' in p) return `exec [${list(p, 'exec', 'command').map(String).join(' ')}] ${attrs}`;
  return `unknown ${attrs}`;
}

export function describeVolumes(d: Describer, volumes: readonly Json[], pad: string): void {
  if (volumes.length === 0) {
    d.line(0, `${pad}Volumes:\t<none>`);
    return;
  }
  d.line(0, `${pad}Volumes:`);
  for (const v of volumes) {
    d.line(0, `${pad} ${str(v, 'name')}:`);
    if ('configMap' in rec(v)) {
      d.line(0, `${pad}  Type:\tConfigMap (a volume populated by a ConfigMap)`);
      d.line(0, `${pad}  Name:\t${str(v, 'configMap', 'name')}`);
      d.line(0, `${pad}  Optional:\tfalse`);
    } else if ('hostPath' in rec(v)) {
      d.line(0, `${pad}  Type:\tHostPath (bare host directory volume)`);
      d.line(0, `${pad}  Path:\t${str(v, 'hostPath', 'path')}`);
      d.line(0, `${pad}  HostPathType:\t${str(v, 'hostPath', 'type')}`);
    } else if ('emptyDir' in rec(v)) {
      d.line(0, `${pad}  Type:\tEmptyDir (a temporary directory that shares a pod's lifetime)`);
      d.line(0, `${pad}  Medium:\t${str(v, 'emptyDir', 'medium')}`);
      d.line(0, `${pad}  SizeLimit:\t${str(v, 'emptyDir', 'sizeLimit') || '<unset>'}`);
    }
  }
}

/** Tolerations, sorted by key (printTolerationsInAlphabeticalOrder's labels). */
export function describeTolerations(d: Describer, tolerations: readonly Json[], pad: string): void {
  if (tolerations.length === 0) {
    d.line(0, `${pad}Tolerations:\t<none>`);
    return;
  }
  const text = tolerations
    .map((t) => {
      let line = str(t, 'key');
      if (str(t, 'value') !== '') line += `=${str(t, 'value')}`;
      if (str(t, 'effect') !== '') line += `:${str(t, 'effect')}`;
      // "op=Exists" with an empty key reads as a leading blank less.
      if (str(t, 'operator') === 'Exists' && str(t, 'value') === '')
        line += `${str(t, 'key') !== '' || str(t, 'effect') !== '' ? ' ' : ''}op=Exists`;
      if (num(t, 'tolerationSeconds') !== undefined) line += ` for ${str(t, 'tolerationSeconds')}s`;
      return line;
    })
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  for (const [i, line] of text.entries()) d.line(0, `${i === 0 ? `${pad}Tolerations:` : ''}\t${line}`);
}
