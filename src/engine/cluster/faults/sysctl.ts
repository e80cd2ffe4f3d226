import { type Fault, text } from './fault';

/** `sysctl -w key=value` in a node. */
export const sysctlFault: Fault = {
  name: 'sysctl',
  run(cluster, args) {
    const r = cluster.net.setSysctl(text(args, 'node') || text(args, 'netns'), text(args, 'key'), text(args, 'value'));
    return r.ok ? undefined : r.error;
  },
};
