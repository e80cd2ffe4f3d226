import { type Program, programs } from '../../engine/workload';
import { client } from '../client';
import type { Command } from '../command';

/** curl(1): 7.88.1 of Debian 12, 8.14.1 of Debian 13. */
export const curl: Command = client({
  name: 'curl',
  usage: 'curl [options...] <url>',
  program: (packages) => (packages === 'debian13' ? programs['curl-8.14.1'] : programs.curl) as Program,
  complete: ['-s', '-v', '-i', '-m', '-o', '-I', '--connect-timeout', '--local-port', '-w'],
});
