import { type Program, programs } from '../../engine/workload';
import { client } from '../client';
import type { Command } from '../command';

/** ping(8) of iputils: 20221126 of Debian 12, 20240905 of Debian 13. */
export const ping: Command = client({
  name: 'ping',
  usage: 'ping [options] <destination>',
  program: (packages) => (packages === 'debian13' ? programs['ping-20240905'] : programs.ping) as Program,
  complete: ['-c', '-W', '-i', '-q', '-s', '-t', '-I'],
});
