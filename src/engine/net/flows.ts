import type { Recorder } from '../trace/recorder';
import { packetLabel } from './label';
import type { CtDir, Lineage, Packet } from './types';
import { IPPROTO } from './types';

const PROTO_NAMES: readonly (readonly [number, string])[] = [
  [IPPROTO.icmp, 'icmp'],
  [IPPROTO.tcp, 'tcp'],
  [IPPROTO.udp, 'udp'],
  [IPPROTO.icmpv6, 'icmpv6'],
  [IPPROTO.sctp, 'sctp'],
];
/** Protocol number → the name used in facts and listings. */
export const protoName = (proto: number): string => PROTO_NAMES.find(([n]) => n === proto)?.[1] ?? String(proto);

/** Source and destination port, or the echo id in both places, or undefined. */
export function portsOf(p: Packet): { sport: number; dport: number } | undefined {
  const l4 = p.l4;
  if (l4.kind === 'tcp' || l4.kind === 'udp') return { sport: l4.sport, dport: l4.dport };
  if (l4.kind === 'icmp' && l4.id !== undefined) return { sport: l4.id, dport: l4.id };
  return undefined;
}

/** Groups packets into flows for the trace. Nothing here steers the model. */
export class Flows {
  private readonly counts = new Map<number, number>();
  private readonly wire = new Map<string, { flow: number; src: string }>();
  /** Detail at which new flows are recorded. */
  level: Lineage['level'] = 'full';

  constructor(private readonly trace: Recorder) {}

  /** A new flow whose initiator's first packet is (or will be) `p`. */
  open(p: Packet, parent?: number): number {
    const ports = portsOf(p);
    const proto = protoName(p.ip.proto);
    const side = (ip: string, port: number | undefined): string => (port === undefined ? ip : `${ip}:${port}`);
    return this.trace.openSpan({
      kind: 'flow',
      label: `${proto} ${side(p.ip.src, ports?.sport)} > ${side(p.ip.dst, ports?.dport)}`,
      facts: { proto, src: p.ip.src, dst: p.ip.dst, sport: ports?.sport, dport: ports?.dport },
      ...(parent === undefined ? {} : { parent }),
    });
  }

  /** Opens the span of a packet in a flow. */
  packet(flow: number, dir: CtDir, p: Packet, level: Lineage['level'] = this.level): Lineage {
    const no = (this.counts.get(flow) ?? 0) + 1;
    this.counts.set(flow, no);
    const span =
      level === 'full' && this.trace.detailed
        ? this.trace.openSpan({
            kind: 'packet',
            label: packetLabel(p),
            parent: flow,
            facts: { packet: p.id, flow, no, dir },
          })
        : flow;
    return { flow, span, no, dir, level };
  }

  /** Lineage of an answer to a packet: same flow, other direction. */
  answer(to: Lineage | undefined, p: Packet): Lineage {
    if (!to) return this.packet(this.open(p), 'original', p);
    return this.packet(to.flow, to.dir === 'original' ? 'reply' : 'original', p, to.level);
  }

  /** Lineage of a frame that no socket of the model sent (injected, raw): flows are told apart by address pair. */
  foreign(p: Packet): Lineage {
    const ports = portsOf(p);
    const a = `${p.ip.src} ${ports?.sport ?? ''}`;
    const b = `${p.ip.dst} ${ports?.dport ?? ''}`;
    const key = `${p.ip.proto} ${a < b ? `${a} ${b}` : `${b} ${a}`}`;
    let known = this.wire.get(key);
    if (!known) {
      known = { flow: this.open(p), src: p.ip.src };
      this.wire.set(key, known);
    }
    return this.packet(known.flow, known.src === p.ip.src ? 'original' : 'reply', p);
  }
}
