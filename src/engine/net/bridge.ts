import type { Ctx } from '../trace/context';
import { BROADCAST_MAC } from './frames';
import type { Net } from './net';
import type { DevId, Mac, NetDevice, Skb } from './types';

const isGroup = (mac: Mac): boolean => (Number.parseInt(mac.slice(0, 2), 16) & 1) === 1;

/** Linux bridge with br_netfilter (net/bridge/br_input.c, br_forward.c, br_netfilter_hooks.c). */
export class Bridges {
  constructor(
    private readonly ctx: Ctx,
    private readonly net: Net,
  ) {}

  private callsIptables(skb: Skb): boolean {
    const key = skb.packet.ip.family === 4 ? 'iptables' : 'ip6tables';
    return this.net.sysctls.int(skb.netns, `net.bridge.bridge-nf-call-${key}`) !== 0;
  }

  private learn(bridge: DevId, mac: Mac, port: DevId): void {
    if (isGroup(mac)) return;
    const key = `${bridge}|${mac}`;
    const fdb = this.net.links.fdb;
    if (fdb.get(key)?.port !== port) fdb.set(key, { bridge, mac, port });
  }

  /** br_handle_frame: a frame came in by a port. */
  input(skb: Skb, port: NetDevice): void {
    const bridge = this.net.links.dev(port.master as DevId);
    if (!bridge?.up) return;
    skb.physIn = port.id;
    // br_handle_frame: a frame for the bridge's own address is for this host, whatever the port's address is.
    if (skb.dstMac === bridge.mac) skb.pktType = 'host';
    if (!this.callsIptables(skb)) {
      this.frameFinish(skb, bridge, port);
      return;
    }
    // br_nf_pre_routing: the IP hooks see the bridge as input device.
    skb.inDev = bridge.id;
    skb.bridged = true;
    const before = skb.packet.ip.dst;
    if (!this.net.ip.hook(skb, 'prerouting')) return;
    if (skb.packet.ip.dst === before) {
      this.frameFinish(skb, bridge, port);
      return;
    }
    this.dnated(skb, bridge, port);
  }

  /** br_nf_pre_routing_finish for a packet whose destination address changed. */
  private dnated(skb: Skb, bridge: NetDevice, port: NetDevice): void {
    const where = this.net.place(skb.netns);
    const d = this.net.routing.input(skb.netns, skb.packet, bridge.id);
    if (d.kind === 'drop' || d.kind === 'error') {
      // Also without forwarding: the route that says so counts as one, and ip_error then drops without a word.
      this.net.drop(skb, { reason: d.reason, hook: 'prerouting' });
      return;
    }
    this.ctx.trace.emit(
      'route',
      { packet: skb.packet, result: d.route.kind, stage: 'input', ...this.net.routeFacts(d.route) },
      where,
    );
    if (d.kind === 'forward' && d.route.oif === bridge.id) {
      this.bridgedDnat(skb, bridge, port);
      return;
    }
    skb.route = d.route;
    skb.routed = d;
    skb.dstMac = bridge.mac;
    skb.pktType = 'host';
    this.frameFinish(skb, bridge, port);
  }

  /** The new destination is on the same bridge: the frame gets its address and is bridged on, without routing or TTL. */
  private bridgedDnat(skb: Skb, bridge: NetDevice, port: NetDevice): void {
    const dst = skb.packet.ip.dst;
    // br_nf_pre_routing_finish_bridge: without a confirmed address the frame goes out of the bridge device itself.
    const direct = this.net.neighbours.confirmed(bridge.id, dst);
    const fail = (): void => this.net.drop(skb, { reason: 'no-neighbour' });
    this.net.neighbours.resolve(
      bridge,
      dst,
      (mac) => {
        skb.dstMac = mac;
        if (!direct) this.net.taps.frame('out', bridge, skb.packet, skb.srcMac ?? bridge.mac, mac, skb.lineage);
        this.frameFinish(skb, bridge, port);
      },
      fail,
    );
  }

  /** br_handle_frame_finish: learn, then up, forward or flood. */
  private frameFinish(skb: Skb, bridge: NetDevice, port: NetDevice): void {
    const dst = skb.dstMac ?? BROADCAST_MAC;
    this.learn(bridge.id, skb.srcMac ?? bridge.mac, port.id);
    if (dst === bridge.mac) {
      this.passUp(skb, bridge);
      return;
    }
    if (isGroup(dst)) {
      this.flood(skb, bridge, port.id);
      this.passUp(skb, bridge);
      return;
    }
    // A bridge that somebody listens on takes a copy of what it forwards.
    if (this.net.taps.promiscuous(bridge.id)) {
      this.net.taps.frame('in', bridge, skb.packet, skb.srcMac ?? bridge.mac, dst, skb.lineage);
    }
    const out = this.net.links.fdb.get(`${bridge.id}|${dst}`)?.port ?? this.portOfMac(bridge, dst);
    if (out === undefined) this.flood(skb, bridge, port.id);
    else this.forward(skb, bridge, port.id, out);
  }

  /** A port that leads to `mac` although the bridge has learnt nothing yet (static entries of directly attached peers). */
  private portOfMac(bridge: NetDevice, mac: Mac): DevId | undefined {
    return this.net.links.devs.by('master', bridge.id).find((id) => {
      const peer = this.net.links.dev(id)?.peer;
      return peer !== undefined && this.net.links.dev(peer)?.mac === mac;
    });
  }

  private flood(skb: Skb, bridge: NetDevice, from: DevId | undefined): void {
    for (const id of this.net.links.devs.by('master', bridge.id)) {
      if (id !== from) this.forward({ ...skb }, bridge, from, id);
    }
  }

  /** br_forward: should_deliver, FORWARD hooks, POSTROUTING hooks, transmit. */
  private forward(skb: Skb, bridge: NetDevice, from: DevId | undefined, to: DevId): void {
    const port = this.net.links.dev(to);
    if (!port?.up) {
      this.net.drop(skb, { reason: 'link-down' });
      return;
    }
    if (from === to && !port.hairpin) {
      this.net.drop(skb, { reason: 'bridge-same-port' });
      return;
    }
    skb.physOut = to;
    if (skb.bridged) {
      skb.outDev = bridge.id;
      if (!this.net.ip.hook(skb, 'forward') || !this.net.ip.hook(skb, 'postrouting')) return;
    }
    if (from !== undefined) {
      this.ctx.trace.emit(
        'bridge.forward',
        { packet: skb.packet, bridge: bridge.id, in: from, out: to },
        this.net.place(skb.netns, { dev: bridge.id }),
      );
    }
    this.net.frames.transmit(skb, port, skb.dstMac ?? BROADCAST_MAC, skb.srcMac);
  }

  /** br_pass_frame_up: the frame is for the bridge's own machine. */
  private passUp(skb: Skb, bridge: NetDevice): void {
    skb.inDev = bridge.id;
    this.net.received(skb, bridge);
    this.net.ip.receive(skb);
  }

  /** br_dev_xmit: the machine itself sends out of the bridge device. */
  xmit(skb: Skb, bridge: NetDevice, dstMac: Mac, srcMac: Mac): void {
    skb.dstMac = dstMac;
    skb.srcMac = srcMac;
    // The IP hooks have run; what leaves by a port is no bridged packet.
    skb.bridged = false;
    if (isGroup(dstMac)) {
      this.flood(skb, bridge, undefined);
      return;
    }
    const port = this.net.links.fdb.get(`${bridge.id}|${dstMac}`)?.port ?? this.portOfMac(bridge, dstMac);
    if (port === undefined) this.flood(skb, bridge, undefined);
    else this.forward(skb, bridge, undefined, port);
  }
}
