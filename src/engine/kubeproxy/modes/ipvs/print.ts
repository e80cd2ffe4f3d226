import type { WorldReader } from '../../../base/recordmap';
import { joinHostPort } from '../../endpoints';
import { DEFAULT_TIMEOUTS, IPVS, type IpvsState, type VirtualServer } from './model';

function states(reader: WorldReader, node: string): IpvsState[] {
  const map = reader.map(IPVS);
  return map.by('node', node).flatMap((k) => map.get(k) ?? []);
}

const letter = (s: VirtualServer): string =>
  s.protocol === 'sctp' ? '--sctp-service' : s.protocol === 'udp' ? '-u' : '-t';

/** `ipvsadm -Sn`. */
export function ipvsadmSave(reader: WorldReader, node: string): string {
  const lines: string[] = [];
  for (const s of states(reader, node).flatMap((x) => x.servers)) {
    const at = `${letter(s)} ${joinHostPort(s.ip, s.port)}`;
    const persistent = s.persistentS === undefined ? '' : ` -p ${s.persistentS}`;
    const flags = s.flags.length === 0 ? '' : ` -b ${s.flags.join(',')}`;
    lines.push(`-A ${at} -s ${s.scheduler}${persistent}${flags}`);
    for (const d of s.destinations) lines.push(`-a ${at} -r ${joinHostPort(d.ip, d.port)} -m -w ${d.weight}`);
  }
  return lines.map((l) => `${l}\n`).join('');
}

/** `ipvsadm -Ln`. Connections are not counted yet. */
export function ipvsadmList(reader: WorldReader, node: string): string {
  const lines = [
    'IP Virtual Server version 1.2.1 (size=4096)',
    'Prot LocalAddress:Port Scheduler Flags',
    '  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn',
  ];
  for (const s of states(reader, node).flatMap((x) => x.servers)) {
    const flags = s.flags.length === 0 ? '' : ` (${s.flags.join(',')})`;
    const persistent = s.persistentS === undefined ? '' : ` persistent ${s.persistentS}`;
    const proto = s.protocol.toUpperCase().padEnd(4);
    lines.push(`${proto} ${joinHostPort(s.ip, s.port)} ${s.scheduler}${flags}${persistent}`);
    for (const d of s.destinations) {
      const to = joinHostPort(d.ip, d.port).padEnd(28);
      lines.push(`  -> ${to}Masq    ${String(d.weight).padEnd(7)}${'0'.padEnd(11)}${'0'.padEnd(10)}`);
    }
  }
  return lines.map((l) => `${l}\n`).join('');
}

/** `ipvsadm -L --timeout`. */
export function ipvsadmTimeouts(reader: WorldReader, node: string): string {
  const t = states(reader, node)[0]?.timeouts ?? DEFAULT_TIMEOUTS;
  return `Timeout (tcp tcpfin udp): ${t.tcp} ${t.tcpFin} ${t.udp}\n`;
}

/** Addresses of kube-ipvs0. */
export const ipvsAddresses = (reader: WorldReader, node: string): string[] =>
  states(reader, node).flatMap((s) => s.addresses);
