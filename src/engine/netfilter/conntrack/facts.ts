import { IPPROTO } from '../../net/types';
import type { CtFacts, TupleFacts } from '../../trace/kinds';
import { protocolOf } from './protocols';
import { type CtEntry, type CtTuple, IPS, stateName } from './types';

const NAMES: readonly (readonly [keyof typeof IPS, number])[] = [
  ['SEEN_REPLY', IPS.SEEN_REPLY],
  ['ASSURED', IPS.ASSURED],
  ['CONFIRMED', IPS.CONFIRMED],
  ['SRC_NAT', IPS.SRC_NAT],
  ['DST_NAT', IPS.DST_NAT],
];

export function tupleFacts(t: CtTuple, proto: number): TupleFacts {
  const base = { proto: protocolName(proto), src: t.src, dst: t.dst };
  if (proto === IPPROTO.icmp || proto === IPPROTO.icmpv6) {
    return { ...base, icmpType: t.dport >> 8, icmpCode: t.dport & 255, icmpId: t.sport };
  }
  return t.sport === 0 && t.dport === 0 ? base : { ...base, sport: t.sport, dport: t.dport };
}

const protocolName = (proto: number): string => {
  const p = protocolOf(proto);
  return p.proto < 0 ? String(proto) : p.name;
};

/** Names of the status bits that people read. */
export const statusNames = (status: number): string[] =>
  NAMES.filter(([, bit]) => (status & bit) !== 0).map(([name]) => name);

export function ctFacts(e: CtEntry): CtFacts {
  const state = stateName(e);
  return {
    id: e.id,
    orig: tupleFacts(e.orig, e.proto),
    reply: tupleFacts(e.reply, e.proto),
    ...(state === undefined ? {} : { state }),
    status: statusNames(e.status),
  };
}
