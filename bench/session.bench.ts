// The engine's own costs, in Node: a world's start, one call through a Service, a step back, and the same call among many Services.
import { readFileSync } from 'node:fs';
import { Bench } from 'tinybench';
import type { Recipe, SessionCommand } from '../src/session/protocol';
import { WorldReplica } from '../src/session/replica';
import { Session } from '../src/session/session';

const school = readFileSync('scenarios/clusters/school.yaml', 'utf8');
const recipe = (manifests: string): Recipe => ({
  format: 1,
  seed: 7,
  cluster: { profile: 'three-nodes', manifests },
  commands: [],
});
const call: SessionCommand = {
  op: 'run',
  place: { kind: 'pod', namespace: 'default', name: 'client-1' },
  argv: ['curl', '-s', 'http://10.96.10.10'],
};

/** As many more Services with the same three endpoints. */
const services = (n: number): string =>
  Array.from(
    { length: n },
    (_, i) => `---
apiVersion: v1
kind: Service
metadata:
  name: more-${i}
spec:
  selector:
    app: web
  ports:
  - port: 80
    targetPort: 8080
`,
  ).join('');

const few = Session.open(recipe(school));
const many = Session.open(recipe(`${school}\n${services(200)}`));
few.do(call);
const events = few.trace.events;
const replica = new WorldReplica(events);
replica.seek(events.length);
let at = events.length;

const bench = new Bench({ time: 1000, warmupTime: 200 });
bench
  .add('open the world of the lessons', () => {
    Session.open(recipe(school));
  })
  .add('one curl through a Service', () => {
    few.do(call);
  })
  .add('one curl among 200 Services', () => {
    many.do(call);
  })
  .add('one step back in the replica', () => {
    at = at <= few.origin ? events.length : at - 1;
    replica.seek(at);
  });
await bench.run();
for (const task of bench.tasks) {
  const { result } = task;
  if (result.state !== 'completed') throw new Error(`${task.name}: ${result.state}`);
  console.log(
    `${task.name.padEnd(32)} median ${result.latency.p50.toFixed(3).padStart(10)} ms   p99 ${result.latency.p99.toFixed(3).padStart(10)} ms`,
  );
}
