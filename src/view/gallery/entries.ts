import type { StageLevel } from '../path/Stage';
import type { SceneInput, Topology, TopoPod } from '../scene/types';
import { icmp, inputAt, TraceMaker, udp } from './maker';
import {
  BOOK,
  CHAINS,
  firstPacket,
  fromNode,
  hairpin,
  node,
  rejected,
  type Story,
  THREE_NODES,
  tableFull,
  toNode,
} from './story';

/** One picture of the gallery: dev workbench and snapshot test at once. */
export interface GalleryEntry {
  readonly id: string;
  readonly title: string;
  readonly input: SceneInput;
  readonly level?: StageLevel;
  readonly phase?: number;
}

const of = (s: Story, mark: string, more: Partial<SceneInput> = {}, topology: Topology = THREE_NODES): SceneInput => {
  const cursor = s.marks[mark];
  if (cursor === undefined) throw new Error(`no mark ${mark}`);
  return inputAt(s.trace, topology, BOOK, cursor, more);
};

function manyPods(count: number, broken = false): Topology {
  const pods: TopoPod[] = Array.from({ length: count }, (_, i) => ({
    namespace: 'default',
    name: `app-${i + 1}`,
    netns: `node-1/default.app-${i + 1}`,
    address: `10.244.1.${i + 20}`,
    state: broken && i % 7 === 3 ? 'unready' : broken && i % 11 === 5 ? 'terminating' : 'ready',
  }));
  const [first, second, third] = THREE_NODES.nodes;
  if (!first || !second || !third) return THREE_NODES;
  return { ...THREE_NODES, nodes: [{ ...first, pods: [...first.pods, ...pods] }, second, third] };
}
function manyNodes(count: number): Topology {
  const own = THREE_NODES.nodes;
  const more = Array.from({ length: Math.max(0, count - own.length) }, (_, i) =>
    node(i + own.length + 1, own[2]?.pods ?? []),
  );
  return { ...THREE_NODES, nodes: [...own, ...more].slice(0, count) };
}

/** One packet that a pod has just made. */
function made(label: string, packet: ReturnType<typeof udp>, dir: 'original' | 'reply' = 'original'): SceneInput {
  const t = new TraceMaker();
  t.packet(3, dir, label);
  t.at({ node: 'node-1', netns: 'node-1/default.client' });
  t.add('pkt.made', { packet, by: 'socket', proc: 'curl' });
  t.add('dev.xmit', { packet, dev: 'node-1/default.client:eth0', to: 'node-1:veth-client' });
  t.at({ node: 'node-1', netns: 'node-1' });
  t.add('dev.rcv', { packet, dev: 'node-1:veth-client' });
  t.hook('prerouting');
  t.add('nf.station', { packet, station: 'conntrack', priority: -200, walked: true });
  return inputAt(t, THREE_NODES, BOOK, 4);
}

function controlPlane(): SceneInput {
  const t = new TraceMaker();
  t.at({ node: 'node-2' });
  t.add('proxy.sync', { node: 'node-2', mode: 'iptables', full: false, services: 2, endpoints: 3 });
  return inputAt(t, THREE_NODES, BOOK, 1);
}

export function galleryEntries(): GalleryEntry[] {
  const first = firstPacket();
  const full = tableFull();
  const out = fromNode();
  const local = toNode();
  const pin = hairpin();
  const reject = rejected();
  const at = (s: Story, mark: string): number => s.marks[mark] ?? 0;
  return [
    {
      id: 'dnat',
      title: 'DNAT of the first packet',
      input: of(first, 'n1Rewrite', { pinnedRules: [`nat ${CHAINS.SVC} 3`] }),
    },
    { id: 'dnat-flip', title: 'Half way into the rewrite', input: of(first, 'n1Rewrite'), phase: 0.6 },
    { id: 'made', title: 'A process sends', input: of(first, 'made') },
    { id: 'bridge', title: 'On the bridge', input: of(first, 'bridge') },
    { id: 'ct-new', title: 'A new entry', input: of(first, 'ctNew') },
    { id: 'draw', title: 'A random rule misses', input: of(first, 'n1Drew') },
    {
      id: 'question',
      title: 'A question is open',
      input: of(first, 'n1Base', { horizon: at(first, 'n1Base'), asking: true }),
    },
    {
      id: 'wrong-answer',
      title: 'Prediction and run part',
      input: of(first, 'n1Svc', { predicted: { chain: CHAINS.SEP2 }, horizon: at(first, 'n1Svc') + 1 }),
    },
    { id: 'unfold', title: 'A chain opens', input: of(first, 'n1Svc'), phase: 0.7 },
    { id: 'route', title: 'The routing decision', input: of(first, 'route') },
    { id: 'return', title: 'A chain comes back', input: of(first, 'n1Return') },
    { id: 'policy', title: 'No rule matched', input: of(first, 'n1Policy') },
    { id: 'confirm', title: 'The entry enters the table', input: of(first, 'n1Confirm') },
    { id: 'wire', title: 'Leaves the node', input: of(first, 'wire') },
    { id: 'skip', title: 'Nothing for this address', input: of(first, 'n2Skip') },
    { id: 'arrive', title: 'Arrived', input: of(first, 'arrive') },
    { id: 'reverse', title: 'The reply is translated back', input: of(first, 'reverse') },
    { id: 'not-asked', title: 'A table is not asked', input: of(first, 'notAsked-node-1') },
    { id: 'reply-accept', title: 'The reply in filter', input: of(first, 'accept-node-1') },
    { id: 'reply-arrives', title: 'The reply arrived', input: of(first, 'replyArrives') },
    {
      id: 'drop-full',
      title: 'Conntrack table full',
      input: of(full, 'drop', {
        conntrack: { count: 262_144, max: 262_144, assured: 262_144, closing: 0 },
        kernelLine: 'nf_conntrack: nf_conntrack: table full, dropping packet',
      }),
    },
    { id: 'reject', title: 'Rejected without endpoints', input: of(reject, 'reject') },
    { id: 'rejected', title: 'After the rejection', input: of(reject, 'drop') },
    { id: 'local-output', title: 'A process of the node calls', input: of(out, 'outRewrite') },
    { id: 'local-input', title: 'Delivered on the node', input: of(local, 'input') },
    { id: 'refused', title: 'Nobody listens', input: of(local, 'refused') },
    { id: 'rst', title: 'The kernel answers with RST', input: of(local, 'rst') },
    { id: 'deep', title: 'Four chains deep', input: of(pin, 'mark') },
    { id: 'deep-back', title: 'Back from the mark', input: of(pin, 'back') },
    {
      id: 'udp-dns',
      title: 'A DNS query',
      input: made('UDP', udp(7, { src: '10.244.1.100', sport: 33333, dst: '10.96.0.10', dport: 53 })),
    },
    { id: 'icmp', title: 'An echo request', input: made('echo-request', icmp(8, '10.244.1.100', '10.244.2.10', 8)) },
    { id: 'hook-level', title: 'Zoomed to the hooks', input: of(first, 'n1Rewrite'), level: 'hook' },
    { id: 'map-level', title: 'The map alone', input: of(first, 'wire'), level: 'map' },
    {
      id: 'one-node',
      title: 'One node',
      input: of(first, 'n1Rewrite', {}, { ...THREE_NODES, nodes: THREE_NODES.nodes.slice(0, 1) }),
      level: 'map',
    },
    { id: 'two-nodes', title: 'Two nodes', input: of(first, 'arrive', {}, manyNodes(2)), level: 'map' },
    { id: 'four-nodes', title: 'Four nodes', input: of(first, 'arrive', {}, manyNodes(4)), level: 'map' },
    { id: 'six-nodes', title: 'Six nodes', input: of(first, 'wire', {}, manyNodes(6)), level: 'map' },
    { id: 'twelve-nodes', title: 'Twelve nodes', input: of(first, 'arrive', {}, manyNodes(12)), level: 'map' },
    { id: 'many-nodes', title: 'Forty nodes', input: of(first, 'wire', {}, manyNodes(40)), level: 'map' },
    { id: 'pods-2-rows', title: 'Two rows of pods', input: of(first, 'n1Rewrite', {}, manyPods(2)), level: 'map' },
    { id: 'pods-20', title: 'Twenty pods', input: of(first, 'n1Rewrite', {}, manyPods(18, true)), level: 'map' },
    { id: 'pods-60', title: 'Sixty pods', input: of(first, 'n1Rewrite', {}, manyPods(58, true)), level: 'map' },
    { id: 'pods-200', title: 'Two hundred pods', input: of(first, 'n1Rewrite', {}, manyPods(214)), level: 'map' },
    { id: 'control', title: 'A step of the control plane', input: controlPlane() },
    { id: 'empty', title: 'Nothing yet', input: inputAt(new TraceMaker(), THREE_NODES, BOOK, 0) },
  ];
}
