import type { IpFamily } from '../base/ip';
import type { Ctx } from '../trace/context';
import type { ProxyConfig } from './flags';
import { writeLog } from './log';
import { markHex } from './mark';
import type { ProxyMode } from './mode';

/** The lines of a start that say something about rules. */
export function logStart(
  ctx: Ctx,
  node: string,
  config: ProxyConfig,
  mode: ProxyMode,
  families: readonly IpFamily[],
): void {
  const { nodePortAddresses, modeUnset } = config;
  if (mode.name === 'iptables' && nodePortAddresses !== 'primary' && nodePortAddresses.length === 0) {
    const why =
      'nodePortAddresses is unset; NodePort connections will be accepted on all local IPs. Consider using `--nodeport-addresses primary`';
    const message = 'Kube-proxy configuration may be incomplete or incorrect';
    writeLog(ctx, node, 'E', 'server.go:256', message, [['err', why]]);
  }
  if (modeUnset) {
    const word =
      "No kube-proxy mode specified: defaulting to 'iptables'. Note that in Kubernetes 1.40 the default mode will switch to 'nftables'. If you wish to continue using 'iptables' mode, you must explicitly specify 'mode: iptables' in the kube-proxy config file, or '--proxy-mode iptables' on the kube-proxy command line.";
    writeLog(ctx, node, 'E', 'server_linux.go:141', word);
  }
  writeLog(ctx, node, 'I', 'server_linux.go:144', `Using ${mode.word} Proxier`);
  const bit = mode.name === 'nftables' ? config.nftablesMasqueradeBit : config.masqueradeBit;
  for (const family of families) {
    writeLog(ctx, node, 'I', 'proxier.go:254', `Using ${mode.word} mark for masquerade`, [
      ['ipFamily', `IPv${family}`],
      ['mark', markHex(bit)],
    ]);
  }
  writeLog(ctx, node, 'I', 'server.go:530', 'Version info', [['version', 'v1.37.2']]);
}
