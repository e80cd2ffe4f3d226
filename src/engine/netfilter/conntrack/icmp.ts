import { IPPROTO } from '../../net/types';
import { type CtProtocol, invalid, TRACKED } from './protocol';
import { timeoutUs } from './timeouts';

/** Types that may begin a flow: echo, timestamp, information and address mask requests (nf_conntrack_proto_icmp.c). */
const REQUESTS = [8, 13, 15, 17];
const REQUESTS6 = [128, 139];

export const icmp: CtProtocol = {
  name: 'icmp',
  proto: IPPROTO.icmp,
  allowClash: false,
  packet(d, _packet, _dir, ctx) {
    if (!REQUESTS.includes(d.orig.dport >> 8)) return invalid('icmp: can not create a flow with this type');
    ctx.refresh(timeoutUs(ctx.net, d.netns, 'nf_conntrack_icmp_timeout'));
    return TRACKED;
  },
};

export const icmpv6: CtProtocol = {
  name: 'icmpv6',
  proto: IPPROTO.icmpv6,
  allowClash: false,
  packet(d, _packet, _dir, ctx) {
    if (!REQUESTS6.includes(d.orig.dport >> 8)) return invalid('icmpv6: can not create a flow with this type');
    ctx.refresh(timeoutUs(ctx.net, d.netns, 'nf_conntrack_icmpv6_timeout'));
    return TRACKED;
  },
};
