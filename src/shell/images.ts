import type { ImageName } from './place';

/** Text tools that the shell language brings itself; every image has them. */
const BASE = ['date', 'hostname', 'uname', 'id', 'whoami', 'cat', 'ls', 'tee', 'getent', 'dmesg', 'which'];

/** Names that stand for a family of programs. */
const IPTABLES = ['iptables', 'ip6tables'].flatMap((t) =>
  ['', '-nft', '-legacy'].flatMap((v) => ['', '-save', '-restore'].map((s) => `${t}${v}${s}`)),
);
const CLIENTS = ['curl', 'wget', 'nc', 'ping', 'telnet', 'traceroute', 'dig', 'nslookup', 'host'];
const NET = ['ip', 'bridge', 'ss', 'netstat', 'route', 'arp', 'sysctl', 'tcpdump'];
const MODULES = ['lsmod', 'modprobe', 'modinfo', 'rmmod', 'insmod'];

const NODE = [
  ...BASE,
  ...NET,
  ...CLIENTS,
  ...IPTABLES,
  ...MODULES,
  'conntrack',
  'ipvsadm',
  'ipvsadm-save',
  'ipset',
  'nft',
  'kubectl',
  'nsenter',
  'systemctl',
  'journalctl',
  'service',
];

/** Programs of ours that each image has, beside the shell language's own. */
export const INSTALLED: Readonly<Record<ImageName, readonly string[]>> = {
  workstation: [...BASE, 'kubectl', 'curl'],
  node: NODE,
  machine: [...BASE, ...NET, ...CLIENTS, ...IPTABLES, 'conntrack'],
  nettools: [...BASE, ...NET, ...CLIENTS, ...IPTABLES, 'conntrack'],
  busybox: [
    ...BASE.filter((c) => c !== 'getent'),
    'ip',
    'netstat',
    'route',
    'arp',
    'wget',
    'nc',
    'ping',
    'telnet',
    'traceroute',
    'nslookup',
  ],
  slim: BASE,
};

/** Programs that some places have beside their image's. */
export const EXTRA: readonly string[] = ['crictl'];

/** Directory of a program, for `which` and for paths typed in full. */
export function pathOf(name: string): string {
  const sbin = [
    ...IPTABLES,
    ...MODULES,
    'ip',
    'bridge',
    'sysctl',
    'conntrack',
    'ipvsadm',
    'ipset',
    'nft',
    'arp',
    'route',
    'service',
    'tcpdump',
  ];
  return `${sbin.includes(name) ? '/usr/sbin' : '/usr/bin'}/${name}`;
}
