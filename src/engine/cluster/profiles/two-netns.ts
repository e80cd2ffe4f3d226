import type { ClusterSpec } from '../spec';

/** Two namespaces and a veth: the smallest world in which a ping can be stepped. */
export function twoNetns(): ClusterSpec {
  return {
    profile: 'two-netns',
    machines: [
      { id: 'b', hostname: 'b', kind: 'machine', node: 'b', init: true, links: [], image: 'machine' },
      {
        id: 'a',
        hostname: 'a',
        kind: 'machine',
        node: 'a',
        init: true,
        links: [
          {
            name: 'eth0',
            kind: 'veth',
            addrs: ['10.0.0.1/24'],
            veth: { netns: 'b', name: 'eth0', addrs: ['10.0.0.2/24'] },
          },
        ],
        image: 'machine',
      },
    ],
    versions: { kernel: '6.18', iptables: '1.8.9', backend: 'nft' },
  };
}
