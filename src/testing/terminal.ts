import { Session } from '../session/session';
import { BashShells, type ExecOptions, type ExecOutput } from '../shell/bash';
import type { PlaceRef } from '../shell/place';

export const workstation: PlaceRef = { kind: 'workstation' };
export const node = (name = 'node-1'): PlaceRef => ({ kind: 'node', name });
export const pod = (name: string, namespace = 'default'): PlaceRef => ({ kind: 'pod', namespace, name });

/** A session with terminals, as tests type in them. */
export interface Terminal {
  readonly session: Session;
  readonly shells: BashShells;
  type(place: PlaceRef, line: string, options?: ExecOptions): Promise<ExecOutput>;
  /** What a line prints on stdout; asserts nothing. */
  out(place: PlaceRef, line: string): Promise<string>;
}

/** Opens a cluster of three nodes with the objects of a manifest. */
export function openTerminal(manifests: string, seed = 1): Terminal {
  const session = Session.open({ format: 1, seed, cluster: { profile: 'three-nodes', manifests }, commands: [] });
  const shells = new BashShells({
    run: async (r) => session.do(r),
    advance: async (us) => void session.do({ op: 'advance', us }),
    nowUs: () => session.cluster.ctx.sim.now,
  });
  const type = (place: PlaceRef, line: string, options?: ExecOptions): Promise<ExecOutput> =>
    shells.of(place).exec(line, options);
  return { session, shells, type, out: async (place, line) => (await type(place, line)).stdout };
}

/** One server with a Service, and a pod with network tools. */
export const SMALL = `apiVersion: v1
kind: Pod
metadata: {name: web-1, labels: {app: web}}
spec: {nodeName: node-1, containers: [{name: app, image: example/web, ports: [{containerPort: 8080}]}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web-2, labels: {app: web}}
spec: {nodeName: node-2, containers: [{name: app, image: example/web, ports: [{containerPort: 8080}]}]}
---
apiVersion: v1
kind: Pod
metadata: {name: client}
spec: {nodeName: node-1, containers: [{name: app, image: example/tools}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, clusterIP: 10.96.32.15, ports: [{port: 80, targetPort: 8080}]}
`;
