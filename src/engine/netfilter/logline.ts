import { devName } from '../net/records';
import { l4Len, type Packet, packetLen, type Skb, TCP } from '../net/types';
import type { Facts } from './xt';

const MACTYPE = '08:00';

/** The kernel's description of a packet as LOG prints it (nf_log_syslog.c), after the prefix. */
export function logLine(f: Facts, options: { readonly uid?: boolean; readonly tcpSeq?: boolean }): string {
  const { skb } = f;
  const inName = skb.inDev === undefined ? '' : devName(skb.inDev);
  const outName = skb.outDev === undefined ? '' : devName(skb.outDev);
  let out = `IN=${inName} OUT=${outName} `;
  if (skb.physIn !== undefined) out += `PHYSIN=${devName(skb.physIn)} `;
  if (skb.physOut !== undefined) out += `PHYSOUT=${devName(skb.physOut)} `;
  if (skb.inDev !== undefined && skb.outDev === undefined) out += macText(skb);
  else if (skb.inDev !== undefined && skb.srcMac !== undefined) out += macText(skb);
  out += packetText(f.packet, options);
  if (options.uid && skb.origin?.kind === 'socket') out += `UID=${skb.origin.uid} GID=${skb.origin.uid} `;
  if (skb.mark !== 0) out += `MARK=0x${skb.mark.toString(16)} `;
  return out;
}

const macText = (skb: Skb): string =>
  skb.srcMac && skb.dstMac ? `MAC=${skb.dstMac}:${skb.srcMac}:${MACTYPE} ` : 'MAC= ';

function packetText(p: Packet, options: { readonly tcpSeq?: boolean }, inner = false): string {
  const ip = p.ip;
  let out = `SRC=${ip.src} DST=${ip.dst} LEN=${packetLen(p)} TOS=0x${hex2(ip.tos & 0x1e)} PREC=0x${hex2(ip.tos & 0xe0)} `;
  out += `TTL=${ip.ttl} ID=${ip.id} `;
  if (ip.df) out += 'DF ';
  const l4 = p.l4;
  switch (l4.kind) {
    case 'tcp':
      out += `PROTO=TCP SPT=${l4.sport} DPT=${l4.dport} `;
      if (options.tcpSeq) out += `SEQ=${l4.seq} ACK=${l4.ack} `;
      if (!inner) {
        out += `WINDOW=${l4.window} RES=0x00 ${tcpFlags(l4.flags)}URGP=0 `;
      }
      return out;
    case 'udp':
      return `${out}PROTO=UDP SPT=${l4.sport} DPT=${l4.dport} LEN=${l4Len(l4)} `;
    case 'icmp':
      out += `PROTO=ICMP TYPE=${l4.type} CODE=${l4.code} `;
      if (l4.id !== undefined) out += `ID=${l4.id} SEQ=${l4.seq ?? 0} `;
      if (l4.inner) out += `[${packetText(l4.inner, options, true)}] `;
      if (l4.mtu !== undefined) out += `MTU=${l4.mtu} `;
      return out;
    default:
      return `${out}PROTO=${ip.proto} `;
  }
}

const hex2 = (n: number): string => n.toString(16).toUpperCase().padStart(2, '0');

function tcpFlags(flags: number): string {
  const names: readonly (readonly [number, string])[] = [
    [TCP.CWR, 'CWR'],
    [TCP.ECE, 'ECE'],
    [TCP.URG, 'URG'],
    [TCP.ACK, 'ACK'],
    [TCP.PSH, 'PSH'],
    [TCP.RST, 'RST'],
    [TCP.SYN, 'SYN'],
    [TCP.FIN, 'FIN'],
  ];
  return names
    .filter(([bit]) => (flags & bit) !== 0)
    .map(([, name]) => `${name} `)
    .join('');
}
