import { type Fault, text } from './fault';

/** `iptables ARGS` at a place; the arguments as one line without quotes. */
export const iptablesFault: Fault = {
  name: 'iptables',
  run(cluster, args) {
    const argv = Array.isArray(args.args)
      ? args.args.map(String)
      : text(args, 'args')
          .split(/\s+/)
          .filter((a) => a !== '');
    const r = cluster.netfilter.iptables(text(args, 'place') || text(args, 'node'), argv, {});
    return r.exit === 0 ? undefined : r.stderr;
  },
};
