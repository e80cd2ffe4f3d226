import { beforeEach, describe, expect, it } from 'vitest';
import { openTerminal, SMALL, type Terminal, workstation } from '../../../testing/terminal';

let t: Terminal;
beforeEach(() => {
  t = openTerminal(SMALL);
});
const k = async (line: string): Promise<string> => {
  const r = await t.type(workstation, `kubectl ${line}`);
  return r.stdout + r.stderr;
};

describe('reading', () => {
  it('get: tables, names, one object, many kinds', async () => {
    expect(await k('get svc web')).toMatch(
      /^NAME +TYPE +CLUSTER-IP +EXTERNAL-IP +PORT\(S\) +AGE\nweb +ClusterIP +10\.96\.32\.15 +<none> +80\/TCP +\d+s\n$/,
    );
    expect(await k('get pods -l app=web -o name')).toBe('pod/web-1\npod/web-2\n');
    expect(await k('get pod/web-1 svc/web -o name')).toBe('pod/web-1\nservice/web\n');
    expect(await k('get pods --field-selector spec.nodeName=node-2 --no-headers')).toMatch(
      /^web-2 +1\/1 +Running +0 +\d+s\n$/,
    );
    expect(await k('get pods -o custom-columns=N:.metadata.name,IP:.status.podIP')).toMatch(/^N +IP\nclient +10\./);
    expect(await k('get nothing')).toBe('error: the server doesn\'t have a resource type "nothing"\n');
    expect(await k('get pods -n other')).toBe('No resources found in other namespace.\n');
    expect(await k('get endpoints web')).toMatch(
      /^NAME +ENDPOINTS +AGE\nweb +10\.244\.1\.\d+:8080,10\.244\.2\.\d+:8080 .*\nWarning: v1 Endpoints is deprecated/s,
    );
    expect(await k('get all')).toContain('service/web');
  });

  it('describe, explain, events', async () => {
    expect(await k('describe svc web')).toMatch(
      /^Name: +web\nNamespace: +default\n[\s\S]*Endpoints: +10\.244\.\d\.\d+:8080,10\.244\.\d\.\d+:8080\n/,
    );
    expect(await k('describe node node-1')).toContain('PodCIDR:');
    expect(await k('explain svc.spec.clusterIP')).toContain('FIELD: clusterIP');
  });

  it('info: the server and its resources', async () => {
    expect(await k('version')).toMatch(/Client Version: v1\.37\.\d+\n/);
    expect(await k('cluster-info')).toContain('is running at');
    expect(await k('api-resources')).toMatch(/services +svc +v1 +true +Service\n/);
    expect(await k('api-versions')).toContain('discovery.k8s.io/v1\n');
    expect(await k('config current-context')).not.toBe('');
    expect(await k('auth can-i get pods')).toBe('yes\n');
    expect(await k('options')).toContain('--namespace');
    expect(await k('frob')).toContain('unknown command "frob" for "kubectl"');
  });
});

describe('writing', () => {
  it('create, create-service, create-object, label, annotate, patch, scale, delete', async () => {
    expect(await k('create service clusterip db --tcp=5432:5432')).toBe('service/db created\n');
    expect(await k('create service clusterip db --tcp=5432:5432')).toBe(
      'error: failed to create ClusterIP service: services "db" already exists\n',
    );
    expect(await k('label svc db tier=data')).toBe('service/db labeled\n');
    expect(await k('label svc db tier=data2')).toContain("'tier' already has a value (data), and --overwrite is false");
    expect(await k('annotate svc db note=x')).toBe('service/db annotated\n');
    expect(await k(`patch svc db -p '{"spec":{"ports":[{"port":5432,"name":"sql"}]}}'`)).toBe('service/db patched\n');
    expect(await k(`get svc db -o jsonpath='{.spec.ports[0].name}'`)).toBe('sql');
    expect(await k('create deployment shop --image=example/web --replicas=2')).toBe('deployment.apps/shop created\n');
    expect(await k('scale deployment shop --replicas=3')).toBe('deployment.apps/shop scaled\n');
    await t.type(workstation, 'sleep 10');
    expect((await k('get pods -l app=shop -o name')).split('\n')).toHaveLength(4);
    expect(await k('rollout status deployment shop')).toContain('successfully rolled out');
    expect(await k('expose deployment shop --port=80 --target-port=8080')).toBe('service/shop exposed\n');
    expect(await k('delete svc db')).toBe('service "db" deleted from default namespace\n');
    expect(await k('delete svc db')).toBe('Error from server (NotFound): services "db" not found\n');
  });

  it('apply remembers, diff shows, replace and edit take whole objects', async () => {
    const file = 'printf "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: c}\\ndata: {k: %s}\\n"';
    expect(await t.out(workstation, `${file} one > c.yaml; kubectl apply -f c.yaml; kubectl apply -f c.yaml`)).toBe(
      'configmap/c created\nconfigmap/c unchanged\n',
    );
    const diff = await t.type(workstation, `${file} two > c.yaml; kubectl diff -f c.yaml`);
    expect(diff.stdout).toMatch(/^- {2}k: one\n\+ {2}k: two$/m);
    expect(diff.exit).toBe(1);
    expect(await t.out(workstation, 'kubectl replace -f c.yaml')).toBe('configmap/c replaced\n');
    expect(await t.out(workstation, `KUBE_EDITOR="sed -i s/two/three/" kubectl edit cm c`)).toBe(
      'configmap/c edited\n',
    );
    expect(await k(`get cm c -o jsonpath='{.data.k}'`)).toBe('three');
    expect(await k('create configmap d --from-literal=a=b --dry-run=client -o yaml')).toMatch(
      /^apiVersion: v1\ndata:\n {2}a: b\nkind: ConfigMap\n/,
    );
  });

  it('the API server’s refusals are its own', async () => {
    expect(await k(`patch svc web -p '{"spec":{"clusterIP":"10.96.0.77"}}'`)).toBe(
      'The Service "web" is invalid: spec.clusterIPs[0]: Invalid value: ["10.96.0.77"]: may not change once set\n',
    );
    expect(await k('create service nodeport np --tcp=80 --node-port=99')).toContain(
      'provided port is not in the valid range',
    );
  });
});

describe('pods and nodes', () => {
  it('run, exec, logs, debug, wait', async () => {
    expect(await k('run tmp --image=example/tools')).toBe('pod/tmp created\n');
    expect(await k('wait --for=condition=Ready pod/tmp --timeout=30s')).toBe('pod/tmp condition met\n');
    expect(await k('exec client -- curl -s http://web')).toMatch(/^hello from web-[12]\n$/);
    expect(await k('exec nope -- id')).toBe('Error from server (NotFound): pods "nope" not found\n');
    expect((await t.type(workstation, 'kubectl exec client -- nope')).exit).not.toBe(0);
    expect((await t.type(workstation, 'kubectl logs web-1')).exit).toBe(0);
    expect((await t.type(workstation, 'kubectl debug nope -it --image=busybox')).exit).toBe(1);
  });

  it('cordon, uncordon, drain', async () => {
    expect(await k('cordon node-2')).toBe('node/node-2 cordoned\n');
    expect(await k('get node node-2')).toContain('Ready,SchedulingDisabled');
    expect(await k('uncordon node-2')).toBe('node/node-2 uncordoned\n');
    expect(await k('drain node-2')).toContain('cannot delete');
  });

  it('set, port-forward and proxy', async () => {
    expect(await k('set selector svc web app=none')).toBe('service/web selector updated\n');
    expect((await t.type(workstation, 'kubectl port-forward svc/nope 8080:80')).exit).toBe(1);
    expect((await t.type(workstation, 'kubectl top pods')).stderr).toContain('Metrics API not available');
  });
});
