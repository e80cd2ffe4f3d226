import type { IpAddr } from '../base/ip';
import type { PrngStream } from '../base/prng';
import type { Result } from '../base/result';
import type { Ctx } from '../trace/context';
import type { Place } from '../trace/events';
import { Bridges } from './bridge';
import { Fib } from './fib';
import { Flows } from './flows';
import { type Frame, Frames } from './frames';
import { HookRegistry } from './hooks';
import { Icmp } from './icmp';
import { IpPath } from './ip';
import { KernelLog } from './klog';
import { Links } from './links';
import { Neighbours } from './neigh';
import { Routing } from './routing';
import { Sockets } from './sock/sockets';
import type { NetStack, SysctlSpec } from './stack';
import { type SysctlError, Sysctls } from './sysctl';
import { Taps } from './taps';
import type { DevId, DropCause, Hook, Lineage, Mac, NetDevice, NetnsId, Packet, Route, Skb, SkbCt } from './types';

export interface SendOptions {
  readonly mark?: number;
  readonly lineage?: Lineage;
  readonly ct?: SkbCt;
  /** The source need not be an address of the namespace. */
  readonly anySource?: boolean;
  readonly oif?: DevId;
  /** A route found before (connected sockets). */
  readonly route?: Route;
}

/** The network stacks of all kernels and the wires between them. */
export class Net implements NetStack {
  readonly hooks: HookRegistry;
  readonly sysctls: Sysctls;
  readonly links: Links;
  readonly routing: Routing;
  readonly neighbours: Neighbours;
  readonly frames: Frames;
  readonly bridges: Bridges;
  readonly ip: IpPath;
  readonly icmp: Icmp;
  readonly flows: Flows;
  readonly taps = new Taps();
  readonly kernelLog: KernelLog;
  readonly sockets: Sockets;
  private readonly netnsListeners: ((netns: NetnsId) => void)[] = [];
  private nextPacket = 1;
  private readonly ipIds: PrngStream;

  constructor(readonly ctx: Ctx) {
    this.hooks = new HookRegistry(ctx.world);
    this.kernelLog = new KernelLog(ctx);
    this.sysctls = new Sysctls(
      ctx,
      (netns) => this.links.names(netns),
      (netns) => this.nodeOf(netns),
    );
    this.links = new Links(ctx, this.sysctls);
    const fib = new Fib(ctx.world);
    this.routing = new Routing(fib, this.links, this.sysctls);
    this.neighbours = new Neighbours(ctx, this.links);
    this.flows = new Flows(ctx.trace);
    this.frames = new Frames(
      ctx,
      this.links,
      this.neighbours,
      this.taps,
      (netns) => this.nodeOf(netns),
      (f) => this.receive(f),
      (skb, bridge, dst, src) => this.bridges.xmit(skb, bridge, dst, src),
    );
    this.bridges = new Bridges(ctx, this);
    this.ip = new IpPath(ctx, this);
    this.icmp = new Icmp(ctx, this);
    this.sockets = new Sockets(ctx, this);
    this.ipIds = ctx.prng.stream('ip-id');
  }

  // — set-up —

  /** A new namespace with its `lo` (up with 127.0.0.1/8 unless told otherwise). */
  addNamespace(...args: Parameters<Links['addNamespace']>): void {
    this.links.addNamespace(...args);
    for (const fn of this.netnsListeners) fn(args[0].id);
  }

  onNetns(fn: (netns: NetnsId) => void): void {
    this.netnsListeners.push(fn);
    for (const id of this.links.netns.keys()) fn(id);
  }

  nodeOf(netns: NetnsId): string {
    return this.links.netns.get(netns)?.node ?? netns;
  }

  place(netns: NetnsId, more: Place = {}): Place {
    return { node: this.nodeOf(netns), netns, ...more };
  }

  // — NetStack —

  newPacketId(): number {
    return this.nextPacket++;
  }
  /** Identification field of packets that may be fragmented. */
  nextIpId(): number {
    return this.ipIds.below(65536);
  }
  defaultTtl(netns: NetnsId): number {
    return this.sysctls.int(netns, 'net.ipv4.ip_default_ttl') || 64;
  }

  /** MTU of a route's device. */
  mtuOf(route: Route): number {
    return route.oif === undefined ? 1500 : (this.links.dev(route.oif)?.mtu ?? 1500);
  }

  lookupRoute(netns: NetnsId, key: { dst: IpAddr; src?: IpAddr; oif?: DevId; iif?: DevId; mark?: number }): Route {
    return this.routing.lookup(netns, key);
  }
  selectSource(netns: NetnsId, oif: DevId | undefined, dst: IpAddr): IpAddr | undefined {
    return this.routing.selectAddr(netns, oif, dst);
  }
  primaryAddress(dev: DevId): IpAddr | undefined {
    return this.routing.primaryAddress(dev);
  }
  addrType(netns: NetnsId, addr: IpAddr, dev?: DevId): string {
    return this.routing.addrType(netns, addr, dev);
  }

  rerouteOutput(skb: Skb): boolean {
    const { src, dst } = skb.packet.ip;
    const type = this.routing.addrType(skb.netns, src);
    const keep = type === 'LOCAL' || type === 'UNICAST';
    const out = this.routing.output(skb.netns, { dst, ...(keep ? { src, anySource: true } : {}), mark: skb.mark });
    const result = out.ok ? out.route.kind : out.errno;
    this.ctx.trace.emit(
      'route',
      { packet: skb.packet, result, stage: 'reroute', ...this.routeFacts(out.route) },
      this.place(skb.netns),
    );
    if (!out.ok) {
      skb.errno = out.errno;
      return false;
    }
    skb.route = out.route;
    skb.outDev = out.route.oif;
    return true;
  }

  sendIcmpError(skb: Skb, type: number, code: number, opts: { mtu?: number; hook?: Hook } = {}): void {
    this.icmp.sendError(skb, type, code, opts);
  }
  sendTcpReset(skb: Skb, _hook: Hook): void {
    this.icmp.sendReset(skb);
  }
  sendLocal(netns: NetnsId, packet: Packet, origin: Skb['origin'], opts: { mark?: number } = {}): string | undefined {
    return this.sendPacket(netns, packet, origin, { ...opts, anySource: true });
  }

  reinject(skb: Skb, hook: Hook, after: number): void {
    this.ip.reinject(skb, hook, after);
  }

  sysctl(netns: NetnsId, key: string): string | undefined {
    return this.sysctls.get(netns, key);
  }
  declareSysctl(netns: NetnsId, key: string, spec: SysctlSpec): void {
    this.sysctls.declare(netns, key, spec);
  }
  /** Writes a sysctl as `sysctl -w` or an echo into /proc does. */
  setSysctl(netns: NetnsId, key: string, value: string): Result<null, SysctlError> {
    return this.sysctls.set(netns, key, value);
  }
  klog(netns: NetnsId, line: string): void {
    this.kernelLog.write(this.nodeOf(netns), line);
  }
  klogRatelimited(netns: NetnsId, line: string): void {
    this.kernelLog.writeLimited(this.nodeOf(netns), line);
  }
  findSocket(netns: NetnsId, packet: Packet): string | undefined {
    return this.sockets.lookup(netns, packet);
  }

  // — packets in —

  /** A frame appears on a device as if it had come over its wire (lab captures, tests). `id` 0: a fresh packet. */
  injectFrame(dev: DevId, packet: Packet, macs: { dstMac?: Mac; srcMac?: Mac } = {}): Packet {
    const d = this.links.dev(dev) as NetDevice;
    const p = packet.id === 0 ? { ...packet, id: this.newPacketId() } : packet;
    this.receive({
      dev,
      packet: p,
      srcMac: macs.srcMac ?? '02:00:00:00:00:fe',
      dstMac: macs.dstMac ?? (d.master === undefined ? d.mac : (this.links.dev(d.master) as NetDevice).mac),
      lineage: this.flows.foreign(p),
    });
    return p;
  }

  /** A raw socket (IP_HDRINCL) sends a packet. Returns the errno name or undefined. */
  sendRaw(netns: NetnsId, packet: Packet): string | undefined {
    const p = packet.id === 0 ? { ...packet, id: this.newPacketId() } : packet;
    return this.sendPacket(netns, p, { kind: 'socket', sock: 'raw', uid: 0 }, { anySource: true });
  }

  private receive(f: Frame): void {
    const dev = this.links.dev(f.dev);
    if (!dev?.up) return;
    const skb: Skb = {
      packet: f.packet,
      netns: dev.netns,
      inDev: dev.id,
      outDev: undefined,
      srcMac: f.srcMac,
      dstMac: f.dstMac,
      pktType: pktType(dev, f.dstMac),
      mark: f.lo?.mark ?? 0,
      ct: f.lo?.ct,
      route: f.lo?.route,
      origin: undefined,
      traced: f.lo?.traced ?? false,
      span: f.lineage.span,
      lineage: f.lineage,
    };
    this.resume(skb, () => {
      this.received(skb, dev);
      if (dev.master === undefined) this.ip.receive(skb);
      else this.bridges.input(skb, dev);
    });
  }

  /** A device (or the bridge above a port) took the packet in. */
  received(skb: Skb, dev: NetDevice): void {
    this.ctx.trace.emit('dev.rcv', { packet: skb.packet, dev: dev.id }, this.place(dev.netns, { dev: dev.id }));
    this.taps.frame('in', dev, skb.packet, skb.srcMac ?? dev.mac, skb.dstMac ?? dev.mac, skb.lineage);
  }

  /** Runs part of a traversal inside its packet and namespace spans. */
  resume(skb: Skb, body: () => void): void {
    const lineage = skb.lineage;
    const trace = this.ctx.trace;
    const run = (): void => {
      if (!trace.detailed) {
        trace.within(lineage?.span ?? trace.span, body);
        return;
      }
      skb.span = trace.openSpan({
        kind: 'netns',
        label: skb.netns,
        where: this.place(skb.netns),
        ...(lineage === undefined ? {} : { parent: lineage.span }),
      });
      trace.within(skb.span, body);
    };
    if (lineage && lineage.level !== 'full') trace.atLevel(lineage.level, run);
    else run();
  }

  /** ip_local_deliver_finish: sockets, echo, errors for nobody. */
  deliver(skb: Skb): void {
    this.sockets.deliver(skb);
  }

  // — packets out —

  /** Routes a locally made packet and sends it; returns the sender's errno. */
  sendPacket(netns: NetnsId, packet: Packet, origin: Skb['origin'], opts: SendOptions = {}): string | undefined {
    const lineage = opts.lineage ?? this.flows.foreign(packet);
    const skb: Skb = {
      packet,
      netns,
      inDev: undefined,
      outDev: undefined,
      pktType: 'host',
      mark: opts.mark ?? 0,
      ct: opts.ct,
      route: opts.route,
      origin,
      traced: false,
      span: lineage.span,
      lineage,
    };
    let errno: string | undefined;
    this.resume(skb, () => {
      errno = this.routeAndSend(skb, opts);
    });
    return errno;
  }

  private routeAndSend(skb: Skb, opts: SendOptions): string | undefined {
    const where = this.place(skb.netns);
    const by = skb.origin?.kind === 'kernel' ? 'kernel' : 'socket';
    const proc = skb.origin?.kind === 'socket' ? this.sockets.processOf(skb.origin.sock) : undefined;
    this.ctx.trace.emit('pkt.made', { packet: skb.packet, by, ...(proc === undefined ? {} : { proc }) }, where);
    if (!skb.route) {
      const { src, dst } = skb.packet.ip;
      const out = this.routing.output(skb.netns, {
        dst,
        src,
        ...(opts.anySource ? { anySource: true } : {}),
        ...(opts.oif === undefined ? {} : { oif: opts.oif }),
        mark: skb.mark,
      });
      if (!out.ok) {
        this.ctx.trace.emit('route', { packet: skb.packet, result: out.errno, stage: 'output' }, where);
        this.drop(skb, { reason: 'no-route' }, out.errno);
        return out.errno;
      }
      skb.route = out.route;
    }
    this.ctx.trace.emit(
      'route',
      { packet: skb.packet, result: skb.route.kind, stage: 'output', ...this.routeFacts(skb.route) },
      where,
    );
    return this.ip.localOut(skb);
  }

  // — trace helpers —

  routeFacts(r: Route): { oif?: string; via?: string; prefsrc?: string; routeKey?: string } {
    return {
      ...(r.oif === undefined ? {} : { oif: r.oif }),
      ...(r.via === undefined ? {} : { via: r.via }),
      ...(r.prefsrc === undefined ? {} : { prefsrc: r.prefsrc }),
      ...(r.routeKey === undefined ? {} : { routeKey: r.routeKey }),
    };
  }

  /** Tells the end of a packet; `symptom` is what its sender will notice. */
  drop(skb: Skb, cause: DropCause, symptom?: string): void {
    const local = skb.origin?.kind === 'socket' && skb.inDev === undefined;
    const seen =
      symptom ??
      (cause.answered === 'tcp-reset' ? 'refused' : cause.answered === 'icmp' ? 'icmp' : undefined) ??
      (local && cause.hook !== undefined ? (skb.errno ?? 'EPERM') : 'timeout');
    this.ctx.trace.emitAlways('pkt.drop', { packet: skb.packet, cause, symptom: seen }, this.place(skb.netns));
  }
}

/** The network of a simulation: one instance for all machines. */
export const createNet = (ctx: Ctx): Net => new Net(ctx);

function pktType(dev: NetDevice, dstMac: Mac): Skb['pktType'] {
  if (dstMac === 'ff:ff:ff:ff:ff:ff') return 'broadcast';
  if ((Number.parseInt(dstMac.slice(0, 2), 16) & 1) === 1) return 'multicast';
  return dstMac === dev.mac ? 'host' : 'otherhost';
}
