import { IPPROTO } from '../../net/types';
import { type CtProtocol, TRACKED } from './protocol';
import { timeoutUs } from './timeouts';
import { IPCT, IPS } from './types';

/** nf_conntrack_proto_udp.c: a flow with answers is a stream once a packet comes two seconds after the first. */
export const udp: CtProtocol = {
  name: 'udp',
  proto: IPPROTO.udp,
  allowClash: true,
  packet(d, _packet, _dir, ctx) {
    if (!ctx.confirmed) d.streamAtUs = ctx.nowUs + 2_000_000;
    const unreplied = timeoutUs(ctx.net, d.netns, 'nf_conntrack_udp_timeout');
    if ((d.status & IPS.SEEN_REPLY) === 0) {
      ctx.refresh(unreplied);
      return TRACKED;
    }
    const stream = ctx.nowUs > (d.streamAtUs ?? 0);
    ctx.refresh(stream ? timeoutUs(ctx.net, d.netns, 'nf_conntrack_udp_timeout_stream') : unreplied);
    if (stream && (d.status & (IPS.NAT_CLASH | IPS.ASSURED)) === 0) {
      d.status |= IPS.ASSURED;
      ctx.event(IPCT.ASSURED);
    }
    return TRACKED;
  },
};
