import { assert } from '../base';
import type { Program } from '../workload';
import { echo } from '../workload/programs/echo';
import { http } from '../workload/programs/http';
import type { Cluster } from './cluster';

/** Makes a program that needs to see the world it serves. */
export type MakeProgram = (cluster: Cluster) => Program;

/** Server programs that machines and images name. */
const PROGRAMS: Record<string, MakeProgram> = {
  echo: () => echo,
  http: () => http,
};

/**
 * Programs whose code comes late (./late): the first picture does without them. They start with the first command of a
 * session, in every environment alike, so that the trace does not depend on when the code came.
 */
export const LATE_PROGRAMS: readonly string[] = ['coredns'];

export function providePrograms(programs: Readonly<Record<string, MakeProgram>>): void {
  Object.assign(PROGRAMS, programs);
}

export function programOf(cluster: Cluster, name: string): Program {
  const make = PROGRAMS[name];
  assert(make, `no program ${name}`);
  return make(cluster);
}
