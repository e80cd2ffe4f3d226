import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantError } from './assert';
import { type Change, defineMap, Replica, World } from './recordmap';

interface Rec {
  readonly n: number;
  readonly tag: string;
}
const A = defineMap<Rec>('t.a', { tag: (r) => r.tag });
const B = defineMap<Rec>('t.b');

const op = fc.record({
  map: fc.constantFrom(A, B),
  key: fc.constantFrom('x', 'y', 'z', '10', '9', '__proto__'),
  rec: fc.option(fc.record({ n: fc.integer(), tag: fc.constantFrom('p', 'q') }), { nil: undefined }),
});
const batches = fc.array(fc.array(op, { maxLength: 5 }), { maxLength: 30 });

function play(world: World, ops: readonly { map: typeof A; key: string; rec: Rec | undefined }[]): void {
  for (const o of ops) {
    if (o.rec) world.map(o.map).set(o.key, o.rec);
    else world.map(o.map).delete(o.key);
  }
}

describe('RecordMap', () => {
  it('keeps keys in code-unit order whatever the order of insertion', () => {
    const w = new World();
    for (const k of ['b', 'a', '10', '9']) w.map(B).set(k, { n: 1, tag: 'p' });
    expect(w.map(B).keys()).toEqual(['10', '9', 'a', 'b']);
  });

  it('files records under their index and takes them out again', () => {
    const w = new World();
    w.map(A).set('x', { n: 1, tag: 'p' });
    w.map(A).set('y', { n: 2, tag: 'p' });
    w.map(A).update('x', (r) => ({ ...r, tag: 'q' }));
    expect(w.map(A).by('tag', 'p')).toEqual(['y']);
    expect(w.map(A).by('tag', 'q')).toEqual(['x']);
    w.map(A).delete('y');
    expect(w.map(A).by('tag', 'p')).toEqual([]);
  });

  it('freezes records deeply', () => {
    const w = new World();
    const rec = { n: 1, tag: 'p' };
    w.map(A).set('x', rec);
    expect(Object.isFrozen(rec)).toBe(true);
  });

  it('journals several changes of a record as one, and a change that was undone not at all', () => {
    const w = new World();
    w.map(A).set('x', { n: 1, tag: 'p' });
    w.map(A).set('x', { n: 2, tag: 'p' });
    expect(w.takeChanges()).toEqual([{ map: 't.a', key: 'x', before: undefined, after: { n: 2, tag: 'p' } }]);
    const was = w.map(A).get('x') as Rec;
    w.map(A).delete('x');
    w.map(A).set('x', was);
    expect(w.takeChanges()).toEqual([]);
  });

  it('a replica refuses to be written', () => {
    expect(() => new Replica().map(A).set('x', { n: 1, tag: 'p' })).toThrow(InvariantError);
  });

  it('property: a replica at any cursor equals a fresh fold, by records, order, indexes and hash', () => {
    fc.assert(
      fc.property(batches, fc.array(fc.nat(30), { maxLength: 12 }), (all, walk) => {
        const world = new World();
        const diffs: Change[][] = [];
        const hashes = [world.stateHash()];
        for (const ops of all) {
          play(world, ops);
          diffs.push(world.takeChanges());
          hashes.push(world.stateHash());
        }
        const replica = new Replica();
        replica.map(A);
        let at = 0;
        for (const target of [...walk.map((n) => Math.min(n, diffs.length)), diffs.length, 0]) {
          while (at < target) replica.apply(diffs[at++] as Change[]);
          while (at > target) replica.revert(diffs[--at] as Change[]);
          const fresh = new Replica();
          for (const d of diffs.slice(0, target)) fresh.apply(d);
          expect(replica.stateHash()).toBe(hashes[target]);
          expect(fresh.stateHash()).toBe(hashes[target]);
          expect(replica.map(A).keys()).toEqual(fresh.map(A).keys());
          expect(replica.map(A).by('tag', 'p')).toEqual(fresh.map(A).by('tag', 'p'));
        }
      }),
    );
  });
});
