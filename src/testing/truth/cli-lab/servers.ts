import type { Cluster } from '../../../engine/cluster';
import { programOf } from '../../../engine/cluster/programs';

/** Starts the servers of setup/servers.json: nginx on the web pods. */
export function startServers(cluster: Cluster): void {
  for (const n of [1, 2, 3]) {
    cluster.procs.spawn(`c-web${n}`, programOf(cluster, 'http'), [
      'nginx',
      '-name',
      `web-${n}`,
      '-port',
      '80,8080',
      '-modified',
      '1767600000',
    ]);
  }
}
