import type { Ctx } from '../../trace/context';
import type { Net } from '../net';
import type { NetnsId, Packet, Skb } from '../types';

/** Sockets of all namespaces. */
export class Sockets {
  constructor(
    _ctx: Ctx,
    private readonly net: Net,
  ) {}

  lookup(_netns: NetnsId, _packet: Packet): string | undefined {
    return undefined;
  }

  processOf(_sock: string): string | undefined {
    return undefined;
  }

  deliver(skb: Skb): void {
    const l4 = skb.packet.l4;
    if (l4.kind === 'tcp') {
      this.net.drop(skb, { reason: 'no-listener', answered: 'tcp-reset' });
      this.net.icmp.tcpReset(skb);
    } else if (l4.kind === 'udp') {
      this.net.drop(skb, { reason: 'no-listener', answered: 'icmp' });
      this.net.icmp.sendError(skb, 3, 3, {});
    } else if (l4.kind === 'icmp') {
      if (l4.type === 8) this.net.icmp.echo(skb);
    } else {
      this.net.drop(skb, { reason: 'no-listener', answered: 'icmp' });
      this.net.icmp.sendError(skb, 3, 2, {});
    }
  }
}
