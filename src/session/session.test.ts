import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { Replica } from '../engine/base';
import type { PlaceRef, Recipe, SessionCommand } from './protocol';
import { WorldReplica } from './replica';
import { Session } from './session';

const workstation: PlaceRef = { kind: 'workstation' };
const client: PlaceRef = { kind: 'pod', namespace: 'default', name: 'client-1' };
const school: Recipe = {
  format: 1,
  seed: 7,
  cluster: { profile: 'three-nodes', manifests: readFileSync('scenarios/clusters/school.yaml', 'utf8') },
  commands: [],
};
const run = (place: PlaceRef, line: string): SessionCommand => ({ op: 'run', place, argv: line.split(' '), line });
const ping = run(client, 'ping -c 1 10.244.2.10');

/** What the tests walk about in: traffic, a change of the control plane, time. */
const commands: SessionCommand[] = [
  ping,
  run(workstation, 'kubectl label pod web-2 app=other --overwrite'),
  { op: 'advance', us: 3_000_000 },
  { op: 'fault', name: 'fill-conntrack', args: { node: 'node-1', entries: 20, assured: true } },
  ping,
];

let session: Session;
beforeAll(() => {
  session = Session.open({ ...school, commands });
});

describe('the contract of a session', () => {
  it('gives the same trace for the same recipe, byte for byte', () => {
    const again = Session.open({ ...school, commands });
    expect(again.trace.events.length).toBe(session.trace.events.length);
    expect(again.hash()).toBe(session.hash());
    expect(Session.open({ ...school, seed: 8, commands }).hash()).not.toBe(session.hash());
  });

  it('property: the replica at any cursor equals a fresh fold of the diffs', () => {
    const { events } = session.trace;
    const replica = new WorldReplica(events);
    fc.assert(
      fc.property(fc.nat(events.length), (cursor) => {
        replica.seek(cursor);
        const fold = new Replica();
        for (const e of events.slice(0, cursor)) fold.apply(e.diff);
        expect(replica.stateHash()).toBe(fold.stateHash());
      }),
      { numRuns: 25 },
    );
  });

  it('property: k steps forward and k back give the state that was', () => {
    const { events } = session.trace;
    const replica = new WorldReplica(events);
    fc.assert(
      fc.property(fc.nat(events.length), fc.nat(200), (cursor, k) => {
        const before = replica.seek(cursor).stateHash();
        const far = Math.min(events.length, cursor + k);
        for (let c = cursor; c <= far; c++) replica.seek(c);
        for (let c = far; c >= cursor; c--) replica.seek(c);
        expect(replica.stateHash()).toBe(before);
      }),
      { numRuns: 15 },
    );
  });

  it('the replica at the head is the live world', () => {
    const live = session.cluster.ctx.world;
    expect(session.reader().nowUs).toBe(live.nowUs);
    expect(new WorldReplica(session.trace.events).seek(session.trace.events.length).stateHash()).toBe(live.stateHash());
  });

  it('answers a listing at a past cursor as it was then', () => {
    const label = run(workstation, 'kubectl get pods -l app=web -o name');
    const before = session.peek(session.origin, label).stdout.trim().split('\n');
    const now = session.peek(session.trace.events.length, label).stdout.trim().split('\n');
    expect(before).toEqual(['pod/web-1', 'pod/web-2', 'pod/web-3']);
    expect(now).toEqual(['pod/web-1', 'pod/web-3']);
  });

  it('refuses to act in the past', () => {
    expect(() => session.peek(session.origin, ping)).toThrow('would change the world');
  });

  it('forks at the last end of a handler not after the cursor, on the very same trace', () => {
    const middle = session.origin + 40;
    const { session: forked, cursor } = session.fork(middle);
    expect(cursor).toBeLessThanOrEqual(middle);
    expect(cursor).toBeGreaterThan(middle - 40);
    const same = JSON.stringify(session.trace.events.slice(0, cursor));
    expect(JSON.stringify(forked.trace.events)).toBe(same);
    // The branch's own recipe gives the branch again.
    forked.do(ping);
    expect(Session.open(forked.recipe).hash()).toBe(forked.hash());
  });
});

describe('bad input', () => {
  const world = (): string => session.cluster.ctx.world.stateHash();
  it.each([
    ['not YAML', 'a: [1', 'manifest'],
    ['an unknown kind', 'apiVersion: v1\nkind: Sevrice\nmetadata: {name: x}\n', 'manifest.refused'],
    ['no object at all', '# nothing\n', 'manifest.empty'],
    [
      'a port out of range, after an object that fits',
      'apiVersion: v1\nkind: Service\nmetadata: {name: fine}\nspec: {ports: [{port: 80}]}\n---\napiVersion: v1\nkind: Service\nmetadata:\n  name: bad\nspec:\n  ports:\n  - port: 70000\n',
      'manifest.refused',
    ],
  ])('%s: says where, and the world stays as it was', (_, yaml, code) => {
    const before = world();
    const error = (() => {
      try {
        session.do({ op: 'apply', yaml });
        return undefined;
      } catch (e) {
        return (e as { error: { code: string; line: number } }).error;
      }
    })();
    expect(error?.code).toBe(code);
    expect(error?.line).toBeGreaterThan(0);
    expect(world()).toBe(before);
  });
});
