import { coredns } from '../../dns';
import type { MakeProgram } from '../programs';

/** The programs named by LATE_PROGRAMS. */
export const LATE: Readonly<Record<string, MakeProgram>> = {
  coredns: (cluster) =>
    coredns({
      prng: cluster.ctx.prng.stream('coredns'),
      ...(cluster.control ? { api: cluster.api } : {}),
      localIps: (netns) =>
        cluster.net.links
          .devices(netns)
          .filter((d) => d.kind !== 'lo')
          .flatMap((d) => d.addrs.map((a) => a.ip)),
    }),
};
