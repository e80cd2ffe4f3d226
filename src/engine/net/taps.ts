import type { DevId, Lineage, Mac, NetDevice, NetnsId, Packet } from './types';

/** One frame as a packet socket sees it. */
export interface Captured {
  readonly dir: 'in' | 'out';
  readonly dev: DevId;
  readonly packet: Packet;
  readonly srcMac: Mac;
  readonly dstMac: Mac;
  readonly lineage?: Lineage;
}

/** What a capture listens on: one device, all devices of a namespace, or everything. */
export type TapPlace = { readonly dev: DevId } | { readonly netns: NetnsId } | 'all';

/** Packet sockets (AF_PACKET): tcpdump and lab captures. They only watch. */
export class Taps {
  private readonly list = new Map<number, { place: TapPlace; fn: (c: Captured) => void }>();
  private nextId = 1;

  add(place: TapPlace, fn: (c: Captured) => void): number {
    const id = this.nextId++;
    this.list.set(id, { place, fn });
    return id;
  }

  /** Whether somebody listens on this very device, which so takes every frame (IFF_PROMISC). */
  promiscuous(dev: DevId): boolean {
    for (const { place } of this.list.values()) if (place !== 'all' && 'dev' in place && place.dev === dev) return true;
    return false;
  }

  remove(id: number): void {
    this.list.delete(id);
  }

  frame(
    dir: 'in' | 'out',
    dev: NetDevice,
    packet: Packet,
    srcMac: Mac,
    dstMac: Mac,
    lineage: Lineage | undefined,
  ): void {
    if (this.list.size === 0) return;
    const c: Captured = { dir, dev: dev.id, packet, srcMac, dstMac, ...(lineage === undefined ? {} : { lineage }) };
    for (const { place, fn } of this.list.values()) {
      if (place === 'all' || ('dev' in place ? place.dev === dev.id : place.netns === dev.netns)) fn(c);
    }
  }
}
