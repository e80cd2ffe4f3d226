import { type Program, programs } from '../../engine/workload';
import { client } from '../client';
import type { Command } from '../command';

/** wget(1): 1.21.3 of Debian 12, 1.25.0 of Debian 13. */
export const wget: Command = client({
  name: 'wget',
  usage: 'wget [OPTION]... [URL]...',
  program: (packages) => (packages === 'debian13' ? programs['wget-1.25.0'] : programs.wget) as Program,
  complete: ['-qO-', '-T', '-O-', '--spider'],
});
