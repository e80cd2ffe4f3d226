import type { Ctx } from '../trace/context';
import type { Net } from './net';
import type { InputDecision } from './routing';
import { type Hook, type NetDevice, packetLen, type Skb } from './types';

/** IPv4 receive, forward and output paths (net/ipv4/ip_input.c, ip_forward.c, ip_output.c). */
export class IpPath {
  constructor(
    private readonly ctx: Ctx,
    private readonly net: Net,
  ) {}

  /** Runs a hook inside its span. False: the packet ended there (the drop is told). */
  hook(skb: Skb, hook: Hook): boolean {
    const net = this.net;
    if (net.hooks.list(skb.netns, skb.packet.ip.family, hook).length === 0) return true;
    const run = (): boolean => {
      const v = net.hooks.run(skb, hook);
      if (v.kind === 'drop') net.drop(skb, { hook, ...v.cause });
      return v.kind === 'accept';
    };
    if (!this.ctx.trace.detailed) return run();
    return this.ctx.trace.inSpan({ kind: 'hook', label: hook, where: net.place(skb.netns, { hook }) }, run);
  }

  /** ip_rcv. */
  receive(skb: Skb): void {
    if (skb.pktType === 'otherhost') {
      this.net.drop(skb, { reason: 'not-for-us' });
      return;
    }
    // ip_sabotage_in: a bridged packet has been through PREROUTING already.
    if (skb.bridged) skb.bridged = false;
    else if (!this.hook(skb, 'prerouting')) return;
    this.routeInput(skb);
  }

  /** ip_rcv_finish. */
  private routeInput(skb: Skb): void {
    // Over lo the route of the sender stays; a bridged DNAT has decided already.
    if (skb.route && skb.routed === undefined) {
      this.localIn(skb);
      return;
    }
    const d: InputDecision = skb.routed ?? this.net.routing.input(skb.netns, skb.packet, skb.inDev as string);
    if (skb.routed === undefined) this.tellRoute(skb, d);
    skb.routed = undefined;
    if (d.kind === 'drop') {
      this.net.drop(skb, { reason: d.reason });
      return;
    }
    skb.route = d.route;
    if (d.kind === 'error') {
      this.net.icmp.sendError(skb, 3, d.code, {});
      this.net.drop(skb, { reason: d.reason, answered: 'icmp' });
      return;
    }
    if (d.kind === 'local') this.localIn(skb);
    else this.forward(skb, d.redirect);
  }

  private tellRoute(skb: Skb, d: InputDecision): void {
    const facts =
      d.kind === 'drop'
        ? { packet: skb.packet, result: d.reason, stage: 'input' as const }
        : {
            packet: skb.packet,
            result: d.route.errno ?? d.route.kind,
            stage: 'input' as const,
            ...this.net.routeFacts(d.route),
          };
    this.ctx.trace.emit('route', facts, this.net.place(skb.netns));
  }

  /** ip_local_deliver. */
  private localIn(skb: Skb): void {
    if (!this.hook(skb, 'input')) return;
    this.net.deliver(skb);
  }

  /** ip_forward. */
  private forward(skb: Skb, redirect: boolean): void {
    if (skb.pktType !== 'host') {
      this.net.drop(skb, { reason: 'not-for-us' });
      return;
    }
    const p = skb.packet;
    if (p.ip.ttl <= 1) {
      this.net.icmp.sendError(skb, 11, 0, {});
      this.net.drop(skb, { reason: 'ttl-exceeded', answered: 'icmp' });
      return;
    }
    const out = this.net.links.dev(skb.route?.oif ?? '');
    if (!out) {
      this.net.drop(skb, { reason: 'link-down' });
      return;
    }
    if (packetLen(p) > out.mtu && p.ip.df) {
      this.net.icmp.sendError(skb, 3, 4, { mtu: out.mtu });
      this.net.drop(skb, { reason: 'mtu-exceeded', answered: 'icmp' });
      return;
    }
    if (redirect) this.net.icmp.sendRedirect(skb);
    skb.packet = { ...p, ip: { ...p.ip, ttl: p.ip.ttl - 1 } };
    skb.outDev = out.id;
    if (!this.hook(skb, 'forward')) return;
    this.post(skb, out);
  }

  /** ip_output: POSTROUTING and the neighbour. Returns a local sender's errno. */
  private post(skb: Skb, out: NetDevice): string | undefined {
    skb.outDev = out.id;
    if (!this.hook(skb, 'postrouting')) return skb.errno ?? 'EPERM';
    this.net.frames.output(skb, out, () => this.unreachable(skb));
    return undefined;
  }

  /** nf_reinject: a packet that a queue held goes on after the functions of `hook` up to priority `after`. */
  reinject(skb: Skb, hook: Hook, after: number): void {
    this.net.resume(skb, () => {
      const v = this.net.hooks.run(skb, hook, after + 1);
      if (v.kind === 'drop') this.net.drop(skb, { hook, ...v.cause });
      if (v.kind !== 'accept') return;
      const out = this.net.links.dev(skb.route?.oif ?? '');
      if (hook === 'prerouting') this.routeInput(skb);
      else if (hook === 'input') this.net.deliver(skb);
      else if (!out) this.net.drop(skb, { reason: 'link-down' });
      else if (hook === 'postrouting') this.net.frames.output(skb, out, () => this.unreachable(skb));
      else this.post(skb, out);
    });
  }

  /** ipv4_link_failure: the neighbour did not answer. */
  private unreachable(skb: Skb): void {
    this.net.resume(skb, () => {
      this.net.icmp.sendError(skb, 3, 1, {});
      this.net.drop(skb, { reason: 'no-neighbour', answered: 'icmp' });
    });
  }

  /** ip_local_out with `skb.route` set: OUTPUT, then POSTROUTING. Returns the sender's errno. */
  localOut(skb: Skb): string | undefined {
    const oif = skb.route?.oif;
    skb.outDev = oif;
    if (!this.hook(skb, 'output')) return skb.errno ?? 'EPERM';
    // OUTPUT may have chosen another route.
    const out = this.net.links.dev(skb.route?.oif ?? '');
    if (!out) return 'ENETUNREACH';
    if (packetLen(skb.packet) > out.mtu && skb.packet.ip.df && out.kind !== 'lo') return 'EMSGSIZE';
    return this.post(skb, out);
  }
}
