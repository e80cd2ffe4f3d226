import { createNet, devName, type Net, type Packet } from '../../engine/net';
import { createNetfilter, type Netfilter } from '../../engine/netfilter';
import { TOOLS } from '../../engine/netfilter/tool';
import { provideTools } from '../../engine/netfilter/tools';
import type { Ctx, TraceEvent } from '../../engine/trace';
import { createCtx, isKind } from '../../engine/trace';
import { type PacketJson, packetJson, packetOf } from './lab-packet';

provideTools(TOOLS);

export const NODE = 'node';
/** The pod with a real stack that some capacity records use. */
export const EXTRA_LEG = 'vethc';
export const LEGS = ['eth0', 'vetha', 'vethb', EXTRA_LEG];

/** `[table, chain, number, kind, target, mark]`. */
export type TraceRow = readonly [string, string, number, string, string | null, number];

export interface Sent {
  readonly trace: TraceRow[];
  /** Rows of packets that the kernel made meanwhile. */
  readonly made: TraceRow[];
  readonly fate: Record<string, unknown>;
  readonly out: Record<string, unknown> | undefined;
  readonly emitted: { iface: string; pkt: Record<string, unknown> }[];
  readonly errno: string | undefined;
  /** Whether the packet met a nat chain, and its ctstate where conntrack first saw it. */
  readonly natVisited: boolean;
  readonly ctstate: string | null;
  /** Marks in the order in which rules saw them. */
  readonly packetId: number;
}

const ERRNO_TEXT: Readonly<Record<string, string>> = {
  EPERM: 'Operation not permitted',
  EINVAL: 'Invalid argument',
  ENETUNREACH: 'Network is unreachable',
  EHOSTUNREACH: 'No route to host',
  ECONNREFUSED: 'Connection refused',
  EACCES: 'Permission denied',
  EMSGSIZE: 'Message too long',
  ENOBUFS: 'No buffer space available',
};
export const errnoText = (errno: string): string => ERRNO_TEXT[errno] ?? errno;

export interface LabOptions {
  /** vetha and vethb are ports of cni0. */
  readonly bridge?: boolean;
  readonly hairpinOnVetha?: boolean;
  readonly conntrackMax?: number;
  readonly seed?: number;
  /** The recorder's own nft table keeps conntrack on. */
  readonly pinConntrack?: boolean;
}

/** The node of the recordings: three legs whose far ends only capture. */
export class Lab {
  readonly ctx: Ctx;
  readonly net: Net;
  readonly nf: Netfilter;
  /** Frames that left the node since the last look. */
  private captured: { iface: string; packet: Packet }[] = [];

  constructor(readonly options: LabOptions = {}) {
    this.ctx = createCtx(options.seed ?? 1);
    this.net = createNet(this.ctx);
    this.nf = createNetfilter(this.ctx, this.net, {
      ...(options.conntrackMax === undefined ? {} : { conntrackMax: options.conntrackMax }),
    });
    buildTopology(this.net, options);
    if (options.pinConntrack !== false) this.nf.forceConntrack(NODE);
    this.net.taps.add({ netns: NODE }, (c) => {
      const iface = devName(c.dev);
      if (c.dir === 'out' && LEGS.includes(iface)) this.captured.push({ iface, packet: c.packet });
    });
    this.settle();
  }

  /** Runs what is due now (frames on their way), without waiting for timers of the protocol. */
  settle(us = 1000): void {
    this.ctx.sim.run({ untilUs: this.ctx.sim.now + us });
  }
  wait(us: number): void {
    this.ctx.sim.run({ untilUs: this.ctx.sim.now + us });
  }

  /** A pod with a real stack behind the node's further leg. */
  addClient(): void {
    const { links } = this.net;
    this.net.addNamespace({ id: 'client', node: 'lab', kind: 'pod', init: false });
    links.removeDevice(`${NODE}:${EXTRA_LEG}`);
    links.addVeth(
      { netns: NODE, name: EXTRA_LEG, addrs: ['10.244.1.1/32'] },
      { netns: 'client', name: 'eth0', addrs: ['10.244.1.20/24'] },
    );
    links.addRoute(NODE, { dst: '10.244.1.20/32', dev: EXTRA_LEG });
    links.addRoute('client', { dst: 'default', via: '10.244.1.1' });
    this.settle();
  }

  /** Frames captured since the last call. */
  takeFrames(): { iface: string; packet: Packet }[] {
    const out = this.captured;
    this.captured = [];
    return out;
  }

  sysctl(line: string): void {
    const cut = line.indexOf('=');
    this.net.setSysctl(NODE, line.slice(0, cut).trim(), line.slice(cut + 1).trim());
  }

  restore(ruleset: string, backend: 'legacy' | 'nft' = 'legacy'): string | undefined {
    const r = this.nf.restore(NODE, ruleset, { backend, by: 'iptables-restore' });
    return r.ok ? undefined : r.message;
  }

  ipset(line: string): void {
    const words = line.split(/\s+/).filter((w) => w !== '');
    this.nf.ipset.run(NODE, words[0] === 'ipset' ? words.slice(1) : words);
  }

  /** `conntrack -L` as the records keep it: use= removed, blanks squeezed. */
  table(): string[] {
    return tableLines(this.nf.conntrack(NODE, ['-L']).stdout);
  }

  send(iface: string, json: PacketJson, toMac?: string, srcMac?: string): Sent {
    return this.sendPacket(iface, packetOf(json), toMac, srcMac);
  }

  sendPacket(iface: string, raw: Packet, toMac?: string, srcMac?: string): Sent {
    this.takeFrames();
    const from = this.ctx.trace.events.length;
    const id = this.net.newPacketId();
    const packet = { ...raw, id };
    let errno: string | undefined;
    if (iface === 'local') errno = this.net.sendRaw(NODE, packet);
    else {
      this.net.injectFrame(`${NODE}:${iface}`, packet, {
        ...(toMac === undefined ? {} : { dstMac: toMac }),
        ...(srcMac === undefined ? {} : { srcMac }),
      });
    }
    this.settle();
    return this.read(from, id, iface, errno);
  }

  private read(from: number, id: number, iface: string, errno: string | undefined): Sent {
    const walk = new Walk(this.ctx.trace.events.slice(from), this.ctx.trace.spans, id);
    const frames = this.takeFrames();
    const own = frames.filter((f) => f.packet.id === id);
    const emitted = frames
      .filter((f) => f.packet.id !== id)
      .map((f) => ({ iface: f.iface, pkt: packetJson(f.packet) }));
    const left = own[own.length - 1];
    let fate: Record<string, unknown>;
    let out: Record<string, unknown> | undefined;
    const last = walk.rows[walk.rows.length - 1];
    const after = last ? [last[0], last[1], last[2]] : null;
    if (left) {
      fate = { kind: iface === 'local' ? 'sent' : 'forwarded', iface: left.iface };
      out = { ...packetJson(left.packet), mark: walk.mark };
    } else if (walk.delivered) {
      fate = { kind: 'local', iface: walk.deliveredOn ?? iface };
      out = { ...packetJson(walk.delivered), mark: walk.mark };
    } else if (
      walk.drop &&
      (walk.drop.reason === 'rule' || walk.drop.reason === 'policy') &&
      walk.drop.chain !== undefined
    ) {
      const by = [walk.drop.table, walk.drop.chain, walk.drop.rule];
      fate = { kind: walk.rejected ? 'reject' : 'drop', by };
    } else fate = { kind: 'kernel-drop', by: null, after };
    return {
      trace: walk.rows,
      made: walk.made,
      fate,
      out,
      emitted,
      errno: errno === undefined ? undefined : errnoText(errno),
      natVisited: walk.natVisited,
      ctstate: walk.ctstate,
      packetId: id,
    };
  }
}

/** Lines of a listing with the use count taken out and blanks squeezed. */
export const tableLines = (text: string): string[] =>
  text
    .split('\n')
    .filter((l) => l !== '')
    .map((l) =>
      l
        .replace(/ use=\d+/, '')
        .replace(/portid=\d+/, 'portid=N')
        .replace(/\s+/g, ' ')
        .trim(),
    );

interface Drop {
  readonly reason: string;
  readonly table?: string;
  readonly chain?: string;
  readonly rule?: number;
  readonly answered?: string;
}

/** What a stretch of the trace tells of one packet. */
class Walk {
  readonly rows: TraceRow[] = [];
  readonly made: TraceRow[] = [];
  mark = 0;
  drop: Drop | undefined;
  rejected = false;
  delivered: Packet | undefined;
  deliveredOn: string | undefined;
  natVisited = false;
  ctstate: string | null = null;
  private ctSeen = false;
  private readonly marks = new Map<number, number>();
  /** Hook and table spans → packet id. */
  private readonly owner = new Map<number, number>();
  private input: { packet: Packet; dev: string | undefined } | undefined;

  constructor(
    events: readonly TraceEvent[],
    private readonly spans: readonly { readonly id: number; readonly parent: number }[],
    private readonly id: number,
  ) {
    let lastDev: string | undefined;
    for (const e of events) {
      if (isKind(e, 'dev.rcv') && e.facts.packet.id === id) lastDev = devName(e.facts.dev);
      this.event(e, lastDev);
    }
    this.mark = this.marks.get(id) ?? 0;
    if (!this.delivered && this.input && !this.drop) {
      this.delivered = this.input.packet;
      this.deliveredOn = this.input.dev;
    }
  }

  private packetOf(span: number): number | undefined {
    for (let s = span; s !== 0; s = this.spans[s - 1]?.parent ?? 0) {
      const p = this.owner.get(s);
      if (p !== undefined) return p;
    }
    return undefined;
  }

  private row(e: TraceEvent, row: [string, string, number, string, string | null], packetId: number | undefined): void {
    const p = packetId ?? this.packetOf(e.span);
    if (p === undefined) return;
    const full: TraceRow = [...row, this.marks.get(p) ?? 0];
    if (p === this.id) {
      this.rows.push(full);
      if (row[0] === 'nat') this.natVisited = true;
    } else this.made.push(full);
  }

  private event(e: TraceEvent, lastDev: string | undefined): void {
    const table = e.where.table ?? '';
    if (isKind(e, 'nf.station')) {
      this.owner.set(e.span, e.facts.packet.id);
      if (e.where.hook === 'input' && e.facts.packet.id === this.id) {
        this.input = { packet: e.facts.packet as Packet, dev: lastDev };
      }
    } else if (isKind(e, 'nf.rule')) {
      if (!e.facts.matched) return;
      const t = e.facts.verdict === 'goto' ? `goto ${e.facts.target}` : e.facts.target;
      this.row(e, [table, e.facts.chain, e.facts.number, 'rule', t], e.facts.packet.id);
      if (e.facts.packet.id === this.id && t === 'REJECT') this.rejected = true;
    } else if (isKind(e, 'nf.return')) this.row(e, [table, e.facts.chain, e.facts.number, 'end', 'RETURN'], undefined);
    else if (isKind(e, 'nf.policy')) {
      this.row(e, [table, e.facts.chain, e.facts.number, 'policy', e.facts.policy], undefined);
    } else if (isKind(e, 'pkt.mark')) {
      const p = this.packetOf(e.span);
      if (p !== undefined) this.marks.set(p, e.facts.after);
    } else if (isKind(e, 'pkt.rewrite')) {
      if (e.facts.packet.id === this.id && this.input) this.input = { ...this.input, packet: e.facts.packet as Packet };
    } else if (isKind(e, 'pkt.drop')) {
      if (e.facts.packet.id !== this.id) return;
      const c = e.facts.cause;
      if (c.reason === 'no-listener' || c.reason === 'bad-segment') {
        this.delivered = e.facts.packet as Packet;
        this.deliveredOn = lastDev;
      } else this.drop = c;
    } else if (isKind(e, 'pkt.deliver')) {
      if (e.facts.packet.id !== this.id) return;
      this.delivered = e.facts.packet as Packet;
      this.deliveredOn = lastDev;
    } else this.conntrackEvent(e);
  }

  private conntrackEvent(e: TraceEvent): void {
    if (this.ctSeen) return;
    if (isKind(e, 'ct.new') && e.facts.packet.id === this.id) this.ctstate = 'NEW';
    else if (isKind(e, 'ct.found') && e.facts.packet.id === this.id) this.ctstate = e.facts.info.replace('_REPLY', '');
    else if (isKind(e, 'ct.invalid') && e.facts.packet.id === this.id) this.ctstate = 'INVALID';
    else if (isKind(e, 'ct.untracked') && e.facts.packet.id === this.id) this.ctstate = 'UNTRACKED';
    else return;
    this.ctSeen = true;
  }
}

export const MAC = {
  bridge: '02:00:00:00:01:ff',
  podA: '02:00:00:00:01:0a',
  podB: '02:00:00:00:02:0a',
} as const;

/** The one place that knows the lab's topology (truth/netfilter/README.md). */
function buildTopology(net: Net, o: LabOptions): void {
  const { links } = net;
  net.addNamespace({ id: 'host', node: 'lab', kind: 'machine', init: true });
  net.addNamespace({ id: NODE, node: 'lab', kind: 'node', init: false });
  links.addDevice(NODE, { name: 'eth0', kind: 'eth', mac: '02:00:00:00:00:01', addrs: ['172.18.0.2/24'] });
  links.addRoute(NODE, { dst: 'default', via: '172.18.0.1' });
  links.addRoute(NODE, { dst: '10.244.2.0/24', via: '172.18.0.3' });
  for (let i = 1; i < 255; i++) {
    if (i !== 2) links.setNeigh(`${NODE}:eth0`, `172.18.0.${i}`, `02:00:00:00:ff:${i.toString(16).padStart(2, '0')}`);
  }
  const pods: readonly (readonly [string, string, string])[] = [
    ['vetha', '10.244.1.11', MAC.podA],
    ['vethb', '10.244.1.12', MAC.podB],
    [EXTRA_LEG, '10.244.1.20', '02:00:00:00:03:0a'],
  ];
  if (o.bridge) {
    links.addDevice(NODE, { name: 'cni0', kind: 'bridge', mac: MAC.bridge, addrs: ['10.244.1.1/24'] });
    for (const [dev, ip, mac] of pods.slice(0, 2)) {
      links.addDevice(NODE, {
        name: dev,
        kind: 'eth',
        master: `${NODE}:cni0`,
        hairpin: dev === 'vetha' && o.hairpinOnVetha === true,
      });
      links.setNeigh(`${NODE}:cni0`, ip, mac);
    }
    for (const [mac, port] of [
      [MAC.podA, 'vetha'],
      [MAC.podB, 'vethb'],
    ] as const) {
      links.fdb.set(`${NODE}:cni0|${mac}`, { bridge: `${NODE}:cni0`, mac, port: `${NODE}:${port}` });
    }
  } else {
    for (const [dev, ip, mac] of pods) {
      links.addDevice(NODE, { name: dev, kind: 'eth', addrs: ['10.244.1.1/32'] });
      links.addRoute(NODE, { dst: `${ip}/32`, dev });
      links.setNeigh(`${NODE}:${dev}`, ip, mac);
    }
  }
  for (const [key, value] of [
    ['net.ipv4.ip_forward', '1'],
    ['net.ipv4.conf.all.rp_filter', '0'],
    ['net.ipv4.conf.all.send_redirects', '0'],
    ['net.ipv4.conf.default.send_redirects', '0'],
    ...LEGS.concat('cni0').map((d) => [`net.ipv4.conf.${d}.send_redirects`, '0']),
    ['net.ipv4.icmp_ratelimit', '0'],
    ['net.ipv4.icmp_ratemask', '0'],
  ] as [string, string][]) {
    net.setSysctl(NODE, key, value);
  }
}
