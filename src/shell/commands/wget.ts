import { type Program, programs } from '../../engine/workload';
import { client } from '../client';
import type { Command } from '../command';

/** wget(1) 1.21. */
export const wget: Command = client({
  name: 'wget',
  usage: 'wget [OPTION]... [URL]...',
  program: () => programs.wget as Program,
  complete: ['-qO-', '-T', '-O-', '--spider'],
});
