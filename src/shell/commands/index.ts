import type { Command } from '../command';
import { INSTALLED } from '../images';
import type { Place } from '../place';
import { arp } from './arp';
import { bridge } from './bridge';
import { cat } from './cat';
import { conntrack } from './conntrack';
import { crictl } from './crictl';
import { curl } from './curl';
import { date } from './date';
import { dig } from './dig';
import { dmesg } from './dmesg';
import { getent } from './getent';
import { host } from './host';
import { hostname } from './hostname';
import { id } from './id';
import { insmod } from './insmod';
import { ip } from './ip';
import { ipset } from './ipset';
import { iptables } from './iptables';
import { iptablesRestore } from './iptables-restore';
import { iptablesSave } from './iptables-save';
import { ipvsadm } from './ipvsadm';
import { journalctl } from './journalctl';
import { kubectl } from './kubectl';
import { ls } from './ls';
import { lsmod } from './lsmod';
import { modinfo } from './modinfo';
import { modprobe } from './modprobe';
import { nc } from './nc';
import { netstat } from './netstat';
import { nsenter } from './nsenter';
import { nslookup } from './nslookup';
import { ping } from './ping';
import { rmmod } from './rmmod';
import { route } from './route';
import { service } from './service';
import { ss } from './ss';
import { sysctl } from './sysctl';
import { systemctl } from './systemctl';
import { tcpdump } from './tcpdump';
import { tee } from './tee';
import { telnet } from './telnet';
import { traceroute } from './traceroute';
import { uname } from './uname';
import { wget } from './wget';
import { which } from './which';
import { whoami } from './whoami';

/** Programs of ours, in the order in which help lists them: Kubernetes, netfilter, network, clients, system. */
export const COMMANDS: readonly Command[] = [
  kubectl,
  crictl,
  iptables,
  iptablesSave,
  iptablesRestore,
  conntrack,
  ipset,
  ipvsadm,
  ip,
  bridge,
  ss,
  netstat,
  route,
  arp,
  curl,
  wget,
  nc,
  ping,
  telnet,
  traceroute,
  tcpdump,
  dig,
  nslookup,
  host,
  getent,
  sysctl,
  hostname,
  date,
  uname,
  dmesg,
  lsmod,
  modprobe,
  modinfo,
  rmmod,
  insmod,
  nsenter,
  systemctl,
  journalctl,
  service,
  id,
  whoami,
  which,
  cat,
  ls,
  tee,
];

const byName = new Map(COMMANDS.flatMap((c) => [c.name, ...(c.aliases ?? [])].map((n) => [n, c] as const)));

/** The program that a typed name (or path) means; undefined when there is none. */
export function commandNamed(typed: string): Command | undefined {
  return byName.get(baseName(typed));
}

/** Whether a place has a program. */
export function installed(place: Place, typed: string): boolean {
  const name = baseName(typed);
  return INSTALLED[place.image].includes(name) || place.extra?.includes(name) === true;
}

const baseName = (typed: string): string =>
  /^\/(?:usr\/)?(?:local\/)?s?bin\/[^/]+$/.test(typed) ? typed.slice(typed.lastIndexOf('/') + 1) : typed;
