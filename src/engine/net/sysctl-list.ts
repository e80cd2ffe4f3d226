import type { SysctlSpec } from './stack';

const int = (value: number, min?: number, max?: number): SysctlSpec => ({
  default: String(value),
  writable: true,
  ...(min === undefined ? {} : { min }),
  ...(max === undefined ? {} : { max }),
});
const bool = (value: number): SysctlSpec => int(value, 0, 1);

/** Loggers bound to the protocol families, by number (net/netfilter/nf_log.c). */
const NF_LOG: readonly (readonly [string, SysctlSpec])[] = [
  'NONE',
  'NONE',
  'nf_log_ipv4',
  'nf_log_arp',
  'NONE',
  'nf_log_netdev',
  'NONE',
  'nf_log_bridge',
  'NONE',
  'NONE',
  'nf_log_ipv6',
].map((name, i) => [`net.netfilter.nf_log.${i}`, { default: name, writable: true }] as const);

/** Sysctls of the stack in a fresh namespace of a 6.18 kernel (net/ipv4/sysctl_net_ipv4.c, net/bridge/br_netfilter_hooks.c). */
export const NET_SYSCTLS: readonly (readonly [string, SysctlSpec])[] = [
  ['net.bridge.bridge-nf-call-arptables', int(1)],
  ['net.bridge.bridge-nf-call-ip6tables', int(1)],
  ['net.bridge.bridge-nf-call-iptables', int(1)],
  ['net.bridge.bridge-nf-filter-pppoe-tagged', int(0)],
  ['net.bridge.bridge-nf-filter-vlan-tagged', int(0)],
  ['net.bridge.bridge-nf-pass-vlan-input-dev', int(0)],
  ['net.core.somaxconn', int(4096, 0)],
  ...NF_LOG,
  ['net.ipv4.icmp_echo_ignore_all', bool(0)],
  ['net.ipv4.icmp_echo_ignore_broadcasts', bool(1)],
  ['net.ipv4.icmp_errors_use_inbound_ifaddr', bool(0)],
  ['net.ipv4.icmp_ignore_bogus_error_responses', bool(1)],
  ['net.ipv4.icmp_ratelimit', int(1000, 0)],
  ['net.ipv4.icmp_ratemask', int(6168)],
  ['net.ipv4.ip_default_ttl', int(64, 1, 255)],
  ['net.ipv4.ip_forward', int(0)],
  ['net.ipv4.ip_local_port_range', { default: '32768\t60999', writable: true, min: 1, max: 65535 }],
  ['net.ipv4.ip_nonlocal_bind', bool(0)],
  ['net.ipv4.ip_unprivileged_port_start', int(1024, 0, 65535)],
  ['net.ipv4.ping_group_range', { default: '1\t0', writable: true, min: 0 }],
  ['net.ipv4.tcp_abort_on_overflow', bool(0)],
  ['net.ipv4.tcp_fin_timeout', int(60, 0)],
  ['net.ipv4.tcp_keepalive_intvl', int(75, 1)],
  ['net.ipv4.tcp_keepalive_probes', int(9, 1)],
  ['net.ipv4.tcp_keepalive_time', int(7200, 1)],
  ['net.ipv4.tcp_max_syn_backlog', int(2048, 0)],
  ['net.ipv4.tcp_max_tw_buckets', int(131072, 0)],
  ['net.ipv4.tcp_orphan_retries', int(0, 0)],
  ['net.ipv4.tcp_retries1', int(3, 0, 255)],
  ['net.ipv4.tcp_retries2', int(15, 0)],
  ['net.ipv4.tcp_rfc1337', bool(0)],
  ['net.ipv4.tcp_rmem', { default: '4096\t131072\t6291456', writable: true, min: 1 }],
  ['net.ipv4.tcp_sack', bool(1)],
  ['net.ipv4.tcp_syn_linear_timeouts', int(4, 0, 127)],
  ['net.ipv4.tcp_syn_retries', int(6, 1, 127)],
  ['net.ipv4.tcp_synack_retries', int(5, 0)],
  ['net.ipv4.tcp_syncookies', int(1, 0, 2)],
  ['net.ipv4.tcp_timestamps', int(1, 0, 2)],
  ['net.ipv4.tcp_tw_reuse', int(2, 0, 2)],
  ['net.ipv4.tcp_window_scaling', bool(1)],
];

/** net.ipv4.conf.<all|default|dev>.* (net/ipv4/devinet.c). */
export const CONF_LEAVES: readonly (readonly [string, SysctlSpec])[] = [
  ['accept_local', int(0)],
  ['accept_redirects', int(1)],
  ['arp_announce', int(0)],
  ['arp_ignore', int(0)],
  ['forwarding', int(0)],
  ['proxy_arp', int(0)],
  ['route_localnet', int(0)],
  ['rp_filter', int(0)],
  ['secure_redirects', int(1)],
  ['send_redirects', int(1)],
  ['shared_media', int(1)],
];
