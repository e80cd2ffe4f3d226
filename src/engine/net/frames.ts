import type { Json } from '../base/json';
import type { Ctx } from '../trace/context';
import type { Links } from './links';
import type { Neighbours } from './neigh';
import { devName } from './records';
import type { Taps } from './taps';
import type { DevId, Lineage, Mac, NetDevice, Packet, Route, Skb, SkbCt } from './types';

/** A frame on its way to a device; the payload of an `net.rx` timer. */
export interface Frame {
  readonly dev: DevId;
  readonly packet: Packet;
  readonly srcMac: Mac;
  readonly dstMac: Mac;
  readonly lineage: Lineage;
  /** Over `lo` the skb itself comes back: tracking entry, mark, trace mark and route survive. */
  readonly lo?: { readonly ct?: SkbCt; readonly mark: number; readonly traced: boolean; readonly route?: Route };
}

/** Time from transmit to receive by kind of link, us. */
const DELAY_US = { lo: 2, veth: 5, wire: 40 } as const;
export const BROADCAST_MAC = 'ff:ff:ff:ff:ff:ff';
const BROADCAST = BROADCAST_MAC;

/** Devices: transmit, wires and switches, receive timers. */
export class Frames {
  constructor(
    private readonly ctx: Ctx,
    private readonly links: Links,
    private readonly neighbours: Neighbours,
    private readonly taps: Taps,
    private readonly nodeOf: (netns: string) => string,
    receive: (f: Frame) => void,
    private readonly bridgeXmit: (skb: Skb, bridge: NetDevice, dstMac: Mac, srcMac: Mac) => void,
  ) {
    ctx.sim.on<Json>('net.rx', (payload) => receive(payload as unknown as Frame));
  }

  /** Puts a frame on a device's receive path in `delayUs`. */
  arrive(f: Frame, delayUs: number): void {
    this.ctx.sim.after(delayUs, 'net.rx', f as unknown as Json);
  }

  /**
   * Neighbour output: resolves the next hop and transmits. Waiting packets are kept by the neighbour table; `unreachable`
   * runs if resolution fails.
   */
  output(skb: Skb, dev: NetDevice, unreachable: () => void): void {
    if (dev.kind === 'lo') {
      this.loopback(skb, dev);
      return;
    }
    const dst = skb.packet.ip.dst;
    if (skb.route?.kind === 'broadcast') {
      this.transmit(skb, dev, BROADCAST);
      return;
    }
    if (skb.route?.kind === 'multicast') {
      this.transmit(skb, dev, multicastMac(dst));
      return;
    }
    const next = skb.route?.via ?? dst;
    this.neighbours.resolve(dev, next, (mac) => this.transmit(skb, dev, mac), unreachable);
  }

  private loopback(skb: Skb, dev: NetDevice): void {
    this.note(skb, dev, dev.id, undefined);
    this.arrive(
      {
        dev: dev.id,
        packet: skb.packet,
        srcMac: dev.mac,
        dstMac: dev.mac,
        lineage: skb.lineage as Lineage,
        lo: {
          ...(skb.ct === undefined ? {} : { ct: skb.ct }),
          mark: skb.mark,
          traced: skb.traced,
          ...(skb.route === undefined ? {} : { route: skb.route }),
        },
      },
      DELAY_US.lo,
    );
  }

  private note(skb: Skb, dev: NetDevice, to: string, dstMac: Mac | undefined): void {
    this.ctx.trace.emit(
      'dev.xmit',
      { packet: skb.packet, dev: dev.id, to, ...(dstMac === undefined ? {} : { dstMac }) },
      { node: this.nodeOf(dev.netns), netns: dev.netns, dev: dev.id },
    );
    this.taps.frame('out', dev, skb.packet, skb.srcMac ?? dev.mac, dstMac ?? dev.mac, skb.lineage);
  }

  /** dev_queue_xmit: out of `dev` with the given addresses. */
  transmit(skb: Skb, dev: NetDevice, dstMac: Mac, srcMac: Mac = dev.mac): void {
    skb.outDev = dev.id;
    skb.srcMac = srcMac;
    skb.dstMac = dstMac;
    if (!dev.up) {
      this.lost(skb, dev);
      return;
    }
    if (dev.kind === 'bridge') {
      this.note(skb, dev, devName(dev.id), dstMac);
      this.bridgeXmit(skb, dev, dstMac, srcMac);
      return;
    }
    const lineage = skb.lineage as Lineage;
    const base = { packet: skb.packet, srcMac, dstMac, lineage };
    if (dev.kind === 'veth') {
      const peer = dev.peer === undefined ? undefined : this.links.dev(dev.peer);
      if (!peer?.up) {
        this.lost(skb, dev);
        return;
      }
      this.note(skb, dev, peer.id, dstMac);
      this.arrive({ dev: peer.id, ...base }, DELAY_US.veth);
      return;
    }
    this.note(skb, dev, dev.peer ?? '', dstMac);
    if (dev.kind === 'dummy' || dev.peer === undefined) return;
    // A switch: the frame reaches the port with that address, or all others when it is for all.
    const all = dstMac === BROADCAST || dstMac.startsWith('01:00:5e');
    for (const id of this.links.devs.by('peer', dev.peer)) {
      const d = this.links.dev(id) as NetDevice;
      if (id !== dev.id && d.kind === 'eth' && (all || d.mac === dstMac))
        this.arrive({ dev: id, ...base }, DELAY_US.wire);
    }
  }

  private lost(skb: Skb, dev: NetDevice): void {
    this.ctx.trace.emitAlways(
      'pkt.drop',
      { packet: skb.packet, cause: { reason: 'link-down' }, symptom: 'timeout' },
      { node: this.nodeOf(dev.netns), netns: dev.netns, dev: dev.id },
    );
  }
}

function multicastMac(dst: string): Mac {
  const p = dst.split('.').map(Number);
  const hex = (n: number): string => n.toString(16).padStart(2, '0');
  return `01:00:5e:${hex((p[1] ?? 0) & 127)}:${hex(p[2] ?? 0)}:${hex(p[3] ?? 0)}`;
}
