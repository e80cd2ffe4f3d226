import type { Obj } from '../api';
import { nameOf, namespaceOf, rec, sortedKeys, str } from '../fields';
import { describeEndpointSlice, describeEndpoints } from './endpoints';
import { describeNode } from './node';
import { describePod } from './pod';
import { describeService } from './service';
import { describeDeployment, describeReplicaSet } from './workload';
import { type DescribeCtx, Describer, events } from './writer';

type Describe = (o: Obj, ctx: DescribeCtx) => string;

/** `kubectl describe configmap` (describeConfigMap). */
function describeConfigMap(o: Obj, ctx: DescribeCtx): string {
  const d = new Describer();
  d.line(0, `Name:\t${nameOf(o)}`);
  d.line(0, `Namespace:\t${namespaceOf(o)}`);
  d.multiline(0, 'Labels', rec(o, 'metadata', 'labels'));
  d.annotations('Annotations', o);
  d.raw('\nData\n====\n');
  const data = rec(o, 'data');
  for (const k of sortedKeys(data)) d.raw(`${k}:\n----\n${String(data[k])}\n\n`);
  d.raw('\nBinaryData\n====\n');
  const binary = rec(o, 'binaryData');
  for (const k of sortedKeys(binary)) d.raw(`${k}: ${String(binary[k]).length} bytes\n`);
  d.raw('\n');
  events(d, ctx, o);
  return d.finish();
}

/** `kubectl describe namespace` (describeNamespace), without quotas and limits, of which the model has none. */
function describeNamespace(o: Obj): string {
  const d = new Describer();
  d.line(0, `Name:\t${nameOf(o)}`);
  d.multiline(0, 'Labels', rec(o, 'metadata', 'labels'));
  d.annotations('Annotations', o);
  d.line(0, `Status:\t${str(o, 'status', 'phase')}`);
  d.raw('\nNo resource quota.\n\nNo LimitRange resource.\n');
  return d.finish();
}

/** Kinds without a description of their own print their fields as a tree (kubectl's generic describer). */
function describeGeneric(o: Obj, ctx: DescribeCtx): string {
  const d = new Describer();
  d.line(0, `Name:\t${nameOf(o)}`);
  d.line(0, `Namespace:\t${namespaceOf(o)}`);
  d.multiline(0, 'Labels', rec(o, 'metadata', 'labels'));
  d.annotations('Annotations', o);
  const title = (key: string): string =>
    (key.charAt(0).toUpperCase() + key.slice(1)).replace(/([a-z])([A-Z])/g, '$1 $2');
  const tree = (value: unknown, level: number): void => {
    const map = rec(value);
    for (const k of sortedKeys(map)) {
      const v = map[k];
      if (Array.isArray(v)) {
        d.line(level, `${title(k)}:`);
        for (const item of v) {
          if (item !== null && typeof item === 'object') tree(item, level + 1);
          else d.line(level + 1, String(item));
        }
      } else if (v !== null && typeof v === 'object') {
        d.line(level, `${title(k)}:`);
        tree(v, level + 1);
      } else d.line(level, `${title(k)}:\t${v === null ? '<nil>' : String(v)}`);
    }
  };
  d.line(0, `API Version:\t${str(o, 'apiVersion')}`);
  d.line(0, `Kind:\t${str(o, 'kind')}`);
  d.line(0, 'Metadata:');
  tree(
    {
      creationTimestamp: str(o, 'metadata', 'creationTimestamp'),
      resourceVersion: str(o, 'metadata', 'resourceVersion'),
      uID: str(o, 'metadata', 'uid'),
    },
    1,
  );
  const rest: Record<string, unknown> = { ...o };
  for (const k of ['apiVersion', 'kind', 'metadata']) delete rest[k];
  tree(rest, 0);
  events(d, ctx, o);
  return d.finish();
}

const DESCRIBERS: Readonly<Record<string, Describe>> = {
  Service: describeService,
  Pod: describePod,
  Node: describeNode,
  Endpoints: describeEndpoints,
  EndpointSlice: describeEndpointSlice,
  ConfigMap: describeConfigMap,
  Namespace: describeNamespace,
  Deployment: describeDeployment,
  ReplicaSet: describeReplicaSet,
};

export const describerOf = (kind: string): Describe => DESCRIBERS[kind] ?? describeGeneric;
export type { DescribeCtx } from './writer';
