import { generic } from './generic';
import { icmp, icmpv6 } from './icmp';
import type { CtProtocol } from './protocol';
import { tcp } from './tcp';
import { udp } from './udp';

/** Trackers by IP protocol; everything else is `generic`. */
export const PROTOCOLS: readonly CtProtocol[] = [tcp, udp, icmp, icmpv6];

export const protocolOf = (proto: number): CtProtocol => PROTOCOLS.find((p) => p.proto === proto) ?? generic;
