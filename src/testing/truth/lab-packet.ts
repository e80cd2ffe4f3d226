import { formatIpv4 } from '../../engine/base/ip';
import { IPPROTO, type L4, NO_PAYLOAD, type Packet, packetLen, TCP } from '../../engine/net/types';

/** A packet as the netfilter and conntrack records write it. */
export interface PacketJson {
  readonly proto: string;
  readonly src: string;
  readonly dst: string;
  readonly sport?: number;
  readonly dport?: number;
  readonly flags?: string;
  readonly seq?: number;
  readonly ack?: number;
  readonly ttl?: number;
  readonly type?: number;
  readonly code?: number;
  readonly icmpid?: number;
  readonly icmpseq?: number;
  readonly payload?: number;
  readonly window?: number;
  readonly wscale?: number;
  readonly sack?: boolean;
  readonly rest_hex?: string;
  readonly l4payload_hex?: string;
}

const LETTERS: readonly (readonly [string, number])[] = [
  ['F', TCP.FIN],
  ['S', TCP.SYN],
  ['R', TCP.RST],
  ['P', TCP.PSH],
  ['A', TCP.ACK],
  ['U', TCP.URG],
  ['E', TCP.ECE],
  ['C', TCP.CWR],
];

const flagBits = (text: string): number => LETTERS.reduce((n, [c, bit]) => (text.includes(c) ? n | bit : n), 0);
export const flagLetters = (flags: number): string =>
  LETTERS.filter(([, bit]) => (flags & bit) !== 0)
    .map(([c]) => c)
    .join('');

export const NUMBERS: Readonly<Record<string, number>> = { icmp: IPPROTO.icmp, tcp: IPPROTO.tcp, udp: IPPROTO.udp };

const payload = (len: number) => (len === 0 ? NO_PAYLOAD : { len, text: 'x'.repeat(len) });

/** IP id of the recorder's packets. */
const LAB_ID = 0xbeef;

export function packetOf(p: PacketJson): Packet {
  const proto = NUMBERS[p.proto] ?? Number(p.proto);
  return {
    id: 0,
    ip: { family: 4, src: p.src, dst: p.dst, proto, ttl: p.ttl ?? 64, tos: 0, id: LAB_ID, df: false },
    l4: l4Of(p),
  };
}

function l4Of(p: PacketJson): L4 {
  if (p.proto === 'tcp') {
    const flags = flagBits(p.flags ?? '');
    const syn = (flags & TCP.SYN) !== 0;
    return {
      kind: 'tcp',
      sport: p.sport ?? 0,
      dport: p.dport ?? 0,
      seq: p.seq ?? 1000,
      ack: p.ack ?? 0,
      flags,
      window: p.window ?? 64240,
      ...(syn
        ? {
            options: {
              mss: 1460,
              ...(p.wscale === undefined ? {} : { wscale: p.wscale }),
              ...(p.sack ? { sackOk: true } : {}),
            },
          }
        : {}),
      payload: payload(p.payload ?? 0),
    };
  }
  if (p.proto === 'udp')
    return { kind: 'udp', sport: p.sport ?? 0, dport: p.dport ?? 0, payload: payload(p.payload ?? 0) };
  if (p.proto === 'icmp') {
    const type = p.type ?? 0;
    const echo = type === 0 || type === 8 || (type >= 13 && type <= 18);
    const inner = p.l4payload_hex === undefined ? undefined : parseIp(bytes(p.l4payload_hex));
    const rest = bytes(p.rest_hex ?? '00000000');
    return {
      kind: 'icmp',
      type,
      code: p.code ?? 0,
      ...(echo ? { id: p.icmpid ?? 77, seq: p.icmpseq ?? 1 } : {}),
      ...(inner ? { inner } : {}),
      ...(type === 3 && p.code === 4 ? { mtu: word(rest, 2) } : {}),
      ...(type === 5 ? { gateway: formatIpv4(word(rest, 0) * 65536 + word(rest, 2)) } : {}),
      payload: payload(p.payload ?? 0),
    };
  }
  return { kind: 'other', payload: payload(p.payload ?? 0) };
}

const bytes = (hex: string): number[] => (hex.match(/../g) ?? []).map((h) => Number.parseInt(h, 16));
const word = (b: readonly number[], i: number): number => ((b[i] ?? 0) << 8) | (b[i + 1] ?? 0);
const long = (b: readonly number[], i: number): number => word(b, i) * 65536 + word(b, i + 2);

/** An IPv4 packet from its bytes (what ICMP errors quote); lengths come from the header, so that a cut quote keeps its size. */
export function parseIp(b: readonly number[]): Packet {
  const ihl = ((b[0] ?? 0x45) & 15) * 4;
  const proto = b[9] ?? 0;
  const rest = b.slice(ihl);
  // What is quoted counts, not what the quoted header says.
  const len = rest.length;
  const l4 = ((): L4 => {
    if (proto === IPPROTO.tcp) {
      const off = rest.length > 12 ? ((rest[12] ?? 0x50) >> 4) * 4 : 20;
      return {
        kind: 'tcp',
        sport: word(rest, 0),
        dport: word(rest, 2),
        seq: long(rest, 4),
        ack: rest.length > 11 ? long(rest, 8) : 0,
        flags: rest[13] ?? 0,
        window: word(rest, 14),
        payload: payload(Math.max(0, len - off)),
      };
    }
    if (proto === IPPROTO.udp) {
      return { kind: 'udp', sport: word(rest, 0), dport: word(rest, 2), payload: payload(Math.max(0, len - 8)) };
    }
    if (proto === IPPROTO.icmp) {
      return {
        kind: 'icmp',
        type: rest[0] ?? 0,
        code: rest[1] ?? 0,
        id: word(rest, 4),
        seq: word(rest, 6),
        payload: payload(Math.max(0, len - 8)),
      };
    }
    return { kind: 'other', payload: payload(len) };
  })();
  return {
    id: 0,
    ip: {
      family: 4,
      src: formatIpv4(long(b, 12)),
      dst: formatIpv4(long(b, 16)),
      proto,
      ttl: b[8] ?? 0,
      tos: b[1] ?? 0,
      id: word(b, 4),
      df: ((b[6] ?? 0) & 0x40) !== 0,
    },
    l4,
  };
}

const NAMES: Readonly<Record<number, string>> = { 1: 'icmp', 6: 'tcp', 17: 'udp' };

/** A packet as the records print it (without mark). */
export function packetJson(p: Packet): Record<string, unknown> {
  const base = {
    src: p.ip.src,
    dst: p.ip.dst,
    ttl: p.ip.ttl,
    len: packetLen(p),
    proto: NAMES[p.ip.proto] ?? String(p.ip.proto),
  };
  const l4 = p.l4;
  switch (l4.kind) {
    case 'tcp':
      return {
        ...base,
        sport: l4.sport,
        dport: l4.dport,
        seq: l4.seq,
        ack: l4.ack,
        flags: flagLetters(l4.flags),
        dlen: l4.payload.len,
      };
    case 'udp':
      return { ...base, sport: l4.sport, dport: l4.dport };
    case 'icmp':
      return {
        ...base,
        type: l4.type,
        code: l4.code,
        ...(l4.inner ? { inner: innerJson(l4.inner) } : { icmpid: l4.id ?? 0, icmpseq: l4.seq ?? 0 }),
      };
    default:
      return base;
  }
}

function innerJson(p: Packet): Record<string, unknown> {
  const base = { src: p.ip.src, dst: p.ip.dst, ttl: p.ip.ttl, proto: NAMES[p.ip.proto] ?? String(p.ip.proto) };
  const l4 = p.l4;
  if (l4.kind === 'tcp' || l4.kind === 'udp') return { ...base, sport: l4.sport, dport: l4.dport };
  if (l4.kind === 'icmp') {
    return {
      ...base,
      type: l4.type,
      code: l4.code,
      ...(l4.id === undefined ? {} : { icmpid: l4.id, icmpseq: l4.seq ?? 0 }),
    };
  }
  return base;
}
