import type { Obj } from '../api';
import { list, nameOf, namespaceOf, num, rec, str } from '../fields';
import { selectorText } from '../tables';
import { describeContainers, describeTolerations, describeVolumes } from './pod';
import { type DescribeCtx, Describer, events, longTime } from './writer';

/** The pod template block of a workload (DescribePodTemplate). */
function template(d: Describer, o: Obj): void {
  d.line(0, 'Pod Template:');
  const t = rec(o, 'spec', 'template');
  d.multiline(1, 'Labels', rec(t, 'metadata', 'labels'));
  const annotations = rec(t, 'metadata', 'annotations');
  if (Object.keys(annotations).length > 0) d.multiline(1, 'Annotations', annotations, ': ');
  describeContainers(d, 'Containers', list(t, 'spec', 'containers'), [], 0, '  ');
  describeVolumes(d, list(t, 'spec', 'volumes'), '  ');
  d.multiline(1, 'Node-Selectors', rec(t, 'spec', 'nodeSelector'));
  describeTolerations(d, list(t, 'spec', 'tolerations'), '  ');
}

/** `kubectl describe deployment` (describeDeployment). */
export function describeDeployment(o: Obj, ctx: DescribeCtx): string {
  const d = new Describer();
  const n = (...path: string[]): number => num(o, ...path) ?? 0;
  d.line(0, `Name:\t${nameOf(o)}`);
  d.line(0, `Namespace:\t${namespaceOf(o)}`);
  d.line(0, `CreationTimestamp:\t${longTime(str(o, 'metadata', 'creationTimestamp'))}`);
  d.multiline(0, 'Labels', rec(o, 'metadata', 'labels'));
  d.annotations('Annotations', o);
  d.line(0, `Selector:\t${selectorText(rec(o, 'spec', 'selector'))}`);
  const s = (key: string): number => n('status', key);
  d.line(
    0,
    `Replicas:\t${n('spec', 'replicas')} desired | ${s('updatedReplicas')} updated | ${s('replicas')} total | ${s('availableReplicas')} available | ${s('unavailableReplicas')} unavailable`,
  );
  d.line(0, `StrategyType:\t${str(o, 'spec', 'strategy', 'type')}`);
  d.line(0, `MinReadySeconds:\t${n('spec', 'minReadySeconds')}`);
  const rolling = rec(o, 'spec', 'strategy', 'rollingUpdate');
  if (Object.keys(rolling).length > 0) {
    d.line(
      0,
      `RollingUpdateStrategy:\t${str(rolling, 'maxUnavailable')} max unavailable, ${str(rolling, 'maxSurge')} max surge`,
    );
  }
  template(d, o);
  const conditions = list(o, 'status', 'conditions');
  if (conditions.length > 0) {
    d.line(0, 'Conditions:').line(1, 'Type\tStatus\tReason').line(1, '----\t------\t------');
    for (const c of conditions) d.line(1, `${str(c, 'type')} \t${str(c, 'status')}\t${str(c, 'reason')}`);
  }
  const owned = ctx
    .list('ReplicaSet', namespaceOf(o))
    .filter((r) => list(r, 'metadata', 'ownerReferences').some((x) => str(x, 'uid') === str(o, 'metadata', 'uid')));
  const image = (x: unknown): string =>
    JSON.stringify(list(x, 'spec', 'template', 'spec', 'containers').map((c) => str(c, 'image')));
  const now = owned.filter((r) => image(r) === image(o)).at(-1);
  const text = (sets: readonly Obj[]): string =>
    sets.length === 0
      ? '<none>'
      : sets
          .map(
            (r) =>
              `${nameOf(r)} (${num(r, 'status', 'replicas') ?? 0}/${num(r, 'spec', 'replicas') ?? 0} replicas created)`,
          )
          .join(', ');
  d.line(0, `OldReplicaSets:\t${text(owned.filter((r) => r !== now))}`);
  d.line(0, `NewReplicaSet:\t${text(now ? [now] : [])}`);
  events(d, ctx, o);
  return d.finish();
}

/** `kubectl describe replicaset` (describeReplicaSet). */
export function describeReplicaSet(o: Obj, ctx: DescribeCtx): string {
  const d = new Describer();
  d.line(0, `Name:\t${nameOf(o)}`);
  d.line(0, `Namespace:\t${namespaceOf(o)}`);
  d.line(0, `Selector:\t${selectorText(rec(o, 'spec', 'selector'))}`);
  d.multiline(0, 'Labels', rec(o, 'metadata', 'labels'));
  d.annotations('Annotations', o);
  const owner = list(o, 'metadata', 'ownerReferences').find((r) => rec(r).controller === true);
  if (owner) d.line(0, `Controlled By:\t${str(owner, 'kind')}/${str(owner, 'name')}`);
  d.line(0, `Replicas:\t${num(o, 'status', 'replicas') ?? 0} current / ${num(o, 'spec', 'replicas') ?? 0} desired`);
  const pods = ctx
    .list('Pod', namespaceOf(o))
    .filter((p) => list(p, 'metadata', 'ownerReferences').some((x) => str(x, 'uid') === str(o, 'metadata', 'uid')));
  const phase = (name: string): number => pods.filter((p) => str(p, 'status', 'phase') === name).length;
  d.line(
    0,
    `Pods Status:\t${phase('Running')} Running / ${phase('Pending')} Waiting / ${phase('Succeeded')} Succeeded / ${phase('Failed')} Failed`,
  );
  template(d, o);
  events(d, ctx, o);
  return d.finish();
}
