import { expect, it } from 'vitest';
import { diskFiles } from '../../cli/truth';
import { replayDns } from './dns';
import type { TruthOutcome } from './types';

/** One of so many records is replayed here; all of them are by the headless command. */
const SAMPLE = 12;

it('replays a sample of the recordings of CoreDNS, stub resolvers and tools', () => {
  const files = diskFiles('truth/dns');
  let n = 0;
  const picked = new Set<string>();
  const wanted = (id: string): boolean => {
    if (picked.has(id)) return true;
    if (n++ % SAMPLE !== 0) return false;
    picked.add(id);
    return true;
  };
  const failed: TruthOutcome[] = [];
  const folders = new Set<string>();
  for (const o of replayDns(files, wanted) as Iterable<TruthOutcome>) {
    folders.add(o.id.split('/')[0] as string);
    if (!o.ok && picked.has(o.id)) failed.push(o);
  }
  expect([...folders].sort()).toEqual(['cli', 'messages', 'resolver', 'server']);
  expect(failed.filter((o) => !o.id.includes('musl'))).toEqual([]);
}, 60_000);
