import type { CtFacts, PacketLike, TupleFacts } from '../../engine/trace';
import type { Topology, TopoNode, TopoPod } from '../scene/types';
import { type Ends, type RuleBook, TCP_FLAGS, TraceMaker, tcp, withEnds } from './maker';

const SVC = 'KUBE-SVC-LOLE4ISW44XBNF3G';
const SEP1 = 'KUBE-SEP-BZ4F3YVZGWYFNCBB';
const SEP2 = 'KUBE-SEP-6UPWGGTAKQAHVD27';
const C = '-m comment --comment';

/** Rules of the two-endpoint cluster without DNS, as kube-proxy writes them. */
export const BOOK: RuleBook = {
  'nat PREROUTING': [`-A PREROUTING ${C} "kubernetes service portals" -j KUBE-SERVICES`],
  'nat OUTPUT': [`-A OUTPUT ${C} "kubernetes service portals" -j KUBE-SERVICES`],
  'nat KUBE-SERVICES': [
    `-A KUBE-SERVICES -d 10.96.0.1/32 -p tcp ${C} "default/kubernetes:https cluster IP" -m tcp --dport 443 -j KUBE-SVC-NPX46M4PTMTKRN6Y`,
    `-A KUBE-SERVICES -d 10.96.10.10/32 -p tcp ${C} "default/web cluster IP" -m tcp --dport 80 -j ${SVC}`,
    `-A KUBE-SERVICES ${C} "kubernetes service nodeports; NOTE: this must be the last rule in this chain" -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS`,
  ],
  [`nat ${SVC}`]: [
    `-A ${SVC} ! -s 10.244.0.0/16 -d 10.96.10.10/32 -p tcp ${C} "default/web cluster IP" -m tcp --dport 80 -j KUBE-MARK-MASQ`,
    `-A ${SVC} ${C} "default/web -> 10.244.1.10:8080" -m statistic --mode random --probability 0.50000000000 -j ${SEP1}`,
    `-A ${SVC} ${C} "default/web -> 10.244.2.10:8080" -j ${SEP2}`,
  ],
  [`nat ${SEP2}`]: [
    `-A ${SEP2} -s 10.244.2.10/32 ${C} "default/web" -j KUBE-MARK-MASQ`,
    `-A ${SEP2} -p tcp ${C} "default/web" -m tcp -j DNAT --to-destination 10.244.2.10:8080`,
  ],
  'nat KUBE-MARK-MASQ': ['-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000'],
  'nat POSTROUTING': [`-A POSTROUTING ${C} "kubernetes postrouting rules" -j KUBE-POSTROUTING`],
  'nat KUBE-POSTROUTING': [
    '-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN',
    '-A KUBE-POSTROUTING -j MARK --set-xmark 0x4000/0x0',
    `-A KUBE-POSTROUTING ${C} "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully`,
  ],
  'filter FORWARD': [
    `-A FORWARD -m conntrack --ctstate NEW ${C} "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL`,
    `-A FORWARD ${C} "kubernetes forwarding rules" -j KUBE-FORWARD`,
    `-A FORWARD -m conntrack --ctstate NEW ${C} "kubernetes service portals" -j KUBE-SERVICES`,
    `-A FORWARD -m conntrack --ctstate NEW ${C} "kubernetes externally-visible service portals" -j KUBE-EXTERNAL-SERVICES`,
  ],
  'filter KUBE-FORWARD': [
    '-A KUBE-FORWARD -m conntrack --ctstate INVALID -m nfacct --nfacct-name ct_state_invalid_dropped_pkts -j DROP',
    `-A KUBE-FORWARD ${C} "kubernetes forwarding rules" -m mark --mark 0x4000/0x4000 -j ACCEPT`,
    `-A KUBE-FORWARD ${C} "kubernetes forwarding conntrack rule" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT`,
  ],
  'filter KUBE-SERVICES': [],
};
export const CHAINS = { SVC, SEP1, SEP2 };

const pod = (node: string, name: string, address: string, state: TopoPod['state'] = 'ready'): TopoPod => ({
  namespace: 'default',
  name,
  netns: `${node}/default.${name}`,
  address,
  state,
});
export function node(i: number, pods: readonly TopoPod[]): TopoNode {
  const name = `node-${i}`;
  return { name, address: `192.168.10.1${i}`, netns: name, bridge: 'cni0', uplink: 'eth0', pods };
}

export const THREE_NODES: Topology = {
  nodes: [
    node(1, [pod('node-1', 'client', '10.244.1.100'), pod('node-1', 'web-1-10', '10.244.1.10')]),
    node(2, [pod('node-2', 'web-2-10', '10.244.2.10'), pod('node-2', 'db-2-11', '10.244.2.11')]),
    node(3, [pod('node-3', 'log-3-10', '10.244.3.10'), pod('node-3', 'dns-3-11', '10.244.3.11')]),
  ],
  services: [
    {
      namespace: 'default',
      name: 'web',
      clusterIP: '10.96.10.10',
      ports: [{ port: 80, protocol: 'TCP', nodePort: 30080 }],
      endpoints: ['10.244.1.10', '10.244.2.10'],
    },
  ],
  machines: [{ name: 'outside', netns: 'outside', address: '192.168.10.100', kind: 'outside' }],
  network: '192.168.10.0/24',
  proxyMode: 'iptables',
};

export interface Story {
  readonly trace: TraceMaker;
  /** Steps worth a picture, by name. */
  readonly marks: Readonly<Record<string, number>>;
}

/** Where a packet is walked: machine, its stations, and what its tables say. */
class Walk {
  readonly marks: Record<string, number> = {};
  constructor(
    readonly t: TraceMaker,
    public p: PacketLike,
  ) {}

  private drew(chain: string, number: number, drawn: number): void {
    const text = BOOK[`nat ${chain}`]?.[number - 1] ?? '';
    const half = 2 ** 30;
    this.t.add('nf.rule', {
      packet: this.p,
      ruleId: `nat ${chain} ${number}`,
      chain,
      number,
      rules: 3,
      matched: false,
      matches: [{ name: '-m statistic --mode random --probability 0.50000000000', ok: false, value: '0.731' }],
      target: SEP1,
      verdict: 'continue',
      draw: { value: Math.floor(drawn * 2 ** 31), below: half },
      text,
    });
  }
  rule(table: string, chain: string, number: number, verdict: string, goesTo?: string): number {
    const list = BOOK[`${table} ${chain}`] ?? [];
    const text = list[number - 1] ?? '';
    return this.t.add('nf.rule', {
      packet: this.p,
      ruleId: `${table} ${chain} ${number}`,
      chain,
      number,
      rules: list.length,
      matched: true,
      matches: [],
      target: goesTo ?? / -j (\S+)/.exec(text)?.[1] ?? null,
      verdict,
      ...(goesTo === undefined ? {} : { goesTo }),
      text,
    });
  }
  skip(chain: string, first: number, last: number, reason: string): number {
    return this.t.add('nf.skip', { chain, first, last, count: last - first + 1, reason });
  }
  station(hook: string, station: string, priority: number, reason?: string): number {
    this.t.hook(hook, /conntrack|confirm/.test(station) ? undefined : station);
    return this.t.add('nf.station', {
      packet: this.p,
      station,
      priority,
      walked: reason === undefined,
      ...(reason === undefined ? {} : { reason }),
    });
  }
  made(netns: string, proc: string): void {
    const [n] = netns.split('/');
    this.t.at({ ...(n === undefined ? {} : { node: n }), netns });
    this.marks.made ??= this.t.add('pkt.made', { packet: this.p, by: 'socket', proc });
  }
  output(oif: string, via: string): void {
    this.t.add('route', { packet: this.p, result: 'unicast', oif, via, stage: 'output' });
  }
  xmit(dev: string, to: string): number {
    const netns = dev.slice(0, dev.lastIndexOf(':'));
    this.t.at({ node: netns.split('/')[0] ?? netns, netns, dev });
    return this.t.add('dev.xmit', { packet: this.p, dev, to });
  }
  rcv(dev: string): number {
    const netns = dev.slice(0, dev.lastIndexOf(':'));
    this.t.at({ node: netns.split('/')[0] ?? netns, netns, dev });
    const seq = this.t.add('dev.rcv', { packet: this.p, dev });
    this.t.at({ node: netns.split('/')[0] ?? netns, netns });
    return seq;
  }
  /** KUBE-SERVICES down to the DNAT of the second endpoint. */
  dnat(base: string, mark: string): void {
    const { t } = this;
    this.marks[`${mark}Base`] = this.rule('nat', base, 1, 'jump', 'KUBE-SERVICES');
    this.skip('KUBE-SERVICES', 1, 1, 'dst');
    this.marks[`${mark}Svc`] = this.rule('nat', 'KUBE-SERVICES', 2, 'jump', SVC);
    this.skip(SVC, 1, 1, 'src');
    this.drew(SVC, 2, 0.731);
    this.marks[`${mark}Drew`] = t.events.length;
    this.marks[`${mark}Sep`] = this.rule('nat', SVC, 3, 'jump', SEP2);
    this.skip(SEP2, 1, 1, 'src');
    this.marks[`${mark}Dnat`] = this.rule('nat', SEP2, 2, 'dnat');
    const before = this.p;
    this.p = withEnds(before, { dst: '10.244.2.10', dport: 8080 });
    this.marks[`${mark}Rewrite`] = t.add('pkt.rewrite', {
      packet: this.p,
      before,
      how: 'dnat',
      fields: [
        { field: 'dst', before: before.ip.dst, after: '10.244.2.10' },
        { field: 'dport', before: '80', after: '8080' },
      ],
    });
  }
  forwardNew(mark: string): void {
    this.station('forward', 'mangle', -150);
    this.station('forward', 'filter', 0);
    this.rule('filter', 'FORWARD', 1, 'jump', 'KUBE-PROXY-FIREWALL');
    this.t.add('nf.return', { chain: 'KUBE-PROXY-FIREWALL', number: 1, to: 'FORWARD' });
    this.marks[`${mark}Forward`] = this.rule('filter', 'FORWARD', 2, 'jump', 'KUBE-FORWARD');
    this.skip('KUBE-FORWARD', 1, 3, 'ctstate');
    this.marks[`${mark}Return`] = this.t.add('nf.return', { chain: 'KUBE-FORWARD', number: 4, to: 'FORWARD' });
    this.rule('filter', 'FORWARD', 3, 'jump', 'KUBE-SERVICES');
    this.t.add('nf.return', { chain: 'KUBE-SERVICES', number: 1, to: 'FORWARD' });
    this.skip('FORWARD', 4, 4, 'ctstate');
    this.marks[`${mark}Policy`] = this.t.add('nf.policy', { chain: 'FORWARD', policy: 'ACCEPT', number: 5 });
  }
  postNew(ct: CtFacts, count: number, mark: string): void {
    this.station('postrouting', 'mangle', -150);
    this.station('postrouting', 'nat', 100);
    this.rule('nat', 'POSTROUTING', 1, 'jump', 'KUBE-POSTROUTING');
    this.marks[`${mark}Post`] = this.rule('nat', 'KUBE-POSTROUTING', 1, 'return');
    this.t.add('nf.policy', { chain: 'POSTROUTING', policy: 'ACCEPT', number: 2 });
    this.station('postrouting', 'confirm', 2 ** 31 - 1);
    this.marks[`${mark}Confirm`] = this.t.add('ct.confirm', { ct, count, timeoutUs: 120_000_000 });
  }
}

const tuple = (e: Ends): TupleFacts => ({ proto: 'tcp', ...e });
const back = (e: Ends): Ends => ({ src: e.dst, sport: e.dport, dst: e.src, dport: e.sport });
export const CLIENT: Ends = { src: '10.244.1.100', sport: 41002, dst: '10.96.10.10', dport: 80 };
const CHOSEN: Ends = { ...CLIENT, dst: '10.244.2.10', dport: 8080 };
const entry = (id: string, orig: Ends, reply: Ends, state: string, status: readonly string[]): CtFacts => ({
  id,
  orig: tuple(orig),
  reply: tuple(reply),
  state,
  status,
});

/** A SYN from client to the ClusterIP, its way over node-1 and node-2, and the SYN, ACK back. */
export function firstPacket(): Story {
  const t = new TraceMaker();
  t.packet(1, 'original', 'SYN');
  const w = new Walk(t, tcp(t.id(), CLIENT, TCP_FLAGS.SYN));
  const client = 'node-1/default.client';
  w.made(client, 'curl');
  w.output(`${client}:eth0`, '10.244.1.1');
  w.xmit(`${client}:eth0`, 'node-1:veth-client');
  w.rcv('node-1:veth-client');
  w.marks.bridge = w.rcv('node-1:cni0');
  w.station('prerouting', 'conntrack', -200);
  w.marks.ctNew = t.add('ct.new', { ct: entry('1', CLIENT, back(CLIENT), 'SYN_SENT', ['UNREPLIED']), packet: w.p });
  w.station('prerouting', 'mangle', -150);
  w.marks.nat = w.station('prerouting', 'nat', -100);
  w.dnat('PREROUTING', 'n1');
  t.hook('prerouting');
  t.at({ node: 'node-1', netns: 'node-1' });
  w.marks.route = t.add('route', {
    packet: w.p,
    result: 'unicast',
    oif: 'node-1:eth0',
    via: '192.168.10.12',
    routeKey: '10.244.2.0/24 via 192.168.10.12 dev eth0',
    stage: 'input',
  });
  w.forwardNew('n1');
  w.postNew(entry('1', CLIENT, back(CHOSEN), 'SYN_SENT', ['UNREPLIED']), 1, 'n1');
  w.marks.wire = w.xmit('node-1:eth0', 'sw:nodes');
  w.rcv('node-2:eth0');
  w.station('prerouting', 'conntrack', -200);
  t.add('ct.new', { ct: entry('2', CHOSEN, back(CHOSEN), 'SYN_SENT', ['UNREPLIED']), packet: w.p });
  w.station('prerouting', 'mangle', -150);
  w.station('prerouting', 'nat', -100);
  w.rule('nat', 'PREROUTING', 1, 'jump', 'KUBE-SERVICES');
  w.marks.n2Skip = w.skip('KUBE-SERVICES', 1, 3, 'dst');
  t.add('nf.policy', { chain: 'PREROUTING', policy: 'ACCEPT', number: 2 });
  t.at({ node: 'node-2', netns: 'node-2' });
  t.add('route', {
    packet: w.p,
    result: 'unicast',
    oif: 'node-2:cni0',
    routeKey: '10.244.2.0/24 dev cni0',
    stage: 'input',
  });
  w.forwardNew('n2');
  w.postNew(entry('2', CHOSEN, back(CHOSEN), 'SYN_SENT', ['UNREPLIED']), 1, 'n2');
  w.xmit('node-2:cni0', 'cni0');
  w.xmit('node-2:veth-web', 'node-2/default.web-2-10:eth0');
  w.rcv('node-2/default.web-2-10:eth0');
  w.marks.arrive = t.add('pkt.deliver', { packet: w.p, sock: 's1', proc: 'nginx' });

  t.packet(2, 'reply', 'SYN/ACK');
  const r = new Walk(t, tcp(t.id(), back(CHOSEN), TCP_FLAGS.SYNACK));
  const web = 'node-2/default.web-2-10';
  r.made(web, 'nginx');
  r.output(`${web}:eth0`, '10.244.2.1');
  r.xmit(`${web}:eth0`, 'node-2:veth-web');
  for (const [n, dev, out] of [
    ['node-2', 'node-2:veth-web', 'node-2:eth0'],
    ['node-1', 'node-1:eth0', 'node-1:cni0'],
  ] as const) {
    r.rcv(dev);
    if (n === 'node-2') r.rcv('node-2:cni0');
    const orig = n === 'node-1' ? CLIENT : CHOSEN;
    const ct = entry(n === 'node-1' ? '1' : '2', orig, back(CHOSEN), 'SYN_RECV', []);
    r.station('prerouting', 'conntrack', -200);
    w.marks[`found-${n}`] = t.add('ct.found', {
      ct,
      dir: 'reply',
      info: 'ESTABLISHED_REPLY',
      packet: r.p,
      stateBefore: 'SYN_SENT',
    });
    r.station('prerouting', 'mangle', -150);
    w.marks[`notAsked-${n}`] = r.station('prerouting', 'nat', -100, 'established');
    t.at({ node: n, netns: n });
    t.add('route', {
      packet: r.p,
      result: 'unicast',
      oif: out,
      stage: 'input',
      ...(n === 'node-2' ? { via: '192.168.10.11' } : {}),
    });
    r.station('forward', 'mangle', -150);
    r.station('forward', 'filter', 0);
    r.skip('FORWARD', 1, 1, 'ctstate');
    r.rule('filter', 'FORWARD', 2, 'jump', 'KUBE-FORWARD');
    r.skip('KUBE-FORWARD', 1, 2, 'mixed');
    w.marks[`accept-${n}`] = r.rule('filter', 'KUBE-FORWARD', 3, 'accept');
    r.station('postrouting', 'mangle', -150);
    r.station('postrouting', 'nat', 100, 'established');
    if (n === 'node-1') {
      const before = r.p;
      r.p = withEnds(before, { src: '10.96.10.10', sport: 80 });
      w.marks.reverse = t.add('pkt.rewrite', {
        packet: r.p,
        before,
        how: 'reverse',
        fields: [
          { field: 'src', before: '10.244.2.10', after: '10.96.10.10' },
          { field: 'sport', before: '8080', after: '80' },
        ],
      });
    }
    r.station('postrouting', 'confirm', 2 ** 31 - 1);
    if (n === 'node-2') r.xmit('node-2:eth0', 'sw:nodes');
    else {
      r.xmit('node-1:cni0', 'cni0');
      r.xmit('node-1:veth-client', `${client}:eth0`);
    }
  }
  r.rcv(`${client}:eth0`);
  w.marks.replyArrives = t.add('pkt.deliver', { packet: r.p, sock: 's2', proc: 'curl' });
  return { trace: t, marks: w.marks };
}

/** The same SYN, lost on node-2 whose conntrack table is full. */
export function tableFull(): Story {
  const t = new TraceMaker();
  t.packet(9, 'original', 'SYN');
  const w = new Walk(t, tcp(t.id(), { ...CLIENT, sport: 41873 }, TCP_FLAGS.SYN));
  const client = 'node-1/default.client';
  w.made(client, 'curl');
  w.output(`${client}:eth0`, '10.244.1.1');
  w.xmit(`${client}:eth0`, 'node-1:veth-client');
  w.rcv('node-1:veth-client');
  w.rcv('node-1:cni0');
  w.station('prerouting', 'conntrack', -200);
  t.add('ct.new', { ct: entry('1', CLIENT, back(CLIENT), 'SYN_SENT', ['UNREPLIED']), packet: w.p });
  w.station('prerouting', 'mangle', -150);
  w.station('prerouting', 'nat', -100);
  w.dnat('PREROUTING', 'n1');
  t.at({ node: 'node-1', netns: 'node-1' });
  t.add('route', { packet: w.p, result: 'unicast', oif: 'node-1:eth0', via: '192.168.10.12', stage: 'input' });
  w.forwardNew('n1');
  w.postNew(entry('1', CLIENT, back(CHOSEN), 'SYN_SENT', ['UNREPLIED']), 1, 'n1');
  w.xmit('node-1:eth0', 'sw:nodes');
  w.rcv('node-2:eth0');
  w.station('prerouting', 'conntrack', -200);
  w.marks.full = t.add('ct.full', { count: 262_144, max: 262_144, packet: w.p });
  w.marks.drop = t.add('pkt.drop', {
    packet: w.p,
    cause: { reason: 'conntrack-full', hook: 'prerouting' },
    symptom: 'timeout',
  });
  return { trace: t, marks: w.marks };
}

/** A process on node-1 calls the ClusterIP: OUTPUT and POSTROUTING only. */
export function fromNode(): Story {
  const t = new TraceMaker();
  t.packet(1, 'original', 'SYN');
  const w = new Walk(t, tcp(t.id(), { ...CLIENT, src: '192.168.10.11' }, TCP_FLAGS.SYN));
  w.made('node-1', 'curl');
  w.output('node-1:eth0', '192.168.10.1');
  w.station('output', 'conntrack', -200);
  w.marks.ctNew = t.add('ct.new', { ct: entry('1', CLIENT, back(CLIENT), 'SYN_SENT', ['UNREPLIED']), packet: w.p });
  w.station('output', 'mangle', -150);
  w.station('output', 'nat', -100);
  w.dnat('OUTPUT', 'out');
  w.marks.reroute = t.add('route', {
    packet: w.p,
    result: 'unicast',
    oif: 'node-1:eth0',
    via: '192.168.10.12',
    stage: 'reroute',
  });
  w.station('output', 'filter', 0);
  t.add('nf.policy', { chain: 'OUTPUT', policy: 'ACCEPT', number: 1 });
  w.postNew(entry('1', CLIENT, back(CHOSEN), 'SYN_SENT', ['UNREPLIED']), 1, 'out');
  w.marks.wire = w.xmit('node-1:eth0', 'sw:nodes');
  return { trace: t, marks: w.marks };
}

/** A SYN from outside to a port of node-1 that nobody listens on: delivered to INPUT, answered with RST. */
export function toNode(): Story {
  const t = new TraceMaker();
  const ends: Ends = { src: '192.168.10.100', sport: 50_000, dst: '192.168.10.11', dport: 30_081 };
  t.packet(1, 'original', 'SYN');
  const w = new Walk(t, tcp(t.id(), ends, TCP_FLAGS.SYN));
  w.made('outside', 'curl');
  w.output('outside:eth0', '192.168.10.11');
  w.xmit('outside:eth0', 'sw:nodes');
  w.rcv('node-1:eth0');
  w.station('prerouting', 'conntrack', -200);
  t.add('ct.new', { ct: entry('1', ends, back(ends), 'SYN_SENT', ['UNREPLIED']), packet: w.p });
  w.station('prerouting', 'mangle', -150);
  w.station('prerouting', 'nat', -100);
  w.rule('nat', 'PREROUTING', 1, 'jump', 'KUBE-SERVICES');
  w.skip('KUBE-SERVICES', 1, 2, 'dst');
  w.rule('nat', 'KUBE-SERVICES', 3, 'jump', 'KUBE-NODEPORTS');
  w.skip('KUBE-NODEPORTS', 1, 2, 'dport');
  t.add('nf.policy', { chain: 'PREROUTING', policy: 'ACCEPT', number: 2 });
  t.at({ node: 'node-1', netns: 'node-1' });
  w.marks.local = t.add('route', {
    packet: w.p,
    result: 'local',
    stage: 'input',
    routeKey: 'local 192.168.10.11 dev eth0',
  });
  w.station('input', 'mangle', -150);
  w.marks.input = w.station('input', 'filter', 0);
  t.add('nf.policy', { chain: 'INPUT', policy: 'ACCEPT', number: 1 });
  w.station('input', 'nat', 100);
  w.station('input', 'confirm', 2 ** 31 - 1);
  t.add('ct.confirm', { ct: entry('1', ends, back(ends), 'SYN_SENT', ['UNREPLIED']), count: 1, timeoutUs: 1 });
  w.marks.refused = t.add('pkt.drop', {
    packet: w.p,
    cause: { reason: 'no-listener', answered: 'tcp-reset' },
    symptom: 'refused',
  });
  t.packet(2, 'reply', 'RST/ACK');
  const r = new Walk(t, tcp(t.id(), back(ends), TCP_FLAGS.RST));
  t.at({ node: 'node-1', netns: 'node-1' });
  t.add('pkt.made', { packet: r.p, by: 'kernel' });
  r.output('node-1:eth0', '192.168.10.100');
  r.station('output', 'conntrack', -200);
  w.marks.rst = t.add('ct.found', {
    ct: entry('1', ends, back(ends), 'CLOSE', []),
    dir: 'reply',
    info: 'ESTABLISHED_REPLY',
    packet: r.p,
  });
  return { trace: t, marks: w.marks };
}

/** A pod that calls its own Service: KUBE-SEP marks it first, one panel deeper. */
export function hairpin(): Story {
  const t = new TraceMaker();
  t.packet(1, 'original', 'SYN');
  const w = new Walk(t, tcp(t.id(), { ...CLIENT, src: '10.244.2.10' }, TCP_FLAGS.SYN));
  const web = 'node-2/default.web-2-10';
  w.made(web, 'curl');
  w.output(`${web}:eth0`, '10.244.2.1');
  w.xmit(`${web}:eth0`, 'node-2:veth-web');
  w.rcv('node-2:veth-web');
  w.rcv('node-2:cni0');
  w.station('prerouting', 'conntrack', -200);
  w.station('prerouting', 'nat', -100);
  w.rule('nat', 'PREROUTING', 1, 'jump', 'KUBE-SERVICES');
  w.skip('KUBE-SERVICES', 1, 1, 'dst');
  w.rule('nat', 'KUBE-SERVICES', 2, 'jump', SVC);
  w.skip(SVC, 1, 1, 'src');
  w.rule('nat', SVC, 3, 'jump', SEP2);
  w.rule('nat', SEP2, 1, 'jump', 'KUBE-MARK-MASQ');
  w.marks.mark = w.rule('nat', 'KUBE-MARK-MASQ', 1, 'continue');
  t.add('pkt.mark', { before: 0, after: 0x4000 });
  w.marks.back = t.add('nf.return', { chain: 'KUBE-MARK-MASQ', number: 2, to: SEP2 });
  w.marks.dnat = w.rule('nat', SEP2, 2, 'dnat');
  return { trace: t, marks: w.marks };
}

/** A Service without endpoints: filter rejects, the client is told at once. */
export function rejected(): Story {
  const t = new TraceMaker();
  t.packet(1, 'original', 'SYN');
  const w = new Walk(t, tcp(t.id(), { ...CLIENT, dst: '10.96.10.11' }, TCP_FLAGS.SYN));
  const client = 'node-1/default.client';
  w.made(client, 'curl');
  w.xmit(`${client}:eth0`, 'node-1:veth-client');
  w.rcv('node-1:veth-client');
  w.rcv('node-1:cni0');
  w.station('prerouting', 'conntrack', -200);
  w.station('prerouting', 'nat', -100);
  w.rule('nat', 'PREROUTING', 1, 'jump', 'KUBE-SERVICES');
  w.skip('KUBE-SERVICES', 1, 3, 'dst');
  t.add('nf.policy', { chain: 'PREROUTING', policy: 'ACCEPT', number: 2 });
  t.at({ node: 'node-1', netns: 'node-1' });
  t.add('route', { packet: w.p, result: 'unicast', oif: 'node-1:eth0', via: '192.168.10.1', stage: 'input' });
  w.station('forward', 'mangle', -150);
  w.station('forward', 'filter', 0);
  w.rule('filter', 'FORWARD', 1, 'jump', 'KUBE-PROXY-FIREWALL');
  t.add('nf.return', { chain: 'KUBE-PROXY-FIREWALL', number: 1, to: 'FORWARD' });
  w.rule('filter', 'FORWARD', 2, 'jump', 'KUBE-FORWARD');
  w.skip('KUBE-FORWARD', 1, 3, 'ctstate');
  t.add('nf.return', { chain: 'KUBE-FORWARD', number: 4, to: 'FORWARD' });
  w.rule('filter', 'FORWARD', 3, 'jump', 'KUBE-SERVICES');
  w.marks.reject = t.add('nf.rule', {
    packet: w.p,
    ruleId: 'filter KUBE-SERVICES 1',
    chain: 'KUBE-SERVICES',
    number: 1,
    rules: 1,
    matched: true,
    matches: [],
    target: 'REJECT',
    verdict: 'reject',
    text: `-A KUBE-SERVICES -d 10.96.10.11/32 -p tcp ${C} "default/empty has no endpoints" -m tcp --dport 80 -j REJECT --reject-with icmp-port-unreachable`,
  });
  w.marks.drop = t.add('pkt.drop', {
    packet: w.p,
    cause: { reason: 'rule', hook: 'forward', table: 'filter', chain: 'KUBE-SERVICES', rule: 1, answered: 'icmp' },
    symptom: 'refused',
  });
  return { trace: t, marks: w.marks };
}
