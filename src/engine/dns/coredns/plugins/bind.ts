import { canonicalIp } from '../../../base/ip';
import { CorefileError } from '../corefile';
import type { PluginSpec } from '../plugin';

/** Listens on some addresses only (plugin/bind). */
export const bind: PluginSpec = {
  name: 'bind',
  setup(c) {
    const hosts: string[] = [];
    while (c.next()) {
      const args = c.remainingArgs();
      if (args.length === 0) throw new CorefileError('at least one address or interface name is expected');
      for (const a of args) {
        const ip = canonicalIp(a);
        if (ip === undefined) throw new CorefileError(`not a valid IP address or interface name: ${JSON.stringify(a)}`);
        hosts.push(ip);
      }
    }
    c.config.listenHosts = hosts;
  },
};
