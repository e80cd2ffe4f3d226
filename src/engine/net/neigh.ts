import type { IpAddr } from '../base/ip';
import type { Ctx } from '../trace/context';
import type { Links } from './links';
import type { DevId, Mac, NetDevice } from './types';

/** mcast_solicit 3 probes, retrans_time 1 s each (net/core/neighbour.c). */
const FAIL_AFTER_US = 3_000_000;
/** base_reachable_time: 30 s. */
const REACHABLE_US = 30_000_000;
/** delay_first_probe_time: 5 s. */
const DELAY_US = 5_000_000;
/** Packets that wait for one address at most. */
const QUEUE_MAX = 101;

interface Waiting {
  readonly send: (mac: Mac) => void;
  readonly fail: () => void;
}

/**
 * Neighbour tables. An address on the same link resolves at once (the ARP exchange itself is not modelled as packets);
 * one that nobody owns stays INCOMPLETE for 3 s, then FAILED, and the waiting packets fail (arp_error_report).
 */
export class Neighbours {
  private readonly waiting = new Map<string, Waiting[]>();

  constructor(
    private readonly ctx: Ctx,
    private readonly links: Links,
  ) {
    ctx.sim.on<{ dev: string; ip: string }>('net.neigh.fail', ({ dev, ip }) => this.expire(dev, ip));
  }

  resolve(dev: NetDevice, ip: IpAddr, send: (mac: Mac) => void, fail: () => void): void {
    const key = `${dev.id}|${ip}`;
    const n = this.links.neighs.get(key);
    if (n?.state === 'PERMANENT') {
      if (n.mac === undefined) fail();
      else send(n.mac);
      return;
    }
    // A confirmed address stays in use until it must be confirmed again; until then frames may be lost on the link.
    if (n?.mac !== undefined && this.confirmed(dev.id, ip)) {
      send(n.mac);
      return;
    }
    const owner = this.owner(dev, ip);
    if (owner !== undefined) {
      // A stale address is used on; it is asked for again when it was in use for 5 s (NUD_DELAY, NUD_PROBE).
      const age = this.ctx.sim.now - (n?.updatedAtUs ?? 0);
      const known = n?.mac === owner && n.state !== 'FAILED';
      if (!known || (n.state === 'DELAY' && age >= DELAY_US)) this.links.setNeigh(dev.id, ip, owner, 'REACHABLE');
      else if (n.state !== 'DELAY') this.links.setNeigh(dev.id, ip, owner, 'DELAY');
      send(owner);
      return;
    }
    const queue = this.waiting.get(key) ?? [];
    if (queue.length === 0) {
      this.links.setNeigh(dev.id, ip, undefined, 'INCOMPLETE');
      this.ctx.sim.after(FAIL_AFTER_US, 'net.neigh.fail', { dev: dev.id, ip });
    }
    this.waiting.set(key, [...queue.slice(-QUEUE_MAX + 1), { send, fail }]);
  }

  /** NUD_CONNECTED: known and confirmed not long ago, so that frames need no neighbour code. */
  confirmed(dev: DevId, ip: IpAddr): boolean {
    const n = this.links.neighs.get(`${dev}|${ip}`);
    if (n?.mac === undefined) return false;
    return n.state === 'PERMANENT' || (n.state === 'REACHABLE' && this.ctx.sim.now - n.updatedAtUs < REACHABLE_US);
  }

  private expire(dev: DevId, ip: IpAddr): void {
    const key = `${dev}|${ip}`;
    const queue = this.waiting.get(key) ?? [];
    this.waiting.delete(key);
    const d = this.links.dev(dev);
    if (!d) return;
    const n = this.links.neighs.get(key);
    const mac = n?.state === 'PERMANENT' ? n.mac : this.owner(d, ip);
    if (mac !== undefined && n?.state !== 'PERMANENT') this.links.setNeigh(dev, ip, mac, 'REACHABLE');
    if (mac === undefined) this.links.setNeigh(dev, ip, undefined, 'FAILED');
    for (const w of queue) {
      if (mac === undefined) w.fail();
      else w.send(mac);
    }
  }

  /** Who answers a broadcast ARP request for `ip` sent out of `dev`. */
  private owner(dev: NetDevice, ip: IpAddr): Mac | undefined {
    for (const id of this.links.devs.by('ip', ip)) {
      const target = this.links.dev(id) as NetDevice;
      if (this.answers(dev, target)) return target.mac;
    }
    // arp_ignore 0: a machine answers for any of its addresses on whichever device the request came in by.
    for (const far of this.farEnds(dev)) {
      const own = this.links.devs.by('ip', ip).some((k) => this.links.dev(k)?.netns === far.netns);
      if (own && far.netns !== dev.netns) return far.mac;
    }
    return undefined;
  }

  private answers(dev: NetDevice, target: NetDevice): boolean {
    return target.netns !== dev.netns && target.up && this.farEnds(dev).some((f) => f.id === target.id);
  }

  /** Layer-3 devices that a broadcast out of `dev` reaches: across veths, switches and bridges. */
  private farEnds(start: NetDevice): readonly NetDevice[] {
    const out: NetDevice[] = [];
    const seen = new Set<DevId>([start.id]);
    const leave = (d: NetDevice): void => {
      // The frame goes out of d: what is at the other end receives it.
      if (!d.up) return;
      if (d.kind === 'bridge') flood(d, undefined);
      else if (d.kind === 'veth' && d.peer !== undefined) enter(this.links.dev(d.peer));
      else if (d.kind === 'eth' && d.peer !== undefined) {
        for (const id of this.links.devs.by('peer', d.peer)) enter(this.links.dev(id));
      }
    };
    const enter = (d: NetDevice | undefined): void => {
      if (!d?.up || seen.has(d.id)) return;
      seen.add(d.id);
      const bridge = d.master === undefined ? undefined : this.links.dev(d.master);
      if (!bridge) out.push(d);
      else if (bridge.up) {
        if (!seen.has(bridge.id)) out.push(bridge);
        seen.add(bridge.id);
        flood(bridge, d.id);
      }
    };
    const flood = (bridge: NetDevice, except: DevId | undefined): void => {
      for (const id of this.links.devs.by('master', bridge.id)) {
        const port = this.links.dev(id) as NetDevice;
        if (id === except || seen.has(id)) continue;
        seen.add(id);
        leave(port);
      }
    };
    leave(start);
    return out;
  }
}
