import type { NetStack } from '../../net/stack';
import type { NetnsId } from '../../net/types';

/** Per-namespace sysctls of net/netfilter with a fresh 6.18 namespace's values (nf_conntrack_standalone.c). */
export const CT_SYSCTLS: readonly (readonly [name: string, value: number, min?: number, max?: number])[] = [
  ['nf_conntrack_acct', 0, 0, 1],
  ['nf_conntrack_checksum', 1, 0, 1],
  ['nf_conntrack_events', 2, 0, 2],
  ['nf_conntrack_frag6_high_thresh', 4194304],
  ['nf_conntrack_frag6_low_thresh', 3145728],
  ['nf_conntrack_frag6_timeout', 60],
  ['nf_conntrack_generic_timeout', 600],
  ['nf_conntrack_gre_timeout', 30],
  ['nf_conntrack_gre_timeout_stream', 180],
  ['nf_conntrack_icmp_timeout', 30],
  ['nf_conntrack_icmpv6_timeout', 30],
  ['nf_conntrack_log_invalid', 0, 0, 255],
  ['nf_conntrack_sctp_timeout_closed', 10],
  ['nf_conntrack_sctp_timeout_cookie_echoed', 3],
  ['nf_conntrack_sctp_timeout_cookie_wait', 3],
  ['nf_conntrack_sctp_timeout_established', 210],
  ['nf_conntrack_sctp_timeout_heartbeat_sent', 30],
  ['nf_conntrack_sctp_timeout_shutdown_ack_sent', 3],
  ['nf_conntrack_sctp_timeout_shutdown_recd', 3],
  ['nf_conntrack_sctp_timeout_shutdown_sent', 3],
  ['nf_conntrack_tcp_be_liberal', 0, 0, 1],
  ['nf_conntrack_tcp_ignore_invalid_rst', 0, 0, 1],
  ['nf_conntrack_tcp_loose', 1, 0, 1],
  ['nf_conntrack_tcp_max_retrans', 3, 0, 255],
  ['nf_conntrack_tcp_timeout_close', 10],
  ['nf_conntrack_tcp_timeout_close_wait', 60],
  ['nf_conntrack_tcp_timeout_established', 432000],
  ['nf_conntrack_tcp_timeout_fin_wait', 120],
  ['nf_conntrack_tcp_timeout_last_ack', 30],
  ['nf_conntrack_tcp_timeout_max_retrans', 300],
  ['nf_conntrack_tcp_timeout_syn_recv', 60],
  ['nf_conntrack_tcp_timeout_syn_sent', 120],
  ['nf_conntrack_tcp_timeout_time_wait', 120],
  ['nf_conntrack_tcp_timeout_unacknowledged', 300],
  ['nf_conntrack_timestamp', 0, 0, 1],
  ['nf_conntrack_udp_timeout', 30],
  ['nf_conntrack_udp_timeout_stream', 120],
  ['nf_hooks_lwtunnel', 0, 0, 1],
];

/** Integer value of a `net.netfilter` sysctl; 0 where the namespace lacks it. */
export function nfSysctl(net: NetStack, netns: NetnsId, name: string): number {
  const text = net.sysctl(netns, `net.netfilter.${name}`);
  return text === undefined ? 0 : Number.parseInt(text, 10);
}

/** A timeout in microseconds. */
export const timeoutUs = (net: NetStack, netns: NetnsId, name: string): number =>
  nfSysctl(net, netns, name) * 1_000_000;
