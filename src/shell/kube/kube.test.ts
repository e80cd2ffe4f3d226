import { describe, expect, it } from 'vitest';
import type { Json } from '../../engine/base';
import { goTemplate } from './gotemplate';
import { compactJson, toJson, toKyaml } from './json';
import { jsonPath, relaxed } from './jsonpath';
import { findResource, RESOURCES } from './resources';
import { matchesFields, matchesLabels, parseFieldSelector, parseLabelSelector } from './selector';
import { externalIp, podStatus, servicePorts } from './tables';
import { toYaml } from './yaml';

const pods: Json = {
  kind: 'List',
  items: [
    { metadata: { name: 'a', labels: { app: 'web', 'x.io/y': '1' } }, status: { podIP: '10.0.0.1', ready: true } },
    { metadata: { name: 'b', labels: { app: 'db' } }, status: { podIP: '10.0.0.2', ready: false } },
  ],
};
const path = (t: string, v: Json = pods, allow = true): string | undefined => {
  const r = jsonPath(t, v, allow);
  return r.ok ? r.value : undefined;
};

describe('YAML as sigs.k8s.io/yaml prints it', () => {
  it('sorts keys, quotes what would be read as something else, blocks for lines', () => {
    expect(
      toYaml({
        z: 1,
        a: { list: ['x', { b: true, a: null }], empty: [], none: {} },
        quoted: ['true', '1', '', 'a: b', '- x', 'null', '1e3', '2026-01-01'],
        text: 'one\ntwo\n',
        bare: 'one\ntwo',
      }),
    ).toBe(`a:
  empty: []
  list:
  - x
  - a: null
    b: true
  none: {}
bare: |-
  one
  two
quoted:
- "true"
- "1"
- ""
- 'a: b'
- '- x'
- "null"
- "1e3"
- "2026-01-01"
text: |
  one
  two
z: 1
`);
  });

  it('JSON and KYAML', () => {
    expect(toJson({ b: [1, 'x'], a: {} })).toBe('{\n    "a": {},\n    "b": [\n        1,\n        "x"\n    ]\n}');
    expect(compactJson({ b: [1, 'x'], a: '<' })).toBe('{"a":"<","b":[1,"x"]}');
    expect(toKyaml({ a: [1], b: 'x' })).toContain('b: "x",');
  });
});

describe('jsonpath', () => {
  it('walks lists, filters and ranges', () => {
    expect(path('{.items[*].metadata.name}')).toBe('a b');
    expect(path('{.items[0].status.podIP}')).toBe('10.0.0.1');
    expect(path('{.items[-1:].metadata.name}')).toBe('b');
    expect(path('{.items[?(@.metadata.labels.app=="db")].metadata.name}')).toBe('b');
    expect(path('{.items[?(@.status.ready==true)].metadata.name}')).toBe('a');
    expect(path('{range .items[*]}{.metadata.name}={.status.podIP}{"\\n"}{end}')).toBe('a=10.0.0.1\nb=10.0.0.2\n');
    expect(path("{.items[0].metadata.labels['x\\.io/y']}")).toBe('1');
    expect(path('{..podIP}')).toBe('10.0.0.1 10.0.0.2');
    expect(path("{.items[*]['metadata.name', 'status.podIP']}")).toBe('a b 10.0.0.1 10.0.0.2');
  });

  it('missing keys are empty or an error; wrong templates are refused', () => {
    expect(path('{.nope}')).toBe('');
    expect(jsonPath('{.nope}', pods, false).ok).toBe(false);
    expect(jsonPath('{.items[}', pods).ok).toBe(false);
    expect(relaxed('metadata.name')).toBe('{.metadata.name}');
  });
});

describe('go-template', () => {
  const run = (t: string): string | undefined => {
    const r = goTemplate(t, pods);
    return r.ok ? r.value : undefined;
  };
  it('ranges, conditions, pipes and functions', () => {
    expect(run('{{range .items}}{{.metadata.name}} {{end}}')).toBe('a b ');
    expect(run('{{range .items}}{{if .status.ready}}{{.metadata.name}}{{else}}-{{end}}{{end}}')).toBe('a-');
    expect(run('{{len .items}} {{printf "%s!" .kind}} {{index .items 1 "metadata" "name"}}')).toBe('2 List! b');
    expect(run('{{with .nope}}x{{else}}none{{end}} {{eq .kind "List"}}')).toBe('none true');
    expect(goTemplate('{{.items', pods).ok).toBe(false);
  });
});

describe('selectors', () => {
  const labels = (text: string, l: Readonly<Record<string, string>>): boolean | undefined => {
    const s = parseLabelSelector(text);
    return s.ok ? matchesLabels(s.value, l) : undefined;
  };
  it.each([
    ['app=web', { app: 'web' }, true],
    ['app==web,tier', { app: 'web' }, false],
    ['app!=web', {}, true],
    ['!app', { app: 'x' }, false],
    ['app in (a, b)', { app: 'b' }, true],
    ['app notin (a)', {}, true],
    ['n>3', { n: '5' }, true],
    ['app in a', {}, undefined],
  ] as const)('%s', (text, l, expected) => {
    expect(labels(text, l)).toBe(expected);
  });

  it('fields', () => {
    const s = parseFieldSelector('metadata.name=a,status.phase!=Running', 'Pod');
    expect(s.ok && matchesFields(s.value, { metadata: { name: 'a' }, status: { phase: 'Pending' } })).toBe(true);
    expect(s.ok && matchesFields(s.value, { metadata: { name: 'a' }, status: { phase: 'Running' } })).toBe(false);
  });
});

describe('columns of tables', () => {
  it('a pod’s status is the most telling of its reasons', () => {
    expect(podStatus({ status: { phase: 'Running' }, metadata: {} })).toBe('Running');
    expect(podStatus({ status: { phase: 'Running' }, metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })).toBe(
      'Terminating',
    );
    expect(
      podStatus({
        metadata: {},
        status: { phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff' } } }] },
      }),
    ).toBe('ImagePullBackOff');
  });

  it('ports and addresses of Services', () => {
    const svc = (spec: Json, status: Json = {}): { [key: string]: Json } => ({ spec, status });
    expect(
      servicePorts(
        svc({
          ports: [
            { port: 80, protocol: 'TCP' },
            { port: 53, protocol: 'UDP', nodePort: 30053 },
          ],
        }),
      ),
    ).toBe('80/TCP,53:30053/UDP');
    expect(servicePorts(svc({}))).toBe('<none>');
    expect(externalIp(svc({ type: 'LoadBalancer' }))).toBe('<pending>');
    expect(externalIp(svc({ type: 'ClusterIP', externalIPs: ['203.0.113.9'] }))).toBe('203.0.113.9');
    expect(externalIp(svc({ type: 'ExternalName', externalName: 'db.example.test' }))).toBe('db.example.test');
  });

  it('finds resources by every name they have', () => {
    for (const r of RESOURCES) for (const n of [r.plural, ...r.short]) expect(findResource(n)).toBeDefined();
    expect(findResource('svc')?.kind).toBe('Service');
    expect(findResource('deployments.apps')?.kind).toBe('Deployment');
    expect(findResource('eps')).toBeUndefined();
  });
});
