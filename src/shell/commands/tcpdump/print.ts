import { type IcmpMessage, type Packet, packetLen, TCP, type TcpOptions, type TcpSegment } from '../../../engine/net';
import { dnsText } from './dns';
import { checksums } from './wire';

/** How packets are to be shown. */
export interface Style {
  readonly verbose: number;
  readonly quiet: boolean;
  readonly absoluteSeq: boolean;
  /** Name of an address, or the address. */
  host(ip: string): string;
  /** Name of a port, or its number. */
  port(port: number, proto: 'tcp' | 'udp'): string;
}

const FLAGS: readonly (readonly [number, string])[] = [
  [TCP.FIN, 'F'],
  [TCP.SYN, 'S'],
  [TCP.RST, 'R'],
  [TCP.PSH, 'P'],
  [TCP.ACK, '.'],
  [TCP.URG, 'U'],
  [TCP.ECE, 'E'],
  [TCP.CWR, 'W'],
];
const HTTP_PORTS = [80, 8080, 3128];
const PROTOS: Readonly<Record<number, string>> = { 1: 'ICMP', 6: 'TCP', 17: 'UDP', 132: 'SCTP' };

/** Prints IPv4 packets as tcpdump 4.99 does (print-ip.c, print-tcp.c, print-udp.c, print-icmp.c). */
export class Printer {
  /** First sequence numbers of each direction, for relative ones. */
  private readonly conns = new Map<string, { readonly from: string; seq: number; ack: number }>();

  constructor(private readonly style: Style) {}

  /** The packet after the link layer's part; `partial`: the sender left the transport checksum to the device. */
  packet(p: Packet, partial: boolean): string {
    const { ip } = p;
    if (this.style.verbose === 0) return this.body(p, partial);
    const proto = PROTOS[ip.proto] ?? 'unknown';
    const head = `(tos 0x${ip.tos.toString(16)}, ttl ${ip.ttl}, id ${ip.id}, offset 0, flags [${ip.df ? 'DF' : 'none'}], proto ${proto} (${ip.proto}), length ${packetLen(p)})`;
    return `${head}\n    ${this.body(p, partial)}`;
  }

  private body(p: Packet, partial: boolean): string {
    const { l4, ip } = p;
    const { host, port } = this.style;
    if (l4.kind === 'tcp' || l4.kind === 'udp') {
      const ends = `${host(ip.src)}.${port(l4.sport, l4.kind)} > ${host(ip.dst)}.${port(l4.dport, l4.kind)}: `;
      return ends + (l4.kind === 'tcp' ? this.tcp(p, l4, partial) : this.udp(l4));
    }
    const ends = `${host(ip.src)} > ${host(ip.dst)}: `;
    if (l4.kind === 'icmp')
      return `${ends}ICMP ${this.icmp(l4, ip.dst)}, length ${8 + (l4.inner ? packetLen(l4.inner) : l4.payload.len)}`;
    return `${ends} ip-proto-${ip.proto} ${l4.payload.len}`;
  }

  private udp(l4: Extract<Packet['l4'], { kind: 'udp' }>): string {
    if (this.style.quiet) return `UDP, length ${l4.payload.len}`;
    const dns = l4.sport === 53 || l4.dport === 53 ? dnsText(l4.payload, this.style.verbose) : undefined;
    return dns ?? `UDP, length ${l4.payload.len}`;
  }

  private tcp(p: Packet, l4: TcpSegment, partial: boolean): string {
    const len = l4.payload.len;
    if (this.style.quiet) return `tcp ${len}`;
    const { seq, ack } = this.numbers(p, l4);
    const has = (f: number): boolean => (l4.flags & f) !== 0;
    const flags = FLAGS.flatMap(([bit, letter]) => (has(bit) ? [letter] : [])).join('') || 'none';
    let out = `Flags [${flags}]`;
    if (this.style.verbose > 0) {
      const c = checksums(p);
      const hex = (n: number): string => `0x${n.toString(16).padStart(4, '0')}`;
      out +=
        partial && c.partial !== c.right
          ? `, cksum ${hex(c.partial)} (incorrect -> ${hex(c.right)})`
          : `, cksum ${hex(c.right)} (correct)`;
    }
    if (len > 0 || has(TCP.SYN | TCP.FIN | TCP.RST)) out += `, seq ${seq}${len > 0 ? `:${(seq + len) >>> 0}` : ''}`;
    if (has(TCP.ACK)) out += `, ack ${ack}`;
    out += `, win ${l4.window}`;
    const options = optionText(l4.options);
    if (options !== '') out += `, options [${options}]`;
    out += `, length ${len}`;
    if (len > 0 && (HTTP_PORTS.includes(l4.sport) || HTTP_PORTS.includes(l4.dport)))
      out += this.http(l4.payload.text ?? '', len);
    return out;
  }

  private http(text: string, len: number): string {
    const lines = text.split('\r\n');
    const first = lines[0] ?? '';
    const http = /^HTTP\/|^[A-Z]+ \S+ HTTP\//.test(first);
    if (this.style.verbose === 0) return http ? `: HTTP: ${first}` : ': HTTP';
    if (!http) return `: HTTP, length: ${len}`;
    const head = lines.slice(0, Math.max(1, lines.indexOf('')));
    return `: HTTP, length: ${len}\n${head.map((l) => `\t${l}\n`).join('')}\t`;
  }

  /** Sequence numbers as they are in the first segment with an ACK, then counted from there. */
  private numbers(p: Packet, l4: TcpSegment): { seq: number; ack: number } {
    if (this.style.absoluteSeq || (l4.flags & TCP.ACK) === 0) return { seq: l4.seq, ack: l4.ack };
    const from = `${p.ip.src}:${l4.sport}`;
    const to = `${p.ip.dst}:${l4.dport}`;
    const key = from < to ? `${from} ${to}` : `${to} ${from}`;
    const known = this.conns.get(key);
    if (!known || (l4.flags & TCP.SYN) !== 0) {
      const forward = !known || known.from === from;
      const origin = (l4.ack - 1) >>> 0;
      this.conns.set(key, {
        from: known?.from ?? from,
        ...(forward ? { seq: l4.seq, ack: origin } : { seq: origin, ack: l4.seq }),
      });
      return { seq: l4.seq, ack: l4.ack };
    }
    const forward = known.from === from;
    const [mine, other] = forward ? [known.seq, known.ack] : [known.ack, known.seq];
    return { seq: (l4.seq - mine) >>> 0, ack: (l4.ack - other) >>> 0 };
  }

  private icmp(m: IcmpMessage, to: string): string {
    const { host, port } = this.style;
    if (m.type === 8) return `echo request, id ${m.id ?? 0}, seq ${m.seq ?? 0}`;
    if (m.type === 0) return `echo reply, id ${m.id ?? 0}, seq ${m.seq ?? 0}`;
    const inner = m.inner;
    const dst = host(inner?.ip.dst ?? to);
    if (m.type === 11) return m.code === 1 ? 'ip reassembly time exceeded' : 'time exceeded in-transit';
    if (m.type === 5) return `redirect ${dst} to host ${m.gateway ?? ''}`;
    if (m.type !== 3) return `type-#${m.type}`;
    switch (m.code) {
      case 0:
        return `net ${dst} unreachable`;
      case 1:
        return `host ${dst} unreachable`;
      case 2:
        return `${dst} protocol ${inner?.ip.proto ?? 0} unreachable`;
      case 3: {
        const l4 = inner?.l4;
        if (l4?.kind !== 'tcp' && l4?.kind !== 'udp') return `${dst} protocol ${inner?.ip.proto ?? 0} port unreachable`;
        return `${dst} ${l4.kind} port ${port(l4.dport, l4.kind)} unreachable`;
      }
      case 4:
        return `${dst} unreachable - need to frag${m.mtu ? ` (mtu ${m.mtu})` : ''}`;
      case 9:
        return `net ${dst} unreachable - admin prohibited`;
      case 10:
        return `host ${dst} unreachable - admin prohibited`;
      case 13:
        return `host ${dst} unreachable - admin prohibited filter`;
      default:
        return `${dst} unreachable - #${m.code}`;
    }
  }
}

function optionText(o: TcpOptions | undefined): string {
  if (!o) return '';
  const out: string[] = [];
  if (o.mss !== undefined) out.push(`mss ${o.mss}`);
  const ts = o.tsVal === undefined ? [] : [`TS val ${o.tsVal} ecr ${o.tsEcr ?? 0}`];
  if (o.sackOk) out.push(...(ts.length > 0 ? [] : ['nop', 'nop']), 'sackOK', ...ts);
  else if (ts.length > 0) out.push('nop', 'nop', ...ts);
  if (o.wscale !== undefined) out.push('nop', `wscale ${o.wscale}`);
  return out.join(',');
}
