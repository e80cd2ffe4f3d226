import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { it } from 'vitest';
import type { PlaceRef } from '../../session/protocol';
import { Session } from '../../session/session';

const s = Session.open({
  format: 1,
  seed: 7,
  cluster: { profile: 'three-nodes', manifests: readFileSync('scenarios/clusters/school.yaml', 'utf8') },
  commands: [],
});
const P: Record<string, PlaceRef> = {
  w: { kind: 'workstation' },
  n: { kind: 'node', name: 'node-1' },
  p: { kind: 'pod', namespace: 'default', name: 'client-1' },
  m: { kind: 'machine', name: 'outside' },
};
it('probe', () => {
  writeFileSync('/tmp/probe.out', '');
  for (const l of readFileSync('/tmp/probe.in', 'utf8').trim().split('\n')) {
    const place = P[l[0] as string] as PlaceRef;
    const line = l.slice(2);
    const argv = [...line.matchAll(/'([^']*)'|\S+/g)].map((m) => m[1] ?? m[0]);
    try {
      const o = s.do({ op: 'run', place, argv, line, maxUs: 5000000 });
      appendFileSync(
        '/tmp/probe.out',
        `### ${l}\n[${JSON.stringify(o?.exit)}] ${o?.stdout.slice(0, 700)}\n-- ${o?.stderr.slice(0, 300)}\n`,
      );
    } catch (e) {
      appendFileSync('/tmp/probe.out', `### ${l}\nTHROW ${String(e).slice(0, 200)}\n`);
    }
  }
}, 120000);
