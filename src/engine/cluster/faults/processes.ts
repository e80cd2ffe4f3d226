import { type Fault, text } from './fault';
import { podNetnsByIp } from './links';

/** A signal to the server of the pod with this address; its kernel closes the sockets, the API object stays. */
export const processKill: Fault = {
  name: 'pod-process-kill',
  run(cluster, args) {
    const netns = podNetnsByIp(cluster, text(args, 'pod'));
    if (netns === undefined) return `no pod has the address ${text(args, 'pod')}`;
    cluster.stopServers(netns, 'KILL');
    cluster.ctx.sim.run({ untilUs: cluster.ctx.sim.now + 1000 });
    return undefined;
  },
};

export const processStart: Fault = {
  name: 'pod-process-start',
  run(cluster, args) {
    const netns = podNetnsByIp(cluster, text(args, 'pod'));
    if (netns === undefined) return `no pod has the address ${text(args, 'pod')}`;
    cluster.restartServers(netns);
    cluster.ctx.sim.run({ untilUs: cluster.ctx.sim.now + 1000 });
    return undefined;
  },
};
