import { beforeEach, describe, expect, it } from 'vitest';
import { createCtx } from '../trace/index';
import {
  applyObject,
  type ControlPlane,
  createControlPlane,
  getObject,
  kubectlMessage,
  listObjects,
  type Service,
  slicesOf,
  timestamp,
} from './index';

let cp: ControlPlane;

beforeEach(() => {
  cp = createControlPlane(createCtx(1), {
    nodes: [
      { name: 'node-1', ips: ['192.168.10.11'], podCidrs: ['10.244.1.0/24'], zone: 'zone-a' },
      { name: 'node-2', ips: ['192.168.10.12'], podCidrs: ['10.244.2.0/24'], zone: 'zone-b' },
    ],
    serviceCidrs: ['10.96.0.0/12'],
    apiServer: { ip: '192.168.10.10', port: 6443 },
  });
});

const by = { by: 'test' };
const service = (spec: object, name = 'web') => ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec });
const web = { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] };
const pod = (name: string, labels: object, node = 'node-1') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels },
  spec: { nodeName: node, containers: [{ name: 'app', image: 'nginx:1' }] },
});
const ready = (ip: string) => ({
  status: { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions: [{ type: 'Ready', status: 'True' as const }] },
});
const settle = (): void => void cp.api.ctx.sim.run({ untilUs: cp.api.ctx.sim.now + 5_000_000 });
const refused = (spec: object, name?: string): string => {
  const r = cp.api.create(service(spec, name), by);
  return r.ok ? 'accepted' : kubectlMessage(r.error);
};
const addPod = (name: string, labels: object, ip: string, node?: string): void => {
  expect(cp.api.create(pod(name, labels, node), by).ok).toBe(true);
  expect(cp.api.patch('Pod', 'default', name, 'merge', ready(ip), { ...by, subresource: 'status' }).ok).toBe(true);
};

describe('what the API server says', () => {
  it.each([
    [
      { ...web, type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] },
      'The Service "web" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
    ],
    [
      { ...web, clusterIP: '10.96.0.1' },
      'The Service "web" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.1"]: failed to allocate IP 10.96.0.1: provided IP is already allocated',
    ],
    [
      { ...web, clusterIP: '192.168.1.1' },
      'The Service "web" is invalid: spec.clusterIPs: Invalid value: ["192.168.1.1"]: failed to allocate IP 192.168.1.1: the provided network does not match the current range',
    ],
    [
      { ...web, ports: [{ port: 80 }, { port: 81 }] },
      'The Service "web" is invalid: \n* spec.ports[0].name: Required value\n* spec.ports[1].name: Required value',
    ],
    [
      { ...web, type: 'Foo' },
      'The Service "web" is invalid: spec.type: Unsupported value: "Foo": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ],
    [
      { ...web, ports: [{ port: '80' }] },
      'Error from server (BadRequest): Service in version "v1" cannot be handled as a Service: json: cannot unmarshal string into Go struct field ServicePort.spec.ports.port of type int32',
    ],
    [
      { selecter: { app: 'web' }, ports: [{ port: 80 }] },
      'Error from server (BadRequest): Service in version "v1" cannot be handled as a Service: strict decoding error: unknown field "spec.selecter"',
    ],
  ])('%j', (spec, message) => expect(refused(spec)).toBe(message));
  it('names the object that is not there', () => {
    const r = cp.api.delete('Service', 'default', 'nope', by);
    expect(r.ok ? '' : kubectlMessage(r.error)).toBe('Error from server (NotFound): services "nope" not found');
  });
});

describe('what it stores', () => {
  it('fills in defaults and allocates from the dynamic bands', () => {
    expect(refused({ ...web, type: 'NodePort' })).toBe('accepted');
    const spec = (getObject(cp.api.ctx.world, 'Service', 'default', 'web') as Service).spec;
    expect(spec).toMatchObject({
      type: 'NodePort',
      sessionAffinity: 'None',
      externalTrafficPolicy: 'Cluster',
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    });
    expect(spec.ports?.[0]).toMatchObject({ protocol: 'TCP', port: 80, targetPort: 8080 });
    expect(spec.ports?.[0]?.nodePort).toBeGreaterThanOrEqual(30086);
    expect(spec.clusterIPs).toEqual([spec.clusterIP]);
  });
  it('keeps allocated values over updates, and gives the node port back with the type', () => {
    cp.api.create(service({ ...web, type: 'NodePort' }), by);
    const before = (getObject(cp.api.ctx.world, 'Service', 'default', 'web') as Service).spec;
    cp.api.update(service({ ...web, type: 'NodePort', sessionAffinity: 'ClientIP' }), by);
    const kept = (getObject(cp.api.ctx.world, 'Service', 'default', 'web') as Service).spec;
    expect(kept.clusterIP).toBe(before.clusterIP);
    expect(kept.ports).toEqual(before.ports);
    expect(kept.sessionAffinityConfig?.clientIP?.timeoutSeconds).toBe(10800);
    cp.api.patch('Service', 'default', 'web', 'merge', { spec: { type: 'ClusterIP' } }, by);
    expect(
      (getObject(cp.api.ctx.world, 'Service', 'default', 'web') as Service).spec.ports?.[0]?.nodePort,
    ).toBeUndefined();
  });
  it('applies three ways: created, unchanged, configured; what was dropped from the file is dropped', () => {
    const file = { ...service({ ...web, sessionAffinity: 'ClientIP' }) };
    const what = (o: object): string => {
      const r = applyObject(cp.api, o, by);
      return r.ok ? r.value.what : r.error.message;
    };
    expect(what(file)).toBe('created');
    expect(what(file)).toBe('unchanged');
    expect(what(service(web))).toBe('configured');
    expect((getObject(cp.api.ctx.world, 'Service', 'default', 'web') as Service).spec.sessionAffinity).toBe('None');
  });
  it('dates objects by the simulated clock', () => {
    expect(timestamp(0)).toBe('2026-01-01T00:00:00Z');
    expect(timestamp(59 * 86_400_000_000)).toBe('2026-03-01T00:00:00Z');
  });
});

describe('controllers', () => {
  it('a Service without pods has one empty slice', () => {
    cp.api.create(service(web), by);
    settle();
    expect(slicesOf(cp.api.ctx.world, 'default', 'web')).toMatchObject([{ endpoints: null, ports: null }]);
  });
  it('a label that comes and goes moves the pod in and out', () => {
    cp.api.create(service(web), by);
    addPod('web-1', { app: 'web' }, '10.244.1.10');
    settle();
    const addresses = (): unknown =>
      slicesOf(cp.api.ctx.world, 'default', 'web').flatMap((s) => (s.endpoints ?? []).map((e) => e.addresses[0]));
    expect(addresses()).toEqual(['10.244.1.10']);
    cp.api.patch('Pod', 'default', 'web-1', 'merge', { metadata: { labels: { app: 'wbe' } } }, by);
    settle();
    expect(addresses()).toEqual([]);
  });
  it('a deleted pod is terminating, still serving, and gone with grace 0', () => {
    cp.api.create(service(web), by);
    addPod('web-1', { app: 'web' }, '10.244.1.10');
    settle();
    cp.api.delete('Pod', 'default', 'web-1', { ...by, graceSeconds: 30 });
    settle();
    expect(slicesOf(cp.api.ctx.world, 'default', 'web')[0]?.endpoints).toMatchObject([
      { conditions: { ready: false, serving: true, terminating: true }, zone: 'zone-a', nodeName: 'node-1' },
    ]);
    cp.api.delete('Pod', 'default', 'web-1', { ...by, graceSeconds: 0 });
    settle();
    expect(slicesOf(cp.api.ctx.world, 'default', 'web')[0]?.endpoints).toBeNull();
  });
  it('a named target port with two numbers makes two slices', () => {
    cp.api.create(service({ selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }] }), by);
    for (const [i, port] of [8080, 9090].entries()) {
      const p = pod(`web-${i}`, { app: 'web' });
      const named = {
        ...p,
        spec: { ...p.spec, containers: [{ name: 'a', image: 'n:1', ports: [{ name: 'http', containerPort: port }] }] },
      };
      cp.api.create(named, by);
      cp.api.patch('Pod', 'default', `web-${i}`, 'merge', ready(`10.244.1.1${i}`), { ...by, subresource: 'status' });
    }
    settle();
    expect(
      slicesOf(cp.api.ctx.world, 'default', 'web')
        .map((s) => s.ports?.[0]?.port)
        .sort(),
    ).toEqual([8080, 9090]);
  });
  it('hand-written Endpoints are mirrored', () => {
    cp.api.create(service({ ports: [{ port: 80 }] }, 'db'), by);
    cp.api.create(
      {
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: { name: 'db' },
        subsets: [{ addresses: [{ ip: '192.168.10.100' }], ports: [{ port: 5432 }] }],
      },
      by,
    );
    settle();
    expect(slicesOf(cp.api.ctx.world, 'default', 'db')).toMatchObject([
      {
        metadata: { labels: { 'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io' } },
        endpoints: [{ addresses: ['192.168.10.100'], conditions: { ready: true } }],
      },
    ]);
  });
  it('a deleted Service takes its slices along', () => {
    cp.api.create(service(web), by);
    settle();
    cp.api.delete('Service', 'default', 'web', by);
    settle();
    expect(slicesOf(cp.api.ctx.world, 'default', 'web')).toEqual([]);
    expect(listObjects(cp.api.ctx.world, 'Endpoints').map((e) => e.metadata.name)).toEqual(['kubernetes']);
  });
});
