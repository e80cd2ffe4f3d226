import { parseIpv4 } from '../../../engine/base';
import { l4Len, type Packet, type Payload, packetLen, type TcpOptions } from '../../../engine/net';

const u16 = (n: number): number[] => [(n >>> 8) & 255, n & 255];
const u32 = (n: number): number[] => [(n >>> 24) & 255, (n >>> 16) & 255, (n >>> 8) & 255, n & 255];
const ip4 = (ip: string): number[] => u32(parseIpv4(ip) ?? 0);

/** One's complement sum of 16-bit words, folded. */
function sum(bytes: readonly number[], start = 0): number {
  let s = start;
  for (let i = 0; i < bytes.length; i += 2) s += ((bytes[i] as number) << 8) | (bytes[i + 1] ?? 0);
  while (s > 0xffff) s = (s & 0xffff) + Math.floor(s / 0x10000);
  return s;
}

/** Text is one char a byte; a structured message's bytes are not known and count as zeros. */
function payloadBytes(p: Payload): number[] {
  const out = new Array<number>(p.len).fill(0);
  for (let i = 0; i < Math.min(p.len, p.text?.length ?? 0); i++) out[i] = (p.text as string).charCodeAt(i) & 255;
  return out;
}

/** TCP options in the order in which Linux writes them (tcp_options_write). */
function tcpOptions(o: TcpOptions | undefined): number[] {
  if (!o) return [];
  const out: number[] = [];
  if (o.mss !== undefined) out.push(2, 4, ...u16(o.mss));
  if (o.tsVal !== undefined) {
    out.push(...(o.sackOk ? [4, 2] : [1, 1]), 8, 10, ...u32(o.tsVal), ...u32(o.tsEcr ?? 0));
  } else if (o.sackOk) out.push(1, 1, 4, 2);
  if (o.wscale !== undefined) out.push(1, 3, 3, o.wscale);
  return out;
}

function pseudoHeader(p: Packet): number[] {
  return [...ip4(p.ip.src), ...ip4(p.ip.dst), 0, p.ip.proto, ...u16(l4Len(p.l4))];
}

function l4Bytes(p: Packet): number[] {
  const { l4 } = p;
  switch (l4.kind) {
    case 'tcp': {
      const options = tcpOptions(l4.options);
      const head = [...u16(l4.sport), ...u16(l4.dport), ...u32(l4.seq), ...u32(l4.ack)];
      const offset = ((20 + options.length) / 4) << 4;
      return [...head, offset, l4.flags, ...u16(l4.window), 0, 0, 0, 0, ...options, ...payloadBytes(l4.payload)];
    }
    case 'udp':
      return [...u16(l4.sport), ...u16(l4.dport), ...u16(8 + l4.payload.len), 0, 0, ...payloadBytes(l4.payload)];
    case 'icmp': {
      const rest = l4.mtu !== undefined ? [0, 0, ...u16(l4.mtu)] : [...u16(l4.id ?? 0), ...u16(l4.seq ?? 0)];
      return [l4.type, l4.code, 0, 0, ...rest, ...(l4.inner ? wire(l4.inner, false) : payloadBytes(l4.payload))];
    }
    default:
      return payloadBytes(l4.payload);
  }
}

/** What the transport checksum of a packet should be, and what stands there when the sender left it to the device. */
export function checksums(p: Packet): { right: number; partial: number } {
  return { right: 0xffff - sum(l4Bytes(p), sum(pseudoHeader(p))), partial: sum(pseudoHeader(p)) };
}

/** An IPv4 packet's bytes. `partial`: its TCP or UDP checksum is not filled in yet (CHECKSUM_PARTIAL). */
export function wire(p: Packet, partial: boolean): number[] {
  const head = [0x45, p.ip.tos, ...u16(packetLen(p)), ...u16(p.ip.id), p.ip.df ? 0x40 : 0, 0, p.ip.ttl, p.ip.proto];
  const addresses = [...ip4(p.ip.src), ...ip4(p.ip.dst)];
  const ipSum = 0xffff - sum([...head, 0, 0, ...addresses]);
  const l4 = l4Bytes(p);
  const c = checksums(p);
  const at = p.l4.kind === 'tcp' ? 16 : p.l4.kind === 'udp' ? 6 : p.l4.kind === 'icmp' ? 2 : undefined;
  if (at !== undefined) {
    const value = p.l4.kind === 'icmp' ? 0xffff - sum(l4) : partial ? c.partial : c.right;
    [l4[at], l4[at + 1]] = u16(value) as [number, number];
  }
  return [...head, ...u16(ipSum), ...addresses, ...l4];
}

/** Lines of -x and -X: offset, eight words, and with `ascii` what of it can be printed. */
export function hexDump(bytes: readonly number[], ascii: boolean): string {
  let out = '';
  for (let at = 0; at < bytes.length; at += 16) {
    const row = bytes.slice(at, at + 16);
    const words: string[] = [];
    for (let i = 0; i < row.length; i += 2) {
      words.push(
        row
          .slice(i, i + 2)
          .map((b) => b.toString(16).padStart(2, '0'))
          .join(''),
      );
    }
    const hex = words.join(' ');
    const text = row.map((b) => (b > 32 && b < 127 ? String.fromCharCode(b) : '.')).join('');
    out += `\t0x${at.toString(16).padStart(4, '0')}:  ${ascii ? `${hex.padEnd(39)}  ${text}` : hex}\n`;
  }
  return out;
}
