import type { Packet } from './types';
import { TCP } from './types';

const FLAG_NAMES = [
  ['SYN', TCP.SYN],
  ['FIN', TCP.FIN],
  ['RST', TCP.RST],
  ['PSH', TCP.PSH],
  ['ACK', TCP.ACK],
  ['URG', TCP.URG],
] as const;

/** `SYN`, `SYN/ACK`, `PSH/ACK` ... */
export function flagNames(flags: number): string {
  const on = FLAG_NAMES.filter(([, bit]) => (flags & bit) !== 0).map(([name]) => name);
  return on.length === 0 ? 'none' : on.join('/');
}

/** Names of ICMP messages as iptables spells them (libip(6)t_icmp). */
const ICMP_NAMES: Readonly<Record<string, string>> = {
  '0': 'echo-reply',
  '8': 'echo-request',
  '3/0': 'network-unreachable',
  '3/1': 'host-unreachable',
  '3/2': 'protocol-unreachable',
  '3/3': 'port-unreachable',
  '3/4': 'fragmentation-needed',
  '3/9': 'network-prohibited',
  '3/10': 'host-prohibited',
  '3/13': 'communication-prohibited',
  '5/0': 'network-redirect',
  '5/1': 'host-redirect',
  '11/0': 'ttl-zero-during-transit',
};

export function icmpName(type: number, code: number): string {
  return ICMP_NAMES[`${type}/${code}`] ?? ICMP_NAMES[String(type)] ?? `icmp ${type}/${code}`;
}

/** Short name of a packet for spans: flags of a TCP segment, UDP, the ICMP message's name. */
export function packetLabel(p: Packet): string {
  switch (p.l4.kind) {
    case 'tcp':
      return flagNames(p.l4.flags);
    case 'udp':
      return 'UDP';
    case 'icmp':
      return icmpName(p.l4.type, p.l4.code);
    case 'other':
      return `proto ${p.ip.proto}`;
  }
}
