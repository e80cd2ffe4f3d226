import { assert } from '../base';
import type { Program } from '../workload';
import { echo } from '../workload/programs/echo';
import { http } from '../workload/programs/http';
import type { Cluster } from './cluster';

/** Server programs that machines and images name. Some need to see the world they serve. */
const PROGRAMS: Readonly<Record<string, (cluster: Cluster) => Program>> = {
  echo: () => echo,
  http: () => http,
};

export const hasProgram = (name: string): boolean => Object.hasOwn(PROGRAMS, name);

export function programOf(cluster: Cluster, name: string): Program {
  const make = PROGRAMS[name];
  assert(make, `no program ${name}`);
  return make(cluster);
}
