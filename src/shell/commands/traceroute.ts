import { type Program, programs } from '../../engine/workload';
import { client } from '../client';
import type { Command } from '../command';

/** traceroute(8) 2.1.2. */
export const traceroute: Command = client({
  name: 'traceroute',
  usage: 'traceroute [ -n ] host',
  program: () => programs.traceroute as Program,
  complete: ['-n', '-q', '-w', '-m', '-T', '-I'],
});
