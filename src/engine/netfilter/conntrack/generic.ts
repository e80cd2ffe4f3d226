import { type CtProtocol, TRACKED } from './protocol';
import { timeoutUs } from './timeouts';

/** Protocols without a tracker of their own (nf_conntrack_proto_generic.c); SCTP packets carry no chunks here. */
export const generic: CtProtocol = {
  name: 'unknown',
  proto: -1,
  allowClash: false,
  packet(d, _packet, _dir, ctx) {
    ctx.refresh(timeoutUs(ctx.net, d.netns, 'nf_conntrack_generic_timeout'));
    return TRACKED;
  },
};
