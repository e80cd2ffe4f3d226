import { expect, it } from 'vitest';
import type { Pod } from '../k8s';
import { podResolvConf } from './resolvconf';

const DNS = {
  server: '10.96.0.10',
  domain: 'cluster.local',
  node: { search: ['lan'], nameservers: ['192.168.10.10'], options: ['edns0'] },
};
const pod = (spec: object): Pod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', namespace: 'prod' },
    spec: { containers: [], ...spec },
  }) as unknown as Pod;
const CLUSTER =
  'search prod.svc.cluster.local svc.cluster.local cluster.local lan\nnameserver 10.96.0.10\noptions ndots:5\n';
const NODE = 'search lan\nnameserver 192.168.10.10\noptions edns0\n';

it.each([
  ['ClusterFirst', {}, CLUSTER],
  ['Default', { dnsPolicy: 'Default' }, NODE],
  ['ClusterFirst on the host network', { hostNetwork: true }, NODE],
  ['ClusterFirstWithHostNet', { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' }, CLUSTER],
  [
    'None',
    { dnsPolicy: 'None', dnsConfig: { nameservers: ['1.2.3.4'], searches: ['x.test'] } },
    'search x.test\nnameserver 1.2.3.4\n',
  ],
  [
    'dnsConfig on top',
    {
      dnsConfig: {
        nameservers: ['10.96.0.10', '8.8.8.8'],
        options: [{ name: 'ndots', value: '2' }, { name: 'rotate' }],
      },
    },
    CLUSTER.replace(
      'nameserver 10.96.0.10\noptions ndots:5',
      'nameserver 10.96.0.10\nnameserver 8.8.8.8\noptions ndots:2 rotate',
    ),
  ],
])('%s', (_, spec, want) => {
  expect(podResolvConf(pod(spec), DNS)).toBe(want);
});
