import { type Program, programs } from '../../engine/workload';
import { client } from '../client';
import type { Command } from '../command';

/** ping(8) of iputils 20221126. */
export const ping: Command = client({
  name: 'ping',
  usage: 'ping [options] <destination>',
  program: () => programs.ping as Program,
  complete: ['-c', '-W', '-i', '-q', '-s', '-t', '-I'],
});
