import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Recipe } from './protocol';
import { Session } from './session';

const school: Recipe = {
  format: 1,
  seed: 7,
  cluster: { profile: 'three-nodes', manifests: readFileSync('scenarios/clusters/school.yaml', 'utf8') },
  commands: [],
};
const client = { kind: 'pod', namespace: 'default', name: 'client-1' } as const;

describe('a session', () => {
  it('opens the school cluster and serves curl through the Service', () => {
    const s = Session.open(school);
    const r = s.do({ op: 'run', place: client, argv: ['curl', '-s', 'http://10.96.10.10'] });
    expect(r).toMatchObject({ exit: 0, stderr: '' });
    expect(r.stdout).toMatch(/^hello from web-[123]\n$/);
  });
});
