import { describe, expect, test } from 'vitest';
import type { TraceEvent } from '../../engine/trace';
import { stripAt } from './strip';

const events: TraceEvent[] = [];
const at = (seconds: number, kind: string, facts: object, node?: string): void => {
  const where = node === undefined ? {} : { node };
  events.push({ seq: events.length + 1, atUs: seconds * 1e6, span: 0, kind, where, facts: facts as never, diff: [] });
};
const write = (kind: string, namespace: string, name: string, verb = 'create') => ({
  verb,
  kind,
  namespace,
  name,
  resourceVersion: String(events.length + 1),
  by: 'test',
});

at(1, 'api.write', write('Service', 'default', 'kubernetes'));
at(2, 'api.write', write('Service', 'default', 'web'));
at(2, 'api.write', write('EndpointSlice', 'default', 'web-z6swc'));
at(3, 'proxy.synced', { node: 'node-1', rulesBefore: 20, rulesAfter: 40 });
at(3, 'proxy.synced', { node: 'node-2', rulesBefore: 20, rulesAfter: 40 });
at(5, 'api.write', write('EndpointSlice', 'default', 'web-z6swc', 'update'));
at(5, 'proxy.notice', { node: 'node-1', kind: 'EndpointSlice', namespace: 'default', name: 'web-z6swc' });
at(6, 'proxy.synced', { node: 'node-1', rulesBefore: 40, rulesAfter: 36 });
at(7, 'api.write', write('EndpointSlice', 'default', 'web-admin-abcde'));

describe('the strip from object to kernel', () => {
  test('follows the Service that is not the cluster’s own', () => {
    expect(stripAt(events, 3).service).toMatchObject({ name: 'web', sinceUs: 2e6 });
    expect(stripAt(events, 1).service).toMatchObject({ name: 'kubernetes' });
    expect(stripAt(events, 0).service).toBeUndefined();
  });
  test('in sync while every kernel is newer than the slice', () => {
    expect(stripAt(events, 5).nodes.map((n) => [n.node, n.rules, n.staleSinceUs])).toEqual([
      ['node-1', 40, undefined],
      ['node-2', 40, undefined],
    ]);
  });
  test('a kernel older than the slice is stale since the slice changed', () => {
    expect(stripAt(events, 6).nodes.map((n) => n.staleSinceUs)).toEqual([5e6, 5e6]);
    expect(stripAt(events, 8).nodes.map((n) => n.staleSinceUs)).toEqual([undefined, 5e6]);
  });
  test('another Service’s slice with a longer name is not its own', () => {
    expect(stripAt(events, 9).slice).toMatchObject({ name: 'web-z6swc', sinceUs: 5e6 });
  });
  test('going back shows what was', () => {
    stripAt(events, 9);
    expect(stripAt(events, 5).nodes.map((n) => n.staleSinceUs)).toEqual([undefined, undefined]);
  });
});
