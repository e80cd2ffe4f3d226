import type { Condition, Effect } from '../conditions';

/** Codes of why rules were skipped, from the first condition that failed. */
const SKIPPED: Readonly<Record<string, string>> = {
  src: 'source differs',
  source: 'source differs',
  dst: 'destination differs',
  destination: 'destination differs',
  proto: 'protocol differs',
  protocol: 'protocol differs',
  dport: 'destination port differs',
  sport: 'source port differs',
  in: 'incoming device differs',
  out: 'outgoing device differs',
  mark: 'mark differs',
  ctstate: 'connection state differs',
  conntrack: 'connection state differs',
  addrtype: 'kind of address differs',
  tcp: 'port differs',
  udp: 'port differs',
  multiport: 'port differs',
  set: 'not in the set',
  frag: 'no fragment',
  statistic: 'the draw',
  unsupported: 'uses a match that is not modelled',
  mixed: 'for different reasons',
};
export const skipped = (code: string): string => SKIPPED[code] ?? `condition ${code} did not hold`;

/** What a rule wants, with the packet's own value: the object of "wants". */
export function wants(c: Condition): string {
  const has = c.value === '' ? 'the packet does not fit' : undefined;
  const w = c.wanted;
  switch (c.field) {
    case 'source':
      return `${c.not ? `a source outside ${w}` : w.includes('/') ? `a source in ${w}` : `the source ${w}`}; ${has ?? `the packet has ${c.value}`}`;
    case 'destination':
      return `${c.not ? `a destination outside ${w}` : w.includes('/') ? `a destination in ${w}` : `the destination ${w}`}; ${has ?? `the packet goes to ${c.value}`}`;
    case 'protocol':
      return `${c.not ? `any protocol but ${w}` : w}; ${has ?? `the packet is ${c.value}`}`;
    case 'destinationPort':
      return `${c.not ? 'a destination port other than' : 'destination port'} ${w}; ${has ?? `the packet has ${c.value}`}`;
    case 'sourcePort':
      return `${c.not ? 'a source port other than' : 'source port'} ${w}; ${has ?? `the packet has ${c.value}`}`;
    case 'in':
      return `a packet that ${c.not ? 'did not come' : 'came'} in by ${w}; ${has ?? `this one came by ${c.value}`}`;
    case 'out':
      return `a packet that ${c.not ? 'does not leave' : 'leaves'} by ${w}; ${has ?? `this one leaves by ${c.value}`}`;
    case 'mark':
      return `${c.not ? `a packet without the mark ${w}` : `the mark ${w}`}; ${has ?? `the packet has ${c.value}`}`;
    case 'ctstate':
      return `a connection ${c.not ? 'not ' : ''}in state ${w}; ${has ?? `the packet is ${c.value}`}`;
    case 'addrtype':
      return `an address ${c.not ? 'not ' : ''}of type ${w}; ${has ?? `this one is ${c.value}`}`;
    case 'other':
      return `${w}; ${has ?? `the packet has ${c.value}`}`;
  }
}

/** A condition that held, as a clause: "the destination is 10.96.10.10". */
export function holds(c: Condition): string {
  const v = c.value === '' ? c.wanted : c.value;
  const outside = c.not ? `, outside ${c.wanted}` : '';
  switch (c.field) {
    case 'source':
      return `the source is ${v}${outside}`;
    case 'destination':
      return `the destination is ${v}${outside}`;
    case 'protocol':
      return `the protocol is ${v}`;
    case 'destinationPort':
      return `the destination port is ${v}`;
    case 'sourcePort':
      return `the source port is ${v}`;
    case 'in':
      return `the packet came in by ${v}`;
    case 'out':
      return `the packet leaves by ${v}`;
    case 'mark':
      return c.not ? `the mark ${c.wanted} is not set` : `the mark ${c.wanted} is set`;
    case 'ctstate':
      return `the connection state is ${v}`;
    case 'addrtype':
      return `the address is of type ${v}`;
    case 'other':
      return `${c.wanted} holds`;
  }
}

/** What a rule does, as "every packet {…}". */
export function does(e: Effect): string {
  switch (e.kind) {
    case 'jump':
      return `goes to chain ${e.chain}`;
    case 'dnat':
      return `is sent to ${e.to}`;
    case 'snat':
      return `gets the source ${e.to}`;
    case 'masquerade':
      return "gets the outgoing device's address as its source";
    case 'mark':
      return `gets the mark ${e.mark}`;
    case 'accept':
      return 'is let through';
    case 'drop':
      return 'is dropped';
    case 'reject':
      return 'is rejected';
    case 'return':
      return 'returns to the calling chain';
    case 'none':
      return 'is only counted';
    case 'other':
      return `meets ${e.target}`;
  }
}

export const list = (parts: readonly string[]): string =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts[parts.length - 1]}`;

/** Names of header fields. */
const FIELDS: Readonly<Record<string, string>> = {
  src: 'Source',
  dst: 'Destination',
  sport: 'Source port',
  dport: 'Destination port',
  mark: 'Mark',
  ttl: 'TTL',
  id: 'ICMP id',
};
export const fieldName = (field: string): string => FIELDS[field] ?? field;

/** Why a station was passed by without a walk. */
const NOT_WALKED: Readonly<Record<string, string>> = {
  'not-first': 'nat is decided by the first packet of a connection only',
  known: 'nat is decided by the first packet of a connection only',
  established: 'nat is decided by the first packet of a connection only',
  'no-table': 'no table is registered here',
  related: 'the packet belongs to a known connection',
  untracked: 'the packet is not tracked',
  invalid: 'the packet fits no connection',
  empty: 'the table has no rules here',
};
export const notWalked = (code: string | undefined): string => (code === undefined ? '' : (NOT_WALKED[code] ?? code));

/** What a sender sees, by the code in the event. */
const SYMPTOMS: Readonly<Record<string, string>> = {
  timeout: 'hears nothing and tries again until it times out',
  nothing: 'hears nothing and tries again until it times out',
  refused: 'sees "Connection refused" at once',
  icmp: 'gets an ICMP error at once',
  ECONNREFUSED: 'sees "Connection refused" at once',
  reset: 'sees "Connection reset by peer"',
  ECONNRESET: 'sees "Connection reset by peer"',
  unreachable: 'sees "No route to host"',
  EHOSTUNREACH: 'sees "No route to host"',
  ENETUNREACH: 'sees "Network is unreachable"',
  EPERM: 'sees "Operation not permitted"',
  EACCES: 'sees "Permission denied"',
  EINVAL: 'sees "Invalid argument"',
  EMSGSIZE: 'sees "Message too long"',
  EPROTO: 'sees "Protocol error"',
  ETIMEDOUT: 'sees "Connection timed out"',
  none: 'notices nothing',
};
export const symptom = (code: string): string => SYMPTOMS[code] ?? `sees ${code}`;

/** Why a packet ended. */
const DROPS: Readonly<Record<string, string>> = {
  rule: 'a rule says so',
  policy: 'the policy of the chain says so',
  'conntrack-full': 'the connection table is full',
  'conntrack-insert-failed': 'another entry with the same tuple was confirmed first',
  'nat-no-free-tuple': 'no free port was left for the translation',
  'no-route': 'there is no route to the destination',
  blackhole: 'the route is a blackhole',
  prohibit: 'the route forbids it',
  'ttl-exceeded': 'the packet passed as many routers as its TTL allowed',
  'forwarding-disabled': 'net.ipv4.ip_forward is 0',
  'martian-source': 'the source is impossible on this device',
  'martian-destination': 'the destination is impossible on this device',
  'rp-filter': 'a reply to the source would leave by another device',
  'no-listener': 'no socket listens on the port',
  'bad-segment': 'the segment fits no state of the socket',
  'no-neighbour': 'nobody on the link answered for the next hop',
  'link-down': 'the link is down',
  'mtu-exceeded': 'the packet is longer than the MTU and may not be cut',
  'not-for-us': 'the frame is for another machine',
  'bridge-same-port': 'it would leave by the bridge port it came in by',
  ipvs: 'IPVS has no server for it',
  'no-memory': 'the queue is full',
};
export const dropWhy = (code: string): string => DROPS[code] ?? code;
